fn main() {
    let mut o = metaroce_soft::SoftBenchOptions::default();
    for a in std::env::args().skip(1) {
        let (k, v) = a.split_once('=').unwrap();
        match k {
            "paths" => o.paths = v.parse().unwrap(),
            "window" => o.window = v.parse().unwrap(),
            "ack" => o.ack_every = v.parse().unwrap(),
            "rounds" => o.rounds = v.parse().unwrap(),
            "cpus" => o.cpus = None,
            _ => panic!(),
        }
    }
    println!("{:?}", metaroce_soft::bench_model(16, 1_000_000));
    println!("{:#?}", metaroce_soft::bench_soft(&o, || false).unwrap());
}

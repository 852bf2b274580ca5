//! Bandwidth and latency of each verb, and questions, between a server's thread and a client's.
use std::net::{IpAddr, SocketAddr};
use std::thread::JoinHandle;
use std::time::Duration;

use metaroce_soft::{
    Client, Device, DeviceOptions, Load, Ping, ServeOptions, Server, SoftError, Verb, ask_device,
    bandwidth, bench_model, latency, setup::Work, spread,
};

mod support;
use support::loopback;

const VERBS: [Verb; 3] = [Verb::Write, Verb::Send, Verb::Read];

/// A server in a thread, until `clients` have gone: where it listens.
fn serve(address: IpAddr, clients: u64) -> (String, JoinHandle<u64>) {
    let (said, heard) = std::sync::mpsc::channel();
    let thread = std::thread::spawn(move || {
        let device = Device::open(DeviceOptions::new(vec![address])).unwrap();
        let mut options = ServeOptions::new(SocketAddr::new(address, 0));
        options.clients = clients;
        let mut server = Server::new(device, options).unwrap();
        said.send(server.address().unwrap().to_string()).unwrap();
        let told = |end: &metaroce_soft::Served| assert!(end.result.is_ok(), "{:?}", end.result);
        server.run(|| false, told).unwrap()
    });
    (heard.recv().unwrap(), thread)
}

#[test]
fn latency_and_bandwidth_of_each_verb_end_and_are_plausible() {
    let [address, client] = loopback(30, 2)[..] else {
        unreachable!()
    };
    let (to, server) = serve(address, 6);
    let device = Device::open(DeviceOptions::new(vec![client])).unwrap();
    let paths = spread(4, 1, 61_000);
    for verb in VERBS {
        let ping = Ping {
            verb,
            bytes: 64,
            iterations: 600,
        };
        let l = latency(&device, &to, &paths, &ping, || false).unwrap();
        assert_eq!(l.iterations, 600);
        let order = [
            l.t_min,
            l.t_typical,
            l.percentile_99,
            l.percentile_99_9,
            l.t_max,
        ];
        assert!(l.t_min > 0.0 && order.is_sorted(), "{l:?}");
        let load = Load {
            verb,
            bytes: 65_536,
            iterations: u64::MAX,
            limit: Some(Duration::from_millis(200)),
        };
        let b = bandwidth(&device, &to, &paths, &load, || false).unwrap();
        assert!(b.iterations > 0, "{b:?}");
        assert!(b.peak_gigabits_per_second >= b.average_gigabits_per_second);
        let counted = |name: &str| {
            let found = b.summary.counters.iter().find(|(found, _)| found == name);
            found.map_or(0, |(_, n)| u64::from(*n))
        };
        let (name, packets) = match verb {
            Verb::Write => ("rx_writes", 64 * b.iterations),
            Verb::Send => ("rx_verbs", 64 * b.iterations),
            Verb::Read => ("tx_verbs", 64 * b.iterations),
        };
        assert!(counted(name) >= packets, "{b:?}");
    }
    assert_eq!(server.join().unwrap(), 6);
}

#[test]
fn a_message_of_no_bytes_can_be_measured() {
    let [address, client] = loopback(32, 2)[..] else {
        unreachable!()
    };
    let (to, server) = serve(address, 5);
    let device = Device::open(DeviceOptions::new(vec![client])).unwrap();
    let paths = spread(2, 1, 61_000);
    for verb in VERBS {
        let load = Load {
            verb,
            bytes: 0,
            iterations: 100,
            limit: None,
        };
        let b = bandwidth(&device, &to, &paths, &load, || false).unwrap();
        assert_eq!((b.iterations, b.average_gigabits_per_second), (100, 0.0));
    }
    for verb in [Verb::Send, Verb::Read] {
        let ping = Ping {
            verb,
            bytes: 0,
            iterations: 100,
        };
        assert_eq!(
            latency(&device, &to, &paths, &ping, || false)
                .unwrap()
                .bytes,
            0
        );
    }
    server.join().unwrap();
}

#[test]
fn a_server_lends_words_for_atomics_and_whoever_asks_hears_what_it_can_do() {
    let [address, client] = loopback(33, 2)[..] else {
        unreachable!()
    };
    let (to, server) = serve(address, 1);
    let before = ask_device(&to).unwrap();
    assert_eq!(before.addresses, [address]);
    assert_eq!(before.capabilities.names().len(), 7);
    assert_eq!(before.registered, 0);
    let device = Device::open(DeviceOptions::new(vec![client])).unwrap();
    let work = Work::Atomics { words: 2 };
    let mut client = Client::connect(&device, &to, &spread(2, 1, 61_000), work).unwrap();
    let local = device.register_memory(8).unwrap();
    let word = metaroce_verbs::Remote::from(client.region).at(8);
    for turn in 0..100_u64 {
        let connection = &mut client.connection;
        connection
            .post_fetch_add(turn, 0, (&local, 0), word, 3)
            .unwrap();
        client.complete().unwrap();
        assert_eq!(local.read(0..8).unwrap(), (3 * turn).to_le_bytes());
    }
    let during = ask_device(&to).unwrap();
    assert_eq!(during.registered, 16);
    assert_eq!(during.counters["atomics_executed"], 100);
    assert!(during.sockets.rx_datagrams >= 100);
    client.finish().unwrap();
    assert_eq!(server.join().unwrap(), 1, "questions are not clients");
}

#[test]
fn without_a_server_the_error_says_where_it_was_looked_for() {
    let client = loopback(31, 1);
    let device = Device::open(DeviceOptions::new(client)).unwrap();
    let load = Load {
        verb: Verb::Write,
        bytes: 1,
        iterations: 1,
        limit: None,
    };
    let paths = spread(1, 1, 61_000);
    let error = bandwidth(&device, "127.0.31.9:1", &paths, &load, || false).unwrap_err();
    assert!(matches!(error, SoftError::Unreachable { .. }));
    assert!(error.to_string().contains("127.0.31.9:1"), "{error}");
    assert!(matches!(
        ask_device("127.0.31.9:1"),
        Err(SoftError::Unreachable { .. })
    ));
}

#[test]
fn the_model_alone_delivers_every_packet_once() {
    let bench = bench_model(16, 10_000);
    assert_eq!(bench.packets, 10_240);
    assert!(bench.packets_per_second > 0.0);
}

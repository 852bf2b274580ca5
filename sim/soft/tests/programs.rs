//! Bandwidth and latency between a server's thread and a client's.
use std::net::SocketAddr;
use std::time::Duration;

use metaroce_soft::{
    Device, DeviceOptions, ServeOptions, Server, SoftError, bandwidth, bench_model, latency, spread,
};

mod support;
use support::loopback;

#[test]
fn latency_and_bandwidth_end_and_are_plausible() {
    let [address, client] = loopback(30, 2)[..] else {
        unreachable!()
    };
    let (said, heard) = std::sync::mpsc::channel();
    let server = std::thread::spawn(move || {
        let device = Device::open(DeviceOptions::new(vec![address])).unwrap();
        let mut options = ServeOptions::new(SocketAddr::new(address, 0));
        options.clients = 2;
        let mut server = Server::new(device, options).unwrap();
        said.send(server.address().unwrap().to_string()).unwrap();
        server
            .run(
                || false,
                |end| assert!(end.result.is_ok(), "{:?}", end.result),
            )
            .unwrap()
    });
    let to = heard.recv().unwrap();
    let device = Device::open(DeviceOptions::new(vec![client])).unwrap();
    let paths = spread(4, 1, 61_000);
    let l = latency(&device, &to, &paths, 64, 600, || false).unwrap();
    assert_eq!(l.iterations, 600);
    let order = [
        l.t_min,
        l.t_typical,
        l.percentile_99,
        l.percentile_99_9,
        l.t_max,
    ];
    assert!(l.t_min > 0.0 && order.is_sorted(), "{l:?}");
    let stretch = Some(Duration::from_millis(200));
    let b = bandwidth(&device, &to, &paths, 65_536, u64::MAX, stretch, || false).unwrap();
    assert!(b.iterations > 0 && b.peak_gigabits_per_second >= b.average_gigabits_per_second);
    let received = b
        .summary
        .counters
        .iter()
        .find(|(name, _)| name == "rx_writes");
    assert!(
        received.is_some_and(|(_, n)| u64::from(*n) >= 64 * b.iterations),
        "{b:?}"
    );
    assert_eq!(server.join().unwrap(), 2);
}

#[test]
fn without_a_server_the_error_says_where_it_was_looked_for() {
    let client = loopback(31, 1);
    let device = Device::open(DeviceOptions::new(client)).unwrap();
    let error = bandwidth(
        &device,
        "127.0.31.9:1",
        &spread(1, 1, 61_000),
        1,
        1,
        None,
        || false,
    );
    let error = error.unwrap_err();
    assert!(matches!(error, SoftError::Unreachable { .. }));
    assert!(error.to_string().contains("127.0.31.9:1"), "{error}");
}

#[test]
fn the_model_alone_delivers_every_packet_once() {
    let bench = bench_model(16, 10_000);
    assert_eq!(bench.packets, 10_240);
    assert!(bench.packets_per_second > 0.0);
}

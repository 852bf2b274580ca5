//! Strangers on the sockets: what they send is counted by name, and survived.
use std::io::{Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream, UdpSocket};
use std::time::Duration;

use metaroce_protocol::frame::Addresses;
use metaroce_protocol::{Body, Bth, Counter, Icrc, MacAddr, Path};
use metaroce_soft::{
    Device, DeviceOptions, Load, ServeOptions, Served, Server, Verb, bandwidth, spread,
};

mod support;
use support::{Pair, loopback, noise};

/// Bytes before BTH.
const OUTER: usize = 42;

/// A probe that would be right but for what `change` does; sealed again afterwards if `seal`.
fn probe(
    from: SocketAddr,
    to: IpAddr,
    qp: u32,
    seal: bool,
    change: impl Fn(&mut Vec<u8>),
) -> Vec<u8> {
    let (IpAddr::V4(src_ip), IpAddr::V4(dst_ip)) = (from.ip(), to) else {
        unreachable!("the tests speak IPv4")
    };
    let addresses = Addresses {
        dst_mac: MacAddr::default(),
        src_mac: MacAddr::default(),
        src_ip,
        dst_ip,
    };
    let frame = addresses.frame(from.port(), Body::Probe);
    let frame = metaroce_protocol::Frame {
        bth: Bth {
            dest_qp: qp,
            ..frame.bth
        },
        path: Path {
            path: 200,
            ..frame.path
        },
        ..frame
    };
    let mut bytes = frame.encode().unwrap();
    change(&mut bytes);
    if seal {
        Icrc::seal(&mut bytes);
    }
    bytes.split_off(OUTER)
}

#[test]
fn each_bad_datagram_is_counted_under_its_name_and_a_transfer_goes_on() {
    let [a, b, stranger] = loopback(20, 3)[..] else {
        unreachable!()
    };
    let mut pair = Pair::new(DeviceOptions::new(vec![a]), DeviceOptions::new(vec![b]), 4);
    let socket = UdpSocket::bind((stranger, 0)).unwrap();
    let from = socket.local_addr().unwrap();
    let qp = pair.ba.local().qp;
    let send = |bytes: &[u8]| socket.send_to(bytes, (b, 4791)).unwrap();
    let mut expected = std::collections::HashMap::new();
    let mut expect = |counter: Counter, n: u32| *expected.entry(counter.name()).or_insert(0) += n;
    let source = pair.a.register_memory(1 << 20).unwrap();
    let target = pair.b.register_memory(1 << 20).unwrap();
    let data = noise(1 << 20, 3);
    source.write(0, &data).unwrap();
    pair.ab
        .post_write(1, 0, (&source, 0..1 << 20), target.remote())
        .unwrap();
    for turn in 0..50_u32 {
        // Too short, also without a byte.
        send(&[0xC0; 25][..turn as usize % 26]);
        expect(Counter::RxMalformed, 1);
        // Longer than any frame, and longer than a buffer.
        send(&vec![0xC0; 4_146 + 100 * turn as usize + 4]);
        expect(Counter::RxMalformed, 1);
        // A length that is no multiple of four, an extra word after a probe, a version of PATH that is not ours.
        send(&probe(from, b, qp, true, |bytes| {
            bytes.insert(OUTER + 22, 0)
        }));
        send(&probe(from, b, qp, true, |bytes| bytes.extend([0; 4])));
        send(&probe(from, b, qp, true, |bytes| bytes[OUTER + 12] ^= 0xF0));
        expect(Counter::RxMalformed, 3);
        send(&probe(from, b, qp, false, |bytes| bytes[OUTER + 14] ^= 1));
        // Right for another source port: an ICRC of what the wire did not carry.
        let elsewhere = SocketAddr::new(stranger, from.port() ^ 1);
        send(&probe(elsewhere, b, qp, true, |_| ()));
        expect(Counter::RxBadIcrc, 2);
        send(&probe(from, b, qp, true, |bytes| bytes[OUTER] = 0x17));
        expect(Counter::RxUnknownOpcode, 1);
        // No such connection, a closed one's number on a live index, no such path.
        send(&probe(from, b, qp ^ 1, true, |_| ()));
        send(&probe(from, b, qp ^ 0x100, true, |_| ()));
        send(&probe(from, b, qp, true, |_| ()));
        expect(Counter::RxUnknownConnection, 3);
        send(&probe(from, b, qp, true, |bytes| {
            bytes[OUTER + 13] = 0;
            bytes[OUTER + 14] = 77;
        }));
        expect(Counter::RxClosedEpoch, 1);
        pair.settle(3);
    }
    pair.wait(Duration::from_secs(20)).check().unwrap();
    pair.settle(20);
    assert!(target.read(0..1 << 20).unwrap() == data);
    for counter in [
        Counter::RxMalformed,
        Counter::RxBadIcrc,
        Counter::RxUnknownOpcode,
        Counter::RxUnknownConnection,
        Counter::RxClosedEpoch,
    ] {
        assert_eq!(
            pair.b.counter(counter),
            expected[counter.name()],
            "{}",
            counter.name()
        );
    }
    assert_eq!(pair.b.counter(Counter::RxForeign), 0);
    assert_eq!(
        u64::from(pair.b.counter(Counter::RxFrames)),
        pair.b.statistics().rx_datagrams
    );
}

#[test]
fn random_datagrams_write_nothing_and_stop_nothing() {
    let [a, b, stranger] = loopback(21, 3)[..] else {
        unreachable!()
    };
    let mut pair = Pair::new(DeviceOptions::new(vec![a]), DeviceOptions::new(vec![b]), 2);
    let socket = UdpSocket::bind((stranger, 0)).unwrap();
    let target = pair.b.register_memory(4_096).unwrap();
    let bytes = noise(200_000, 4);
    for turn in 0..20_000_usize {
        let length = turn * 7 % 200;
        let begin = turn * 9;
        let mut datagram = bytes[begin..begin + length].to_vec();
        // Half of them begin like ours.
        if turn % 2 == 0 && length > 0 {
            datagram[0] = [0xC0, 0xD0, 0xD1, 0xD2][turn / 2 % 4];
        }
        socket.send_to(&datagram, (b, 4791)).unwrap();
        if turn % 32 == 0 {
            pair.settle(2);
        }
    }
    pair.settle(100);
    assert_eq!(pair.b.statistics().rx_datagrams, 20_000);
    let dropped = [
        Counter::RxMalformed,
        Counter::RxBadIcrc,
        Counter::RxUnknownOpcode,
    ];
    let dropped: u32 = dropped.iter().map(|&c| pair.b.counter(c)).sum();
    assert_eq!(dropped, 20_000);
    assert_eq!(target.read(0..4_096).unwrap(), [0; 4_096]);
    let source = pair.a.register_memory(64).unwrap();
    source.write(0, &[7; 64]).unwrap();
    pair.ab
        .post_write(1, 0, (&source, 0..64), target.remote())
        .unwrap();
    pair.wait(Duration::from_secs(10)).check().unwrap();
    assert_eq!(target.read(0..64).unwrap(), [7; 64]);
}

/// A server in a thread, until `clients` have gone; what became of each.
fn serve(
    address: IpAddr,
    clients: u64,
    patience: Duration,
) -> (SocketAddr, std::thread::JoinHandle<Vec<String>>) {
    let (said, heard) = std::sync::mpsc::channel();
    let thread = std::thread::spawn(move || {
        let device = Device::open(DeviceOptions::new(vec![address])).unwrap();
        let mut options = ServeOptions::new(SocketAddr::new(address, 0));
        (options.clients, options.patience) = (clients, patience);
        (options.max_region, options.max_memory) = (1 << 20, 1_000_000);
        let mut server = Server::new(device, options).unwrap();
        said.send(server.address().unwrap()).unwrap();
        let mut ends = Vec::new();
        let told = |end: &Served| {
            ends.push(
                end.result
                    .as_ref()
                    .map_or_else(|e| e.to_string(), |()| "ok".into()),
            )
        };
        server.run(|| false, told).unwrap();
        ends
    });
    (heard.recv().unwrap(), thread)
}

#[test]
fn strangers_on_the_set_up_port_are_told_why_and_others_are_served_meanwhile() {
    let [address, client] = loopback(22, 2)[..] else {
        unreachable!()
    };
    let hello = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut value = serde_json::json!({
            "version": 1,
            "end": {"qp": 1, "first_psn": 256, "first_tsn": 9, "addresses": [client]},
            "paths": [{"plane": 0, "entropy": 61_000}],
            "work": {"bandwidth": {"bytes": 1_000}},
        });
        change(&mut value);
        value.to_string() + "\n"
    };
    let lines: Vec<(Vec<u8>, &str)> = vec![
        (
            b"GET / HTTP/1.1\r\n\r\n".to_vec(),
            "needed a line of the exchange",
        ),
        (vec![b'{'; 40_000], "needed a line of at most 32768 bytes"),
        (vec![0xFF, b'\n'], "needed a line of the exchange"),
        (
            hello(&|v| v["version"] = 9.into()).into(),
            "needed version 1, found version 9",
        ),
        (
            hello(&|v| v["end"]["qp"] = (1 << 24).into()).into(),
            "24 bits",
        ),
        (
            hello(&|v| v["end"]["first_psn"] = 257.into()).into(),
            "first PSN modulo 256",
        ),
        (
            hello(&|v| v["end"]["addresses"] = serde_json::json!([])).into(),
            "addresses: needed",
        ),
        (
            hello(&|v| v["end"]["addresses"] = serde_json::json!(["::1"])).into(),
            "addresses: needed",
        ),
        (
            hello(&|v| v["paths"] = serde_json::json!([])).into(),
            "paths of a connection",
        ),
        (
            hello(&|v| v["paths"][0]["plane"] = 1.into()).into(),
            "plane is at most 0, found 1",
        ),
        (
            hello(&|v| v["paths"][0]["entropy"] = 4791.into()).into(),
            "UDP port 4791",
        ),
        (
            hello(&|v| v["work"]["bandwidth"]["bytes"] = (1_u64 << 50).into()).into(),
            "a region of 1 to 1048576 bytes",
        ),
        (
            hello(&|v| v["work"] = serde_json::json!({"send": {"bytes": 100, "depth": 257}}))
                .into(),
            "needed a depth of 1 to 256, found 257",
        ),
        (
            hello(&|v| v["work"] = serde_json::json!({"send": {"bytes": 100, "depth": 0}})).into(),
            "a region of 1 to 1048576 bytes",
        ),
        (
            hello(&|v| v["work"] = serde_json::json!({"send": {"bytes": u64::MAX, "depth": 2}}))
                .into(),
            "a region of 1 to 1048576 bytes",
        ),
        (
            hello(&|v| v["work"] = serde_json::json!({"send_latency": {"bytes": 0}})).into(),
            "a region of 1 to 1048576 bytes",
        ),
        (
            hello(&|v| v["work"] = serde_json::json!({"atomics": {"words": u64::MAX}})).into(),
            "a region of 1 to 1048576 bytes",
        ),
        (
            hello(&|v| v["work"] = serde_json::json!({"fly": {}})).into(),
            "unknown variant `fly`",
        ),
        (
            b"{\"version\": 1, \"query\": \"secrets\"}\n".to_vec(),
            "unknown variant `secrets`",
        ),
        (
            hello(&|v| v["more"] = 1.into()).into(),
            "needed a line of the exchange",
        ),
    ];
    let (server, thread) = serve(address, lines.len() as u64 + 1, Duration::from_secs(20));
    // One who says nothing holds nobody up.
    let silent = TcpStream::connect(server).unwrap();
    for (line, why) in &lines {
        let mut stream = TcpStream::connect(server).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(10)))
            .unwrap();
        let _ = stream.write_all(line);
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        // A line that is cut off resets the connection: then only the server's word is left.
        assert!(answer.contains(why) || answer.is_empty(), "{why}: {answer}");
    }
    let device = Device::open(DeviceOptions::new(vec![client])).unwrap();
    let paths = spread(4, 1, 61_000);
    let load = Load {
        verb: Verb::Write,
        bytes: 10_000,
        iterations: 100,
        limit: None,
    };
    let done = bandwidth(&device, &server.to_string(), &paths, &load, || false).unwrap();
    assert_eq!(done.iterations, 100);
    let ends = thread.join().unwrap();
    for ((_, why), end) in lines.iter().zip(&ends) {
        assert!(end.contains(why), "{why}: {end}");
    }
    assert_eq!(ends.last().unwrap(), "ok");
    drop(silent);
}

#[test]
fn a_client_that_goes_or_falls_silent_is_named() {
    let [address, client] = loopback(23, 2)[..] else {
        unreachable!()
    };
    let (server, thread) = serve(address, 2, Duration::from_millis(300));
    let silent = TcpStream::connect(server).unwrap();
    let gone = TcpStream::connect(server).unwrap();
    drop(gone);
    let ends = thread.join().unwrap();
    for why in [
        "closed the set-up connection",
        "said and sent nothing for 300ms",
    ] {
        assert!(ends.iter().any(|end| end.contains(why)), "{ends:?}");
    }
    drop((silent, client));
}

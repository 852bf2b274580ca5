//! Peers that restart, replay, lie or share an identity: each has its counter or its error, and nothing else happens.
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream, UdpSocket};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use metaroce_protocol::frame::{self, Addresses};
use metaroce_protocol::{Body, Bth, CompletionStatus, Counter, Frame, Ip, MacAddr, Psn, Sack, Tsn};
use metaroce_soft::{Device, DeviceOptions, ServeOptions, Server, pin};
use pcap_file::pcapng::{Block, PcapNgReader};

mod support;
use support::{Pair, loopback, noise};

const LIMIT: Duration = Duration::from_secs(20);
/// Bytes before BTH over IPv4.
const OUTER: usize = 42;

fn options(address: IpAddr) -> DeviceOptions {
    DeviceOptions::new(vec![address])
}

#[test]
fn a_peer_that_restarts_counts_frames_of_before_and_their_sender_is_told() {
    let addresses = loopback(50, 2);
    let impatient = DeviceOptions {
        max_retries: 4,
        rto: 1_000,
        ..options(addresses[0])
    };
    let Pair { a, b, mut ab, ba } = Pair::new(impatient, options(addresses[1]), 2);
    let source = a.register_memory(10_000).unwrap();
    let target = b.register_memory(10_000).unwrap();
    let remote = target.remote();
    drop((target, ba, b));
    let restarted = Device::open(options(addresses[1])).unwrap();
    let untouched = restarted.register_memory(10_000).unwrap();
    ab.post_write(5, 0, (&source, 0..10_000), remote).unwrap();
    let queue = a.completion_queue();
    let began = Instant::now();
    let done = loop {
        restarted.advance().unwrap();
        if let Some(done) = queue.poll().unwrap() {
            break done;
        }
        assert!(began.elapsed() < LIMIT, "{:?}", a.counters());
        a.advance().unwrap();
    };
    assert_eq!(done.status, CompletionStatus::RetryExceeded);
    assert!(restarted.counter(Counter::RxUnknownConnection) > 0);
    assert_eq!(untouched.read(0..10_000).unwrap(), [0; 10_000]);
}

/// Datagrams from one IPv4 address in a capture, by source port, and how many of them are data.
fn captured(path: &Path, from: Ipv4Addr) -> (HashMap<u16, Vec<Vec<u8>>>, usize) {
    let file = std::fs::File::open(path).unwrap();
    let mut reader = PcapNgReader::new(file).unwrap();
    let (mut datagrams, mut data) = (HashMap::<u16, Vec<Vec<u8>>>::new(), 0);
    while let Some(block) = reader.next_block() {
        let Block::EnhancedPacket(packet) = block.unwrap() else {
            continue;
        };
        let frame = frame::parse(&packet.data).expect("a captured frame is one of ours");
        if matches!(frame.ip, Ip::V4(ip) if ip.source == from) {
            data += usize::from(frame.body.payload().is_some());
            let port = frame.udp.source_port;
            let datagram = packet.data[OUTER..].to_vec();
            datagrams.entry(port).or_default().push(datagram);
        }
    }
    (datagrams, data)
}

#[test]
fn replayed_datagrams_are_duplicates_and_write_nothing() {
    let addresses = loopback(51, 2);
    let (IpAddr::V4(from), to) = (addresses[0], addresses[1]) else {
        unreachable!()
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("b.pcapng");
    let capturing = DeviceOptions {
        capture: Some(path.clone()),
        ..options(to)
    };
    let mut pair = Pair::new(options(addresses[0]), capturing, 4);
    let source = pair.a.register_memory(50_000).unwrap();
    let target = pair.b.register_memory(50_000).unwrap();
    source.write(0, &noise(50_000, 3)).unwrap();
    pair.ab
        .post_write(1, 0, (&source, 0..50_000), target.remote())
        .unwrap();
    pair.wait(LIMIT).check().unwrap();
    pair.settle(50);
    assert_eq!(pair.b.finish_capture().unwrap().unwrap(), path);
    let Pair { a, b, ab, ba } = pair;
    // The sender's ports are free for somebody who says the same again.
    drop((source, ab, a));
    target.write(0, &[0xEE; 50_000]).unwrap();
    let (datagrams, data) = captured(&path, from);
    assert_eq!(
        (datagrams.len(), data),
        (4, 49),
        "paths, packets of 1,024 bytes"
    );
    let before = b.counter(Counter::RxDuplicate);
    for (port, datagrams) in &datagrams {
        let socket = UdpSocket::bind((from, *port)).unwrap();
        for datagram in datagrams {
            socket.send_to(datagram, (to, 4791)).unwrap();
            b.advance().unwrap();
        }
    }
    (0..100).for_each(|_| b.advance().unwrap());
    let duplicates = b.counter(Counter::RxDuplicate) - before;
    assert_eq!(duplicates as usize, data);
    assert_eq!(b.counter(Counter::RxBadIcrc), 0);
    assert_eq!(target.read(0..50_000).unwrap(), [0xEE; 50_000]);
    drop(ba);
}

/// An acknowledgement of path 0 from one address to a queue pair at another.
fn acknowledgement(from: SocketAddr, to: IpAddr, qp: u32, psn: Psn, echo: Tsn) -> Vec<u8> {
    let (IpAddr::V4(src_ip), IpAddr::V4(dst_ip)) = (from.ip(), to) else {
        unreachable!("the tests speak IPv4")
    };
    let addresses = Addresses {
        dst_mac: MacAddr::default(),
        src_mac: MacAddr::default(),
        src_ip,
        dst_ip,
    };
    let frame = addresses.frame(from.port(), Body::Ack(Sack::default()));
    let frame = Frame {
        bth: Bth {
            dest_qp: qp,
            psn,
            ..frame.bth
        },
        path: metaroce_protocol::Path {
            tsn: echo,
            ..frame.path
        },
        ..frame
    };
    frame.encode().unwrap().split_off(OUTER)
}

#[test]
fn acknowledgements_of_what_was_never_sent_are_counted_and_complete_nothing() {
    let addresses = loopback(52, 2);
    let mut pair = Pair::new(options(addresses[0]), options(addresses[1]), 1);
    let source = pair.a.register_memory(10_000).unwrap();
    let target = pair.b.register_memory(10_000).unwrap();
    source.write(0, &noise(10_000, 4)).unwrap();
    pair.ab
        .post_write(1, 0, (&source, 0..10_000), target.remote())
        .unwrap();
    // Ten packets are on their way; their receiver has not looked yet.
    let queue = pair.a.completion_queue();
    assert_eq!(queue.poll().unwrap(), None);
    let liar = UdpSocket::bind((addresses[1], 0)).unwrap();
    let from = liar.local_addr().unwrap();
    let local = pair.ab.local();
    let (psn, tsn) = (local.attributes.first_psn, local.attributes.first_tsn);
    let far = |n: u32| Tsn::truncate(tsn.get().wrapping_add(n));
    let beyond = |n: u32| Psn::truncate(psn.get().wrapping_add(n));
    let lies = [
        (beyond(300), tsn),
        (beyond(50), tsn),
        (psn, far(1_000)),
        (beyond(1 << 23), far(1 << 23)),
    ];
    for (psn, echo) in lies {
        let datagram = acknowledgement(from, addresses[0], local.qp, psn, echo);
        liar.send_to(&datagram, (addresses[0], 4791)).unwrap();
    }
    let began = Instant::now();
    while pair.a.counter(Counter::RxAckInvalid) < lies.len() as u32 {
        assert_eq!(queue.poll().unwrap(), None, "a lie completed the message");
        assert!(began.elapsed() < LIMIT, "{:?}", pair.a.counters());
    }
    pair.wait(LIMIT).check().unwrap();
    assert!(target.read(0..10_000).unwrap() == source.read(0..10_000).unwrap());
    let invalid = pair.a.counter(Counter::RxAckInvalid);
    assert_eq!(invalid as usize, lies.len());
}

#[test]
fn a_second_client_of_the_same_identity_is_told_and_the_first_keeps_its_connection() {
    let [address, client] = loopback(53, 2)[..] else {
        unreachable!()
    };
    let over = AtomicBool::new(false);
    let (said, heard) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        let server = scope.spawn(|| {
            let device = Device::open(options(address)).unwrap();
            let serve = ServeOptions::new(SocketAddr::new(address, 0));
            let mut server = Server::new(device, serve).unwrap();
            said.send(server.address().unwrap()).unwrap();
            let mut ends = Vec::new();
            let stop = || over.load(Ordering::Relaxed);
            let told = |end: &metaroce_soft::Served| ends.push(end.result.is_ok());
            server.run(stop, told).unwrap();
            ends
        });
        let to = heard.recv().unwrap();
        let hello = serde_json::json!({
            "version": 1,
            "end": {"qp": 0x1234, "first_psn": 256, "first_tsn": 9, "addresses": [client]},
            "paths": [{"plane": 0, "entropy": 61_000}],
            "work": {"bandwidth": {"bytes": 1_000}},
        });
        let say = |stream: &mut TcpStream, line: &str| {
            stream.write_all(format!("{line}\n").as_bytes()).unwrap();
            let mut answer = String::new();
            stream.set_read_timeout(Some(LIMIT)).unwrap();
            BufReader::new(&*stream).read_line(&mut answer).unwrap();
            answer
        };
        let (mut first, mut second) = (
            TcpStream::connect(to).unwrap(),
            TcpStream::connect(to).unwrap(),
        );
        assert!(say(&mut first, &hello.to_string()).contains("ready"));
        let answer = say(&mut second, &hello.to_string());
        assert!(
            answer.contains("queue pair 0x1234 of [127.0.53.2]"),
            "{answer}"
        );
        assert!(answer.contains("two peers can't have one identity"));
        assert!(say(&mut first, "\"done\"").contains("summary"));
        let mut later = TcpStream::connect(to).unwrap();
        assert!(
            say(&mut later, &hello.to_string()).contains("ready"),
            "it is free again"
        );
        over.store(true, Ordering::Relaxed);
        assert_eq!(server.join().unwrap(), [false, true]);
    });
}

#[test]
fn a_pinned_thread_stays_on_its_cpu_and_a_missing_cpu_is_named() {
    std::thread::spawn(|| {
        pin(Some(0)).unwrap();
        let set = nix::sched::sched_getaffinity(nix::unistd::Pid::from_raw(0)).unwrap();
        let cpus: Vec<_> = (0..1_000).filter(|&n| set.is_set(n) == Ok(true)).collect();
        assert_eq!(cpus, [0]);
        for cpu in [1_000, usize::MAX] {
            let error = pin(Some(cpu)).unwrap_err().to_string();
            assert!(
                error.contains(&format!("can't stay on CPU {cpu}")),
                "{error}"
            );
        }
    })
    .join()
    .unwrap();
}

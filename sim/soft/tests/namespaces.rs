//! Two network namespaces: real interfaces, real loss. `METAROCE_LONG=1`: files of 1 GiB, and a plane goes and comes.
use std::io::Write;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use metaroce_model::counters::Extra;
use metaroce_protocol::Counter;
use metaroce_soft::{
    Device, DeviceOptions, FIRST_ENTROPY, ServeOptions, Server, SoftError, Statistics, Transfer,
    setup::PORT, spread, transfer_file,
};
use metaroce_verbs::{ConnectionAttributes, PathAttributes, Peer, Remote};

#[path = "support/namespaces.rs"]
mod spaces;
mod support;
use spaces::Namespaces;
use support::noise;

fn is_long() -> bool {
    std::env::var_os("METAROCE_LONG").is_some_and(|value| value == "1")
}

/// What the two sides counted.
struct Outcome {
    transfer: Transfer,
    sent_again: u32,
    marked: u32,
    sender: Statistics,
}

fn options(addresses: Vec<IpAddr>, capture: Option<&Path>) -> DeviceOptions {
    DeviceOptions {
        mtu_log2: 12,
        max_retries: 15,
        capture: capture.map(Path::to_path_buf),
        ..DeviceOptions::new(addresses)
    }
}

/// A file to be written from side A to side B.
struct Crossing<'a> {
    ipv6: bool,
    paths: u16,
    data: Vec<u8>,
    capture: Option<&'a Path>,
    suspect_paths: u32,
}

impl Crossing<'_> {
    fn new(ipv6: bool, paths: u16, data: Vec<u8>) -> Self {
        Self {
            ipv6,
            paths,
            data,
            capture: None,
            suspect_paths: 0,
        }
    }
}

/// Writes it; `during` runs beside it, and hears when a quarter is there.
fn cross(
    spaces: &Namespaces,
    crossing: Crossing<'_>,
    during: impl FnOnce(&Receiver<()>),
) -> Outcome {
    let Crossing {
        ipv6,
        paths,
        data,
        capture,
        suspect_paths,
    } = crossing;
    let folder = tempfile::tempdir().unwrap();
    let (source, kept) = (folder.path().join("source.bin"), folder.path().join("kept"));
    std::fs::create_dir(&kept).unwrap();
    std::fs::File::create(&source)
        .unwrap()
        .write_all(&data)
        .unwrap();
    let (said, heard) = channel();
    let (addresses, folder_of_server) = (spaces.of(1, ipv6), kept.clone());
    let capture = capture.map(Path::to_path_buf);
    let server = spaces.spawn(1, move || {
        let listen = SocketAddr::new(addresses[0], PORT);
        let device = Device::open(options(addresses, capture.as_deref())).unwrap();
        let mut serve = ServeOptions::new(listen);
        serve.clients = 1;
        serve.folder = Some(folder_of_server);
        let mut server = Server::new(device.clone(), serve).unwrap();
        said.send(listen.to_string()).unwrap();
        let mut failure = None;
        let told = |end: &metaroce_soft::Served| {
            failure = end.result.as_ref().err().map(SoftError::to_string)
        };
        server.run(|| false, told).unwrap();
        device.finish_capture().unwrap();
        assert_eq!(failure, None);
        assert_eq!(
            device.counter(Counter::RxBadIcrc),
            0,
            "{:?}",
            device.counters()
        );
        device.counter(Counter::RxMarked)
    });
    let server_address = heard.recv_timeout(Duration::from_secs(10)).unwrap();
    let addresses = spaces.of(0, ipv6);
    let (quarter, hear_quarter) = channel();
    let length = data.len() as u64;
    let client = spaces.spawn(0, move || {
        let planes = addresses.len();
        let options = DeviceOptions {
            suspect_paths,
            ..options(addresses, None)
        };
        let device = Device::open(options).unwrap();
        let paths = spread(paths, planes, FIRST_ENTROPY);
        let mut quarter = Some(quarter);
        let progress = |bytes| {
            if bytes >= length / 4
                && let Some(quarter) = quarter.take()
            {
                let _ = quarter.send(());
            }
            Ok(())
        };
        let transfer = transfer_file(&device, &server_address, &paths, &source, progress);
        let transfer = transfer.unwrap_or_else(|error| panic!("{error}; {:?}", device.counters()));
        assert_eq!(device.counter(Counter::RxBadIcrc), 0);
        (
            transfer,
            device.counter(Counter::TxRetransmissions),
            device.statistics(),
            device.extra_counter(Extra::PlanesSuspected),
        )
    });
    during(&hear_quarter);
    let (transfer, sent_again, sender, suspected) = client.join().unwrap();
    let marked = server.join().unwrap();
    assert!(transfer.identical);
    assert!(std::fs::read(kept.join("source.bin")).unwrap() == data);
    eprintln!(
        "{} MiB, {paths} paths, IPv{}: {:.1} s, {:.2} Gb/s, {sent_again} sent again, planes suspected {suspected} times",
        data.len() >> 20,
        if ipv6 { 6 } else { 4 },
        transfer.seconds,
        transfer.gigabits_per_second
    );
    Outcome {
        transfer,
        sent_again,
        marked,
        sender,
    }
}

#[test]
fn a_file_crosses_two_lossy_planes_over_ipv4_and_ipv6() {
    let Some(spaces) = Namespaces::new("loss", 2) else {
        return;
    };
    for side in 0..2 {
        spaces.filter(side, "numgen random mod 100 == 0 drop");
    }
    let length = if is_long() { 1 << 30 } else { 16 << 20 };
    for ipv6 in [false, true] {
        let outcome = cross(&spaces, Crossing::new(ipv6, 16, noise(length, 5)), |_| {});
        let packets = length as u32 / 4_096;
        // 1 % of a binomial count: far inside a third to three times.
        assert!(
            (packets / 300..packets / 33).contains(&outcome.sent_again),
            "{}",
            outcome.sent_again
        );
        assert_eq!(outcome.transfer.bytes, length as u64);
    }
}

#[test]
fn a_plane_goes_and_comes_back() {
    let Some(spaces) = Namespaces::new("plane", 2) else {
        return;
    };
    let length = if is_long() { 1 << 30 } else { 64 << 20 };
    for side in 0..2 {
        spaces.filter(side, "numgen random mod 100 == 0 drop");
    }
    // Its paths wait for it; or their load moves to the other plane.
    for suspect_paths in [0, 2] {
        let crossing = Crossing {
            suspect_paths,
            ..Crossing::new(false, 8, noise(length, 6))
        };
        let outcome = cross(&spaces, crossing, |quarter| {
            let _ = quarter.recv();
            spaces.set_plane(1, false);
            std::thread::sleep(Duration::from_millis(if is_long() { 1_000 } else { 300 }));
            spaces.set_plane(1, true);
        });
        assert!(
            outcome.sender.tx_refused > 0,
            "the plane went while nothing was sent: {:?}",
            outcome.sender
        );
    }
}

#[test]
fn marks_of_the_network_are_seen() {
    let Some(spaces) = Namespaces::new("marks", 1) else {
        return;
    };
    spaces.filter(1, "numgen inc mod 4 == 0 ip ecn set ce");
    spaces.filter(1, "numgen inc mod 4 == 0 ip6 ecn set ce");
    for ipv6 in [false, true] {
        let outcome = cross(&spaces, Crossing::new(ipv6, 4, noise(4 << 20, 7)), |_| {});
        // A quarter of 1,024 packets; probes are counted by the filter too.
        assert!((128..512).contains(&outcome.marked), "{}", outcome.marked);
    }
}

/// The rule of docs/protocol.md for software peers, seen by somebody else, and that our captures are what was on the wire.
#[test]
fn datagrams_on_the_wire_have_identification_0_and_do_not_fragment() {
    let Some(spaces) = Namespaces::new("wire", 1) else {
        return;
    };
    if std::process::Command::new("tshark")
        .arg("-v")
        .output()
        .is_err()
    {
        eprintln!("skipped: tshark is not installed");
        return;
    }
    let fields = [
        "ip.id",
        "ip.flags.df",
        "ip.dsfield.ecn",
        "udp.srcport",
        "udp.payload",
    ];
    let fields = fields.iter().flat_map(|field| ["-e", field]);
    let mut sniffer = spaces
        .command(1, "tshark")
        .args([
            "-l",
            "-i",
            "p0",
            "-f",
            "udp dst port 4791 and dst host 10.77.0.2",
        ])
        .args(["-c", "40", "-a", "duration:60", "-T", "fields"])
        .args(fields.clone())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It says when it listens.
    let mut said = std::io::BufReader::new(sniffer.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("Capturing on") {
        line.clear();
        assert!(std::io::BufRead::read_line(&mut said, &mut line).unwrap() > 0);
    }
    std::thread::sleep(Duration::from_millis(500));
    let folder = tempfile::tempdir().unwrap();
    let capture = folder.path().join("soft.pcapng");
    let crossing = Crossing {
        capture: Some(&capture),
        ..Crossing::new(false, 2, noise(1 << 20, 8))
    };
    cross(&spaces, crossing, |_| {});
    let seen = String::from_utf8(sniffer.wait_with_output().unwrap().stdout).unwrap();
    assert_eq!(seen.lines().count(), 40);
    let ours = std::process::Command::new("tshark")
        .args([
            "-r",
            capture.to_str().unwrap(),
            "-T",
            "fields",
            "-Y",
            "ip.dst == 10.77.0.2",
        ])
        .args(fields)
        .output()
        .unwrap();
    let ours = String::from_utf8(ours.stdout).unwrap();
    for line in seen.lines() {
        let columns: Vec<_> = line.split('\t').collect();
        assert_eq!(columns[..3], ["0x0000", "1", "2"], "{line}");
        assert!(["61000", "61001"].contains(&columns[3]), "{line}");
        // BTH to ICRC, which our receiver found right for identification 0: as it was on the wire.
        assert!(columns[4].len() >= 2 * 26, "no payload: {line}");
        assert!(
            ours.lines().any(|ours| ours == line),
            "not in our capture: {line}"
        );
    }
}

/// Messages of each verb, and bytes of each: a few packets, no multiple of four.
const MESSAGES: usize = 400;
const BYTES: usize = 20_001;

/// The end that posts buffers and holds what is read, until `over`.
fn answer(
    device: &Device,
    ends: (&Sender<(Peer, Remote)>, &Receiver<Peer>),
    paths: &[PathAttributes],
    over: &AtomicBool,
) {
    let held = device.register_memory(BYTES).unwrap();
    held.write(0, &noise(BYTES, 21)).unwrap();
    let inbox = device.register_memory(8 * BYTES).unwrap();
    let slot = |slot: usize| slot * BYTES..(slot + 1) * BYTES;
    let attributes = ConnectionAttributes::random();
    let mut connection = device.create_connection(attributes).unwrap();
    ends.0.send((connection.local(), held.remote())).unwrap();
    connection.connect(&ends.1.recv().unwrap(), paths).unwrap();
    for n in 0..8 {
        connection
            .post_receive(n as u64, 0, (&inbox, slot(n)))
            .unwrap();
    }
    let queue = device.completion_queue();
    let mut received = 0;
    while !over.load(Ordering::Relaxed) {
        let Some(done) = queue.poll().unwrap() else {
            device.advance().unwrap();
            continue;
        };
        done.check().unwrap();
        let place = slot(done.wr_id as usize);
        assert_eq!(done.immediate, Some(received));
        assert!(inbox.read(place.clone()).unwrap() == noise(BYTES, received + 1));
        connection
            .post_receive(done.wr_id, 0, (&inbox, place))
            .unwrap();
        received += 1;
    }
    assert_eq!(received as usize, MESSAGES);
}

/// The end that sends, then reads: packets that it sent again.
fn ask(
    device: &Device,
    ends: (&Sender<Peer>, &Receiver<(Peer, Remote)>),
    paths: &[PathAttributes],
) -> u32 {
    let local = device.register_memory(BYTES).unwrap();
    let attributes = ConnectionAttributes::random();
    let mut connection = device.create_connection(attributes).unwrap();
    let (peer, held) = ends.1.recv().unwrap();
    ends.0.send(connection.local()).unwrap();
    connection.connect(&peer, paths).unwrap();
    let queue = device.completion_queue();
    let wait = || {
        queue
            .wait(Duration::from_secs(60))
            .unwrap()
            .check()
            .unwrap()
    };
    for n in 0..MESSAGES as u32 {
        local.write(0, &noise(BYTES, n + 1)).unwrap();
        connection
            .post_send(0, 0, (&local, 0..BYTES), Some(n))
            .unwrap();
        wait();
    }
    let expected = noise(BYTES, 21);
    for _ in 0..MESSAGES {
        local.write(0, &[0; BYTES]).unwrap();
        connection
            .post_read(0, 1, (&local, 0..BYTES), held)
            .unwrap();
        wait();
        assert!(local.read(0..BYTES).unwrap() == expected);
    }
    device.counter(Counter::TxRetransmissions)
}

#[test]
fn sends_and_reads_cross_two_lossy_planes_over_ipv4_and_ipv6() {
    let Some(spaces) = Namespaces::new("verbs", 2) else {
        return;
    };
    for side in 0..2 {
        spaces.filter(side, "numgen random mod 100 == 0 drop");
    }
    for ipv6 in [false, true] {
        let paths = spread(8, 2, FIRST_ENTROPY);
        let over = Arc::new(AtomicBool::new(false));
        let (told, heard) = channel();
        let (tell, hear) = channel();
        let (addresses, finished) = (spaces.of(1, ipv6), over.clone());
        let both = paths.clone();
        let responder = spaces.spawn(1, move || {
            let device = Device::open(options(addresses, None)).unwrap();
            answer(&device, (&told, &hear), &both, &finished);
            device.counter(Counter::TxRetransmissions)
        });
        let addresses = spaces.of(0, ipv6);
        let requester = spaces.spawn(0, move || {
            let device = Device::open(options(addresses, None)).unwrap();
            ask(&device, (&tell, &heard), &paths)
        });
        let asked = requester.join();
        over.store(true, Ordering::Relaxed);
        let answered = responder.join().unwrap();
        let asked = asked.unwrap();
        eprintln!(
            "IPv{}: {asked} and {answered} sent again",
            if ipv6 { 6 } else { 4 }
        );
        // 2,000 packets of data each way, 1 % lost: none at all is one in 10^8.
        assert!(asked > 0 && answered > 0);
    }
}

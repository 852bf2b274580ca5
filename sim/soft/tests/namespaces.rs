//! A file between two network namespaces: real interfaces, real loss. `METAROCE_LONG=1`: 1 GiB, and a plane goes and comes.
use std::io::Write;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::process::Stdio;
use std::sync::mpsc::channel;
use std::time::Duration;

use metaroce_protocol::Counter;
use metaroce_soft::{
    Device, DeviceOptions, FIRST_ENTROPY, ServeOptions, Server, SoftError, Statistics, Transfer,
    setup::PORT, spread, transfer_file,
};

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

/// Side A writes `data` to side B as a file; `during` runs beside it.
fn cross(
    spaces: &Namespaces,
    ipv6: bool,
    paths: u16,
    data: Vec<u8>,
    capture: Option<&Path>,
    during: impl FnOnce(),
) -> Outcome {
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
    let client = spaces.spawn(0, move || {
        let planes = addresses.len();
        let device = Device::open(options(addresses, None)).unwrap();
        let paths = spread(paths, planes, FIRST_ENTROPY);
        let transfer = transfer_file(&device, &server_address, &paths, &source, |_| Ok(()));
        let transfer = transfer.unwrap_or_else(|error| panic!("{error}; {:?}", device.counters()));
        assert_eq!(device.counter(Counter::RxBadIcrc), 0);
        (
            transfer,
            device.counter(Counter::TxRetransmissions),
            device.statistics(),
        )
    });
    during();
    let (transfer, sent_again, sender) = client.join().unwrap();
    let marked = server.join().unwrap();
    assert!(transfer.identical);
    assert!(std::fs::read(kept.join("source.bin")).unwrap() == data);
    eprintln!(
        "{} MiB, {paths} paths, IPv{}: {:.2} Gb/s, {sent_again} sent again",
        data.len() >> 20,
        if ipv6 { 6 } else { 4 },
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
        let outcome = cross(&spaces, ipv6, 16, noise(length, 5), None, || {});
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
    // Slow enough that the plane goes in the middle: a share of frames waits for a time-out.
    spaces.filter(1, "numgen random mod 50 == 0 drop");
    let outcome = cross(&spaces, false, 8, noise(length, 6), None, || {
        std::thread::sleep(Duration::from_millis(if is_long() { 800 } else { 150 }));
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

#[test]
fn marks_of_the_network_are_seen() {
    let Some(spaces) = Namespaces::new("marks", 1) else {
        return;
    };
    spaces.filter(1, "numgen inc mod 4 == 0 ip ecn set ce");
    spaces.filter(1, "numgen inc mod 4 == 0 ip6 ecn set ce");
    for ipv6 in [false, true] {
        let outcome = cross(&spaces, ipv6, 4, noise(4 << 20, 7), None, || {});
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
    cross(&spaces, false, 2, noise(1 << 20, 8), Some(&capture), || {});
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

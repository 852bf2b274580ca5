//! The software peer of this project, over loopback: what it can be asked it passes, and the rest is skipped by name.
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;

use metaroce_compliance::points;
use metaroce_compliance::report::{Outcome, PointResult};
use metaroce_compliance::run::run_point;
use metaroce_compliance::targets::soft::{SoftError, SoftLab};
use metaroce_soft::{Device, DeviceOptions, ServeOptions, Server};

/// Serves on two planes until told to stop; the set-up port.
fn serve(addresses: Vec<IpAddr>, stop: Arc<AtomicBool>) -> (String, std::thread::JoinHandle<()>) {
    let (tell, hear) = mpsc::channel();
    let thread = std::thread::spawn(move || {
        let listen = (addresses[0], 0).into();
        let device = Device::open(DeviceOptions::new(addresses)).expect("a device");
        let mut server = Server::new(device, ServeOptions::new(listen)).expect("a server");
        let address = server.address().expect("an address");
        tell.send(address.to_string()).expect("the test listens");
        server
            .run(|| stop.load(Ordering::Relaxed), |_| ())
            .expect("the server goes on");
    });
    (hear.recv().expect("the server starts"), thread)
}

/// Points mostly wait for silence: so several peers are asked at once, each a part of them.
const PEERS: u8 = 4;

/// What peer number `peer` answers to every `PEERS`th point.
fn ask(peer: u8) -> Vec<(usize, PointResult)> {
    let stop = Arc::new(AtomicBool::new(false));
    let address = |n| Ipv4Addr::new(127, 0, 88, 4 * peer + n);
    let planes = vec![IpAddr::V4(address(1)), IpAddr::V4(address(2))];
    let (server, thread) = serve(planes, stop.clone());
    let mut lab = SoftLab::new(&server, &[address(3), address(4)]).expect("the server listens");
    let points = points::all().into_iter().enumerate();
    let mine = points.filter(|(index, _)| index % usize::from(PEERS) == usize::from(peer));
    let results = mine
        .map(|(index, point)| (index, run_point(point, &mut lab)))
        .collect();
    stop.store(true, Ordering::Relaxed);
    thread.join().expect("the server ends well");
    results
}

#[test]
fn the_software_peer_keeps_every_rule_that_it_can_be_asked() {
    let peers: Vec<_> = (0..PEERS)
        .map(|peer| std::thread::spawn(move || ask(peer)))
        .collect();
    let mut results: Vec<_> = peers
        .into_iter()
        .flat_map(|peer| peer.join().expect("a peer answers"))
        .collect();
    results.sort_by_key(|(index, _)| *index);
    let results: Vec<_> = results.into_iter().map(|(_, result)| result).collect();
    for r in &results {
        println!(
            "{:?} {} {}",
            r.result,
            r.id,
            r.detail.as_deref().unwrap_or_default()
        );
    }
    let failed: Vec<_> = (results.iter())
        .filter(|r| r.result == Outcome::Failed)
        .map(|r| format!("{}: {}", r.id, r.detail.as_deref().unwrap_or_default()))
        .collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    let passed: Vec<_> = (results.iter())
        .filter(|r| r.result == Outcome::Passed)
        .map(|r| r.id)
        .collect();
    let receiver = [
        "P01", "P02", "P03", "P04", "P05", "P06", "P07", "P08", "P09", "P10", "P11", "A01", "A02",
        "A03", "A04", "A05", "A06", "A07", "A08", "A09", "H01", "H04", "H05", "H06", "H07", "H09",
    ];
    let missing: Vec<_> = receiver.iter().filter(|id| !passed.contains(id)).collect();
    assert!(missing.is_empty(), "skipped: {missing:?}");
}

#[test]
fn a_peer_that_is_not_there_is_named() {
    // Port 1 of an address that nobody uses.
    let error = SoftLab::new("127.0.88.9:1", &[]).err();
    assert!(
        matches!(error, Some(SoftError::Unreachable { .. })),
        "{error:?}"
    );
}

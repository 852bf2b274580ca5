//! Two network namespaces, joined by a pair of virtual Ethernet devices for each plane. Needs root; removed when dropped.
#![allow(dead_code)]
use std::fs::File;
use std::net::IpAddr;
use std::process::Command;
use std::thread::JoinHandle;

use nix::sched::{CloneFlags, setns};

/// The namespaces.
pub struct Namespaces {
    names: [String; 2],
    planes: usize,
}

/// Runs a program, and panics with what it said if it fails.
pub fn run(program: &str, arguments: &[&str]) {
    let output = Command::new(program).args(arguments).output();
    let output = output.unwrap_or_else(|error| panic!("{program}: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments:?}: {said}");
}

impl Namespaces {
    /// Makes them, or says why not.
    pub fn new(test: &str, planes: usize) -> Option<Self> {
        if !nix::unistd::geteuid().is_root() {
            eprintln!("skipped: network namespaces need root");
            return None;
        }
        for (program, argument) in [("ip", "-V"), ("nft", "-v")] {
            if Command::new(program).arg(argument).output().is_err() {
                eprintln!("skipped: `{program}` is not installed");
                return None;
            }
        }
        let name = |side| format!("mrsoft-{test}-{}-{side}", std::process::id());
        let this = Self {
            names: [name('a'), name('b')],
            planes,
        };
        let [a, b] = &this.names;
        for name in [a, b] {
            run("ip", &["netns", "add", name]);
            run("ip", &["-n", name, "link", "set", "lo", "up"]);
        }
        for plane in 0..planes {
            let device = &format!("p{plane}");
            let both = ["mtu", "9000", "netns"];
            let mut words = vec!["link", "add", "name", device];
            words.extend(
                both.iter()
                    .chain(&[a.as_str(), "type", "veth", "peer", "name", device]),
            );
            words.extend(both.iter().chain(&[b.as_str()]));
            run("ip", &words);
            for (side, name) in [a, b].into_iter().enumerate() {
                for address in this.addresses(side) {
                    let (address, length) = (
                        address[plane],
                        if address[plane].is_ipv4() { 24 } else { 64 },
                    );
                    let address = format!("{address}/{length}");
                    let mut words = vec!["-n", name, "addr", "add", &address, "dev", device];
                    words.extend((length == 64).then_some("nodad"));
                    run("ip", &words);
                }
                run("ip", &["-n", name, "link", "set", device, "up"]);
            }
        }
        Some(this)
    }

    /// Addresses of a side by plane: IPv4, IPv6.
    fn addresses(&self, side: usize) -> [Vec<IpAddr>; 2] {
        let host = side as u16 + 1;
        let planes = 0..self.planes as u16;
        [
            planes
                .clone()
                .map(|p| IpAddr::from([10, 77, p as u8, host as u8]))
                .collect(),
            planes
                .map(|p| IpAddr::from([0xFD77, p, 0, 0, 0, 0, 0, host]))
                .collect(),
        ]
    }

    /// The same, of one IP version.
    pub fn of(&self, side: usize, ipv6: bool) -> Vec<IpAddr> {
        let [v4, v6] = self.addresses(side);
        if ipv6 { v6 } else { v4 }
    }

    /// A command for a side.
    pub fn command(&self, side: usize, program: &str) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.names[side], program]);
        command
    }

    /// A filter rule for whatever RoCEv2 datagrams a side receives.
    pub fn filter(&self, side: usize, rule: &str) {
        let script = format!(
            "add table inet soft; add chain inet soft in {{ type filter hook prerouting priority 0; }}; add rule inet soft in udp dport 4791 {rule}"
        );
        let output = self.command(side, "nft").arg(script).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "nft: {said}");
    }

    /// Takes a plane down or up, at side A.
    pub fn set_plane(&self, plane: usize, up: bool) {
        let (device, state) = (format!("p{plane}"), if up { "up" } else { "down" });
        run("ip", &["-n", &self.names[0], "link", "set", &device, state]);
        if up {
            // Taking a device down removes its IPv6 addresses, and both neighbours may have given up on each other.
            let address = format!("{}/64", self.of(0, true)[plane]);
            let words = [
                "-n",
                &self.names[0],
                "addr",
                "replace",
                &address,
                "dev",
                &device,
                "nodad",
            ];
            run("ip", &words);
        }
    }

    /// A thread that lives in a side.
    pub fn spawn<T: Send + 'static>(
        &self,
        side: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> JoinHandle<T> {
        let path = format!("/run/netns/{}", self.names[side]);
        std::thread::spawn(move || {
            setns(File::open(path).unwrap(), CloneFlags::CLONE_NEWNET).unwrap();
            work()
        })
    }
}

impl Drop for Namespaces {
    fn drop(&mut self) {
        for name in &self.names {
            let _ = Command::new("ip").args(["netns", "del", name]).output();
        }
    }
}

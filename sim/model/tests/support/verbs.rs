//! Schedules of all verbs in both directions, and what must hold after them.
use metaroce_model::congestion::LawSettings;
use metaroce_model::tracker::ReceiveBuffer;
use metaroce_protocol::{CompletionStatus, Wqe, WqeOpcode};

use super::{MEMORY, PATHS, Pair, R_KEY, Setup};

/// Source bytes at the bottom of each host's memory: never written.
pub const SOURCE: u64 = 1 << 13;
/// Words for atomics lie behind it: one to add to, one to swap.
pub const WORDS: u64 = SOURCE;
/// Everything else is written at most once, by whoever it is given to.
const FREE: u64 = WORDS + 16;
pub const STREAMS: usize = 3;

/// One request.
#[derive(Clone, Copy, Debug)]
pub struct Op {
    pub host: usize,
    pub stream: u16,
    pub verb: WqeOpcode,
    pub length: u32,
    /// Where in the source it begins.
    pub source: u32,
}

/// Bytes that must be somewhere in the end.
struct Expected {
    host: usize,
    at: u64,
    bytes: Vec<u8>,
}

/// A pair with requests, and what must come of them.
pub struct Play {
    pub pair: Pair,
    ops: Vec<Op>,
    free: [u64; 2],
    next_message: [[u16; STREAMS]; 2],
    expected: Vec<Expected>,
    /// By receiver and stream: message, wr_id, length, immediate.
    receives: Vec<(usize, u16, u16, u64, u32, Option<u32>)>,
    late_buffers: Vec<(usize, u16, ReceiveBuffer)>,
    untouched: [Vec<u8>; 2],
}

impl Play {
    /// Posts everything; buffers later if `late`.
    pub fn new(
        setup: Setup,
        law: &dyn Fn() -> Box<dyn LawSettings>,
        ops: &[Op],
        late: bool,
    ) -> Self {
        let mut pair = Pair::with_law(setup, law);
        pair.hosts[1].memory[..SOURCE as usize].fill(0x5A);
        for (at, byte) in pair.hosts[1].memory[..SOURCE as usize]
            .iter_mut()
            .enumerate()
        {
            *byte = (at * 7 + at / 256) as u8;
        }
        let untouched = [0, 1].map(|host| pair.hosts[host].memory.clone());
        let mut play = Self {
            pair,
            ops: ops.to_vec(),
            free: [FREE; 2],
            next_message: Default::default(),
            expected: Vec::new(),
            receives: Vec::new(),
            late_buffers: Vec::new(),
            untouched,
        };
        for (id, op) in ops.iter().enumerate() {
            play.post(id as u64, op);
        }
        if !late {
            play.post_buffers();
        }
        play
    }

    /// The buffers that were not posted at the start.
    pub fn post_buffers(&mut self) {
        for (host, stream, buffer) in self.late_buffers.drain(..) {
            let nic = &mut self.pair.hosts[host].endpoint.nic;
            assert!(nic.post_receive(0, stream, buffer));
        }
    }

    fn allocate(&mut self, host: usize, length: u32) -> u64 {
        let at = self.free[host];
        self.free[host] += u64::from(length.next_multiple_of(8));
        assert!(self.free[host] <= MEMORY as u64, "the schedule is too big");
        at
    }

    fn post(&mut self, id: u64, op: &Op) {
        let &Op {
            host,
            stream,
            verb,
            length,
            source,
        } = op;
        let peer = 1 - host;
        let next = &mut self.next_message[host][usize::from(stream)];
        let message = *next;
        *next = next.wrapping_add(1);
        let source = u64::from(source);
        let bytes = |host: usize| {
            self.untouched[host][source as usize..(source + u64::from(length)) as usize].to_vec()
        };
        let immediate = matches!(verb, WqeOpcode::WriteImm | WqeOpcode::SendImm);
        let immediate = immediate.then_some(0xC0DE_0000 | id as u32);
        let (mut local_address, mut remote_address) = (source, source);
        let mut take = None;
        match verb {
            WqeOpcode::Read => {
                let bytes = bytes(peer);
                local_address = self.allocate(host, length);
                let at = local_address;
                self.expected.push(Expected { host, at, bytes });
            }
            WqeOpcode::FetchAdd | WqeOpcode::CompareSwap => {
                local_address = self.allocate(host, 8);
                remote_address = WORDS + 8 * u64::from(verb == WqeOpcode::CompareSwap);
            }
            _ => {
                let bytes = bytes(host);
                let at = self.allocate(peer, length);
                remote_address = at;
                self.expected.push(Expected {
                    host: peer,
                    at,
                    bytes,
                });
                take = (verb != WqeOpcode::Write).then_some(at);
            }
        }
        if let Some(address) = take {
            let buffer = ReceiveBuffer {
                address,
                length,
                wr_id: 1_000 + id,
            };
            self.late_buffers.push((peer, stream, buffer));
            self.receives
                .push((peer, stream, message, 1_000 + id, length, immediate));
        }
        let wqe = Wqe {
            opcode: verb,
            stream,
            message,
            r_key: R_KEY,
            length,
            local_address,
            remote_address,
            wr_id: id,
            ..Wqe::default()
        };
        self.pair.hosts[host].endpoint.post(Wqe {
            immediate: immediate.unwrap_or(0),
            operand: operand(id),
            compare: self.compare(id, host, peer),
            ..wqe
        });
    }

    /// Every second swap of host 0 finds what it expects if it comes in the order of its posting.
    fn compare(&self, id: u64, host: usize, peer: usize) -> u64 {
        let at = WORDS as usize + 8;
        let first = word(&self.untouched[peer], at);
        let earlier = self.ops[..id as usize].iter().enumerate().rev();
        let last = earlier
            .filter(|(_, op)| op.host == host && op.verb == WqeOpcode::CompareSwap)
            .map(|(id, _)| operand(id as u64))
            .next();
        if id % 2 == 1 {
            last.unwrap_or(first)
        } else {
            first
        }
    }

    /// Entropies that change on the way: ticks, host, path.
    pub fn reroute(&mut self, mut when: Vec<(u64, usize, u32)>) {
        when.sort_unstable();
        for (at, host, path) in when {
            while self.pair.now < at {
                self.pair.step();
            }
            self.pair.hosts[host].endpoint.nic.reroute(path, 0xE000);
        }
    }

    /// Runs until every request has completed and all is quiet.
    pub fn run(&mut self, limit: u64) {
        let wanted = |host: usize| self.ops.iter().filter(|op| op.host == host).count();
        let wanted = [wanted(0), wanted(1)];
        while (0..2).any(|host| self.pair.hosts[host].completions.len() < wanted[host]) {
            assert!(self.pair.now < limit, "not complete after {limit} ticks");
            self.pair.step();
        }
        self.pair.settle();
    }

    /// Everything that must hold, whatever happened on the way.
    pub fn check(&self) {
        for host in 0..2 {
            self.check_completions(host);
            self.check_memory(host);
            self.check_adds(host);
        }
        self.check_receives();
        for host in &self.pair.hosts {
            let nic = &host.endpoint.nic;
            let open = (0..PATHS).map(|p| nic.send_path(p).unwrap().unresolved());
            assert_eq!(open.sum::<u32>(), 0);
        }
    }

    fn check_completions(&self, host: usize) {
        let completions = &self.pair.hosts[host].completions;
        assert!(
            completions
                .iter()
                .all(|c| c.status == CompletionStatus::Success),
            "{completions:?}"
        );
        for stream in 0..STREAMS as u16 {
            let ids: Vec<u64> = completions
                .iter()
                .filter(|c| c.wqe.stream == stream)
                .map(|c| c.wqe.wr_id)
                .collect();
            let posted = self.ops.iter().enumerate();
            let posted = posted.filter(|(_, op)| op.host == host && op.stream == stream);
            let posted: Vec<u64> = posted.map(|(id, _)| id as u64).collect();
            assert_eq!(ids, posted, "host {host}, stream {stream}");
        }
    }

    fn check_receives(&self) {
        for receiver in 0..2 {
            for stream in 0..STREAMS as u16 {
                let found: Vec<_> = self.pair.hosts[receiver]
                    .received
                    .iter()
                    .filter(|r| r.stream == stream)
                    .collect();
                let numbers: Vec<u16> = found.iter().map(|r| r.message).collect();
                let sent = self.next_message[1 - receiver][usize::from(stream)];
                assert!(numbers.iter().copied().eq(0..sent), "{numbers:?}");
                let found: Vec<_> = found
                    .iter()
                    .filter_map(|r| Some((r.message, r.receive?.wr_id, r.length, r.immediate)))
                    .collect();
                let expected: Vec<_> = self
                    .receives
                    .iter()
                    .filter(|r| (r.0, r.1) == (receiver, stream))
                    .map(|r| (r.2, r.3, r.4, r.5))
                    .collect();
                assert_eq!(found, expected, "receiver {receiver}, stream {stream}");
            }
        }
    }

    fn check_memory(&self, host: usize) {
        let memory = &self.pair.hosts[host].memory;
        let mut expected = self.untouched[host].clone();
        for e in self.expected.iter().filter(|e| e.host == host) {
            expected[e.at as usize..e.at as usize + e.bytes.len()].copy_from_slice(&e.bytes);
        }
        // What atomics write is checked by itself.
        let words = WORDS as usize..FREE as usize;
        expected[words.clone()].copy_from_slice(&memory[words]);
        for completion in self.atomics(host) {
            let at = completion.wqe.local_address as usize;
            expected[at..at + 8].copy_from_slice(&memory[at..at + 8]);
        }
        assert!(*memory == expected, "memory of host {host} differs");
    }

    fn atomics(&self, host: usize) -> impl Iterator<Item = &metaroce_model::nic::Completion> {
        let completions = self.pair.hosts[host].completions.iter();
        completions.filter(|c| matches!(c.wqe.opcode, WqeOpcode::FetchAdd | WqeOpcode::CompareSwap))
    }

    /// Every add and every swap happened once: what they found forms one chain from the first word to the last.
    fn check_adds(&self, host: usize) {
        let peer = 1 - host;
        for (verb, at) in [
            (WqeOpcode::FetchAdd, WORDS as usize),
            (WqeOpcode::CompareSwap, WORDS as usize + 8),
        ] {
            let mut value = word(&self.untouched[peer], at);
            let memory = &self.pair.hosts[host].memory;
            let mut open: Vec<_> = (self.atomics(host).filter(|c| c.wqe.opcode == verb))
                .map(|c| (c.wqe.wr_id, word(memory, c.wqe.local_address as usize)))
                .collect();
            while let Some(found) = open.iter().position(|&(id, before)| {
                before == value && (verb == WqeOpcode::FetchAdd || self.swaps(id, value))
            }) {
                let (id, _) = open.remove(found);
                value = match verb {
                    WqeOpcode::FetchAdd => value.wrapping_add(operand(id)),
                    _ => operand(id),
                };
            }
            if verb == WqeOpcode::FetchAdd {
                assert!(open.is_empty(), "an add is missing from the chain");
            } else {
                assert!(open.iter().all(|&(id, before)| !self.swaps(id, before)));
            }
            assert_eq!(word(&self.pair.hosts[peer].memory, at), value, "{verb:?}");
        }
    }

    fn swaps(&self, id: u64, before: u64) -> bool {
        let host = self.ops[id as usize].host;
        self.compare(id, host, 1 - host) == before
    }
}

/// What an atomic adds or puts in place: all differ, none is 0.
fn operand(id: u64) -> u64 {
    0x0001_0000_0000_0001 * (id + 1)
}

fn word(memory: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(memory[at..at + 8].try_into().expect("8 bytes"))
}

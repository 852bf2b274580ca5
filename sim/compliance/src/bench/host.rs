//! The target's host: its memory, its counters, its application.
use metaroce_protocol::{Body, CompletionStatus, WqeOpcode};

use super::Bench;
use super::look::pattern;
use crate::check::{Check, Stop, ensure, ensure_eq};
use crate::target::{Arrival, Buffer, Completion, Work};

/// Stream of the tester's own preparations.
const STORES: u16 = 60;

/// Packets of those that are sent at once.
const BURST: u32 = 32;

/// Where the target's requests point at the tester: nothing is there but the number.
pub const REMOTE: u64 = 0x7000_FFFF_FF00;
/// The key of the target's requests.
pub const REMOTE_KEY: u32 = 0xAB5A_0001;

impl Bench {
    /// Expects these bytes in the region.
    pub fn expect(&mut self, offset: u32, bytes: &[u8]) {
        self.image[offset as usize..][..bytes.len()].copy_from_slice(bytes);
    }

    /// The region holds what is expected, and nothing around it was written.
    pub fn check_region(&mut self) -> Check {
        let holds = self.target.holds(&self.image)?;
        ensure!(
            holds,
            "memory does not hold what was written, or holds more"
        );
        Ok(())
    }

    /// Fills a part of the target's memory with bytes that differ from place to place.
    pub fn fill(&mut self, offset: u32, length: u32) -> Check<Vec<u8>> {
        let bytes = pattern(offset, length);
        self.store(offset, &bytes)?;
        Ok(bytes)
    }

    /// Puts bytes in the target's memory; by WRITEs on path 0 where there is no other way.
    pub fn store(&mut self, offset: u32, bytes: &[u8]) -> Check {
        let address = self.id.region + u64::from(offset);
        match self.target.write(address, bytes) {
            Err(Stop::Lacks(_)) => self.store_by_wire(offset, bytes)?,
            other => other?,
        }
        self.expect(offset, bytes);
        Ok(())
    }

    fn store_by_wire(&mut self, offset: u32, bytes: &[u8]) -> Check {
        let step = self.setup.mtu();
        for (n, payload) in (0..).zip(bytes.chunks(step as usize)) {
            let message = self.message(STORES);
            let mut body = self.part(message, offset + n * step, payload.len() as u32, 0, payload);
            if let Body::Write { msg, .. } = &mut body {
                msg.stream = STORES;
            }
            let packet = self.data(0, body);
            self.send(&packet)?;
            // A socket's buffer is not endless.
            if n % BURST == BURST - 1 {
                self.hear()?;
            }
        }
        self.hear().map(|_| ())
    }

    /// The word of 64 bits at an offset of the region.
    pub fn word(&mut self, offset: u32) -> Check<u64> {
        let bytes = self.target.read(self.id.region + u64::from(offset), 8)?;
        let bytes = bytes
            .try_into()
            .map_err(|_| Stop::fails("memory is shorter than its region"))?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// Counters before something is sent; nothing where the target shows none.
    pub fn counter(&mut self, name: &str) -> Check<Option<u32>> {
        match self.target.counter(name) {
            Err(Stop::Lacks(_)) => Ok(None),
            other => other.map(Some),
        }
    }

    /// A counter went up by so much, if the target shows it.
    pub fn counted(&mut self, name: &str, before: Option<u32>, by: u32) -> Check {
        if let (Some(before), Some(after)) = (before, self.counter(name)?) {
            ensure_eq!(after.wrapping_sub(before), by, "counter {name}");
        }
        Ok(())
    }

    /// Posts a request.
    pub fn post(&mut self, work: &Work) -> Check {
        self.target.post(work)
    }

    /// Posts a buffer at an offset of the region on the first connection.
    pub fn post_receive(&mut self, stream: u16, offset: u32, length: u32, wr_id: u64) -> Check {
        self.post_receive_on(0, stream, offset, length, wr_id)
    }

    /// The same on another connection.
    pub fn post_receive_on(
        &mut self,
        connection: u32,
        stream: u16,
        offset: u32,
        length: u32,
        wr_id: u64,
    ) -> Check {
        let address = self.id.region + u64::from(offset);
        let buffer = Buffer {
            address,
            length,
            wr_id,
        };
        self.target.post_receive(connection, stream, &buffer)
    }

    /// Exactly these requests have ended so since the last look, in this order.
    pub fn completed(&mut self, needed: &[(u64, CompletionStatus)]) -> Check {
        let found = self.target.completions()?;
        let needed: Vec<_> = (needed.iter())
            .map(|&(wr_id, status)| Completion { wr_id, status })
            .collect();
        ensure_eq!(found, needed, "completions");
        Ok(())
    }

    /// Messages received since the last look.
    pub fn arrivals(&mut self) -> Check<Vec<Arrival>> {
        self.target.arrivals()
    }

    /// A path of the target takes another UDP source port.
    pub fn reroute(&mut self, path: u8, entropy: u16) -> Check {
        self.target.reroute(path, entropy)
    }

    /// A Write of the region's bytes at an offset, on stream 0.
    pub fn write_of(&self, wr_id: u64, offset: u32, length: u32) -> Work {
        Work {
            verb: WqeOpcode::Write,
            stream: 0,
            length,
            local: self.id.region + u64::from(offset),
            remote: REMOTE + u64::from(offset),
            r_key: REMOTE_KEY,
            immediate: 0,
            operand: 0,
            compare: 0,
            wr_id,
        }
    }

    /// Posts a Write of so many packets of `mtu` bytes, the last one 1 byte shorter.
    pub fn post_packets(&mut self, wr_id: u64, packets: u32) -> Check {
        let work = self.write_of(wr_id, 0, packets * self.setup.mtu() - 1);
        self.post(&work)
    }
}

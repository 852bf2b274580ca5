//! The read channels.

use verilator_sys::ModelError;

use super::burst::Burst;
use super::channel::{Inbound, Outbound};
use super::{AddressSignals, DECERR, MAX_BYTES, OKAY, Pending, Shared, Timing, same_width};
use crate::model::VerilatedModel;

const READ_ADDRESS: AddressSignals = AddressSignals {
    id: "arid",
    address: "araddr",
    length: "arlen",
    size: "arsize",
    burst: "arburst",
};

/// AR and R.
#[derive(Debug)]
pub(super) struct ReadHalf {
    address: Inbound,
    data: Outbound,
    answers: Vec<Pending<Burst>>,
    /// The burst under way, its next beat, its data and its response.
    current: Option<(Burst, u32, Vec<u8>, u8)>,
}

impl ReadHalf {
    pub(super) fn find(
        model: &VerilatedModel,
        prefix: &str,
        timing: &Timing,
        width: u32,
    ) -> Result<Self, ModelError> {
        let stalls = timing.clone();
        let names = READ_ADDRESS.names();
        let data_names = ["rid", "rdata", "rresp", "rlast"];
        let half = ReadHalf {
            address: Inbound::find(model, prefix, "ar", &names, stalls.read_address)?,
            data: Outbound::find(model, prefix, "r", &data_names, stalls.read_data)?,
            answers: Vec::new(),
            current: None,
        };
        same_width(
            prefix,
            "rid",
            half.address.width(model, "arid"),
            half.data.width(model, "rid"),
        )?;
        same_width(prefix, "rdata", width, half.data.width(model, "rdata"))?;
        Ok(half)
    }

    /// Whether no request is under way.
    pub(super) fn is_idle(&self) -> bool {
        self.current.is_none() && self.answers.is_empty()
    }

    pub(super) fn drive(&mut self, model: &mut VerilatedModel, shared: &mut Shared) {
        self.address.drive(model);
        if !self.data.is_free() {
            return self.data.idle(model);
        }
        if self.current.is_none() {
            let answer = shared.choose(&mut self.answers, model.cycle());
            self.current = answer.map(|answer| fetch(answer.what, shared, model.cycle()));
        }
        let Some((burst, beat, data, response)) = &self.current else {
            return self.data.idle(model);
        };
        // Lanes outside of the beat hold nonsense, which nobody may use.
        let mut lanes = [0x5a; MAX_BYTES];
        let start = burst.beat_start(*beat);
        let offset = (start - burst.address) as usize;
        let length = burst.beat_end(*beat).wrapping_sub(start) as usize;
        let lane = (start % shared.bytes) as usize;
        lanes[lane..lane + length].copy_from_slice(&data[offset..offset + length]);
        self.data
            .set(model, "rdata", &lanes[..shared.bytes as usize]);
        self.data.set(model, "rid", &burst.id.to_le_bytes());
        self.data.set(model, "rresp", &[*response]);
        self.data
            .set(model, "rlast", &[u8::from(beat + 1 == burst.beats)]);
        self.data.present(model);
    }

    pub(super) fn sample(&mut self, model: &VerilatedModel, shared: &mut Shared) {
        let cycle = model.cycle();
        if self.address.sample(model, &mut shared.violations) {
            let what = shared.burst(&self.address, &READ_ADDRESS, cycle);
            let due = shared.due(cycle);
            self.answers.push(Pending {
                id: what.id,
                due,
                what,
            });
        }
        if !self.data.sample(model) {
            return;
        }
        if let Some((burst, beat, ..)) = &mut self.current {
            *beat += 1;
            if *beat == burst.beats {
                self.current = None;
            }
        }
    }
}

/// A read burst with its data, or with nonsense and an error response.
///
/// The last beat may reach over the region's end: reads have no strobes, and the
/// bytes there are nonsense.
fn fetch(burst: Burst, shared: &mut Shared, cycle: u64) -> (Burst, u32, Vec<u8>, u8) {
    let length = burst.beat_end(burst.beats - 1).wrapping_sub(burst.address) as usize;
    let needed = burst
        .beat_start(burst.beats - 1)
        .wrapping_sub(burst.address) as usize
        + 1;
    let mut data = vec![0x5a; length];
    let found = match shared
        .memory
        .borrow()
        .bytes_up_to(burst.address, needed, length)
    {
        Some(bytes) => {
            data[..bytes.len()].copy_from_slice(bytes);
            true
        }
        None => false,
    };
    if found {
        return (burst, 0, data, OKAY);
    }
    let detail = format!("{length} bytes at {:#x} are in no region", burst.address);
    shared.break_rule(cycle, "reads inside regions", detail);
    (burst, 0, data, DECERR)
}

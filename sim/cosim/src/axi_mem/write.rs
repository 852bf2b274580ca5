//! The write channels.

use std::collections::VecDeque;

use verilator_sys::ModelError;

use super::burst::Burst;
use super::channel::{Inbound, Outbound};
use super::{AddressSignals, DECERR, OKAY, Pending, Run, Shared, Timing, WriteRecord, same_width};
use crate::model::VerilatedModel;

const WRITE_ADDRESS: AddressSignals = AddressSignals {
    id: "awid",
    address: "awaddr",
    length: "awlen",
    size: "awsize",
    burst: "awburst",
};

/// AW, W and B.
#[derive(Debug)]
pub(super) struct WriteHalf {
    address: Inbound,
    data: Inbound,
    response: Outbound,
    /// Addresses whose data is not complete.
    addresses: VecDeque<Burst>,
    /// Beats without an address yet, or of the burst under way.
    beats: VecDeque<(Vec<u8>, u64, bool)>,
    /// Runs of bytes of the burst under way, and beats of it so far.
    runs: Vec<Run>,
    beat: u32,
    answers: Vec<Pending<Vec<Run>>>,
}

impl WriteHalf {
    pub(super) fn find(
        model: &VerilatedModel,
        prefix: &str,
        timing: &Timing,
    ) -> Result<Self, ModelError> {
        let data_names = ["wdata", "wstrb", "wlast"];
        let stalls = timing.clone();
        let names = WRITE_ADDRESS.names();
        let response =
            Outbound::find(model, prefix, "b", &["bid", "bresp"], stalls.write_response)?;
        let half = WriteHalf {
            address: Inbound::find(model, prefix, "aw", &names, stalls.write_address)?,
            data: Inbound::find(model, prefix, "w", &data_names, stalls.write_data)?,
            response,
            addresses: VecDeque::new(),
            beats: VecDeque::new(),
            runs: Vec::new(),
            beat: 0,
            answers: Vec::new(),
        };
        same_width(
            prefix,
            "bid",
            half.address.width(model, "awid"),
            half.response.width(model, "bid"),
        )?;
        Ok(half)
    }

    pub(super) fn drive(&mut self, model: &mut VerilatedModel, shared: &mut Shared) {
        self.address.drive(model);
        self.data.drive(model);
        if !self.response.is_free() {
            return self.response.idle(model);
        }
        let Some(answer) = shared.choose(&mut self.answers, model.cycle()) else {
            return self.response.idle(model);
        };
        let mut response = OKAY;
        for (address, data) in answer.what {
            let result = shared.memory.borrow_mut().device_write(address, &data);
            let accepted = result.is_ok();
            if let Err(detail) = result {
                response = DECERR;
                shared.break_rule(model.cycle(), "writes inside writable regions", detail);
            }
            shared.writes.push(WriteRecord {
                cycle: model.cycle(),
                address,
                data,
                accepted,
            });
        }
        self.response.set(model, "bid", &answer.id.to_le_bytes());
        self.response.set(model, "bresp", &[response]);
        self.response.present(model);
    }

    pub(super) fn sample(&mut self, model: &VerilatedModel, shared: &mut Shared) {
        let cycle = model.cycle();
        if self.address.sample(model, &mut shared.violations) {
            let burst = shared.burst(&self.address, &WRITE_ADDRESS, cycle);
            self.addresses.push_back(burst);
        }
        if self.data.sample(model, &mut shared.violations) {
            let strobe = self.data.value("wstrb", u64::MAX >> (64 - shared.bytes));
            let last = self.data.value("wlast", 1) != 0;
            self.beats
                .push_back((self.data.bytes("wdata").to_vec(), strobe, last));
        }
        self.response.sample(model);
        self.join(shared, cycle);
    }

    /// Whether no request is under way.
    pub(super) fn is_idle(&self) -> bool {
        self.addresses.is_empty() && self.beats.is_empty() && self.answers.is_empty()
    }

    /// Joins addresses and data, which may come in any order.
    fn join(&mut self, shared: &mut Shared, cycle: u64) {
        while let Some(burst) = self.addresses.front().copied() {
            let Some((data, strobe, last)) = self.beats.pop_front() else {
                return;
            };
            self.take_beat(&burst, &data, strobe, shared, cycle);
            self.beat += 1;
            let is_last = self.beat == burst.beats;
            if last != is_last {
                let detail = format!(
                    "burst at {:#x}: beat {} of {} has wlast {}",
                    burst.address,
                    self.beat,
                    burst.beats,
                    u8::from(last)
                );
                shared.break_rule(cycle, "wlast on the last beat", detail);
            }
            if is_last {
                self.beat = 0;
                self.addresses.pop_front();
                let (what, due) = (std::mem::take(&mut self.runs), shared.due(cycle));
                self.answers.push(Pending {
                    id: burst.id,
                    due,
                    what,
                });
            }
        }
    }

    fn take_beat(
        &mut self,
        burst: &Burst,
        data: &[u8],
        strobe: u64,
        shared: &mut Shared,
        cycle: u64,
    ) {
        let lanes = burst.lanes(self.beat, shared.bytes);
        if strobe & !lanes != 0 {
            let detail = format!(
                "burst at {:#x}: strobe {strobe:#x} on lanes {lanes:#x}",
                burst.address
            );
            shared.break_rule(cycle, "strobes on addressed lanes", detail);
        }
        let start = burst.beat_start(self.beat);
        let base = start - start % shared.bytes;
        for (lane, byte) in data.iter().enumerate() {
            if (strobe & lanes) >> lane & 1 == 0 {
                continue;
            }
            let address = base + lane as u64;
            // Neighbours, also of the beat before, make one run.
            match self.runs.last_mut() {
                Some((first, run)) if *first + run.len() as u64 == address => run.push(*byte),
                _ => self.runs.push((address, vec![*byte])),
            }
        }
    }
}

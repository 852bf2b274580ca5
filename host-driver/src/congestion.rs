//! Which law windows follow: the registers of congestion control.
use metaroce_protocol::constants::{self, Tunable};
use metaroce_protocol::registers::{CONGESTION, CONGESTION_LAW};

use crate::backend::Backend;
use crate::error::DeviceError;

/// A law of docs/protocol.md, section 8.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Law {
    /// The window of a path is WINDOW.
    #[default]
    Fixed = 0,
    /// Windows follow marks.
    Aimd = 1,
    /// Windows follow round trips.
    Delay = 2,
}

/// Congestion control of a device. The default changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Congestion {
    /// The law.
    pub law: Law,
    /// First window of a path, packets, at most `window_cap`.
    pub window_first: u32,
    /// Largest window of a path, packets.
    pub window_cap: u32,
    /// What a round trip adds to a connection, in 1/256 packet.
    pub increase: u32,
    /// [`Law::Aimd`]: what a mark takes, in 1/256 packet.
    pub decrease: u32,
    /// [`Law::Delay`]: queueing that is not yet congestion, the shortest round trip shifted right.
    pub delay_margin_log2: u32,
    /// [`Law::Delay`]: part of the excess that a delivery takes, in 1/256.
    pub delay_gain: u32,
    /// Shortest measured time-out, ticks; 0: not measured.
    pub rto_floor: u32,
}

impl Default for Congestion {
    fn default() -> Self {
        Self {
            law: Law::Fixed,
            window_first: constants::WINDOW_FIRST.default,
            window_cap: constants::WINDOW_CAP.default,
            increase: constants::INCREASE.default,
            decrease: constants::DECREASE.default,
            delay_margin_log2: constants::DELAY_MARGIN_LOG2.default,
            delay_gain: constants::DELAY_GAIN.default,
            rto_floor: constants::RTO_FLOOR.default,
        }
    }
}

impl Congestion {
    fn values(&self) -> [(&'static Tunable, u32); 8] {
        [
            (&constants::CONGESTION_LAW, self.law as u32),
            (&constants::WINDOW_FIRST, self.window_first),
            (&constants::WINDOW_CAP, self.window_cap),
            (&constants::INCREASE, self.increase),
            (&constants::DECREASE, self.decrease),
            (&constants::DELAY_MARGIN_LOG2, self.delay_margin_log2),
            (&constants::DELAY_GAIN, self.delay_gain),
            (&constants::RTO_FLOOR, self.rto_floor),
        ]
    }

    /// Writes the registers, if they are to say something else than after reset; before any connection.
    pub(crate) fn write(&self, backend: &mut dyn Backend) -> Result<(), DeviceError> {
        if *self == Self::default() {
            return Ok(());
        }
        for (tunable, value) in self.values() {
            check(tunable, value)?;
        }
        let first = Tunable {
            max: self.window_cap,
            ..constants::WINDOW_FIRST
        };
        check(&first, self.window_first)?;
        for (register, (_, value)) in CONGESTION.iter().zip(self.values()) {
            backend.write_register(register.offset, value)?;
        }
        match backend.read_register(CONGESTION_LAW.offset)? == self.law as u32 {
            true => Ok(()),
            false => Err(DeviceError::NoLaws),
        }
    }
}

/// A value must be in its register's range.
pub(crate) fn check(tunable: &Tunable, value: u32) -> Result<(), DeviceError> {
    let Tunable { name, min, max, .. } = *tunable;
    match (min..=max).contains(&value) {
        true => Ok(()),
        false => Err(DeviceError::Tunable {
            name,
            min,
            max,
            found: value,
        }),
    }
}

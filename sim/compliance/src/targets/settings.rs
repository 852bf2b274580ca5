//! What a target is made of that the suite makes itself; a mutation may change it.
use metaroce_model::config::{Options, Size, Tunables};
use metaroce_model::congestion::AimdSettings;
use metaroce_protocol::{Profile, RegionEntry};

use crate::setup::{R_KEY, REGION_BYTES, Setup};

/// Dimensions, registers and region of a target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Dimensions.
    pub size: Size,
    /// Registers.
    pub tunables: Tunables,
    /// What it does beyond profile `Write`.
    pub options: Options,
    /// The congestion law's, where it is `Aimd`.
    pub law: AimdSettings,
    /// The region that the tester may write.
    pub region: RegionEntry,
}

impl Settings {
    /// What a point asks for, of a target of this size and profile whose region begins at `base`.
    pub(crate) fn new(setup: &Setup, size: Size, profile: Profile, base: u64) -> Self {
        let whole = &setup.whole;
        Self {
            size,
            tunables: Tunables {
                window: setup.window,
                rto: setup.rto,
                max_retries: setup.max_retries,
                ack_every: setup.ack_every,
                mtu_log2: setup.mtu_log2,
            },
            options: Options {
                profile,
                not_ready_ticks: whole.not_ready_ticks,
                connection_window: whole.connection_window,
                line_rate: whole.line_rate,
                burst: whole.burst,
                suspect_paths: whole.suspect_paths,
                recovery_probes: whole.recovery_probes,
                ramp_ticks: whole.ramp_ticks,
                ..Options::default()
            },
            law: AimdSettings::default(),
            region: RegionEntry {
                valid: true,
                r_key: R_KEY,
                base,
                length: REGION_BYTES.into(),
            },
        }
    }
}

//! Counters by name, 32 bits, wrapping, as the hardware's registers.
use metaroce_protocol::Counter;

/// One value for each counter of the register map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counters([u32; Counter::COUNT]);

impl Default for Counters {
    fn default() -> Self {
        Self([0; Counter::COUNT])
    }
}

impl Counters {
    /// Adds `n`, wrapping.
    pub fn add(&mut self, counter: Counter, n: u32) {
        let value = &mut self.0[counter as usize];
        *value = value.wrapping_add(n);
    }

    /// Its value.
    pub fn get(&self, counter: Counter) -> u32 {
        self.0[counter as usize]
    }
}

macro_rules! extra_counters {
    ($($(#[doc = $doc:literal])+ $variant:ident = $name:literal;)+) => {
        /// Events that only the model counts: today's hardware has no register for them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(usize)]
        pub enum Extra {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl Extra {
            /// Every one.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// Name, snake case.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }
        }
    };
}

extra_counters! {
    /// Atomics executed.
    AtomicsExecuted = "atomics_executed";
    /// Atomics answered from the replay record.
    AtomicsReplayed = "atomics_replayed";
    /// Retransmissions that an echo proved needless.
    NeedlessRetransmissions = "needless_retransmissions";
    /// Retransmissions not sent: the packet turned out to be there.
    SparedRetransmissions = "spared_retransmissions";
    /// Second copies sent.
    TxCopies = "tx_copies";
    /// Epochs that this sender ended.
    EpochsEnded = "epochs_ended";
    /// Of those for marks.
    PathsSteered = "paths_steered";
    /// SYNCs sent.
    TxSyncs = "tx_syncs";
    /// Packets moved to other paths at the end of an epoch.
    PacketsMoved = "packets_moved";
    /// Planes suspected.
    PlanesSuspected = "planes_suspected";
    /// Planes brought back.
    PlanesRecovered = "planes_recovered";
    /// Probes of suspect planes.
    TxPlaneProbes = "tx_plane_probes";
}

/// One value for each [`Extra`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtraCounters([u32; Extra::ALL.len()]);

impl Default for ExtraCounters {
    fn default() -> Self {
        Self([0; Extra::ALL.len()])
    }
}

impl ExtraCounters {
    /// One more, wrapping.
    pub fn count(&mut self, counter: Extra) {
        let value = &mut self.0[counter as usize];
        *value = value.wrapping_add(1);
    }

    /// Its value.
    pub fn get(&self, counter: Extra) -> u32 {
        self.0[counter as usize]
    }
}

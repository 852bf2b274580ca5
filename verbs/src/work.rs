//! What can be posted.
use metaroce_protocol::{Wqe, WqeOpcode};

/// Memory of the peer, as the peer named it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remote {
    /// Address of the first byte.
    pub address: u64,
    /// Key of its region.
    pub r_key: u32,
}

impl Remote {
    /// So many bytes further on.
    pub fn at(self, offset: u64) -> Self {
        Self {
            address: self.address.wrapping_add(offset),
            ..self
        }
    }
}

/// What a request does with its local bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Writes them to the peer (IBV_WR_RDMA_WRITE); with an immediate it also takes a buffer that the peer posted
    /// (IBV_WR_RDMA_WRITE_WITH_IMM).
    Write {
        /// Where to.
        remote: Remote,
        /// Handed over with the message.
        immediate: Option<u32>,
    },
    /// Sends them into a buffer that the peer posted (IBV_WR_SEND, IBV_WR_SEND_WITH_IMM).
    Send {
        /// Handed over with the message.
        immediate: Option<u32>,
    },
    /// Fills them from the peer (IBV_WR_RDMA_READ).
    Read {
        /// Where from.
        remote: Remote,
    },
    /// Adds to a word of 64 bits, wrapping (IBV_WR_ATOMIC_FETCH_AND_ADD); the word before fills them.
    FetchAdd {
        /// The word: its address is a multiple of 8.
        remote: Remote,
        /// Number to add.
        add: u64,
    },
    /// Replaces a word of 64 bits if it is as expected (IBV_WR_ATOMIC_CMP_AND_SWP); the word before fills them.
    CompareSwap {
        /// The word: its address is a multiple of 8.
        remote: Remote,
        /// What it must hold.
        compare: u64,
        /// What it holds then.
        swap: u64,
    },
}

impl Operation {
    /// Its code.
    pub const fn opcode(&self) -> WqeOpcode {
        match self {
            Self::Write {
                immediate: None, ..
            } => WqeOpcode::Write,
            Self::Write { .. } => WqeOpcode::WriteImm,
            Self::Send { immediate: None } => WqeOpcode::Send,
            Self::Send { .. } => WqeOpcode::SendImm,
            Self::Read { .. } => WqeOpcode::Read,
            Self::FetchAdd { .. } => WqeOpcode::FetchAdd,
            Self::CompareSwap { .. } => WqeOpcode::CompareSwap,
        }
    }

    /// The peer's memory that it names.
    pub const fn remote(&self) -> Option<Remote> {
        match *self {
            Self::Write { remote, .. }
            | Self::Read { remote }
            | Self::FetchAdd { remote, .. }
            | Self::CompareSwap { remote, .. } => Some(remote),
            Self::Send { .. } => None,
        }
    }

    /// What it hands over.
    pub const fn immediate(&self) -> Option<u32> {
        match *self {
            Self::Write { immediate, .. } | Self::Send { immediate } => immediate,
            _ => None,
        }
    }

    /// An atomic's number to add or to put in place, and what its word must hold.
    const fn operands(&self) -> (u64, u64) {
        match *self {
            Self::FetchAdd { add, .. } => (add, 0),
            Self::CompareSwap { compare, swap, .. } => (swap, compare),
            _ => (0, 0),
        }
    }
}

/// One message to be (ibv_send_wr), checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkRequest {
    /// The application's name for it.
    pub wr_id: u64,
    /// Connection index.
    pub connection: u32,
    /// Stream.
    pub stream: u16,
    /// Number in the stream.
    pub message: u16,
    /// Address of the local bytes.
    pub local_address: u64,
    /// How many they are.
    pub length: u32,
    /// What to do.
    pub operation: Operation,
}

impl WorkRequest {
    /// As hardware takes it.
    pub fn wqe(&self) -> Wqe {
        let remote = self.operation.remote();
        let (operand, compare) = self.operation.operands();
        Wqe {
            opcode: self.operation.opcode(),
            connection: self.connection as u16,
            stream: self.stream,
            message: self.message,
            r_key: remote.map_or(0, |r| r.r_key),
            length: self.length,
            local_address: self.local_address,
            remote_address: remote.map_or(0, |r| r.address),
            wr_id: self.wr_id,
            immediate: self.operation.immediate().unwrap_or(0),
            operand,
            compare,
            ..Wqe::default()
        }
    }
}

/// A buffer for a message of the peer (ibv_recv_wr), checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceiveRequest {
    /// The application's name for it.
    pub wr_id: u64,
    /// Connection index.
    pub connection: u32,
    /// Stream.
    pub stream: u16,
    /// Address of its first byte.
    pub address: u64,
    /// Bytes.
    pub length: u32,
}

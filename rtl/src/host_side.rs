//! The host side: registers, work queues, completion queue.
use metaroce_cores::axi_lite::AxiLite;
use metaroce_cores::completion_writer::CompletionWriter;
use metaroce_cores::congestion::CongestionSettings;
use metaroce_cores::counter_file::CounterFile;
use metaroce_cores::counts::{ConnectionFailure, ReceiveCounts, TransmitCounts};
use metaroce_cores::failed_bitmap::FailedBitmap;
use metaroce_cores::generated::constants;
use metaroce_cores::message_part::{ReceivePost, WholeMessage};
use metaroce_cores::narrow::Narrowing;
use metaroce_cores::plane_drops::PlaneDrops;
use metaroce_cores::read_answers::{ReadClose, ReadOpen, ReadReply};
use metaroce_cores::read_landing::ReadLanding;
use metaroce_cores::read_turn::ReadTurn;
use metaroce_cores::register_file::RegisterFile;
use metaroce_cores::transmit_path::FailureWrite;
use metaroce_cores::types::{ConfigWrite, Message, WriteProgress};
use metaroce_cores::wqe_fetch::WqeFetch;
use metaroce_protocol::table::host::Capabilities;
use rust_hdl::prelude::*;

use crate::receive_host::ReceiveHost;

/// Register file (AXI4-Lite), WQE fetch, the receiver's part and completion writer (AXI4 control port), for N planes.
///
/// `CA`, `XA`, `WA`: address bits of connections, of all streams, of words of 32 connections (1 at least); `M` message slots, `MA`: log2 M.
#[derive(LogicBlock)]
pub struct HostSide<
    const N: usize,
    const CA: usize,
    const XA: usize,
    const WA: usize,
    const M: usize,
    const MA: usize,
> {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,

    /// AXI4-Lite, 32 bits: write address.
    pub s_axil_awaddr: Signal<In, Bits<16>>,
    /// Write address valid.
    pub s_axil_awvalid: Signal<In, Bit>,
    /// Write address ready.
    pub s_axil_awready: Signal<Out, Bit>,
    /// Write data.
    pub s_axil_wdata: Signal<In, Bits<32>>,
    /// Write strobes: a write of less than all four bytes is refused.
    pub s_axil_wstrb: Signal<In, Bits<4>>,
    /// Write data valid.
    pub s_axil_wvalid: Signal<In, Bit>,
    /// Write data ready.
    pub s_axil_wready: Signal<Out, Bit>,
    /// Write response.
    pub s_axil_bresp: Signal<Out, Bits<2>>,
    /// Write response valid.
    pub s_axil_bvalid: Signal<Out, Bit>,
    /// Write response ready.
    pub s_axil_bready: Signal<In, Bit>,
    /// Read address.
    pub s_axil_araddr: Signal<In, Bits<16>>,
    /// Read address valid.
    pub s_axil_arvalid: Signal<In, Bit>,
    /// Read address ready.
    pub s_axil_arready: Signal<Out, Bit>,
    /// Read data.
    pub s_axil_rdata: Signal<Out, Bits<32>>,
    /// Read response.
    pub s_axil_rresp: Signal<Out, Bits<2>>,
    /// Read data valid.
    pub s_axil_rvalid: Signal<Out, Bit>,
    /// Read data ready.
    pub s_axil_rready: Signal<In, Bit>,

    /// AXI4 control port, 64 bits: read address.
    pub m_axi_ctl_araddr: Signal<Out, Bits<64>>,
    /// Beats less one.
    pub m_axi_ctl_arlen: Signal<Out, Bits<8>>,
    /// log2 of a beat's bytes.
    pub m_axi_ctl_arsize: Signal<Out, Bits<3>>,
    /// INCR.
    pub m_axi_ctl_arburst: Signal<Out, Bits<2>>,
    /// Read address valid.
    pub m_axi_ctl_arvalid: Signal<Out, Bit>,
    /// Read address ready.
    pub m_axi_ctl_arready: Signal<In, Bit>,
    /// Read data.
    pub m_axi_ctl_rdata: Signal<In, Bits<64>>,
    /// Read response.
    pub m_axi_ctl_rresp: Signal<In, Bits<2>>,
    /// Last beat.
    pub m_axi_ctl_rlast: Signal<In, Bit>,
    /// Read data valid.
    pub m_axi_ctl_rvalid: Signal<In, Bit>,
    /// Read data ready.
    pub m_axi_ctl_rready: Signal<Out, Bit>,
    /// Write address.
    pub m_axi_ctl_awaddr: Signal<Out, Bits<64>>,
    /// Beats less one.
    pub m_axi_ctl_awlen: Signal<Out, Bits<8>>,
    /// log2 of a beat's bytes.
    pub m_axi_ctl_awsize: Signal<Out, Bits<3>>,
    /// INCR.
    pub m_axi_ctl_awburst: Signal<Out, Bits<2>>,
    /// Write address valid.
    pub m_axi_ctl_awvalid: Signal<Out, Bit>,
    /// Write address ready.
    pub m_axi_ctl_awready: Signal<In, Bit>,
    /// Write data.
    pub m_axi_ctl_wdata: Signal<Out, Bits<64>>,
    /// All bytes.
    pub m_axi_ctl_wstrb: Signal<Out, Bits<8>>,
    /// Last beat.
    pub m_axi_ctl_wlast: Signal<Out, Bit>,
    /// Write data valid.
    pub m_axi_ctl_wvalid: Signal<Out, Bit>,
    /// Write data ready.
    pub m_axi_ctl_wready: Signal<In, Bit>,
    /// Write response.
    pub m_axi_ctl_bresp: Signal<In, Bits<2>>,
    /// Write response valid.
    pub m_axi_ctl_bvalid: Signal<In, Bit>,
    /// Write response ready.
    pub m_axi_ctl_bready: Signal<Out, Bit>,

    /// One table entry to the engines.
    pub config_write: Signal<Out, ConfigWrite>,
    /// Reset of all blocks but this one: the reset port, or software's by CONTROL. Tables are cleared after it.
    pub transport_reset: Signal<Out, Bit>,
    /// Nothing may enter an engine: the NIC is not enabled, or its configuration is being written.
    pub hold: Signal<Out, Bit>,
    /// All stages of all engines are empty (AND of their `idle`); may rise a cycle after `hold` at the earliest.
    pub engines_idle: Signal<In, Bit>,

    /// WINDOW, packets.
    pub window: Signal<Out, Bits<8>>,
    /// Congestion control.
    pub congestion: Signal<Out, CongestionSettings>,
    /// NOT_READY_TICKS.
    pub not_ready_ticks: Signal<Out, Bits<31>>,
    /// RTO, ticks.
    pub rto: Signal<Out, Bits<32>>,
    /// MAX_RETRIES.
    pub max_retries: Signal<Out, Bits<4>>,
    /// ACK_EVERY, packets.
    pub ack_every: Signal<Out, Bits<8>>,
    /// log2 MTU, 8..=12.
    pub mtu_log2: Signal<Out, Bits<4>>,

    /// The next message; holds still until taken.
    pub message: Signal<Out, Message>,
    /// Its slot.
    pub message_slot: Signal<Out, Bits<4>>,
    /// Valid.
    pub message_valid: Signal<Out, Bit>,
    /// The transmit side takes it: it cuts no message into packets, or the last packet of one in this cycle.
    pub message_ready: Signal<In, Bit>,
    /// No WQE can be handed over: none is posted, or all message slots are taken.
    pub sq_idle: Signal<Out, Bit>,

    /// A packet is delivered (never one of a failed connection).
    pub delivered_valid: Signal<In, Bit>,
    /// Its message's slot; not here from 16.
    pub delivered_slot: Signal<In, Bits<5>>,
    /// The connection whose state the host side wants to know.
    pub failure_connection: Signal<Out, Bits<12>>,
    /// Its state, in the next cycle.
    pub failure: Signal<In, ConnectionFailure>,
    /// A connection fails, or is set up anew.
    pub failure_write: Signal<In, FailureWrite>,

    /// A Read takes a slot.
    pub read_open: Signal<Out, ReadOpen>,
    /// The message in a slot has ended.
    pub read_close: Signal<Out, ReadClose>,
    /// What became of Reads.
    pub read_reply: Signal<In, ReadReply>,
    /// A buffer for a stream; stays until it is taken.
    pub post: Signal<Out, ReceivePost>,
    /// Valid.
    pub post_valid: Signal<Out, Bit>,
    /// Taken.
    pub post_ready: Signal<In, Bit>,
    /// So many posted buffers are gone: their connection was set up anew.
    pub vanished: Signal<In, Bits<16>>,
    /// A message is placed whole.
    pub whole: Signal<In, WholeMessage>,
    /// Valid; taken at once.
    pub whole_valid: Signal<In, Bit>,
    /// By plane: a write of a byte at least was ordered.
    pub placed: [Signal<In, Bit>; N],
    /// By plane: what its writer does.
    pub progress: [Signal<In, WriteProgress>; N],
    /// From the receive side.
    pub receive_counts: Signal<In, ReceiveCounts>,
    /// From the transmit side.
    pub transmit_counts: Signal<In, TransmitCounts>,
    /// One cycle each, by plane: a parser dropped a frame under this name.
    pub drop_foreign: [Signal<In, Bit>; N],
    /// Under this name.
    pub drop_malformed: [Signal<In, Bit>; N],
    /// Under this name.
    pub drop_bad_icrc: [Signal<In, Bit>; N],
    /// Under this name.
    pub drop_unknown_opcode: [Signal<In, Bit>; N],

    /// Commit trace: an entry is written that CONFIG_COMMIT asked for; `config_write` says which.
    pub trace_configure_valid: Signal<Out, Bit>,
    /// Commit trace: the next WQE is taken: it is sent after those before it, or it is bad and ends at once.
    pub trace_message_valid: Signal<Out, Bit>,
    /// Commit trace: the oldest message completes.
    pub trace_retire_valid: Signal<Out, Bit>,
    /// Commit trace: the oldest message that came and took a buffer is told of, or the oldest RQE, that can't be posted.
    pub trace_tell_valid: Signal<Out, Bit>,
    /// Commit trace: the latter.
    pub trace_tell_refused: Signal<Out, Bit>,
    bus: AxiLite,
    failed: FailedBitmap<CA, WA>,
    registers: RegisterFile,
    counters: CounterFile,
    fetch: WqeFetch<CA, XA>,
    completion: CompletionWriter<M, MA>,
    landing: ReadLanding<N>,
    reads: Constant<Bit>,
    asks_read: Constant<Bits<8>>,
    receiver: ReceiveHost<N, CA>,
    turn: ReadTurn,
    restart: Signal<Local, Bit>,
    foreign: PlaneDrops<N>,
    malformed: PlaneDrops<N>,
    bad_icrc: PlaneDrops<N>,
    unknown_opcode: PlaneDrops<N>,
}

impl<
    const N: usize,
    const CA: usize,
    const XA: usize,
    const WA: usize,
    const M: usize,
    const MA: usize,
> HostSide<N, CA, XA, WA, M, MA>
{
    /// One whose NIC holds this.
    pub fn new(c: &Capabilities, narrowing: &Narrowing) -> Self {
        assert!((1..=8).contains(&N), "1 to 8 planes");
        assert!(
            M == 1 << MA && (1..=4).contains(&MA),
            "2 to 16 message slots, a power of two"
        );
        let [paths, regions] = [c.paths_log2, c.regions_log2].map(usize::from);
        assert!(
            c.planes == N as u8 && c.connections_log2 == CA as u8,
            "its size"
        );
        assert!(
            CA + paths <= 16 && XA <= 16 && regions <= 16,
            "index widths"
        );
        let table_bits = (CA + paths).max(regions);
        let messages = c.speaks_messages;
        Self {
            clock: Default::default(),
            reset: Default::default(),
            s_axil_awaddr: Default::default(),
            s_axil_awvalid: Default::default(),
            s_axil_awready: Default::default(),
            s_axil_wdata: Default::default(),
            s_axil_wstrb: Default::default(),
            s_axil_wvalid: Default::default(),
            s_axil_wready: Default::default(),
            s_axil_bresp: Default::default(),
            s_axil_bvalid: Default::default(),
            s_axil_bready: Default::default(),
            s_axil_araddr: Default::default(),
            s_axil_arvalid: Default::default(),
            s_axil_arready: Default::default(),
            s_axil_rdata: Default::default(),
            s_axil_rresp: Default::default(),
            s_axil_rvalid: Default::default(),
            s_axil_rready: Default::default(),
            m_axi_ctl_araddr: Default::default(),
            m_axi_ctl_arlen: Default::default(),
            m_axi_ctl_arsize: Default::default(),
            m_axi_ctl_arburst: Default::default(),
            m_axi_ctl_arvalid: Default::default(),
            m_axi_ctl_arready: Default::default(),
            m_axi_ctl_rdata: Default::default(),
            m_axi_ctl_rresp: Default::default(),
            m_axi_ctl_rlast: Default::default(),
            m_axi_ctl_rvalid: Default::default(),
            m_axi_ctl_rready: Default::default(),
            m_axi_ctl_awaddr: Default::default(),
            m_axi_ctl_awlen: Default::default(),
            m_axi_ctl_awsize: Default::default(),
            m_axi_ctl_awburst: Default::default(),
            m_axi_ctl_awvalid: Default::default(),
            m_axi_ctl_awready: Default::default(),
            m_axi_ctl_wdata: Default::default(),
            m_axi_ctl_wstrb: Default::default(),
            m_axi_ctl_wlast: Default::default(),
            m_axi_ctl_wvalid: Default::default(),
            m_axi_ctl_wready: Default::default(),
            m_axi_ctl_bresp: Default::default(),
            m_axi_ctl_bvalid: Default::default(),
            m_axi_ctl_bready: Default::default(),
            config_write: Default::default(),
            hold: Default::default(),
            transport_reset: Default::default(),
            engines_idle: Default::default(),
            window: Default::default(),
            congestion: Default::default(),
            not_ready_ticks: Default::default(),
            rto: Default::default(),
            max_retries: Default::default(),
            ack_every: Default::default(),
            mtu_log2: Default::default(),
            message: Default::default(),
            message_slot: Default::default(),
            message_valid: Default::default(),
            message_ready: Default::default(),
            sq_idle: Default::default(),
            delivered_valid: Default::default(),
            delivered_slot: Default::default(),
            failure_connection: Default::default(),
            failure: Default::default(),
            failure_write: Default::default(),
            read_open: Default::default(),
            read_close: Default::default(),
            read_reply: Default::default(),
            post: Default::default(),
            post_valid: Default::default(),
            post_ready: Default::default(),
            vanished: Default::default(),
            whole: Default::default(),
            whole_valid: Default::default(),
            placed: std::array::from_fn(|_| Default::default()),
            progress: std::array::from_fn(|_| Default::default()),
            receive_counts: Default::default(),
            transmit_counts: Default::default(),
            drop_foreign: std::array::from_fn(|_| Default::default()),
            drop_malformed: std::array::from_fn(|_| Default::default()),
            drop_bad_icrc: std::array::from_fn(|_| Default::default()),
            drop_unknown_opcode: std::array::from_fn(|_| Default::default()),
            trace_configure_valid: Default::default(),
            trace_message_valid: Default::default(),
            trace_retire_valid: Default::default(),
            trace_tell_valid: Default::default(),
            trace_tell_refused: Default::default(),
            bus: Default::default(),
            failed: Default::default(),
            registers: RegisterFile::new(c.to_words(), table_bits, messages, narrowing),
            counters: CounterFile::new(messages, c.answers_reads, narrowing),
            fetch: WqeFetch::new(messages, c.answers_reads),
            completion: CompletionWriter::new(c.answers_reads),
            landing: Default::default(),
            reads: Constant::new(c.answers_reads),
            asks_read: Constant::new(constants::WQE_READ.into()),
            receiver: ReceiveHost::new(XA - CA, messages),
            turn: Default::default(),
            restart: Default::default(),
            foreign: Default::default(),
            malformed: Default::default(),
            bad_icrc: Default::default(),
            unknown_opcode: Default::default(),
        }
    }
}

impl<
    const N: usize,
    const CA: usize,
    const XA: usize,
    const WA: usize,
    const M: usize,
    const MA: usize,
> Logic for HostSide<N, CA, XA, WA, M, MA>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(
            self, clock, bus, registers, counters, fetch, completion, landing, receiver, turn
        );
        self.restart.next = self.reset.val() | self.registers.restart.val();
        self.transport_reset.next = self.restart.val();
        self.bus.reset.next = self.reset.val();
        self.registers.reset.next = self.reset.val();
        self.fetch.reset.next = self.restart.val();
        self.completion.reset.next = self.restart.val();
        self.landing.reset.next = self.restart.val();
        self.receiver.reset.next = self.restart.val();
        self.turn.reset.next = self.restart.val();

        // Registers.
        self.bus.awaddr.next = self.s_axil_awaddr.val();
        self.bus.awvalid.next = self.s_axil_awvalid.val();
        self.s_axil_awready.next = self.bus.awready.val();
        self.bus.wdata.next = self.s_axil_wdata.val();
        self.bus.wstrb.next = self.s_axil_wstrb.val();
        self.bus.wvalid.next = self.s_axil_wvalid.val();
        self.s_axil_wready.next = self.bus.wready.val();
        self.s_axil_bresp.next = self.bus.bresp.val();
        self.s_axil_bvalid.next = self.bus.bvalid.val();
        self.bus.bready.next = self.s_axil_bready.val();
        self.bus.araddr.next = self.s_axil_araddr.val();
        self.bus.arvalid.next = self.s_axil_arvalid.val();
        self.s_axil_arready.next = self.bus.arready.val();
        self.s_axil_rdata.next = self.bus.rdata.val();
        self.s_axil_rresp.next = self.bus.rresp.val();
        self.s_axil_rvalid.next = self.bus.rvalid.val();
        self.bus.rready.next = self.s_axil_rready.val();
        self.bus.write_wait.next = self.registers.write_wait.val();
        self.bus.read_data.next = self.registers.read_data.val();
        self.registers.write.next = self.bus.write.val();
        self.registers.write_address.next = self.bus.write_address.val();
        self.registers.write_data.next = self.bus.write_data.val();
        self.registers.read_address.next = self.bus.read_address.val();
        self.registers.counters.next = self.counters.read.val();
        self.failed.clock.next = self.clock.val();
        self.failed.write.next = self.failure_write.val();
        self.failed.select.next = self.registers.failed_select.val();
        self.registers.failed.next = self.failed.bitmap.val();
        self.registers.engines_idle.next = self.engines_idle.val();
        self.config_write.next = self.registers.config_write.val();
        self.trace_configure_valid.next = self.registers.configured.val();
        self.hold.next = self.registers.hold.val();
        self.window.next = self.registers.window.val();
        self.congestion.next = self.registers.congestion.val();
        self.not_ready_ticks.next = self.registers.not_ready_ticks.val();
        self.rto.next = self.registers.rto.val();
        self.max_retries.next = self.registers.max_retries.val();
        self.ack_every.next = self.registers.ack_every.val();
        self.mtu_log2.next = self.registers.mtu_log2.val();

        // Counters.
        for i in 0..N {
            self.foreign.drop[i].next = self.drop_foreign[i].val();
            self.malformed.drop[i].next = self.drop_malformed[i].val();
            self.bad_icrc.drop[i].next = self.drop_bad_icrc[i].val();
            self.unknown_opcode.drop[i].next = self.drop_unknown_opcode[i].val();
        }
        self.counters.bus.next = self.registers.bus.val();
        self.counters.receive.next = self.receive_counts.val();
        self.counters.transmit.next = self.transmit_counts.val();
        self.counters.foreign.next = self.foreign.sum.val();
        self.counters.malformed.next = self.malformed.sum.val();
        self.counters.bad_icrc.next = self.bad_icrc.sum.val();
        self.counters.unknown_opcode.next = self.unknown_opcode.sum.val();
        self.counters.message.next = self.fetch.take.val();
        self.counters.completion.next = self.completion.retire.val() | self.trace_tell_valid.val();

        // The control port's reads: the send queue's bursts of eight beats, the receive queue's of four.
        self.turn.arvalid[0].next = self.fetch.arvalid.val();
        self.turn.arvalid[1].next = self.receiver.arvalid.val();
        self.turn.rready[0].next = self.fetch.rready.val();
        self.turn.rready[1].next = self.receiver.rready.val();
        self.fetch.arready.next = self.turn.arready[0].val();
        self.fetch.rvalid.next = self.turn.rvalid[0].val();
        self.receiver.arready.next = self.turn.arready[1].val();
        self.receiver.rvalid.next = self.turn.rvalid[1].val();
        self.turn.m_arready.next = self.m_axi_ctl_arready.val();
        self.turn.m_rvalid.next = self.m_axi_ctl_rvalid.val();
        self.turn.m_rlast.next = self.m_axi_ctl_rlast.val();
        self.m_axi_ctl_arvalid.next = self.turn.m_arvalid.val();
        self.m_axi_ctl_rready.next = self.turn.m_rready.val();
        self.m_axi_ctl_araddr.next = self.fetch.araddr.val();
        self.m_axi_ctl_arlen.next = 7.into();
        if self.turn.second.val() {
            self.m_axi_ctl_araddr.next = self.receiver.araddr.val();
            self.m_axi_ctl_arlen.next = 3.into();
        }
        // Beats of eight bytes, incrementing.
        self.m_axi_ctl_arsize.next = 3.into();
        self.m_axi_ctl_arburst.next = 1.into();
        self.fetch.rdata.next = self.m_axi_ctl_rdata.val();
        self.fetch.rresp.next = self.m_axi_ctl_rresp.val();
        self.fetch.rlast.next = self.m_axi_ctl_rlast.val();
        self.receiver.rdata.next = self.m_axi_ctl_rdata.val();
        self.receiver.rresp.next = self.m_axi_ctl_rresp.val();
        self.receiver.rlast.next = self.m_axi_ctl_rlast.val();

        // Send queue.
        self.fetch.enable.next = self.registers.enable.val();
        self.fetch.base.next = self.registers.sq_base.val();
        self.fetch.size_log2.next = self.registers.sq_size_log2.val();
        self.fetch.doorbell.next = self.registers.sq_doorbell.val();
        self.fetch.mtu_log2.next = self.registers.mtu_log2.val();
        self.fetch.config_write.next = self.registers.config_write.val();
        // By the tables as they stand: none is taken while one is about to change.
        self.fetch.slot_free.next = self.completion.slot_free.val() & !self.registers.hold.val();
        self.fetch.message_ready.next = self.message_ready.val();
        self.message.next = self.fetch.message.val();
        self.message_valid.next = self.fetch.message_valid.val();
        self.message_slot.next = self.completion.slot.val();
        self.sq_idle.next = self.fetch.idle.val() | !self.completion.slot_free.val();
        self.trace_message_valid.next = self.fetch.take.val();

        // Receive queue, and messages that came.
        self.receiver.enable.next = self.registers.enable.val();
        self.receiver.base.next = self.registers.rq_base.val();
        self.receiver.size_log2.next = self.registers.rq_size_log2.val();
        self.receiver.doorbell.next = self.registers.rq_doorbell.val();
        self.receiver.config_write.next = self.registers.config_write.val();
        self.receiver.hold.next = self.registers.hold.val();
        self.post.next = self.receiver.post.val();
        self.post_valid.next = self.receiver.post_valid.val();
        self.receiver.post_ready.next = self.post_ready.val();
        self.receiver.vanished.next = self.vanished.val();
        self.receiver.whole.next = self.whole.val();
        self.receiver.whole_valid.next = self.whole_valid.val();
        for i in 0..N {
            self.receiver.placed[i].next = self.placed[i].val();
            self.receiver.progress[i].next = self.progress[i].val();
            self.landing.placed[i].next = self.placed[i].val();
            self.landing.progress[i].next = self.progress[i].val();
        }
        self.completion.receive.next = self.receiver.receive.val();
        self.completion.receive_valid.next = self.receiver.receive_valid.val();
        self.receiver.receive_ready.next = self.completion.receive_ready.val();
        self.trace_tell_valid.next =
            self.receiver.receive_valid.val() & self.completion.receive_ready.val();
        self.trace_tell_refused.next = self.receiver.refused.val();

        // Completion queue.
        self.m_axi_ctl_awaddr.next = self.completion.awaddr.val();
        self.m_axi_ctl_awvalid.next = self.completion.awvalid.val();
        self.completion.awready.next = self.m_axi_ctl_awready.val();
        self.m_axi_ctl_wdata.next = self.completion.wdata.val();
        self.m_axi_ctl_wlast.next = self.completion.wlast.val();
        self.m_axi_ctl_wvalid.next = self.completion.wvalid.val();
        self.completion.wready.next = self.m_axi_ctl_wready.val();
        self.completion.bvalid.next = self.m_axi_ctl_bvalid.val();
        self.m_axi_ctl_bready.next = self.completion.bready.val();
        self.m_axi_ctl_awlen.next = 3.into();
        self.m_axi_ctl_awsize.next = 3.into();
        self.m_axi_ctl_awburst.next = 1.into();
        self.m_axi_ctl_wstrb.next = 0xFF.into();
        self.completion.take.next = self.fetch.take.val();
        self.completion.work.next = self.fetch.work.val();
        self.completion.packets.next = self.fetch.packets.val();
        self.completion.delivered.next = self.delivered_valid.val();
        self.completion.delivered_slot.next = self.delivered_slot.val();
        self.completion.failure.next = self.failure.val();
        self.failure_connection.next = self.completion.failure_connection.val();
        self.completion.base.next = self.registers.cq_base.val();
        self.completion.size_log2.next = self.registers.cq_size_log2.val();
        self.completion.consumer.next = self.registers.cq_consumer.val();
        self.trace_retire_valid.next = self.completion.retire.val();

        // Reads.
        self.read_open.next.valid = self.reads.val()
            & self.fetch.take.val()
            & !self.fetch.work.val().bad
            & (self.fetch.work.val().opcode == self.asks_read.val());
        self.read_open.next.slot = self.completion.slot.val();
        self.read_open.next.connection = self.fetch.message.val().connection;
        self.read_open.next.stream = self.fetch.message.val().stream;
        self.read_open.next.message = self.fetch.message.val().message;
        self.read_open.next.address = self.fetch.message.val().local_address;
        self.read_open.next.length = self.fetch.message.val().length;
        self.read_close.next = self.completion.read_close.val();
        self.completion.read_reply.next = self.read_reply.val();
        self.landing.start.next = self.completion.lands.val();
        self.completion.landed.next = self.landing.landed.val();
    }
}

//! From decisions to descriptors.
use crate::data_tail::DataTail;
use crate::generated::constants::{OPCODE_PROBE, OPCODE_WRITE};
use crate::narrow::Narrowing;
use crate::next_in_turn::NextInTurn;
use crate::path_table::PathTable;
use crate::plane_credit::PlaneCredit;
use crate::prim::Dff;
use crate::slots_waiting::SlotsWaiting;
use crate::transmission_queue::TransmissionQueue;
use crate::transmit_path::{ConnectionEntry, PathWrite, Transmission};
use crate::types::{Message, TxDescriptor};
use rust_hdl::prelude::*;

/// Looks up what a decision stands for and makes its descriptor.
///
/// Each plane has a queue of four decisions: `room`. F0 takes the oldest of a plane that is ready and has nothing in a
/// later stage, planes in turn; F1 has the records; F2 the packet's place in the message; F3 shows the descriptor. So a
/// descriptor comes 4 cycles after its decision at the earliest, one a cycle over all planes, one in 4 cycles on one
/// plane, and never waits on the bus. `N` planes, `CA`, `GA` address bits of connections and of paths.
#[derive(LogicBlock)]
pub struct DescriptorBuilder<const N: usize, const CA: usize, const GA: usize> {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// A decision.
    pub transmission: Signal<In, Transmission>,
    /// Its plane, one hot.
    pub transmission_plane: Signal<In, Bits<N>>,
    /// It is there; only where a place was claimed.
    pub transmission_valid: Signal<In, Bit>,
    /// Planes with a place in their queue that nobody has claimed.
    pub room: Signal<Out, Bits<N>>,
    /// A place of this plane is claimed, one hot: some cycles later a decision takes it,
    pub claim: Signal<In, Bits<N>>,
    /// or it is forfeited.
    pub forfeit: Signal<In, Bits<N>>,
    /// Planes with two such places.
    pub spare: Signal<Out, Bits<N>>,
    /// A message enters its slot.
    pub message: Signal<In, Message>,
    /// The slot.
    pub message_slot: Signal<In, Bits<5>>,
    /// It does.
    pub message_enter: Signal<In, Bit>,
    /// Configuration of a path.
    pub path_write: Signal<In, PathWrite>,
    /// Configuration of a connection.
    pub connection_valid: Signal<In, Bit>,
    /// Which connection.
    pub connection_index: Signal<In, Bits<12>>,
    /// Its entry.
    pub connection_entry: Signal<In, ConnectionEntry>,
    /// log2 MTU, 8..=12.
    pub mtu_log2: Signal<In, Bits<4>>,
    /// The descriptor.
    pub data: Signal<Out, TxDescriptor>,
    /// Its plane, one hot; 0: there is none.
    pub data_valid: Signal<Out, Bits<N>>,
    /// Planes that take one; falls only by a transfer.
    pub data_ready: Signal<In, Bits<N>>,
    /// Planes with a decision in their queue or in a stage.
    pub busy: Signal<Out, Bits<N>>,
    /// A new WRITE is shown.
    pub written: Signal<Out, Bit>,
    /// Its payload bytes.
    pub written_bytes: Signal<Out, Bits<16>>,
    /// A new packet of another verb is shown.
    pub verb: Signal<Out, Bit>,
    /// Message slots, by bit, that a decision waits for: no message may enter them.
    pub slots: Signal<Out, Bits<32>>,
    path_bits: Constant<Bits<4>>,
    write_opcode: Constant<Bits<8>>,
    probe_opcode: Constant<Bits<8>>,
    plane_number: [Constant<Bits<3>>; N],
    queue: [TransmissionQueue; N],
    credit: [PlaneCredit; N],
    turn: NextInTurn<N>,
    last: Dff<Bits<3>>,
    waiting: SlotsWaiting,
    message_table: PathTable<Message, 5>,
    connection_table: PathTable<ConnectionEntry, CA>,
    epoch: PathTable<Bits<8>, GA>,
    entropy: PathTable<Bits<16>, GA>,
    oldest: Signal<Local, Transmission>,
    stage1: Dff<Transmission>,
    plane1: Dff<Bits<N>>,
    stage2: Dff<Transmission>,
    plane2: Dff<Bits<N>>,
    message2: Dff<Message>,
    connection2: Dff<ConnectionEntry>,
    epoch2: Dff<Bits<8>>,
    entropy2: Dff<Bits<16>>,
    offset2: Dff<Bits<32>>,
    tail: DataTail,
    remaining: Signal<Local, Bits<32>>,
    mtu: Signal<Local, Bits<32>>,
    shown: Dff<TxDescriptor>,
    plane3: Dff<Bits<N>>,
    again3: Dff<Bit>,
    new3: Signal<Local, Bit>,
    path_mask: Constant<Bits<16>>,
    used_length: Constant<Bits<32>>,
    used_slots: Constant<Bits<5>>,
    wanted: Signal<Local, Bits<N>>,
}

impl<const N: usize, const CA: usize, const GA: usize> DescriptorBuilder<N, CA, GA> {
    /// A builder of this size; `messages`, `reads`: it knows the verbs that these profiles add.
    pub fn new(messages: bool, reads: bool, narrowing: &Narrowing) -> Self {
        assert!(GA > CA, "index widths");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            transmission: Default::default(),
            transmission_plane: Default::default(),
            transmission_valid: Default::default(),
            room: Default::default(),
            claim: Default::default(),
            spare: Default::default(),
            forfeit: Default::default(),
            message: Default::default(),
            message_slot: Default::default(),
            message_enter: Default::default(),
            path_write: Default::default(),
            connection_valid: Default::default(),
            connection_index: Default::default(),
            connection_entry: Default::default(),
            mtu_log2: Default::default(),
            data: Default::default(),
            data_valid: Default::default(),
            data_ready: Default::default(),
            busy: Default::default(),
            written: Default::default(),
            written_bytes: Default::default(),
            verb: Default::default(),
            slots: Default::default(),
            path_bits: Constant::new(bits((GA - CA) as u64)),
            write_opcode: Constant::new(bits(OPCODE_WRITE)),
            probe_opcode: Constant::new(bits(OPCODE_PROBE)),
            plane_number: std::array::from_fn(|i| Constant::new(bits(i as u64))),
            queue: std::array::from_fn(|_| Default::default()),
            credit: std::array::from_fn(|_| Default::default()),
            turn: Default::default(),
            last: Default::default(),
            waiting: SlotsWaiting::new(N),
            message_table: Default::default(),
            connection_table: Default::default(),
            epoch: Default::default(),
            entropy: Default::default(),
            oldest: Default::default(),
            stage1: Default::default(),
            plane1: Default::default(),
            stage2: Default::default(),
            plane2: Default::default(),
            message2: Default::default(),
            connection2: Default::default(),
            epoch2: Default::default(),
            entropy2: Default::default(),
            offset2: Default::default(),
            tail: DataTail::new(messages, reads),
            remaining: Default::default(),
            mtu: Default::default(),
            shown: Default::default(),
            plane3: Default::default(),
            again3: Default::default(),
            new3: Default::default(),
            path_mask: Constant::new(bits((1 << (GA - CA)) - 1)),
            used_length: Constant::new(Narrowing::low(narrowing.length_bits)),
            used_slots: Constant::new(bits(narrowing.slots())),
            wanted: Default::default(),
        }
    }
}

impl<const N: usize, const CA: usize, const GA: usize> Logic for DescriptorBuilder<N, CA, GA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            last,
            stage1,
            plane1,
            stage2,
            plane2,
            message2,
            connection2,
            epoch2,
            entropy2,
            offset2,
            shown,
            plane3,
            again3
        );
        self.message_table.clock.next = self.clock.val();
        self.connection_table.clock.next = self.clock.val();
        self.epoch.clock.next = self.clock.val();
        self.entropy.clock.next = self.clock.val();

        // Writers.
        self.message_table.write_enable.next = self.message_enter.val();
        self.message_table.write_address.next = self.message_slot.val();
        self.message_table.write_data.next = self.message.val();
        self.connection_table.write_enable.next = self.connection_valid.val();
        self.connection_table.write_address.next = bit_cast::<CA, 12>(self.connection_index.val());
        self.connection_table.write_data.next = self.connection_entry.val();
        self.epoch.write_enable.next = self.path_write.val().valid;
        self.epoch.write_address.next = bit_cast::<GA, 16>(self.path_write.val().path);
        self.epoch.write_data.next = self.path_write.val().epoch;
        self.entropy.write_enable.next = self.path_write.val().valid;
        self.entropy.write_address.next = bit_cast::<GA, 16>(self.path_write.val().path);
        self.entropy.write_data.next = self.path_write.val().entropy;

        // Queues, and F0: who is next.
        self.room.next = bits::<N>(0);
        self.spare.next = bits::<N>(0);
        self.busy.next = self.plane1.q.val() | self.plane2.q.val() | self.plane3.q.val();
        self.wanted.next = bits::<N>(0);
        self.turn.last.next = self.last.q.val();
        for k in 0..N {
            self.queue[k].clock.next = self.clock.val();
            self.queue[k].reset.next = self.reset.val();
            self.queue[k].entry.next = self.transmission.val();
            self.queue[k].push.next =
                self.transmission_valid.val() & self.transmission_plane.val().get_bit(k);
            self.queue[k].pop.next = self.turn.grant.val().get_bit(k);
            self.credit[k].clock.next = self.clock.val();
            self.credit[k].reset.next = self.reset.val();
            self.credit[k].claim.next = self.claim.val().get_bit(k);
            self.credit[k].forfeit.next = self.forfeit.val().get_bit(k);
            self.credit[k].leave.next = self.turn.grant.val().get_bit(k);
            if self.credit[k].room.val() {
                self.room.next = self.room.val().replace_bit(k, true);
            }
            if self.credit[k].spare.val() {
                self.spare.next = self.spare.val().replace_bit(k, true);
            }
            if self.queue[k].valid.val() {
                self.busy.next = self.busy.val().replace_bit(k, true);
                if self.data_ready.val().get_bit(k)
                    & !self.plane1.q.val().get_bit(k)
                    & !self.plane2.q.val().get_bit(k)
                    & !self.plane3.q.val().get_bit(k)
                {
                    self.wanted.next = self.wanted.val().replace_bit(k, true);
                }
            }
        }
        self.turn.request.next = self.wanted.val();
        self.oldest.next = self.queue[0].head.val();
        for k in 0..N {
            if self.turn.pick.val() == self.plane_number[k].val() {
                self.oldest.next = self.queue[k].head.val();
            }
        }
        self.oldest.next.slot = self.oldest.val().slot & self.used_slots.val();
        if self.turn.found.val() {
            self.last.d.next = self.turn.pick.val();
        }
        self.waiting.clock.next = self.clock.val();
        self.waiting.reset.next = self.reset.val();
        self.waiting.enter.next = self.transmission_valid.val() & !self.transmission.val().probe;
        self.waiting.enter_slot.next = self.transmission.val().slot;
        self.waiting.leave.next = self.turn.found.val() & !self.oldest.val().probe;
        self.waiting.leave_slot.next = self.oldest.val().slot;
        self.slots.next = self.waiting.waiting.val();
        self.stage1.d.next = self.oldest.val();
        self.plane1.d.next = self.turn.grant.val();
        self.message_table.read_address.next = self.oldest.val().slot;
        self.connection_table.read_address.next =
            bit_cast::<CA, 16>(self.oldest.val().path >> self.path_bits.val());
        self.epoch.read_address.next = bit_cast::<GA, 16>(self.oldest.val().path);
        self.entropy.read_address.next = bit_cast::<GA, 16>(self.oldest.val().path);

        // F1.
        self.offset2.d.next = bit_cast::<32, 24>(self.stage1.q.val().packet) << self.mtu_log2.val();
        self.stage2.d.next = self.stage1.q.val();
        self.plane2.d.next = self.plane1.q.val();
        self.message2.d.next = self.message_table.read_data.val();
        self.connection2.d.next = self.connection_table.read_data.val();
        self.epoch2.d.next = self.epoch.read_data.val();
        self.entropy2.d.next = self.entropy.read_data.val();

        // F2.
        self.mtu.next = bits::<32>(1) << self.mtu_log2.val();
        self.remaining.next = self.message2.q.val().length - self.offset2.q.val();
        self.tail.message.next = self.message2.q.val();
        self.tail.offset.next = self.offset2.q.val();
        self.tail.slot.next = self.stage2.q.val().slot;
        self.shown.d.next.opcode = self.tail.opcode.val();
        self.shown.d.next.ack_request = self.stage2.q.val().ack_request;
        self.shown.d.next.dest_qp = self.connection2.q.val().remote_qp;
        self.shown.d.next.psn = self.stage2.q.val().psn;
        self.shown.d.next.path = bit_cast::<8, 16>(self.stage2.q.val().path & self.path_mask.val());
        self.shown.d.next.epoch = self.epoch2.q.val();
        self.shown.d.next.tsn = self.stage2.q.val().tsn;
        self.shown.d.next.timestamp = self.stage2.q.val().timestamp;
        self.shown.d.next.entropy = self.entropy2.q.val();
        self.shown.d.next.dst_mac = self.connection2.q.val().dst_mac;
        self.shown.d.next.src_mac = self.connection2.q.val().src_mac;
        self.shown.d.next.src_ip = self.connection2.q.val().src_ip;
        self.shown.d.next.dst_ip = self.connection2.q.val().dst_ip;
        self.shown.d.next.ip_sum = self.connection2.q.val().ip_sum;
        self.shown.d.next.payload = bit_cast::<16, 32>(self.mtu.val());
        if self.remaining.val() < self.mtu.val() {
            self.shown.d.next.payload = bit_cast::<16, 32>(self.remaining.val());
        }
        if self.tail.bare.val() {
            self.shown.d.next.payload = bits::<16>(0);
        }
        self.shown.d.next.local_address =
            self.message2.q.val().local_address + bit_cast::<64, 32>(self.offset2.q.val());
        self.shown.d.next.tail = self.tail.tail.val();
        if self.stage2.q.val().probe {
            self.shown.d.next.opcode = self.probe_opcode.val();
            self.shown.d.next.payload = bits::<16>(0);
            self.shown.d.next.local_address = bits::<64>(0);
            self.shown.d.next.tail = bits::<320>(0);
        }
        self.plane3.d.next = self.plane2.q.val();
        self.again3.d.next = self.stage2.q.val().again;

        // F3.
        self.data.next = self.shown.q.val();
        self.data_valid.next = self.plane3.q.val();
        self.new3.next = self.plane3.q.val().any()
            & !self.again3.q.val()
            & (self.shown.q.val().opcode != self.probe_opcode.val());
        self.written.next =
            self.new3.val() & (self.shown.q.val().opcode == self.write_opcode.val());
        self.verb.next = self.new3.val() & !self.written.val();
        self.written_bytes.next = bits::<16>(0);
        if self.written.val() {
            self.written_bytes.next = self.shown.q.val().payload;
        }

        if self.reset.val() {
            self.plane1.d.next = bits::<N>(0);
            self.plane2.d.next = bits::<N>(0);
            self.plane3.d.next = bits::<N>(0);
            self.last.d.next = bits::<3>(0);
        }
    }
}

//! What the headers of a whole frame are worth.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use crate::generated::common::UnpackCommon;
use crate::generated::constants as protocol;
use crate::types::FrameEvent;
use rust_hdl::prelude::*;

/// Checks of docs/protocol.md, section 4, that need no ICRC, and the event that they lead to. No register.
#[derive(LogicBlock)]
pub struct HeaderChecks {
    /// The headers of all frames, first byte uppermost.
    pub common: Signal<In, Bits<512>>,
    /// What follows them.
    pub tail: Signal<In, Bits<320>>,
    /// Bytes of the frame.
    pub length: Signal<In, Bits<20>>,
    /// A beat before the last was not full, or bytes were missing within the last.
    pub ragged: Signal<In, Bit>,
    /// Its opcode's, as `FrameKind` says.
    pub known: Signal<In, Bit>,
    pub data: Signal<In, Bit>,
    pub header_bytes: Signal<In, Bits<7>>,
    /// The payload is not negative and not too long.
    pub fits: Signal<In, Bit>,
    /// Its bytes.
    pub payload: Signal<In, Bits<16>>,
    /// Too short to be examined.
    pub too_short: Signal<Out, Bit>,
    pub foreign: Signal<Out, Bit>,
    pub malformed: Signal<Out, Bit>,
    pub frame_event: Signal<Out, FrameEvent>,
    fields: UnpackCommon,
    total: Signal<Local, Bits<16>>,
    shortest: Constant<Bits<20>>,
    /// IPv4's total length less the bytes of headers.
    total_less_headers: Constant<Bits<16>>,
    ethertype: Constant<Bits<16>>,
    udp: Constant<Bits<8>>,
    port: Constant<Bits<16>>,
    version: Constant<Bits<4>>,
    ce: Constant<Bits<2>>,
}

impl Default for HeaderChecks {
    fn default() -> Self {
        Self {
            common: Default::default(),
            tail: Default::default(),
            length: Default::default(),
            ragged: Default::default(),
            known: Default::default(),
            data: Default::default(),
            header_bytes: Default::default(),
            fits: Default::default(),
            payload: Default::default(),
            too_short: Default::default(),
            foreign: Default::default(),
            malformed: Default::default(),
            frame_event: Default::default(),
            fields: Default::default(),
            total: Default::default(),
            shortest: Constant::new(protocol::MIN_FRAME_BYTES.into()),
            total_less_headers: Constant::new(10.into()),
            ethertype: Constant::new(protocol::ETHERTYPE_IPV4.into()),
            udp: Constant::new(protocol::IP_PROTOCOL_UDP.into()),
            port: Constant::new(protocol::UDP_PORT.into()),
            version: Constant::new(protocol::PATH_VERSION.into()),
            ce: Constant::new(protocol::ECN_MARKED.into()),
        }
    }
}

impl Logic for HeaderChecks {
    #[hdl_gen]
    fn update(&mut self) {
        self.fields.bits.next = self.common.val();
        self.total.next = self.fields.ipv4_total_length.val();
        self.too_short.next = self.length.val() < self.shortest.val();
        self.foreign.next = (self.fields.ethernet_ethertype.val() != self.ethertype.val())
            || (self.fields.ipv4_version.val() != 4)
            || (self.fields.ipv4_ihl.val() != 5)
            || self.fields.ipv4_flags.val().get_bit(0)
            || self.fields.ipv4_fragment_offset.val().any()
            || (self.fields.ipv4_protocol.val() != self.udp.val())
            || (self.fields.udp_destination_port.val() != self.port.val());
        // All frames are a multiple of 4 bytes, so total length is one and 2.
        self.malformed.next = self.ragged.val()
            || (bit_cast::<20, 16>(self.total.val()) + 14 != self.length.val())
            || (self.fields.udp_length.val() + 20 != self.total.val())
            || (self.total.val().get_bits::<2>(0) != 2);
        if self.known.val() {
            if self.fields.path_version.val() != self.version.val() {
                self.malformed.next = true;
            }
            if self.data.val() && !self.fits.val() {
                self.malformed.next = true;
            }
            if !self.data.val()
                && (self.total.val() + self.total_less_headers.val()
                    != bit_cast::<16, 7>(self.header_bytes.val()))
            {
                self.malformed.next = true;
            }
        }
        self.frame_event.next.opcode = self.fields.bth_opcode.val();
        self.frame_event.next.ce = self.fields.ipv4_ecn.val() == self.ce.val();
        self.frame_event.next.ack_request = self.fields.bth_ack_request.val();
        self.frame_event.next.dest_qp = self.fields.bth_dest_qp.val();
        self.frame_event.next.psn = self.fields.bth_psn.val();
        self.frame_event.next.path = self.fields.path_path.val();
        self.frame_event.next.epoch = self.fields.path_epoch.val();
        self.frame_event.next.tsn = self.fields.path_tsn.val();
        self.frame_event.next.timestamp = self.fields.path_timestamp.val();
        self.frame_event.next.payload = 0.into();
        if self.data.val() {
            self.frame_event.next.payload = self.payload.val();
        }
        self.frame_event.next.tail = self.tail.val();
    }
}

//! A connection that fails in the middle of a response leaves no trace in the others' responses.
use metaroce_model::config::{Options, Size, TrackerSize, Tunables};
use metaroce_model::endpoint::Endpoint;
use metaroce_model::nic::Nic;
use metaroce_model::wire::{Body, Incoming, Outgoing, Verb, VerbPacket};
use metaroce_protocol::{
    ConnectionEntry, Msg, Nak, PathEntry, Profile, Psn, RefusalReason, RegionEntry, Reth, Tag, Tsn,
};

const SIZE: Size = Size {
    connections: 2,
    paths: 1,
    window_log2: 8,
    planes: 1,
    regions: 1,
    slots: 16,
    trackers: TrackerSize::SOFTWARE,
};
/// Packets of a response.
const PACKETS: u32 = 8;

/// A responder with two connections of one path.
fn responder() -> Endpoint {
    let tunables = Tunables {
        window: 16,
        rto: 2_000,
        max_retries: 7,
        ack_every: 2,
        mtu_log2: 8,
    };
    let options = Options {
        profile: Profile::Whole,
        ..Options::default()
    };
    let mut nic = Nic::with_options(SIZE, tunables, options);
    for connection in 0..2 {
        let entry = ConnectionEntry {
            valid: true,
            local_qp: connection,
            remote_qp: 0x20 + connection,
            path_count: 1,
            ..ConnectionEntry::default()
        };
        nic.write_connection(connection, entry);
        let path = PathEntry {
            valid: true,
            ..PathEntry::default()
        };
        nic.write_path(connection, path, 0);
    }
    let region = RegionEntry {
        valid: true,
        length: 1 << 16,
        ..RegionEntry::default()
    };
    nic.write_region(0, region);
    Endpoint::new(nic)
}

fn frame(connection: u32, body: Body) -> Incoming {
    Incoming {
        ce: false,
        ack_request: false,
        dest_qp: connection,
        psn: Psn::truncate(0),
        path: 0,
        epoch: 0,
        tsn: Tsn::truncate(0),
        timestamp: 0,
        body,
    }
}

/// Asks for a response of [`PACKETS`] packets.
fn read(connection: u32) -> Incoming {
    let length = PACKETS << 8;
    let verb = Verb::ReadRequest {
        reth: Reth {
            length,
            ..Reth::default()
        },
        tag: Tag {
            length,
            ..Tag::default()
        },
    };
    frame(
        connection,
        Body::Verb(VerbPacket {
            msg: Msg::default(),
            verb,
            payload: 0,
        }),
    )
}

/// What the responder says until it is silent: packets of responses, by the connection they are for.
fn said(responder: &mut Endpoint) -> Vec<(u32, u32)> {
    let mut said = Vec::new();
    while let Some(Outgoing { frame, .. }) = responder.poll_transmit(1) {
        if let Body::Verb(packet) = frame.body {
            said.push((frame.dest_qp - 0x20, packet.msg.offset >> 8));
        }
    }
    said
}

#[test]
fn a_connection_that_fails_in_the_middle_of_its_response_stops_no_other() {
    let mut responder = responder();
    responder.handle(&read(0), 0);
    // Its first data packet leaves; the requester refuses it.
    let first = std::iter::from_fn(|| responder.poll_transmit(1))
        .find(|outgoing| outgoing.frame.body.is_data())
        .expect("a response begins");
    let nak = Nak {
        reason: RefusalReason::BadRange,
        ..Nak::default()
    };
    responder.handle(
        &Incoming {
            psn: first.frame.psn,
            tsn: first.frame.tsn,
            ..frame(0, Body::Refusal(nak))
        },
        1,
    );
    responder.handle(&read(1), 1);
    let whole: Vec<_> = (0..PACKETS).map(|index| (1, index)).collect();
    assert_eq!(said(&mut responder), whole);
}

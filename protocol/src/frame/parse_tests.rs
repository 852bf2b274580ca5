use super::*;
use crate::frame::Addresses;
use crate::mac::MacAddr;
use crate::numbers::{Psn, Tsn};
use proptest::prelude::*;
use std::net::{Ipv4Addr, Ipv6Addr};

fn addresses() -> Addresses {
    Addresses {
        dst_mac: MacAddr([2, 0, 0, 0, 0, 1]),
        src_mac: MacAddr([2, 0, 0, 0, 0, 2]),
        src_ip: Ipv4Addr::new(10, 0, 0, 2),
        dst_ip: Ipv4Addr::new(10, 0, 0, 1),
    }
}

fn frame(body: Body<'_>, six: bool) -> Frame<'_> {
    let mut frame = addresses().frame(0xC001, body);
    frame.bth.psn = Psn::truncate(0xFF_FFFF);
    frame.path.tsn = Tsn::truncate(0xFF_FFFE);
    if six {
        frame.ip = Ip::v6(Ipv6Addr::LOCALHOST, Ipv6Addr::LOCALHOST);
    }
    frame
}

fn write(payload: &[u8]) -> Body<'_> {
    Body::Write {
        msg: Msg {
            offset: 5,
            ..Msg::default()
        },
        reth: Reth {
            address: 9,
            ..Reth::default()
        },
        payload,
    }
}

fn bodies(payload: &[u8]) -> [Body<'_>; 4] {
    [
        write(payload),
        Body::Ack(Sack::default()),
        Body::Refusal(Nak::default()),
        Body::Probe,
    ]
}

/// Changes a good frame, sets its ICRC right again, and gives the verdict.
fn verdict_after(body: Body<'_>, change: impl FnOnce(&mut Vec<u8>)) -> Result<Opcode, DropReason> {
    let mut bytes = frame(body, false).encode().unwrap();
    change(&mut bytes);
    Icrc::seal(&mut bytes);
    parse(&bytes).map(|frame| frame.bth.opcode)
}

/// Sets both lengths to what the frame's length says.
fn set_lengths(bytes: &mut [u8]) {
    let total = (bytes.len() - 14) as u16;
    bytes[16..18].copy_from_slice(&total.to_be_bytes());
    bytes[38..40].copy_from_slice(&(total - 20).to_be_bytes());
}

fn resize(bytes: &mut Vec<u8>, length: usize) {
    bytes.resize(length, 0);
    set_lengths(bytes);
}

#[test]
fn what_is_built_is_read_back() {
    let data: Vec<u8> = (0..4096).map(|byte| byte as u8).collect();
    for length in (0..10).chain(4093..=4096) {
        for body in bodies(&data[..length]) {
            for six in [false, true] {
                let bytes = frame(body, six).encode().unwrap();
                let read = if six {
                    parse_ipv6(&bytes)
                } else {
                    parse(&bytes)
                }
                .unwrap();
                assert_eq!(read.body, body);
                assert_eq!(read.encode().unwrap(), bytes);
                assert_eq!(
                    (read.bth.psn.get(), read.path.tsn.get()),
                    (0xFF_FFFF, 0xFF_FFFE)
                );
            }
        }
    }
    let lengths = bodies(&[]).map(|body| frame(body, false).encode().unwrap().len());
    assert_eq!(lengths, [92, 108, 76, 68]);
}

#[test]
fn too_long_a_payload_is_not_built() {
    let error = frame(write(&[0; 4097]), false).encode().unwrap_err();
    assert_eq!(error.to_string(), "payload is at most 4096, found 4097");
}

#[test]
fn a_short_frame_is_malformed_before_it_is_foreign() {
    for length in 0..68 {
        assert_eq!(parse(&vec![0; length]), Err(DropReason::Malformed));
    }
    assert_eq!(parse(&[0; 68]), Err(DropReason::Foreign));
}

#[test]
fn each_foreign_field_is_looked_at_and_before_lengths() {
    for (at, value) in [
        (12, 0x86),
        (14, 0x65),
        (14, 0x46),
        (20, 0x20),
        (20, 1),
        (21, 1),
        (23, 6),
        (36, 0),
        (37, 0),
    ] {
        let verdict = verdict_after(Body::Probe, |bytes| {
            bytes[at] = value;
            bytes[16] = 0xFF;
        });
        assert_eq!(verdict, Err(DropReason::Foreign), "byte {at}");
    }
    // "Do not fragment" and the reserved flag are no fragments.
    assert_eq!(
        verdict_after(Body::Probe, |bytes| bytes[20] = 0xC0),
        Ok(Opcode::Probe)
    );
}

#[test]
fn lengths_must_agree() {
    for at in [16, 17, 38, 39] {
        assert_eq!(
            verdict_after(write(&[1; 8]), |bytes| bytes[at] ^= 1),
            Err(DropReason::Malformed)
        );
    }
    // A trailer behind the IP packet is not tolerated.
    assert_eq!(
        verdict_after(Body::Probe, |bytes| bytes.push(0)),
        Err(DropReason::Malformed)
    );
}

#[test]
fn fixed_frames_have_one_length() {
    for body in &bodies(&[])[1..] {
        let right = frame(*body, false).encode().unwrap().len();
        for length in 68..120 {
            let verdict = verdict_after(*body, |bytes| resize(bytes, length));
            assert_eq!(verdict.is_ok(), length == right);
        }
    }
}

#[test]
fn a_write_needs_its_headers_whole_words_and_room_for_its_pad() {
    for length in 68..110 {
        for pad in 0..4 {
            let verdict = verdict_after(write(&[]), |bytes| {
                resize(bytes, length);
                bytes[43] = pad << 4;
            });
            let padded = length as i32 - 92;
            let good = padded >= i32::from(pad) && padded % 4 == 0;
            assert_eq!(
                verdict,
                if good {
                    Ok(Opcode::Write)
                } else {
                    Err(DropReason::Malformed)
                }
            );
        }
    }
    let largest = |pad: u8, length| {
        verdict_after(write(&[]), |bytes| {
            resize(bytes, length);
            bytes[43] = pad << 4;
        })
    };
    assert_eq!(largest(0, 92 + 4096), Ok(Opcode::Write));
    assert_eq!(largest(3, 92 + 4100), Err(DropReason::Malformed));
    assert_eq!(largest(0, 92 + 4100), Err(DropReason::Malformed));
}

#[test]
fn an_unknown_opcode_needs_only_lengths_and_icrc() {
    let change_to = |bytes: &mut Vec<u8>, length| {
        resize(bytes, length);
        bytes[42] = 0x0A;
        bytes[54] = 0xF0;
    };
    for length in [69, 70, 71] {
        assert_eq!(
            verdict_after(Body::Probe, |bytes| change_to(bytes, length)),
            Err(DropReason::Malformed)
        );
    }
    for length in [68, 72, 100, 9000] {
        let change = |bytes: &mut Vec<u8>| change_to(bytes, length);
        assert_eq!(
            verdict_after(Body::Probe, change),
            Err(DropReason::UnknownOpcode)
        );
        let mut bytes = frame(Body::Probe, false).encode().unwrap();
        change(&mut bytes);
        assert_eq!(parse(&bytes), Err(DropReason::BadIcrc));
    }
}

#[test]
fn version_comes_before_icrc() {
    let mut bytes = frame(Body::Probe, false).encode().unwrap();
    bytes[54] = 0x20;
    assert_eq!(parse(&bytes), Err(DropReason::Malformed));
    bytes[54] = 0x11;
    assert_eq!(parse(&bytes), Err(DropReason::BadIcrc));
}

proptest! {
    #[test]
    fn no_input_panics(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = (parse(&bytes), parse_ipv6(&bytes));
    }

    /// Random bytes seldom pass the first checks, so damage a good frame as well.
    #[test]
    fn damage_never_panics_and_never_passes_unseen(
        which in 0usize..4, payload in proptest::collection::vec(any::<u8>(), 0..64),
        six: bool, at: prop::sample::Index, flip in 1u8.., cut in 0usize..8, reseal: bool,
    ) {
        let good = frame(bodies(&payload)[which], six).encode().unwrap();
        let mut bytes = good.clone();
        bytes.truncate(good.len() - cut);
        let at = at.index(bytes.len());
        bytes[at] ^= flip;
        if reseal {
            Icrc::seal(&mut bytes);
        }
        let verdict = if six { parse_ipv6(&bytes) } else { parse(&bytes) };
        if let Ok(frame) = verdict {
            prop_assert_eq!(cut, 0);
            prop_assert!(frame.encode().is_ok());
            // Past the Ethernet header only fields that routers change may differ unseen.
            let start = if six { 54 } else { 34 };
            prop_assert!(reseal || at < start || (start + 6..start + 8).contains(&at) || at == start + 12);
        }
    }
}

/// One body of every opcode that only the whole profile knows.
fn whole_bodies(payload: &[u8]) -> [Body<'_>; 10] {
    let msg = Msg {
        stream: 3,
        message: 0xFFFF,
        offset: 8,
    };
    let reth = Reth {
        address: u64::MAX,
        r_key: 7,
        length: 9,
    };
    let matching = Match {
        receive: u32::MAX,
        length: 9,
    };
    let imm = Imm {
        immediate: 0x0102_0304,
        ..Imm::default()
    };
    let tag = Tag {
        tag: 0xFFFE,
        length: 10,
        ..Tag::default()
    };
    let atomic = Atomic {
        address: 8,
        r_key: 1,
        tag: 2,
        sequence: 3,
        operand: 4,
        compare: 5,
    };
    let original = Original { value: 1 << 63 };
    let sync = Sync {
        via: 255,
        epoch: 1,
        ..Sync::default()
    };
    [
        Body::WriteImm {
            msg,
            reth,
            matching,
            imm,
            payload,
        },
        Body::Send {
            msg,
            matching,
            payload,
        },
        Body::SendImm {
            msg,
            matching,
            imm,
            payload,
        },
        Body::ReadRequest { msg, reth, tag },
        Body::ReadResponse { msg, tag, payload },
        Body::FetchAdd { msg, atomic },
        Body::CompareSwap { msg, atomic },
        Body::AtomicResponse { msg, tag, original },
        Body::Sync(sync),
        Body::SyncAck(Sack::default()),
    ]
}

#[test]
fn the_whole_profile_reads_what_it_writes_and_the_hardware_knows_none_of_it() {
    for length in [0, 1, 2, 3, 4, 4095, 4096] {
        for body in whole_bodies(&[0xA5; 4096][..length]) {
            let bytes = frame(body, false).encode().unwrap();
            let parsed = parse_as(&bytes, Profile::Whole).unwrap();
            assert_eq!(parsed.body, body);
            assert_eq!(parse(&bytes), Err(DropReason::UnknownOpcode), "{body:?}");
            assert_eq!(body.opcode().has_payload(), body.payload().is_some());
            let six = frame(body, true).encode().unwrap();
            assert_eq!(parse_ipv6(&six).unwrap().body, body);
        }
    }
}

#[test]
fn the_whole_profile_drops_what_is_cut_or_stretched() {
    for body in whole_bodies(&[1, 2, 3, 4]) {
        let bytes = frame(body, false).encode().unwrap();
        // 68 bytes are the shortest frame there is; a payload may be cut without a trace in the lengths.
        let headers = MIN_FRAME_BYTES + body.header_bytes();
        for length in (MIN_FRAME_BYTES..headers).step_by(4) {
            let mut cut = bytes[..length].to_vec();
            set_lengths(&mut cut);
            Icrc::seal(&mut cut);
            assert_eq!(
                parse_as(&cut, Profile::Whole),
                Err(DropReason::Malformed),
                "{body:?}, {length} bytes"
            );
        }
        if body.payload().is_none() {
            let mut long = bytes.clone();
            long.extend([0; 4]);
            set_lengths(&mut long);
            Icrc::seal(&mut long);
            assert_eq!(parse_as(&long, Profile::Whole), Err(DropReason::Malformed));
        }
    }
}

//! PSNs against a window, the tree of find-firsts, and the region check, against plain Rust.
mod engines;

use std::collections::HashSet;

use engines::model;
use metaroce_cores::find_first::FindFirst;
use metaroce_cores::receive_window::ReceiveWindow;
use metaroce_cores::region_check::RegionCheck;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const SPACE: u32 = 1 << 24;

#[test]
fn first_set_bit_is_found_in_any_group() {
    find_first(
        model(FindFirst::<256, 8, 16>::default(), "find_first_256"),
        256,
    );
    find_first(model(FindFirst::<32, 5, 2>::default(), "find_first_32"), 32);
}

fn find_first(mut dut: metaroce_cosim::model::VerilatedModel, width: usize) {
    let (bits, any, index) = (
        dut.port("bits").unwrap(),
        dut.port("any").unwrap(),
        dut.port("index").unwrap(),
    );
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for turn in 0..2_000 {
        let mut bytes = vec![0u8; width / 8];
        for _ in 0..rng.random_range(0..4) {
            let at = rng.random_range(0..width);
            bytes[at / 8] |= 1 << (at % 8);
        }
        if turn == 0 {
            bytes.fill(0xFF);
        }
        dut.set_bytes(bits, &bytes);
        dut.eval().unwrap();
        let first = (0..width).find(|&i| bytes[i / 8] >> (i % 8) & 1 == 1);
        assert_eq!(dut.is_set(any), first.is_some());
        assert_eq!(dut.get_u64(index), first.unwrap_or(0) as u64, "{bytes:?}");
    }
}

#[test]
fn window_of_256_agrees_with_a_set_of_psns() {
    window(
        model(ReceiveWindow::<256, 8, 16>::default(), "receive_window_256"),
        256,
    );
}

#[test]
fn window_of_32_agrees_with_a_set_of_psns() {
    window(
        model(ReceiveWindow::<32, 5, 2>::default(), "receive_window_32"),
        32,
    );
}

/// Starts just below the wrap of the PSN and runs some laps.
fn window(mut dut: metaroce_cosim::model::VerilatedModel, w: u32) {
    let port = |name: &str| dut.port(name).unwrap();
    let (cum_in, seen_in, psn_in) = (port("cum"), port("seen"), port("psn"));
    let (fresh, duplicate, beyond, gap) = (
        port("fresh"),
        port("duplicate"),
        port("beyond"),
        port("gap"),
    );
    let (next_cum, next_seen) = (port("next_cum"), port("next_seen"));
    let mut rng = ChaCha8Rng::seed_from_u64(w.into());
    let mut cum = 0xFF_FF00;
    let mut seen = vec![if cum & w == 0 { 0u8 } else { 0xFF }; w as usize / 8];
    let mut received = HashSet::new();
    let (mut slots, mut wrapped) = (0, false);
    while slots < 8 * w {
        let reach = if rng.random_bool(0.1) {
            3 * w
        } else {
            rng.random_range(1..=w)
        };
        let psn = (cum + SPACE - 3 + rng.random_range(0..reach + 3)) % SPACE;
        // Sometimes the slot that holds all others up.
        let psn = if rng.random_bool(0.3) { cum } else { psn };
        dut.set_u64(cum_in, cum.into());
        dut.set_bytes(seen_in, &seen);
        dut.set_u64(psn_in, psn.into());
        dut.eval().unwrap();
        let offset = (psn + SPACE - cum) % SPACE;
        let old = offset >= SPACE / 2 || offset < w && received.contains(&psn);
        let new = offset < w && !received.contains(&psn);
        assert_eq!(dut.is_set(fresh), new, "psn {psn:#x} cum {cum:#x}");
        assert_eq!(dut.is_set(duplicate), old);
        assert_eq!(dut.is_set(beyond), !new && !old);
        if !new {
            continue;
        }
        assert_eq!(dut.is_set(gap), psn != cum);
        received.insert(psn);
        while received.contains(&cum) {
            cum = (cum + 1) % SPACE;
            slots += 1;
            wrapped |= cum == 0;
        }
        assert_eq!(dut.get_u64(next_cum), u64::from(cum), "psn {psn:#x}");
        dut.get_bytes(next_seen, &mut seen);
    }
    assert!(wrapped, "the PSN's wrap was met");
}

#[test]
fn region_check_knows_its_bounds_and_does_not_wrap() {
    let mut dut = model(RegionCheck::default(), "region_check");
    let port = |name: &str| dut.port(name).unwrap();
    let (region, r_key, address, payload) = (
        port("region"),
        port("r_key"),
        port("address"),
        port("payload"),
    );
    let (bad_key, bad_range) = (port("bad_key"), port("bad_range"));
    let top = u64::MAX - 0xFFF;
    #[rustfmt::skip]
    let cases = [
        // valid, key, base, length, asked key, address, payload, bad key, bad range
        (1, 7, 0x1000, 0x100, 7, 0x1000, 0x100, false, false),
        (1, 7, 0x1000, 0x100, 7, 0x1000, 0x101, false, true),
        (1, 7, 0x1000, 0x100, 7, 0xFFF, 1, false, true),
        (1, 7, 0x1000, 0x100, 7, 0x1100, 0, false, false),
        (1, 7, 0x1000, 0x100, 7, 0x1101, 0, false, true),
        (1, 7, 0x1000, 0x100, 7, 0x10FF, 1, false, false),
        (0, 7, 0x1000, 0x100, 7, 0x1000, 1, true, false),
        (1, 7, 0x1000, 0x100, 8, 0x1000, 1, true, false),
        (1, 7, 0x1000, 0x100, 0x8000_0007, 0x1000, 1, true, false),
        (1, 7, top, 0x1000, 7, top, 0x1000, false, false),
        (1, 7, top, 0x1000, 7, u64::MAX, 1, false, false),
        (1, 7, top, 0x1000, 7, u64::MAX, 2, false, true),
        (1, 7, 0, 0x1000, 7, u64::MAX, 2, false, true),
        (1, 7, 0, u64::MAX, 7, u64::MAX - 0x1000, 0x1000, false, false),
        (1, 7, 0, 0, 7, 0, 0, false, false),
        (1, 7, 0, 0, 7, 0, 1, false, true),
    ];
    for case in cases {
        let (valid, key, base, length, asked, at, bytes, want_key, want_range) = case;
        let entry = engines::Word::default()
            .field(valid, 1)
            .field(key, 32)
            .field(base, 64)
            .field(length, 64);
        dut.set_bytes(region, &entry.finish());
        dut.set_u64(r_key, asked);
        dut.set_u64(address, at);
        dut.set_u64(payload, bytes);
        dut.eval().unwrap();
        assert_eq!(
            (dut.is_set(bad_key), dut.is_set(bad_range)),
            (want_key, want_range),
            "{case:x?}"
        );
    }
}

//! The region check against its bounds.
mod engines;

use engines::model;
use metaroce_cores::region_check::RegionCheck;

#[test]
fn region_check_knows_its_bounds_and_does_not_wrap() {
    let mut dut = model(RegionCheck::default(), "region_check");
    let port = |name: &str| dut.port(name).unwrap();
    let (region, r_key, address, payload) = (
        port("region"),
        port("r_key"),
        port("address"),
        port("bytes"),
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
        let limit = u128::from(base) + u128::from(length);
        let entry = engines::Word::default()
            .field(valid, 1)
            .field(key, 32)
            .field(base, 64)
            .field(limit as u64, 64)
            .field((limit >> 64) as u64, 1);
        // A new word in each cycle: the address first, its region in the next.
        dut.set_u64(address, at);
        dut.set_u64(payload, bytes);
        dut.tick().unwrap();
        dut.set_u64(address, !at);
        dut.set_u64(payload, 0);
        dut.set_bytes(region, &entry.finish());
        dut.set_u64(r_key, asked);
        dut.tick().unwrap();
        dut.set_bytes(region, &[0]);
        dut.settle().unwrap();
        assert_eq!(
            (dut.is_set(bad_key), dut.is_set(bad_range)),
            (want_key, want_range),
            "{case:x?}"
        );
    }
}

//! How many random schedules a property test plays, and from which seed: the same command plays the same ones.
use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;

/// `short` schedules, or `long` with METAROCE_LONG=1, of seed METAROCE_SEED (0 if it is not set).
pub fn config(short: u32, long: u32) -> ProptestConfig {
    let is_long = std::env::var_os("METAROCE_LONG").is_some();
    let cases = if is_long { long } else { short };
    let seed = std::env::var("METAROCE_SEED").map_or(0, |text| {
        text.parse()
            .unwrap_or_else(|_| panic!("METAROCE_SEED is a number, not `{text}`"))
    });
    println!("{cases} schedules of seed {seed}");
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(seed),
        ..ProptestConfig::default()
    }
}

//! Boards: pins, clocks and the top around the self-test. One description is the source of all of a board's texts.

pub mod alchitry_cu;

/// A pin of the package and the port of the top that it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pin {
    /// Port of the top, with its index.
    pub port: &'static str,
    /// Ball.
    pub ball: &'static str,
}

/// A clock made by the iCE40's phase locked loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pll {
    /// Input, MHz.
    pub input_mhz: f64,
    /// Output, MHz.
    pub output_mhz: f64,
    /// Reference divider less one, 4 bits.
    pub divr: u8,
    /// Feedback divider less one, 7 bits.
    pub divf: u8,
    /// log2 of the output divider, 3 bits.
    pub divq: u8,
    /// Loop filter for the phase detector's frequency, 3 bits.
    pub filter_range: u8,
}

impl Pll {
    /// The output that the dividers give, MHz: input x (DIVF + 1) / ((DIVR + 1) x 2^DIVQ), with simple feedback
    /// (Lattice FPGA-TN-02052, iCE40 sysCLOCK PLL design and usage guide).
    pub fn computed_mhz(&self) -> f64 {
        self.input_mhz * f64::from(self.divf + 1)
            / (f64::from(self.divr + 1) * f64::from(1_u32 << self.divq))
    }
}

/// Text of a physical constraint file.
pub fn pcf(board: &str, pins: &[Pin]) -> String {
    let mut text = format!(
        "# Generated from bsp/src/board/{board}.rs. After a change there: METAROCE_BLESS=1 cargo test -p metaroce-bsp pins\n"
    );
    for pin in pins {
        text += &format!("set_io {} {}\n", pin.port, pin.ball);
    }
    text
}

//! Alchitry Cu: iCE40 HX8K, package CB132, one clock of 100 MHz, eight LEDs.

use super::{Pin, Pll};

/// The board's name on the command line.
pub const NAME: &str = "alchitry-cu";

/// The top's name in Verilog.
pub const TOP: &str = "alchitry_cu";

/// Pins in use. Clock and LEDs as in the crate `rust-hdl-bsp-alchitry-cu` 0.46; the reset button from Alchitry's
/// published constraint file, active low.
pub const PINS: [Pin; 10] = [
    Pin {
        port: "clock_100mhz",
        ball: "P7",
    },
    Pin {
        port: "reset_n",
        ball: "P8",
    },
    Pin {
        port: "led[0]",
        ball: "J11",
    },
    Pin {
        port: "led[1]",
        ball: "K11",
    },
    Pin {
        port: "led[2]",
        ball: "K12",
    },
    Pin {
        port: "led[3]",
        ball: "K14",
    },
    Pin {
        port: "led[4]",
        ball: "L12",
    },
    Pin {
        port: "led[5]",
        ball: "L14",
    },
    Pin {
        port: "led[6]",
        ball: "M12",
    },
    Pin {
        port: "led[7]",
        ball: "N14",
    },
];

/// The clock of the design: what `icepll -i 100 -o 25` (Project IceStorm) gives. The NIC does not reach the board's
/// 100 MHz in this family.
pub const CLOCK: Pll = Pll {
    input_mhz: 100.0,
    output_mhz: 25.0,
    divr: 0,
    divf: 7,
    divq: 5,
    filter_range: 5,
};

/// Text of `constraints/alchitry-cu.pcf`.
pub fn pcf() -> String {
    super::pcf(TOP, &PINS)
}

/// The board's top: the PLL, a reset that outlasts the PLL's lock, the self-test.
///
/// The reset lasts 255 cycles after lock and button: the registers' start values are there long before (iCE40 needs
/// some microseconds until block RAMs may be read).
pub fn top() -> String {
    let Pll {
        divr,
        divf,
        divq,
        filter_range,
        output_mhz,
        ..
    } = CLOCK;
    format!(
        "`default_nettype none
// Generated from bsp/src/board/alchitry_cu.rs: the self-test at {output_mhz} MHz.
module {TOP} (
    input wire clock_100mhz,
    input wire reset_n,
    output wire [7:0] led
);
    wire clock;
    wire locked;
    SB_PLL40_CORE #(
        .FEEDBACK_PATH(\"SIMPLE\"),
        .PLLOUT_SELECT(\"GENCLK\"),
        .DIVR(4'd{divr}),
        .DIVF(7'd{divf}),
        .DIVQ(3'd{divq}),
        .FILTER_RANGE(3'd{filter_range})
    ) pll (
        .REFERENCECLK(clock_100mhz),
        .PLLOUTGLOBAL(clock),
        .LOCK(locked),
        .RESETB(1'b1),
        .BYPASS(1'b0)
    );

    // The button and the lock belong to no clock: two registers each before they count.
    reg [1:0] calm = 2'd0;
    reg [7:0] wait_count = 8'd0;
    reg reset = 1'b1;
    always @(posedge clock) begin
        calm <= {{calm[0], locked & reset_n}};
        if (!calm[1]) wait_count <= 8'd0;
        else if (wait_count != 8'd255) wait_count <= wait_count + 8'd1;
        reset <= wait_count != 8'd255;
    end

    self_test test (
        .clock(clock),
        .reset(reset),
        .plant(2'd0),
        .leds(led)
    );
endmodule
`default_nettype wire
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dividers_give_the_stated_clock() {
        assert_eq!(CLOCK.computed_mhz(), CLOCK.output_mhz);
        // Limits of the data sheet: detector 10..133 MHz, oscillator 533..1066 MHz.
        let detector = CLOCK.input_mhz / f64::from(CLOCK.divr + 1);
        let oscillator = detector * f64::from(CLOCK.divf + 1);
        assert!((10.0..=133.0).contains(&detector) && (533.0..=1066.0).contains(&oscillator));
    }

    #[test]
    fn pins_in_constraints_are_the_boards() {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../constraints/alchitry-cu.pcf"
        );
        if std::env::var_os("METAROCE_BLESS").is_some() {
            std::fs::write(path, pcf()).unwrap();
        }
        let found = std::fs::read_to_string(path).unwrap_or_default();
        assert_eq!(
            found,
            pcf(),
            "mend with: METAROCE_BLESS=1 cargo test -p metaroce-bsp pins"
        );
    }

    #[test]
    fn every_pin_is_used_once() {
        let mut balls: Vec<&str> = PINS.iter().map(|pin| pin.ball).collect();
        balls.sort_unstable();
        balls.dedup();
        assert_eq!(balls.len(), PINS.len());
    }
}

//! A frame of registers around a core, so that its own paths are all that is timed, and pins are few.

use metaroce_emit::{Design, Direction, Port};

/// Name of the frame's module.
pub const TOP: &str = "area_harness";

/// Verilog of the frame: a register on every bit of every port, and no look-up table of its own. Input registers form
/// one shift chain that is fed from one pin; output registers are kept though nobody reads them. So a core of any
/// number of ports fits any package, and every LUT counted is the core's.
pub fn frame(design: &Design) -> Frame {
    let inputs: Vec<&Port> = ports(design, Direction::Input)
        .filter(|port| !port.is_clock)
        .collect();
    let outputs: Vec<&Port> = ports(design, Direction::Output).collect();
    let bits = |ports: &[&Port]| ports.iter().map(|port| port.width).sum::<usize>();
    let (in_bits, out_bits) = (bits(&inputs), bits(&outputs));
    let mut joins = Vec::new();
    for clock in ports(design, Direction::Input).filter(|port| port.is_clock) {
        joins.push(format!("        .{}(clock)", clock.name));
    }
    for (list, wire) in [(&inputs, "into"), (&outputs, "out_of")] {
        let mut low = 0;
        for port in list.iter() {
            joins.push(format!(
                "        .{}({wire}[{}:{low}])",
                port.name,
                low + port.width - 1
            ));
            low += port.width;
        }
    }
    let mut text = format!(
        "`default_nettype none\nmodule {TOP} (\n    input wire clock,\n    input wire feed\n);\n"
    );
    // One bit more than the ports have, so that no width is zero.
    text += &format!("    reg [{in_bits}:0] into = 0;\n");
    text += &format!(
        "    always @(posedge clock) into <= {{into[{}:0], feed}};\n",
        in_bits.max(1) - 1
    );
    if out_bits > 0 {
        text += &format!("    wire [{}:0] out_of;\n", out_bits - 1);
        text += &format!("    (* keep *) reg [{}:0] kept;\n", out_bits - 1);
        text += "    always @(posedge clock) kept <= out_of;\n";
    }
    let joins = joins.join(",\n");
    text += &format!(
        "    {} core (\n{joins}\n    );\nendmodule\n`default_nettype wire\n",
        design.top
    );
    Frame {
        verilog: text,
        in_bits: in_bits as u64,
        out_bits: out_bits as u64,
    }
}

/// A frame's text and size.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Verilog of the module [`TOP`].
    pub verilog: String,
    /// Bits of the core's inputs, clocks apart.
    pub in_bits: u64,
    /// Bits of the core's outputs.
    pub out_bits: u64,
}

fn ports(design: &Design, direction: Direction) -> impl Iterator<Item = &Port> {
    design
        .ports()
        .iter()
        .filter(move |port| port.direction == direction)
}

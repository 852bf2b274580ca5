//! docs/compliance.md: every point and every mutant.
use std::fmt::Write;

use crate::{mutants, points};

const HEAD: &str = "\
# The compliance suite

Generated from `sim/compliance` by `cargo run -p metaroce-compliance --bin document`; a test compares.

`metaroce compliance --target model` plays the remote end of a connection with the frame codec alone and asks an endpoint
for each rule of [protocol.md](protocol.md) by itself. Each point has a connection of its own, which starts next to every
roll-over: first PSN 0xFFFF00, first TSN 0xFFFFFA, a clock that wraps soon. Whatever a point is about, each frame that the
target sends must be readable, carry a right ICRC, and name the right addresses, queue pair, plane and UDP source port.

| target | what it is | what it can't be asked |
| --- | --- | --- |
| `model` | the golden model, in process, in virtual time | nothing |
| `cosim` | the verilated NIC of size `small` with the model in lockstep beside it; a tick is a cycle | atomics, laws but `Aimd`, hints, epochs, planes |
| `soft://HOST:PORT` | a software peer that `metaroce serve` runs with default constants, over UDP sockets, in real time | to post requests or buffers, to move its clock, to take other constants, to hear wrong Ethernet, IP or UDP headers; its counters |

A point that needs what a target lacks is `skipped` with the reason, never passed. Counters are compared where a target shows them.
The exit code is 0 if no point failed and no mutant escaped, 1 if not, 2 if the command's words are off.

";

const MUTANTS: &str = "
## Mutants

`--mutants` makes the target wrong in one thing each, and the point named here must fail; others may. A test asks besides that
every point fails for some mutant. Where the wrong thing sits:

| target | frames and completions | constants, keys, ranges | inside |
| --- | --- | --- | --- |
| `model` | changed on their way in and out | in its settings | a switch of the model (cargo feature `mutants`) |
| `cosim` | the same, between the verilated NIC and the tester; the model beside it hears what the NIC hears | in its registers and tables | an edit of its emitted Verilog (`sim/compliance/src/targets/cosim/plants.rs`), so a NIC of its own: about a minute each |

A mutant whose point the target lacks, or that it can't have, is `skipped`. What is wrong inside the hardware is mostly seen by the lockstep first.

| mutant | what is wrong | caught by |
| --- | --- | --- |
";

/// The whole document.
pub fn text() -> String {
    let mut text = String::from(HEAD);
    let points = points::all();
    let _ = writeln!(text, "## Points\n\n| point | rule |\n| --- | --- |");
    for point in points {
        let _ = writeln!(text, "| {} | {} |", point.id, point.rule);
    }
    text.push_str(MUTANTS);
    for mutant in mutants::all() {
        let _ = writeln!(
            text,
            "| `{}` | {} | {} |",
            mutant.name, mutant.wrong, mutant.by
        );
    }
    text
}

//! Memories, all of one plan: words, at most one way in, one way out.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigUint;

use super::{Primitive, check_clock, check_value, expect};
use crate::design::SELF_MARK;
use crate::module::ports;
use crate::print::{TAIL, head, range, sized};
use crate::tree::Scope;
use crate::ty::Ty;

/// More words than any FPGA has block RAM for.
const MOST_ADDRESS_BITS: usize = 24;

/// Start values in one block of the text,
const WORDS_A_BLOCK: usize = 256;
/// up to so many words: of more yosys makes nothing in any case, and Verilator reads one block faster.
const MOST_WORDS_IN_BLOCKS: usize = 1 << 18;

/// The names of a memory's ports.
pub(crate) struct Memory {
    /// Reading: address and data.
    pub read: (&'static str, &'static str),
    /// The clock of reading; without one the data follow the address at once.
    pub read_clock: Option<&'static str>,
    /// Writing: its clock; the other names are fixed.
    pub write_clock: Option<&'static str>,
    /// Word of every address that `words` does not name, and first `read_data`.
    pub init: BigUint,
    pub words: BTreeMap<BigUint, BigUint>,
    pub name: &'static str,
}

impl Memory {
    /// Simple dual port, one clock, registered reading of the old word.
    pub fn sdp(init: BigUint) -> Memory {
        Memory {
            read: ("read_address", "read_data"),
            read_clock: Some("clock"),
            write_clock: Some("clock"),
            init,
            words: BTreeMap::new(),
            name: "ram_sdp",
        }
    }

    /// Written by the clock, read at once.
    pub fn lut(init: BigUint) -> Memory {
        Memory {
            read_clock: None,
            name: "ram_lut",
            ..Memory::sdp(init)
        }
    }

    pub fn print(self, scope: &Scope) -> Result<Primitive, String> {
        let (address_bits, word) = self.check(scope)?;
        let words = 1usize << address_bits;
        check_value(&self.init, word)?;
        for (place, value) in &self.words {
            check_value(place, address_bits)?;
            check_value(value, word)?;
        }
        let ports = ports(scope);
        let (address, data) = self.read;
        let registered: &[&str] = if self.read_clock.is_some() {
            &[data]
        } else {
            &[]
        };
        let mut text = head(SELF_MARK, &ports, registered);
        text += &format!("    reg {}memory [0:{}];\n", range(word), words - 1);
        text += &self.start(address_bits, word);
        match self.read_clock {
            Some(clock) if self.write_clock == Some(clock) => {
                text += &format!("    always @(posedge {clock}) begin\n");
                text += &format!("        {data} <= memory[{address}];\n");
                text +=
                    "        if (write_enable) memory[write_address] <= write_data;\n    end\n\n";
            }
            _ => text += &self.two_clocks(),
        }
        text += TAIL;
        let mut name = format!("{}_w{word}_a{address_bits}", self.name);
        if !self.words.is_empty() || self.init != BigUint::default() {
            name += "_set";
        }
        let through = match self.read_clock {
            Some(_) => BTreeMap::new(),
            None => BTreeMap::from([(data.to_string(), BTreeSet::from([address.to_string()]))]),
        };
        Ok(Primitive {
            name,
            text,
            ports,
            through,
        })
    }

    fn two_clocks(&self) -> String {
        let (address, data) = self.read;
        let mut text = match self.read_clock {
            Some(clock) => {
                format!("    always @(posedge {clock}) {data} <= memory[{address}];\n\n")
            }
            None => format!("    assign {data} = memory[{address}];\n\n"),
        };
        if let Some(clock) = self.write_clock {
            text += &format!(
                "    always @(posedge {clock}) begin\n        \
                 if (write_enable) memory[write_address] <= write_data;\n    end\n\n"
            );
        }
        text
    }

    /// Address bits and word width, after a look at every port.
    fn check(&self, scope: &Scope) -> Result<(usize, usize), String> {
        let (address, data) = self.read;
        let mut inputs = vec![address];
        let mut clocks: Vec<&str> = self
            .read_clock
            .iter()
            .chain(&self.write_clock)
            .copied()
            .collect();
        clocks.dedup();
        if self.write_clock.is_some() {
            inputs.extend(["write_address", "write_data", "write_enable"]);
        }
        let at = inputs.len();
        inputs.extend(&clocks);
        let types = expect(scope, &inputs, &[data])?;
        types[at..at + clocks.len()]
            .iter()
            .try_for_each(check_clock)?;
        let (Ty::Bits(bits), word) = (&types[0], types.last().ok_or("a memory without data")?)
        else {
            return Err("a memory's address is `Bits`".into());
        };
        let writes = at == 1 || (types[1] == types[0] && types[2] == *word && types[3].is_bit());
        if !writes {
            return Err("a memory's ways in and out have one type".into());
        }
        if *bits > MOST_ADDRESS_BITS {
            return Err(format!("a memory of 2^{bits} words"));
        }
        Ok((*bits, word.width()))
    }

    /// Start values: every word has one, so that no simulator shows an unknown. Blocks of some
    /// words each: yosys takes time with the square of a block's length (2^14 words in one
    /// block: minutes).
    fn start(&self, address_bits: usize, word: usize) -> String {
        let init = sized(word, &self.init);
        let words = 1usize << address_bits;
        let block = match words <= MOST_WORDS_IN_BLOCKS {
            true => WORDS_A_BLOCK,
            false => words,
        };
        let mut text = String::from("    integer place;\n\n");
        for first in (0..words).step_by(block) {
            let end = words.min(first + block);
            text += &format!(
                "    initial begin\n        for (place = {first}; place < {end}; place = place + 1) \
                 memory[place[{}:0]] = {init};\n",
                address_bits - 1,
            );
            for (place, value) in self.words.range(BigUint::from(first)..BigUint::from(end)) {
                let place = sized(address_bits, place);
                text += &format!("        memory[{place}] = {};\n", sized(word, value));
            }
            text += "    end\n\n";
        }
        if self.read_clock.is_some() {
            text += &format!("    initial {} = {init};\n\n", self.read.1);
        }
        text
    }
}

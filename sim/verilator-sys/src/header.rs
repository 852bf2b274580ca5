//! Reads what Verilator wrote: ports from the model's header, file lists from its makefile.

use crate::BuildError;

/// Which way a port goes, seen from the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Driven by the testbench.
    Input,
    /// Driven by the model.
    Output,
}

/// A port of a model's top.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Port {
    /// Name in the Verilog source.
    pub name: String,
    /// Width in bits, at least 1.
    pub width: u32,
    /// Which way it goes.
    pub direction: Direction,
}

/// A port with its C++ member's name.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) port: Port,
    pub(crate) member: String,
}

/// The `VL_IN8(&name,msb,lsb);` lines of a model's header.
pub(crate) fn ports(header: &str) -> Result<Vec<Member>, BuildError> {
    let lines = header.lines().map(str::trim);
    let declarations = lines.filter(|l| {
        ["VL_IN", "VL_OUT", "VL_INOUT"]
            .iter()
            .any(|p| l.starts_with(p))
    });
    declarations
        .map(|line| {
            parse_port(line).ok_or_else(|| BuildError::Output {
                what: "port declaration",
                found: line.into(),
            })
        })
        .collect()
}

fn parse_port(line: &str) -> Option<Member> {
    let (macro_name, rest) = line.split_once('(')?;
    let size = macro_name.trim_start_matches(|c: char| !c.is_ascii_digit() && c != 'W');
    let direction = match macro_name.strip_suffix(size)? {
        "VL_IN" => Direction::Input,
        "VL_OUT" => Direction::Output,
        // Two-way pins do not belong in a core; a board's top is not simulated.
        _ => return None,
    };
    let fields: Vec<&str> = rest.strip_suffix(");")?.split(',').collect();
    // An unpacked array, `(&name)[4]`, has no flat storage of one port.
    let member = fields.first()?.strip_prefix('&')?;
    let msb: u32 = fields.get(1)?.parse().ok()?;
    let lsb: u32 = fields.get(2)?.parse().ok()?;
    let port = Port {
        name: decode(member),
        width: msb.abs_diff(lsb) + 1,
        direction,
    };
    Some(Member {
        port,
        member: member.into(),
    })
}

/// Verilator writes characters that C++ refuses, and `__`, as `__0` and two hex digits.
fn decode(member: &str) -> String {
    let mut name = String::new();
    let mut rest = member;
    while let Some(at) = rest.find("__0") {
        let code = rest
            .get(at + 3..at + 5)
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        let Some(code) = code else { break };
        name.push_str(&rest[..at]);
        name.push(code as char);
        rest = &rest[at + 5..];
    }
    name + rest
}

/// The words of a makefile list such as `VM_CLASSES_FAST += \`.
pub(crate) fn makefile_list(makefile: &str, name: &str) -> Vec<String> {
    let start = format!("{name} += \\");
    let lines = makefile
        .lines()
        .skip_while(|line| line.trim() != start)
        .skip(1);
    let words = lines.map(|line| line.trim().trim_end_matches('\\').trim());
    words
        .take_while(|word| !word.is_empty())
        .map(String::from)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_of_every_storage_are_read() {
        let header = "  VL_IN8(&clock,0,0);\n VL_OUT16(&b,9,0);\nVL_IN(&c,31,0);\n VL_OUT64(&d,39,0);\n VL_INW(&e,127,0,4);";
        let found: Vec<_> = ports(header)
            .unwrap()
            .into_iter()
            .map(|m| (m.port.name, m.port.width))
            .collect();
        let wanted = [("clock", 1), ("b", 10), ("c", 32), ("d", 40), ("e", 128)];
        assert_eq!(found, wanted.map(|(name, width)| (name.to_string(), width)));
    }

    #[test]
    fn names_that_verilator_mangles_come_back() {
        let found = ports("VL_OUT8(&tx___05Ftdata,7,0);").unwrap();
        assert_eq!(found[0].port.name, "tx__tdata");
        assert_eq!(found[0].member, "tx___05Ftdata");
        assert_eq!(found[0].port.direction, Direction::Output);
    }

    #[test]
    fn two_way_and_array_ports_are_refused_by_name() {
        for line in ["VL_INOUT8(&pad,0,0);", "VL_IN8((&x)[4],7,0);"] {
            let error = ports(line).unwrap_err().to_string();
            assert!(error.contains(line), "{error}");
        }
    }

    #[test]
    fn makefile_lists_end_at_the_blank_line() {
        let text = "A += \\\n\tone \\\n\ttwo \\\n\nB += \\\n\tthree \\\n\n";
        assert_eq!(makefile_list(text, "A"), ["one", "two"]);
        assert!(makefile_list(text, "C").is_empty());
    }
}

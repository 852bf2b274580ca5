//! Names: those that the tree holds, and those that Verilog allows.

use std::collections::{BTreeMap, BTreeSet};

use syn::{BinOp, Expr, Lit, UnOp};

/// The loop variables in scope, innermost last.
pub(crate) type Loops = Vec<(String, i128)>;

/// Turns `line[i-1]$q` into `line$3$q`, as rust-hdl's visitor names array elements.
pub(crate) fn resolve(raw: &str, loops: &Loops) -> Result<String, String> {
    let mut name = String::new();
    let mut rest = raw;
    while let Some(open) = rest.find('[') {
        let close = rest.find(']').filter(|close| *close > open);
        let Some(close) = close else {
            return Err(format!("`{raw}` is no plain array element"));
        };
        let index = eval_text(&rest[open + 1..close], loops)?;
        if index < 0 {
            return Err(format!("index {index} in `{raw}` is negative"));
        }
        name.push_str(&rest[..open]);
        name.push_str(&format!("${index}"));
        rest = &rest[close + 1..];
    }
    name.push_str(rest);
    if name
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$')
    {
        Ok(name)
    } else {
        Err(format!("`{raw}` is no plain path to a signal"))
    }
}

fn eval_text(text: &str, loops: &Loops) -> Result<i128, String> {
    let parsed: Expr = syn::parse_str(text)
        .map_err(|_| format!("array index `{text}` is no constant expression"))?;
    eval(&parsed, loops)
        .ok_or_else(|| format!("array index `{text}` is not made of numbers and loop variables"))
}

/// Index arithmetic is `usize` arithmetic in Rust: what would panic there has no value here.
fn eval(e: &Expr, loops: &Loops) -> Option<i128> {
    let value = match e {
        Expr::Paren(p) => eval(&p.expr, loops)?,
        Expr::Lit(l) => match &l.lit {
            Lit::Int(int) => int.base10_parse::<u64>().ok()?.into(),
            _ => return None,
        },
        Expr::Path(p) => lookup(p.path.get_ident()?.to_string().as_str(), loops)?,
        Expr::Binary(b) => {
            let (x, y) = (eval(&b.left, loops)?, eval(&b.right, loops)?);
            match b.op {
                BinOp::Add(_) => x.checked_add(y)?,
                BinOp::Sub(_) => x.checked_sub(y)?,
                BinOp::Mul(_) => x.checked_mul(y)?,
                BinOp::Div(_) if y != 0 => x / y,
                BinOp::Rem(_) if y != 0 => x % y,
                BinOp::BitAnd(_) => x & y,
                BinOp::BitOr(_) => x | y,
                BinOp::BitXor(_) => x ^ y,
                BinOp::Shr(_) if y < 64 => x >> y,
                BinOp::Shl(_) if y < 64 => x << y,
                _ => return None,
            }
        }
        Expr::Unary(u) if matches!(u.op, UnOp::Neg(_)) => return None,
        _ => return None,
    };
    (0..=i128::from(u64::MAX)).contains(&value).then_some(value)
}

/// The value of a loop variable.
pub(crate) fn lookup(name: &str, loops: &Loops) -> Option<i128> {
    loops
        .iter()
        .rev()
        .find(|(var, _)| var == name)
        .map(|(_, value)| *value)
}

/// A type's or field's name as a module name.
pub(crate) fn snake_case(name: &str) -> String {
    let mut out = String::new();
    let mut before_lower = false;
    for c in name.chars() {
        if c.is_ascii_uppercase() && before_lower {
            out.push('_');
        }
        before_lower = c.is_ascii_lowercase() || c.is_ascii_digit();
        out.push(if c.is_ascii_alphanumeric() {
            c.to_ascii_lowercase()
        } else {
            '_'
        });
    }
    out
}

/// Why a name cannot stand in Verilog, if it cannot.
pub(crate) fn forbidden(name: &str) -> Option<String> {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let starts = name
        .chars()
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    if !plain || !starts {
        return Some(format!("`{name}` is no Verilog name"));
    }
    let reserved = VERILOG
        .split_whitespace()
        .chain(CPP.split_whitespace())
        .any(|k| k == name);
    reserved
        .then(|| format!("`{name}` is a keyword of Verilog or C++ (Verilator's output): rename it"))
}

/// Why a name cannot be a port of the top, if it cannot: Verilator makes a class of the top,
/// and each port a member of it.
pub(crate) fn forbidden_at_top(name: &str) -> Option<String> {
    MEMBERS.split_whitespace().any(|k| k == name).then(|| {
        format!("port `{name}` has a name that Verilator's class of the top module uses: rename it")
    })
}

/// Hands out names that are used once.
#[derive(Default)]
pub(crate) struct Taken {
    names: BTreeSet<String>,
    /// The number at which to go on for a name that was wished before.
    turns: BTreeMap<String, usize>,
}

impl Taken {
    /// A name as close to the wish as Verilog allows.
    pub fn unique(&mut self, wish: &str) -> String {
        let wish = &wish.replace(|c: char| !c.is_ascii_alphanumeric() && c != '_', "_");
        let mut turn = self.turns.get(wish).copied().unwrap_or(1);
        loop {
            let name = if turn == 1 {
                wish.to_string()
            } else {
                format!("{wish}_{turn}")
            };
            turn += 1;
            if !self.names.contains(&name) && forbidden(&name).is_none() {
                self.turns.insert(wish.to_string(), turn);
                self.names.insert(name.clone());
                return name;
            }
        }
    }

    pub fn reserve(&mut self, name: &str) -> bool {
        self.names.insert(name.to_string())
    }
}

// IEEE 1364-2005 annex B and IEEE 1800-2017 annex B: Verilator reads `.v` as SystemVerilog.
const VERILOG: &str = "accept_on alias always always_comb always_ff always_latch and assert assign \
assume automatic before begin bind bins binsof bit break buf bufif0 bufif1 byte case casex casez \
cell chandle checker class clocking cmos config const constraint context continue cover covergroup \
coverpoint cross deassign default defparam design disable dist do edge else end endcase endchecker \
endclass endclocking endconfig endfunction endgenerate endgroup endinterface endmodule endpackage \
endprimitive endprogram endproperty endspecify endsequence endtable endtask enum event eventually \
expect export extends extern final first_match for force foreach forever fork forkjoin function \
generate genvar global highz0 highz1 if iff ifnone ignore_bins illegal_bins implements implies \
import incdir include initial inout input inside instance int integer interconnect interface \
intersect join join_any join_none large let liblist library local localparam logic longint \
macromodule matches medium modport module nand negedge nettype new nexttime nmos nor \
noshowcancelled not notif0 notif1 null or output package packed parameter pmos posedge primitive \
priority program property protected pull0 pull1 pulldown pullup pulsestyle_ondetect \
pulsestyle_onevent pure rand randc randcase randsequence rcmos real realtime ref reg reject_on \
release repeat restrict return rnmos rpmos rtran rtranif0 rtranif1 s_always s_eventually s_nexttime \
s_until s_until_with scalared sequence shortint shortreal showcancelled signed small soft solve \
specify specparam static string strong strong0 strong1 struct super supply0 supply1 sync_accept_on \
sync_reject_on table tagged task this throughout time timeprecision timeunit tran tranif0 tranif1 \
tri tri0 tri1 triand trior trireg type typedef union unique unique0 unsigned until until_with \
untyped use uwire var vectored virtual void wait wait_order wand weak weak0 weak1 while wildcard \
wire with within wor xnor xor";

// C++20, and the words that Verilator 5.006 and 5.48 themselves warn of.
const CPP: &str = "alignas alignof and_eq asm atomic_cancel atomic_commit atomic_noexcept auto bitand \
bitor bool catch char char16_t char32_t char8_t co_await co_return co_yield compl concept const_cast \
consteval constexpr constinit decltype delete double dynamic_cast explicit false float friend goto \
inline long main mutable namespace noexcept not_eq nullptr operator or_eq private public reflexpr \
register reinterpret_cast requires short sizeof static_assert static_cast switch synchronized \
template thread_local throw transaction_safe transaction_safe_dynamic true try typeid typename \
using volatile wchar_t xor_eq stdin stdout stderr errno NULL NAN \
abort bit_vector cdecl complex const_iterator deque far huge interrupt near pascal sc_clock sc_in \
sc_inout sc_out sc_signal sensitive sensitive_neg sensitive_pos type_info uint16_t uint32_t uint8_t \
std mailbox process semaphore randomize iterator list map override queue reference set stack vector";

// Members of Verilator's class of the top in 5.006 and 5.48, and macros that compilers predefine.
const MEMBERS: &str = "atClone contextp eval eval_end_step eval_step eventsPending final hierName \
i386 linux modelName name nextTimeSlot prepareClone rootp threads trace traceCapable unix vlNamep vlSymsp";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_index_is_usize_arithmetic() {
        let loops = vec![("i".to_string(), 3)];
        assert_eq!(resolve("line[i-1]$q", &loops).unwrap(), "line$2$q");
        assert_eq!(resolve("a[i][(i+1)*2]", &loops).unwrap(), "a$3$8");
        assert!(resolve("line[i-4]$q", &loops).is_err());
        assert!(resolve("line[n$val()]", &loops).is_err());
        assert!(resolve("line[iasusize]", &loops).is_err());
    }

    #[test]
    fn a_keyword_is_no_name() {
        assert!(forbidden("output").is_some());
        assert!(forbidden("template").is_some());
        assert!(forbidden("1a").is_some());
        assert!(forbidden("bus_output").is_none());
    }
}

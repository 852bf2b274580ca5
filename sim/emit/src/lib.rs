//! From rust-hdl's tree to width-exact Verilog.
//!
//! rust-hdl's own generator prints expressions without their widths. This one gives every
//! expression the width that Rust gives it, and refuses, with module, statement and reason,
//! whatever it cannot give exactly. `docs/hdl.md` tells how to write a block.
//!
//! ```text
//! block  --tree-->  scopes  --lower-->  typed tree  --print-->  Verilog
//! ```
//!
//! The tree has lost some of what the Rust source says (`..=`, guards of `match` arms,
//! `.index()`): [`check_source`] reads the source itself and refuses those.

mod design;
mod error;
mod ir;
mod lower;
mod module;
mod names;
mod prim;
mod print;
mod render;
mod source;
mod tidy;
mod tree;
mod ty;

pub use design::{Design, Direction, Module, Port};
pub use error::{EmitError, Refusal};
pub use source::{check_source, check_text};

use rust_hdl_core::block::Block;

/// Emits a block, after `connect_all` and before any simulation, and everything below it.
/// `name` becomes the top module's name.
pub fn emit<B: Block>(block: &B, name: &str) -> Result<Design, EmitError> {
    let whole = |reason: String| {
        EmitError::Refused(vec![Refusal {
            module: name.into(),
            statement: String::new(),
            reason,
        }])
    };
    if let Some(reason) = names::forbidden(name) {
        return Err(whole(reason));
    }
    let scope = tree::read(block, name).map_err(whole)?;
    // A `for` of thousands of turns makes an expression thousands deep.
    let roomy = std::thread::Builder::new().stack_size(STACK_BYTES);
    std::thread::scope(|threads| {
        let worker = roomy
            .spawn_scoped(threads, || lowered(&scope, name))
            .map_err(|source| EmitError::Io {
                path: "a thread".into(),
                source,
            })?;
        match worker.join() {
            Ok(result) => result,
            Err(cause) => std::panic::resume_unwind(cause),
        }
    })
}

/// Address space for the deepest expression; used as far as it is needed.
const STACK_BYTES: usize = 1 << 29;

fn lowered(scope: &tree::Scope, name: &str) -> Result<Design, EmitError> {
    let mut store = design::Store::default();
    let mut refused = Vec::new();
    match module::build(scope, &mut store, &mut refused) {
        Some(top) => Ok(store.finish(name, top.ports)),
        None => Err(EmitError::Refused(refused)),
    }
}

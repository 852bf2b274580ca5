//! One valid/ready channel of AXI4, seen from the memory.

use verilator_sys::{Direction, ModelError};

use crate::bus::{Stalls, Violation, record};
use crate::model::{PortId, VerilatedModel};

/// A signal of a channel: its port and its place in the channel's bytes.
#[derive(Debug, Clone)]
struct Field {
    name: &'static str,
    port: PortId,
    start: usize,
    length: usize,
}

/// The signals of a channel that the model has, except valid and ready.
#[derive(Debug, Clone)]
struct Fields {
    fields: Vec<Field>,
    length: usize,
}

impl Fields {
    fn find(
        model: &VerilatedModel,
        prefix: &str,
        names: &[&'static str],
        direction: Direction,
    ) -> Result<Self, ModelError> {
        let mut found = Fields {
            fields: Vec::new(),
            length: 0,
        };
        for &name in names {
            let full = format!("{prefix}_{name}");
            if model.find(&full).is_none() {
                continue;
            }
            let port = model.port_like(&full, direction, None)?;
            let length = model.width(port).div_ceil(8) as usize;
            found.fields.push(Field {
                name,
                port,
                start: found.length,
                length,
            });
            found.length += length;
        }
        Ok(found)
    }

    fn bytes<'a>(&self, values: &'a [u8], name: &str) -> Option<&'a [u8]> {
        let field = self.fields.iter().find(|field| field.name == name)?;
        Some(&values[field.start..field.start + field.length])
    }
}

/// A channel that the model drives: AW, W, AR.
#[derive(Debug, Clone)]
pub(super) struct Inbound {
    valid: PortId,
    ready: PortId,
    fields: Fields,
    stalls: Stalls,
    /// What is on the channel now, and what was in the cycle before.
    now: Vec<u8>,
    before: Vec<u8>,
    stalled: bool,
    rule: &'static str,
}

impl Inbound {
    pub(super) fn find(
        model: &VerilatedModel,
        prefix: &str,
        channel: &'static str,
        names: &[&'static str],
        stalls: Stalls,
    ) -> Result<Self, ModelError> {
        let fields = Fields::find(model, prefix, names, Direction::Output)?;
        Ok(Inbound {
            valid: model.output(&format!("{prefix}_{channel}valid"), 1)?,
            ready: model.input(&format!("{prefix}_{channel}ready"), 1)?,
            now: vec![0; fields.length],
            before: vec![0; fields.length],
            fields,
            stalls,
            stalled: false,
            rule: match channel {
                "aw" => "AW stable while stalled",
                "w" => "W stable while stalled",
                _ => "AR stable while stalled",
            },
        })
    }

    pub(super) fn drive(&mut self, model: &mut VerilatedModel) {
        let wait = self.stalls.wait();
        model.set_u64(self.ready, (!wait).into());
    }

    /// Whether a transfer happens in this cycle; its values are then in `value`.
    pub(super) fn sample(
        &mut self,
        model: &VerilatedModel,
        violations: &mut Vec<Violation>,
    ) -> bool {
        let valid = model.is_set(self.valid);
        if valid {
            for field in &self.fields.fields {
                model.get_bytes(
                    field.port,
                    &mut self.now[field.start..field.start + field.length],
                );
            }
        }
        if self.stalled && !valid {
            record(
                violations,
                model.cycle(),
                self.rule,
                "valid fell before ready rose".into(),
            );
        } else if self.stalled && self.now != self.before {
            record(violations, model.cycle(), self.rule, self.difference());
        }
        let taken = valid && model.is_set(self.ready);
        self.stalled = valid && !taken;
        if self.stalled {
            self.before.copy_from_slice(&self.now);
        }
        taken
    }

    fn difference(&self) -> String {
        let changed = self.fields.fields.iter().find(|field| {
            let place = field.start..field.start + field.length;
            self.now[place.clone()] != self.before[place]
        });
        changed.map_or(String::new(), |field| format!("{} changed", field.name))
    }

    /// The low 64 bits of a signal, or `default` if the model has no such signal.
    pub(super) fn value(&self, name: &str, default: u64) -> u64 {
        self.fields.bytes(&self.now, name).map_or(default, |bytes| {
            let low = bytes.iter().take(8).rev();
            low.fold(0, |value, byte| value << 8 | u64::from(*byte))
        })
    }

    /// A signal as bytes, the least significant first.
    pub(super) fn bytes(&self, name: &str) -> &[u8] {
        self.fields.bytes(&self.now, name).unwrap_or(&[])
    }

    /// The signal's width in bits, 0 if there is none.
    pub(super) fn width(&self, model: &VerilatedModel, name: &str) -> u32 {
        let field = self.fields.fields.iter().find(|field| field.name == name);
        field.map_or(0, |field| model.width(field.port))
    }
}

/// A channel that the memory drives: B, R.
#[derive(Debug, Clone)]
pub(super) struct Outbound {
    valid: PortId,
    ready: PortId,
    fields: Fields,
    stalls: Stalls,
    presenting: bool,
}

impl Outbound {
    pub(super) fn find(
        model: &VerilatedModel,
        prefix: &str,
        channel: &str,
        names: &[&'static str],
        stalls: Stalls,
    ) -> Result<Self, ModelError> {
        Ok(Outbound {
            valid: model.input(&format!("{prefix}_{channel}valid"), 1)?,
            ready: model.output(&format!("{prefix}_{channel}ready"), 1)?,
            fields: Fields::find(model, prefix, names, Direction::Input)?,
            stalls,
            presenting: false,
        })
    }

    /// Whether a new transfer may be presented in this cycle. Asked once a cycle.
    pub(super) fn is_free(&mut self) -> bool {
        !self.presenting && !self.stalls.wait()
    }

    pub(super) fn set(&self, model: &mut VerilatedModel, name: &str, bytes: &[u8]) {
        if let Some(field) = self.fields.fields.iter().find(|field| field.name == name) {
            model.set_bytes(field.port, bytes);
        }
    }

    pub(super) fn present(&mut self, model: &mut VerilatedModel) {
        self.presenting = true;
        model.set_u64(self.valid, 1);
    }

    pub(super) fn idle(&self, model: &mut VerilatedModel) {
        if !self.presenting {
            model.set_u64(self.valid, 0);
        }
    }

    /// Whether the presented transfer is taken in this cycle.
    pub(super) fn sample(&mut self, model: &VerilatedModel) -> bool {
        let taken = self.presenting && model.is_set(self.ready);
        self.presenting &= !taken;
        taken
    }

    pub(super) fn width(&self, model: &VerilatedModel, name: &str) -> u32 {
        let field = self.fields.fields.iter().find(|field| field.name == name);
        field.map_or(0, |field| model.width(field.port))
    }
}

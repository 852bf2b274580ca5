//! What `update()` has assigned so far: one value per target, kept in parts so that struct
//! fields assigned one by one never seem to depend on each other.

use std::collections::BTreeMap;

use num_bigint::BigUint;
use num_traits::Zero;

use crate::ir::{self, E, NetId};

/// The value of one target at a point of the program.
#[derive(Clone)]
pub(crate) struct Drive {
    /// Lowest bits first; together they fill the target.
    parts: Vec<E>,
    /// Bits that every path to this point has assigned.
    pub assigned: BigUint,
}

impl Drive {
    /// Nothing assigned yet: Rust keeps the value of the update before, which is the settled one.
    pub fn unassigned(id: NetId, width: usize) -> Self {
        Drive {
            parts: vec![ir::net(id, width)],
            assigned: BigUint::zero(),
        }
    }

    pub fn value(&self) -> E {
        ir::concat(self.parts.clone())
    }

    pub fn width(&self) -> usize {
        self.parts.iter().map(|part| part.width).sum()
    }

    pub fn assign(&mut self, value: E) {
        self.assigned = ir::mask(value.width);
        self.parts = vec![value];
    }

    pub fn assign_part(&mut self, offset: usize, value: E) {
        let end = offset + value.width;
        self.cut(offset);
        self.cut(end);
        self.assigned |= ir::mask(value.width) << offset;
        let mut low = 0;
        let mut parts = Vec::new();
        for part in &self.parts {
            if low == offset {
                parts.push(value.clone());
            }
            if low < offset || low >= end {
                parts.push(part.clone());
            }
            low += part.width;
        }
        self.parts = parts;
    }

    fn cut(&mut self, at: usize) {
        let mut low = 0;
        for place in 0..self.parts.len() {
            let part = self.parts[place].clone();
            if low < at && at < low + part.width {
                let first = at - low;
                self.parts[place] = ir::slice(part.clone(), 0, first);
                self.parts.insert(
                    place + 1,
                    ir::slice(part.clone(), first, part.width - first),
                );
                return;
            }
            low += part.width;
        }
    }

    fn bounds(&self) -> Vec<usize> {
        let mut low = 0;
        self.parts
            .iter()
            .map(|part| {
                low += part.width;
                low
            })
            .collect()
    }

    fn join(test: &E, mut then: Drive, mut otherwise: Drive) -> Drive {
        for at in otherwise.bounds() {
            then.cut(at);
        }
        for at in then.bounds() {
            otherwise.cut(at);
        }
        let pairs = then.parts.into_iter().zip(otherwise.parts);
        Drive {
            parts: pairs.map(|(a, b)| ir::mux(test.clone(), a, b)).collect(),
            assigned: then.assigned & otherwise.assigned,
        }
    }
}

/// All targets assigned so far.
#[derive(Clone, Default)]
pub(crate) struct State(pub BTreeMap<NetId, Drive>);

impl State {
    pub fn drive(&mut self, id: NetId, width: usize) -> &mut Drive {
        self.0
            .entry(id)
            .or_insert_with(|| Drive::unassigned(id, width))
    }

    /// The state after an `if`: `test` picks between two ends of the same start.
    pub fn join(test: &E, then: State, otherwise: State) -> State {
        if let Some(decided) = test.value() {
            return if decided.is_zero() { otherwise } else { then };
        }
        let (mut then, mut otherwise) = (then, otherwise);
        let ids: Vec<NetId> = then.0.keys().chain(otherwise.0.keys()).copied().collect();
        for id in &ids {
            let width = then
                .0
                .get(id)
                .or(otherwise.0.get(id))
                .map_or(1, Drive::width);
            then.drive(*id, width);
            otherwise.drive(*id, width);
        }
        let mut joined = BTreeMap::new();
        for (id, a) in then.0 {
            if let Some(b) = otherwise.0.remove(&id) {
                joined.insert(id, Drive::join(test, a, b));
            }
        }
        State(joined)
    }
}

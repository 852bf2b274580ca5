//! What can be wrong with a target: its settings, what it hears and says, what its host does, and the NIC inside.
use metaroce_model::mutant::Mutant as Inside;
use metaroce_model::nic::Operation;
use metaroce_model::wire::{Incoming, Outgoing};

use crate::target::{Arrival, Completion};
use crate::targets::settings::Settings;

/// Changes a frame; `false`: the frame is dropped.
type Spoil<T> = Box<dyn FnMut(&mut T) -> bool>;
/// Changes what a model is made of.
type Change = Box<dyn FnOnce(&mut Settings)>;
/// Changes bytes or a list.
type Rewrite<T> = Box<dyn FnMut(&mut Vec<T>)>;

/// What is done to a model to make it wrong. The default changes nothing.
#[derive(Default)]
pub struct Mutation {
    pub(crate) settings: Option<Change>,
    pub(crate) hears: Option<Spoil<Incoming>>,
    pub(crate) says: Option<Spoil<Outgoing>>,
    pub(crate) hears_bytes: Option<Rewrite<u8>>,
    pub(crate) says_bytes: Option<Rewrite<u8>>,
    pub(crate) places: Option<fn(&mut Vec<u8>)>,
    pub(crate) executes: Option<fn(&mut Operation)>,
    pub(crate) completes: Option<Rewrite<Completion>>,
    pub(crate) arrives: Option<Rewrite<Arrival>>,
}

impl Mutation {
    /// Wrong inside the NIC.
    pub(crate) fn inside(mutant: Inside) -> Self {
        Self::settings(move |s| s.options.mutant = Some(mutant))
    }

    /// Wrong settings.
    pub(crate) fn settings(spoil: impl FnOnce(&mut Settings) + 'static) -> Self {
        Self {
            settings: Some(Box::new(spoil)),
            ..Self::default()
        }
    }

    /// Takes what it hears for something else.
    pub(crate) fn hears(spoil: impl FnMut(&mut Incoming) -> bool + 'static) -> Self {
        Self {
            hears: Some(Box::new(spoil)),
            ..Self::default()
        }
    }

    /// Says something else.
    pub(crate) fn says(spoil: impl FnMut(&mut Outgoing) -> bool + 'static) -> Self {
        Self {
            says: Some(Box::new(spoil)),
            ..Self::default()
        }
    }

    /// And says something else.
    pub(crate) fn and_says(self, spoil: impl FnMut(&mut Outgoing) -> bool + 'static) -> Self {
        Self {
            says: Some(Box::new(spoil)),
            ..self
        }
    }
}

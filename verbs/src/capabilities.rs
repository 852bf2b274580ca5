//! What a device can do, and how much of it.
use std::borrow::Cow;

use metaroce_protocol::WqeOpcode;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::VerbsError;

/// A device's size and verbs (ibv_device_attr).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capabilities {
    /// Verbs that can be posted.
    #[serde(serialize_with = "to_names", deserialize_with = "from_names")]
    pub verbs: Cow<'static, [WqeOpcode]>,
    /// Connections.
    pub connections: u32,
    /// Paths a connection.
    pub paths: u32,
    /// Planes.
    pub planes: u32,
    /// Bits of the acknowledgement bitvector.
    pub window: u32,
    /// Memory regions.
    pub regions: u32,
    /// Messages under way: of the device, or of each connection where it counts them so.
    pub messages: u32,
    /// Streams a connection.
    pub streams: u32,
    /// Buffers that may be posted on a stream; 0: none of the verbs takes one.
    pub receives: u32,
    /// Payload of a full packet in bytes.
    pub mtu: u32,
}

impl Capabilities {
    /// An error by name if the device lacks this verb.
    pub fn require(&self, verb: WqeOpcode) -> Result<(), VerbsError> {
        if self.verbs.contains(&verb) {
            return Ok(());
        }
        Err(self.unsupported(verb.name()))
    }

    pub(crate) fn unsupported(&self, verb: &'static str) -> VerbsError {
        VerbsError::Unsupported {
            verb,
            offered: self.names().join(", "),
        }
    }

    /// The verbs' names.
    pub fn names(&self) -> Vec<&'static str> {
        self.verbs.iter().map(|verb| verb.name()).collect()
    }
}

fn to_names<S: Serializer>(verbs: &[WqeOpcode], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(verbs.iter().map(|verb| verb.name()))
}

/// A verb that is not known here stays one, without its name.
fn from_names<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Cow<'static, [WqeOpcode]>, D::Error> {
    let names = Vec::<String>::deserialize(deserializer)?;
    let verb = |name: &String| WqeOpcode::ALL.iter().find(|verb| verb.name() == name);
    Ok(names
        .iter()
        .map(|name| verb(name).copied().unwrap_or_default())
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verb_that_is_lacking_is_named_with_those_that_are_there() {
        let capabilities: Capabilities = serde_json::from_value(serde_json::json!({
            "verbs": ["write", "future"], "connections": 1, "paths": 1, "planes": 1, "window": 256,
            "regions": 1, "messages": 16, "streams": 1, "receives": 0, "mtu": 1024,
        }))
        .unwrap();
        capabilities.require(WqeOpcode::Write).unwrap();
        let error = capabilities.require(WqeOpcode::Read).unwrap_err();
        assert_eq!(
            error.to_string(),
            "this device has no `read`; it has write, unknown"
        );
    }
}

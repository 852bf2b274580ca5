//! Verbs over a MetaRoCE device.

//! Writes docs/compliance.md.
use std::path::Path;

fn main() -> std::io::Result<()> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/compliance.md");
    std::fs::write(docs, metaroce_compliance::document::text())
}

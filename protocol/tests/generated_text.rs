//! Committed text is what the table gives.
use metaroce_protocol::generate::{DOCUMENTS, Generated, MEND, fill, whole_files};
use std::fs;
use std::path::Path;

#[test]
fn committed_text_is_up_to_date() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read = |path: &str| fs::read_to_string(root.join(path)).unwrap_or_default();
    let mut files = whole_files();
    for path in DOCUMENTS {
        files.push(Generated {
            path,
            text: fill(path, &read(path)).unwrap(),
        });
    }
    for Generated { path, text } in files {
        let committed = read(path);
        let line = committed
            .lines()
            .zip(text.lines())
            .take_while(|(old, new)| old == new)
            .count()
            + 1;
        assert!(
            committed == text,
            "{path} is out of date from line {line} on; mend it with: {MEND}"
        );
    }
}

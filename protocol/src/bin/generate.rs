//! Writes all text that follows from the table. Prints the files that changed.
use metaroce_protocol::generate::{DOCUMENTS, Generated, fill, whole_files};
use std::error::Error;
use std::fs;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read = |path: &str| {
        fs::read_to_string(root.join(path)).map_err(|error| format!("cannot read {path}: {error}"))
    };
    let mut files = whole_files();
    for path in DOCUMENTS {
        files.push(Generated {
            path,
            text: fill(path, &read(path)?)?,
        });
    }
    for Generated { path, text } in files {
        if read(path).is_ok_and(|old| old == text) {
            continue;
        }
        let place = root.join(path);
        if let Some(folder) = place.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(place, text).map_err(|error| format!("cannot write {path}: {error}"))?;
        println!("{path}");
    }
    Ok(())
}

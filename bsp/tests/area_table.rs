//! The committed page of figures is what its file says (METAROCE_BLESS=1 writes it), and every row of the file is one that is measured.
use metaroce_bsp::area::{AreaTable, entries};

fn path(name: &str) -> String {
    format!("{}/../docs/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn docs(name: &str) -> String {
    let path = path(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn the_page_of_figures_is_what_its_file_says() {
    let table: AreaTable = serde_json::from_str(&docs("area.json")).unwrap();
    let page = table.page("area.json");
    if std::env::var_os("METAROCE_BLESS").is_some() {
        std::fs::write(path("area.md"), &page).unwrap();
    }
    assert_eq!(docs("area.md"), page);
}

#[test]
fn the_rows_are_those_that_are_measured_and_the_tools_have_versions() {
    let table: AreaTable = serde_json::from_str(&docs("area.json")).unwrap();
    let rows: Vec<_> = table
        .rows
        .iter()
        .map(|row| [row.core.as_str(), row.size.as_str(), row.device.as_str()])
        .collect();
    let known = entries().filter(|entry| rows.contains(entry));
    assert_eq!(rows, known.collect::<Vec<_>>(), "in the order of the page");
    assert!(!rows.is_empty());
    assert!(table.tools["yosys"].contains("Yosys"));
    assert!(table.tools.contains_key("nextpnr-ecp5"));
}

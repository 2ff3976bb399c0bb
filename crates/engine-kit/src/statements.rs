//! Engine-specific statements: every file of the folder is listed and has a header comment.

use std::collections::BTreeSet;
use std::path::Path;

use engine::Engine;

/// Compares the list of `engine` with the files in `sql/` of its crate, at `manifest_directory`.
///
/// # Panics
/// If a file is not listed, is listed twice, or does not start with the code of its test.
pub fn every_statement_file_is_listed_and_has_a_header(engine: &dyn Engine, manifest_directory: &str) {
    let folder = Path::new(manifest_directory).join("sql");
    let names = std::fs::read_dir(folder).expect("the folder of statements").map(|entry| {
        let name = entry.expect("a file").file_name().into_string().expect("a name in ASCII");
        name.strip_suffix(".sql").unwrap_or_else(|| panic!("{name} is no .sql file")).to_owned()
    });
    let names: BTreeSet<String> = names.collect();
    let files = engine.about().statement_files;
    let listed: BTreeSet<String> = files.iter().map(|file| file.name.to_owned()).collect();
    assert_eq!(names, listed);
    assert_eq!(files.len(), listed.len());
    for file in files {
        let code = file.name.split('.').next().unwrap_or_default();
        assert!(file.sql.starts_with(&format!("-- {code}: ")), "{} has no header comment", file.name);
    }
}

//! What an engine says in its own words: every file of its folder is in its list, and says what it is.

use std::collections::BTreeSet;
use std::path::Path;

use engine::Engine;

/// Holds the list of `engine` against the files in `sql/` below `manifest_directory`, its crate's own.
///
/// # Panics
/// Where a file is not listed, is listed twice, or does not begin with the code of its test.
pub fn every_statement_file_is_listed_and_says_what_it_is(engine: &dyn Engine, manifest_directory: &str) {
    let folder = Path::new(manifest_directory).join("sql");
    let names = std::fs::read_dir(folder).expect("the folder of statements").map(|entry| {
        let name = entry.expect("a file").file_name().into_string().expect("a name in ASCII");
        name.strip_suffix(".sql").unwrap_or_else(|| panic!("{name} is no .sql file")).to_owned()
    });
    let names: BTreeSet<String> = names.collect();
    let files = engine.statement_files();
    let listed: BTreeSet<String> = files.iter().map(|file| file.name.to_owned()).collect();
    assert_eq!(names, listed);
    assert_eq!(files.len(), listed.len());
    for file in files {
        let code = file.name.split('.').next().unwrap_or_default();
        assert!(file.sql.starts_with(&format!("-- {code}: ")), "{} has no head", file.name);
    }
}

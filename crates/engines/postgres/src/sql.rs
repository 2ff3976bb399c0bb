//! Statements that PostgreSQL says in its own words, one file each.

use engine::StatementFile;

macro_rules! files {
    ($($name:literal)*) => {
        &[$(StatementFile { name: $name, sql: include_str!(concat!("../sql/", $name, ".sql")) }),*]
    };
}

/// The statements, by the code of their test.
pub(crate) const FILES: &[StatementFile] = files! {
    "T131.create" "T131.drop" "T131.work"
    "T132.create" "T132.drop" "T132.work"
    "T133.create" "T133.drop" "T133.work"
    "T141.create" "T141.drop" "T141.work"
    "T151.create" "T151.drop" "T151.work"
    "T152.create" "T152.drop" "T152.work"
    "T161.create" "T161.drop" "T161.sort"
    "T211.write"
};

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    #[test]
    fn every_file_is_listed_once_and_says_what_it_is() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("sql");
        let names = std::fs::read_dir(folder).expect("the folder of statements").map(|entry| {
            let name = entry.expect("a file").file_name().into_string().expect("a name in ASCII");
            name.strip_suffix(".sql").unwrap_or_else(|| panic!("{name} is no .sql file")).to_owned()
        });
        let names: BTreeSet<String> = names.collect();
        let listed: BTreeSet<String> = FILES.iter().map(|file| file.name.to_owned()).collect();
        assert_eq!(names, listed);
        assert_eq!(FILES.len(), listed.len());
        for file in FILES {
            let code = file.name.split('.').next().unwrap_or_default();
            assert!(file.sql.starts_with(&format!("-- {code}: ")), "{} has no head", file.name);
        }
    }
}

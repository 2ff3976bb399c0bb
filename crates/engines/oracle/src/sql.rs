//! Statements that Oracle says in its own words, one file each: PL/SQL functions for what a processor is measured with,
//! and what the language of the catalogue has no word for.

use engine::{StatementFile, statement_files};

/// The statements, by the code of their test.
pub(crate) const FILES: &[StatementFile] = statement_files! {
    "B100.read"
    "T131.create" "T131.drop" "T131.work"
    "T132.create" "T132.drop" "T132.work"
    "T133.create" "T133.drop" "T133.work"
    "T141.create" "T141.drop" "T141.work"
    "T151.create" "T151.drop" "T151.work"
    "T152.create" "T152.drop" "T152.work"
    "T161.create" "T161.drop" "T161.sort"
    "T211.write"
    "T512.clean" "T512.clean_again" "T512.drop"
    "T626.read"
    "T652.read"
};

#[cfg(test)]
mod tests {
    #[test]
    fn every_file_is_listed_once_and_says_what_it_is() {
        let folder = env!("CARGO_MANIFEST_DIR");
        engine_kit::every_statement_file_is_listed_and_has_a_header(&crate::ORACLE, folder);
    }
}

//! SQLite-specific statements, one file each.

use engine::{StatementFile, statement_files};

/// The statements, by the code of their test.
pub(crate) const FILES: &[StatementFile] = statement_files! {
    "H100.q7" "H100.q8" "H100.q9"
    "M100.session"
    "T141.work"
    "T151.work"
};

#[cfg(test)]
mod tests {
    #[test]
    fn every_file_is_listed_once_and_has_a_header() {
        let folder = env!("CARGO_MANIFEST_DIR");
        engine_kit::every_statement_file_is_listed_and_has_a_header(&crate::SQLITE, folder);
    }
}

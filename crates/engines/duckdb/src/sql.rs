//! What DuckDB must be told in its own words, a file each.

use engine::{StatementFile, statement_files};

/// The statements, by the code of their test.
pub(crate) const FILES: &[StatementFile] = statement_files! {
    "T132.work"
    "T141.work"
    "T151.work"
    "T211.write"
    "T352.change"
    "T426.scan"
};

#[cfg(test)]
mod tests {
    #[test]
    fn every_file_is_listed_once_and_says_what_it_is() {
        let folder = env!("CARGO_MANIFEST_DIR");
        engine_kit::every_statement_file_is_listed_and_has_a_header(&crate::DUCKDB, folder);
    }
}

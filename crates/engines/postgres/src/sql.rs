//! PostgreSQL-specific statements, one file each.

use engine::{StatementFile, statement_files};

/// The statements, by the code of their test, or the schema of others.
pub(crate) const FILES: &[StatementFile] = statement_files! {
    "B100.call" "B100.create"
    "C110.create" "C110.drop"
    "M100.role" "M100.room" "M100.session" "M100.sessions" "M100.size"
    "T131.create" "T131.drop" "T131.work"
    "T132.create" "T132.drop" "T132.work"
    "T133.create" "T133.drop" "T133.work"
    "T141.create" "T141.drop" "T141.work"
    "T151.create" "T151.drop" "T151.work"
    "T152.create" "T152.drop" "T152.work"
    "T161.create" "T161.drop" "T161.sort"
    "T211.write"
    "T352.change"
    "tpcc.delivery" "tpcc.neword" "tpcc.ostat" "tpcc.payment" "tpcc.slev"
};

#[cfg(test)]
mod tests {
    #[test]
    fn every_file_is_listed_once_and_has_a_header() {
        let folder = env!("CARGO_MANIFEST_DIR");
        engine_kit::every_statement_file_is_listed_and_has_a_header(&crate::POSTGRES, folder);
    }
}

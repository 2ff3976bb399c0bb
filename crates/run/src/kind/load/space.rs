//! Check of the free space before a load.

use std::path::Path;

use record::{Bytes, IndexTime};
use workload::load::Input;

use super::request::LoadRequest;
use crate::Result;
use crate::space::{self, log_bytes, megabytes, table_bytes};

/// Refuses loads of `tables` tables into `directory` that exceed the free space there, if the size of the source is
/// known. A resumed load already has its space.
pub(super) fn check(request: &LoadRequest, tables: usize, directory: &Path) -> Result<()> {
    // The uncompressed size of compressed files is unknown before they are read: it is at least their own size.
    let flat = request.input.size().filter(|_| !request.resume);
    let Some(Bytes(flat)) = flat else { return Ok(()) };
    // Without --keep each table is removed before the next one.
    let stay = if request.setup.keep { tables.max(1) } else { 1 };
    let tables = if stay == 1 { "one table".to_owned() } else { format!("{stay} tables") };
    let content = format!("{} of flat file in {tables}, including the log", megabytes(Bytes(flat)));
    space::check(directory, needed(flat, request.indexes, stay), &content, &hint(request, stay))
}

/// The space for `flat` bytes of lines if `stay` tables are kept; one table is loaded at a time.
fn needed(flat: u64, indexes: IndexTime, stay: usize) -> Bytes {
    let tables = Bytes(flat.saturating_mul(stay as u64));
    Bytes(table_bytes(tables, indexes != IndexTime::None).0.saturating_add(log_bytes(Bytes(flat)).0))
}

fn hint(request: &LoadRequest, stay: usize) -> String {
    let less = match request.input {
        Input::Generated { .. } => "give a smaller --size",
        Input::Files(_) | Input::Pipe => "load fewer files",
    };
    let fewer = if stay > 1 { ", fewer --models" } else { "" };
    format!("{less}{fewer}, or another --dir")
}

#[cfg(test)]
mod tests {
    use super::super::tests::request;
    use super::*;
    use crate::Setup;

    fn generated(rows: u64) -> LoadRequest {
        request(Input::Generated { seed: 1, rows })
    }

    #[test]
    fn a_load_without_space_is_refused() {
        let directory = tempfile::tempdir().expect("a directory");
        let checked = |request: &LoadRequest, tables| check(request, tables, directory.path());
        assert_eq!(checked(&generated(1), 4), Ok(()));
        assert_eq!(checked(&request(Input::Pipe), 4), Ok(()), "unknown size");
        let much = generated(1 << 50);
        let error = checked(&much, 4).unwrap_err();
        assert!(
            error.message.contains("in one table, including the log") && error.message.contains("are available"),
            "{error}"
        );
        assert_eq!(error.hint.as_deref(), Some("give a smaller --size, or another --dir"));
        let kept =
            checked(&LoadRequest { setup: Setup { keep: true, ..Setup::smoke() }, ..much.clone() }, 4).unwrap_err();
        assert!(kept.message.contains("in 4 tables") && kept.hint.unwrap().contains("fewer --models"));
        assert_eq!(checked(&LoadRequest { resume: true, ..much }, 1), Ok(()), "it has its space");
    }

    #[test]
    fn each_table_that_stays_and_its_indexes_need_space_and_the_log_once() {
        assert_eq!(needed(1_000, IndexTime::None, 1), Bytes(2_750));
        assert_eq!(needed(1_000, IndexTime::None, 4), Bytes(7_250));
        assert_eq!(needed(1_000, IndexTime::After, 2), Bytes(5_250));
        assert_eq!(needed(1 << 40, IndexTime::None, 1), Bytes(3 * (1 << 39) + (16 << 30)), "the log is limited");
    }
}

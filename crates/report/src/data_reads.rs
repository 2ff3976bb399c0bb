//! How reads of tables that do not fit the engine's cache reached the device.

use std::collections::BTreeMap;

use record::{DataReads, Record};

use crate::layout::clean;
use crate::words::list;

/// Of all tests of `record`: the way, and of several ways the tests that went each. None where no test needs one.
pub(crate) fn data_reads(record: &Record) -> Option<String> {
    let mut ways: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for run in &record.runs {
        let Some(reads) = &run.data_reads else { continue };
        let tests = ways.entry(words(reads)).or_default();
        if !tests.contains(&run.test.as_str()) {
            tests.push(&run.test);
        }
    }
    let is_one = ways.len() == 1;
    let said = ways.into_iter().map(|(way, tests)| match is_one {
        true => way,
        false => format!("{way}: {}", clean(&tests.join(", "))),
    });
    let said = said.collect::<Vec<String>>().join("; ");
    (!said.is_empty()).then(|| list([format!("of tables outside the cache: {said}")]))
}

fn words(reads: &DataReads) -> String {
    match reads {
        DataReads::Direct => "past the page cache (O_DIRECT)".to_owned(),
        DataReads::Dropped => {
            "the files are dropped out of the page cache all the while (posix_fadvise DONTNEED)".to_owned()
        }
        DataReads::PageCache { reason } => format!("through the page cache ({})", clean(reason)),
    }
}

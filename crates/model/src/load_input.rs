//! The lines of a load: generated, or of existing files.

use record::{Load, LoadStageKind, Record, Run};

/// The compression of an uncompressed source.
const UNCOMPRESSED: &str = "none";

/// The input where lines are generated.
pub(crate) const GENERATED: &str = "generated";

/// The input of `load`.
pub(crate) fn input_word(load: &Load) -> &str {
    match load.stages.iter().any(|stage| stage.kind == LoadStageKind::Generate) {
        true => GENERATED,
        false if load.compression.is_empty() => UNCOMPRESSED,
        false => &load.compression,
    }
}

/// Whether all runs of `record` loaded existing lines, so that its seed is unused.
pub fn are_lines_found(record: &Record) -> bool {
    let is_found = |run: &Run| run.load.as_deref().is_some_and(|load| input_word(load) != GENERATED);
    !record.runs.is_empty() && record.runs.iter().all(is_found)
}

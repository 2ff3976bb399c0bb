//! Loads of flat files.

use record::{Load, Run};

use super::{Validity, at_least_one};

/// Checks the `load` of `run`.
pub(super) fn load(run: &Run, load: &Load) -> Validity {
    if load.batch_bytes.0 == 0 {
        return Err("batch_bytes 0, minimum 1".to_owned());
    }
    for stage in &load.stages {
        at_least_one(&format!("threads of stage {}", stage.kind.word()), stage.threads)?;
    }
    let counts = [
        ("rows", load.rows, "the run", run.totals.rows),
        ("batches", load.batches, "the run as transactions", run.totals.transactions),
        ("deferred_batches", load.deferred_batches, "batches", load.batches),
        ("retried_batches", load.retried_batches, "batches and failed steps", run.totals.steps.saturating_add(1)),
    ];
    for (name, count, of, most) in counts {
        if count > most {
            return Err(format!("{name} {count}, {of} has {most}"));
        }
    }
    if load.notes.iter().any(|note| note.files == 0) {
        return Err("a note of 0 files, minimum 1".to_owned());
    }
    match load.checked.iter().find(|check| check.what.is_empty()) {
        Some(check) => Err(format!("a check without a name, expected {}", check.expected)),
        None => Ok(()),
    }
}

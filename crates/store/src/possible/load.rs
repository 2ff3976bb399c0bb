//! What a run that loads a flat file says beside other runs.

use record::{Load, Run};

use super::{Possible, at_least_one};

/// Looks at everything in `load`, which `run` has.
pub(super) fn load(run: &Run, load: &Load) -> Possible {
    if load.batch_bytes.0 == 0 {
        return Err("batch_bytes 0, where 1 is the least".to_owned());
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
            return Err(format!("{name} {count}, where {of} has {most}"));
        }
    }
    match load.checked.iter().find(|check| check.what.is_empty()) {
        Some(check) => Err(format!("a figure without a name was expected to be {}", check.expected)),
        None => Ok(()),
    }
}

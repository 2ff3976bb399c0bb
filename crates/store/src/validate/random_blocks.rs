//! Runs of random blocks.

use record::{RandomBlocks, Run};

use super::{Validity, latency, share};

/// Checks the `blocks` of `run`.
pub(super) fn random_blocks(run: &Run, blocks: &RandomBlocks) -> Validity {
    for (name, count) in [
        ("operations_per_step", blocks.operations_per_step),
        ("blocks_per_schema", blocks.blocks_per_schema),
        ("work_unit", blocks.work_unit),
    ] {
        if count == 0 {
            return Err(format!("{name} 0, minimum 1"));
        }
    }
    if blocks.work_unit > blocks.blocks_per_schema {
        let (unit, all) = (blocks.work_unit, blocks.blocks_per_schema);
        return Err(format!("work_unit {unit}, more than blocks_per_schema {all}"));
    }
    blocks.page_cached.map_or(Ok(()), |ratio| share("page_cached", ratio))?;
    let (mut steps, mut rows) = (0u128, 0u128);
    for kind in &blocks.operations {
        latency("service of operations", &kind.service)?;
        steps += u128::from(kind.steps);
        rows += u128::from(kind.rows);
    }
    let totals = &run.totals;
    for (name, sum, all) in [("steps", steps, totals.steps), ("rows", rows, totals.rows)] {
        if sum > u128::from(all) {
            return Err(format!("{name} of the operations are {sum} in total, the run has {all}"));
        }
    }
    Ok(())
}

//! A production load in kind.

use record::{LoadInKind, RoleInKind, StepInKind};

use super::{Validity, at_least_one, positive};

/// The most rows of a step.
const ROWS_MAX: u32 = 1_000_000;

/// Checks `load`: rates above 0, jobs and steps that can be.
pub(super) fn in_kind(load: &LoadInKind) -> Validity {
    above_zero("times", load.times)?;
    at_least_one("sessions", load.sessions)?;
    load.sessions_told.map_or(Ok(()), |told| positive("sessions_told", told))?;
    load.asked.iter().try_for_each(|asked| positive("per_second", asked.per_second))?;
    load.roles.iter().try_for_each(|of| role(of).map_err(|why| format!("role {}: {why}", of.step.name())))?;
    let sessions = load.roles.iter().fold(0u32, |sum, role| sum.saturating_add(role.jobs));
    match sessions == load.sessions {
        true => Ok(()),
        false => Err(format!("the roles have {sessions} jobs, and there are {} sessions", load.sessions)),
    }
}

fn role(role: &RoleInKind) -> Validity {
    at_least_one("jobs", role.jobs)?;
    above_zero("steps_per_second", role.steps_per_second)?;
    positive("asked_per_second", role.asked_per_second)?;
    let rows = match role.step {
        StepInKind::RandomRead => 1,
        StepInKind::CachedRead { rows } | StepInKind::Scan { rows } | StepInKind::Compute { rows } => rows,
        StepInKind::Commit { rows, changed_rows, .. } => {
            positive("changed_rows", changed_rows)?;
            rows.saturating_add(changed_rows as u32)
        }
    };
    match rows <= ROWS_MAX {
        true => Ok(()),
        false => Err(format!("{rows} rows in a step, at most {ROWS_MAX}")),
    }
}

fn above_zero(name: &str, value: f64) -> Validity {
    match value.is_finite() && value > 0.0 {
        true => Ok(()),
        false => Err(format!("{name} {value}, it must be above 0")),
    }
}

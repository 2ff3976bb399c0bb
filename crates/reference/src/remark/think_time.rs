//! The interactive response time law: N users with think time Z and response time R do N / (Z + R) per second
//! (Denning and Buzen 1978). As long as the processor is used up, that cannot change with the think time.

use super::TOLERANCE;
use crate::figure::{exact, rounded};
use crate::publication::ThinkTimeStudy;

/// Think times at which all cores are used, and at which the law gives different rates.
pub(super) fn saturated(study: &ThinkTimeStudy) -> Vec<String> {
    let sides = [
        ("with SMT", &study.response_ms_smt, &study.cores_used_smt),
        ("without SMT", &study.response_ms_no_smt, &study.cores_used_no_smt),
    ];
    sides.into_iter().filter_map(|(side, response_ms, cores)| contradiction(study, side, response_ms, cores)).collect()
}

fn contradiction(study: &ThinkTimeStudy, side: &str, response_ms: &[f64], cores: &[f64]) -> Option<String> {
    let full = |think: f64| {
        let mut used = study.cores_think_ms.iter().zip(cores);
        used.any(|(at, used)| *at == think && *used >= study.cores)
    };
    let cycles = study.response_think_ms.iter().zip(response_ms).filter(|(think, _)| full(**think));
    let mut cycles: Vec<(f64, f64)> = cycles.map(|(think, response)| (*think, *response)).collect();
    cycles.sort_by(|one, other| (one.0 + one.1).total_cmp(&(other.0 + other.1)));
    let (short, long) = (*cycles.first()?, *cycles.last()?);
    let factor = (long.0 + long.1) / (short.0 + short.1);
    (factor > 1.0 + TOLERANCE).then(|| {
        format!(
            "{side}: all {} cores are in use at think times of {} and {} ms, yet with response times of {} and {} ms the \
             same users would do {} times as much without thinking (a cycle of {} against {} ms): the users were not as \
             many, or the two tables are not of the same runs",
            exact(study.cores),
            exact(long.0),
            exact(short.0),
            exact(long.1),
            exact(short.1),
            rounded(factor),
            rounded(short.0 + short.1),
            rounded(long.0 + long.1)
        )
    })
}

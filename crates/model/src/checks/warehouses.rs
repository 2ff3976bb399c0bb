//! Whether an order mix has enough warehouses for its jobs.
//!
//! Jobs draw their home warehouses independently of each other. With fewer than four or five for each job, those who publish
//! results of such mixes say, waits for rows of a shared warehouse decide the rate.

use record::evidence::Warehouses;
use record::{Evidence, Finding, Verdict};

use crate::rules::RULES;

/// Whether `warehouses` are enough for `jobs`.
pub fn warehouses_finding(warehouses: u32, jobs: u32) -> Finding {
    let per_job_min = RULES.warehouses_per_job_min;
    let verdict = match u64::from(warehouses) < u64::from(jobs) * u64::from(per_job_min) {
        true => Verdict::Warn,
        false => Verdict::Pass,
    };
    Finding::new(verdict, Evidence::Warehouses(Warehouses { warehouses, jobs, per_job_min }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_warehouses_for_each_job_are_enough() {
        let verdict = |warehouses, jobs| warehouses_finding(warehouses, jobs).verdict;
        assert_eq!([verdict(19, 4), verdict(20, 4), verdict(5, 1)], [Verdict::Warn, Verdict::Pass, Verdict::Pass]);
        assert_eq!(verdict(u32::MAX, u32::MAX), Verdict::Warn);
    }
}

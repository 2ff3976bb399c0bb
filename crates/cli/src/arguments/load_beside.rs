//! Loads beside the measured tests, as options.

use base::Wrong;
use run::LoadBesideRequest;

/// The most jobs of a load.
const JOBS_MAX: u32 = 65_536;

/// A load: the code of its test or the path of its test file, its jobs, and its rate if it has one.
pub fn load(text: &str) -> Result<LoadBesideRequest, Wrong> {
    let wrong =
        |what: &'static str| Wrong::new("load beside", text, what, "write H100:jobs=1, or T616:jobs=2,rate=100");
    let (test, settings) =
        text.rsplit_once(':').filter(|(test, _)| !test.is_empty()).ok_or_else(|| wrong("has no jobs"))?;
    let (mut jobs, mut rate) = (None, None);
    for setting in settings.split(',') {
        match setting.split_once('=') {
            Some(("jobs", count)) => {
                let count = count.parse().ok().filter(|count| (1..=JOBS_MAX).contains(count));
                jobs = Some(count.ok_or_else(|| wrong("has no number of jobs from 1 to 65536"))?);
            }
            Some(("rate", number)) => {
                let number = number.parse().ok().filter(|rate: &f64| rate.is_finite() && *rate > 0.0);
                rate = Some(number.ok_or_else(|| wrong("has no rate in steps per second above 0"))?);
            }
            _ => return Err(wrong("has a setting other than jobs and rate")),
        }
    }
    let jobs = jobs.ok_or_else(|| wrong("has no jobs"))?;
    Ok(LoadBesideRequest { test: test.to_owned(), jobs, rate })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_has_jobs_and_may_have_a_rate() {
        let of = |test: &str, jobs, rate| LoadBesideRequest { test: test.to_owned(), jobs, rate };
        assert_eq!(load("H100:jobs=1").unwrap(), of("H100", 1, None));
        assert_eq!(load("./a:b.toml:rate=0.5,jobs=2").unwrap(), of("./a:b.toml", 2, Some(0.5)));
        for wrong in ["H100", ":jobs=1", "H100:", "H100:rate=1", "H100:jobs=0", "H100:jobs=x", "H100:jobs=1,rate=0"] {
            assert!(load(wrong).is_err(), "{wrong}");
        }
        assert!(load("H100:jobs=1,rate=inf").is_err() && load("H100:jobs=1,weight=2").is_err());
    }
}

//! The threads that fill caches through the sessions of jobs.

use std::thread;

use engine::{Error, Kind, Result};

/// The most threads: more reads at the same time fill no cache faster.
const THREADS_MAX: usize = 64;

/// Calls `fill` with the place of each of `jobs` and the job, in several threads; the first error of one.
pub(crate) fn in_threads<J: Send>(jobs: &mut [J], fill: impl Fn(usize, &mut J) -> Result<()> + Sync) -> Result<()> {
    let each = jobs.len().div_ceil(THREADS_MAX).max(1);
    thread::scope(|scope| {
        let fill = &fill;
        let mut threads = Vec::new();
        for (part, jobs) in jobs.chunks_mut(each).enumerate() {
            let work = move || (part * each..).zip(jobs).try_for_each(|(place, job)| fill(place, job));
            threads.push(thread::Builder::new().spawn_scoped(scope, work));
        }
        let failed = |error: std::io::Error| Error::new(Kind::Space, format!("no thread fills the cache: {error}"));
        threads
            .into_iter()
            .try_for_each(|thread| thread.map_err(failed)?.join().expect("a thread that fills a cache does not panic"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_is_filled_once_however_many_there_are() {
        for count in [0, 1, 63, 64, 65, 1_000] {
            let mut jobs = vec![usize::MAX; count];
            in_threads(&mut jobs, |place, job| {
                *job = place;
                Ok(())
            })
            .unwrap();
            assert!(jobs.into_iter().eq(0..count), "{count}");
        }
    }

    #[test]
    fn an_error_of_one_job_is_that_of_all() {
        let mut jobs = [1, 2, 3];
        let refuse = |_: usize, job: &mut i32| match job {
            2 => Err(Error::new(Kind::Statement, "refused".to_owned())),
            _ => Ok(()),
        };
        assert_eq!(in_threads(&mut jobs, refuse).unwrap_err().message, "refused");
    }
}

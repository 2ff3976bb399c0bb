//! `dbdyno calibrate`: how many I/Os and megabytes per second storage gives under a latency bound.

use std::path::PathBuf;

use record::{Amount, Blocks, Bytes, IoJob, Preset};
use run::{Error, Goal, IoRequest, Result};

use crate::arguments::io::CalibrateArguments;
use crate::arguments::setup::setup;
use crate::measuring::record_path;
use crate::storage::location::{permission, with_absolute_devices};
use crate::storage::request::{carry_out, default_size, fresh_seed, surroundings};

/// Carries out `dbdyno calibrate`.
///
/// # Errors
/// The user's mistakes, the environment's refusals, Ctrl-C, and runs that are invalid.
pub fn calibrate(arguments: &CalibrateArguments) -> Result<()> {
    let location = &with_absolute_devices(&arguments.location)?;
    let window = arguments.seconds;
    let size = arguments.size.as_deref().unwrap_or_else(|| default_size(location.dir.as_deref()));
    let (small, file_size) = sizes(&arguments.bs, size)?;
    let (large, _) = sizes(&arguments.large_bs, size)?;
    let (file, size) = match location.device.as_slice() {
        [device] => (device.display().to_string(), None),
        [_, _, ..] => {
            return Err(Error::user(format!(
                "only one device can be calibrated at a time, {} given",
                location.device.len()
            ))
            .hint("give one --device, or run a job on all of them: dbdyno io --device ..."));
        }
        [] => ("calibration".to_owned(), Some(file_size)),
    };
    let directory = location.dir.clone().unwrap_or_else(|| PathBuf::from("."));
    let (seed, record) = (arguments.seed.unwrap_or_else(fresh_seed), record_path(location.record.as_deref())?);
    let request = IoRequest {
        setup: setup(directory, Preset::Quick, seed, record),
        plan: run::calibration_phases(&file, size, small, large, window),
        goal: Goal::Calibrate { bound: arguments.max_latency, disks: arguments.disks },
        permission: permission(location, &[])?,
        precondition: None,
        log: None,
    };
    carry_out(&request, arguments.format, &arguments.output)
}

/// Block and file size in the format of job files.
fn sizes(block: &str, size: &str) -> Result<(Bytes, Bytes)> {
    let include = |_: &std::path::Path| Err(std::io::ErrorKind::NotFound.into());
    let surroundings = surroundings(&include);
    let pairs = [("bs", Some(block)), ("size", Some(size))];
    let file = fio::options(pairs, &surroundings);
    let plan = file.and_then(|file| fio::plan(&[file], &[], &surroundings));
    let plan = plan.map_err(|error| Error::user(error.to_string()))?;
    let job: Option<&IoJob> = plan.phases.first().and_then(|phase| phase.jobs.first());
    match job.map(|job| (&job.read_blocks, job.size)) {
        Some((Blocks::Split(split), Some(Amount::Bytes(size)))) if split.len() == 1 => Ok((split[0].size_bytes, size)),
        _ => Err(Error::user(format!("block size {block} or size {size} is not a single size"))
            .hint("use a single number such as 8k")),
    }
}

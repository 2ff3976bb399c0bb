//! `dbdyno calibrate`: how many I/Os and megabytes per second storage gives under a latency bound.

use std::path::PathBuf;

use record::Preset;
use run::{Error, Goal, IoRequest, Result};

use crate::arguments::io::CalibrateArguments;
use crate::arguments::setup::setup;
use crate::new_record::record_path;
use crate::storage::location::{permission, with_absolute_devices};
use crate::storage::request::{block_and_size, carry_out, default_size, fresh_seed};

/// Carries out `dbdyno calibrate`.
///
/// # Errors
/// The user's mistakes, the environment's refusals, Ctrl-C, and runs that are invalid.
pub fn calibrate(arguments: &CalibrateArguments) -> Result<()> {
    let location = &with_absolute_devices(&arguments.location)?;
    let window = arguments.seconds;
    let size = arguments.size.as_deref().unwrap_or_else(|| default_size(location.dir.as_deref(), 1));
    let (small, file_size) = block_and_size(&arguments.bs, size)?;
    let (large, _) = block_and_size(&arguments.large_bs, size)?;
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
        permission: permission(location, &[], &[])?,
        network: None,
        precondition: None,
        log: None,
        sweeps_agents: false,
        repeats: 1,
    };
    carry_out(&request, None, &arguments.location.observe, arguments.format, &arguments.output)
}

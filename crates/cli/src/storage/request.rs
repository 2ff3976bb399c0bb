//! Requests of storage: defaults, the environment of job files, and the measurement with its output.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use fio::Surroundings;
use record::{Amount, Blocks, Bytes, IoJob, Permitted, Run};
use report::FioJson;
use run::{Context, Error, Fleet, IoRequest, Measured, Result};

use crate::agents::Agents;
use crate::arguments::io::IoFormat;
use crate::arguments::observe::ObserveStorageArguments;
use crate::arguments::output::OutputArguments;
use crate::engines::engine;
use crate::measuring::{kept_by_agents, measuring};
use crate::output::print_data;
use crate::sheet::{check_output, show};
use crate::target::target;

/// The target where no engine is opened; left-overs of engines in the directory are cleaned up all the same.
pub const NO_ENGINE: &str = "sqlite";

/// Bytes that are read of a file with a pattern: patterns are shorter.
const PATTERN_FILE_BYTES_MAX: u64 = 4096;

/// The environment that job files may query.
pub fn surroundings<'a>(include: &'a dyn Fn(&Path) -> std::io::Result<String>) -> Surroundings<'a> {
    Surroundings {
        variable: &|name| std::env::var(name).ok(),
        include,
        content: &|path| {
            let mut bytes = Vec::new();
            File::open(path)?.take(PATTERN_FILE_BYTES_MAX).read_to_end(&mut bytes)?;
            Ok(bytes)
        },
        page_bytes: Bytes(rustix::param::page_size() as u64),
        memory_bytes: host::memory_total(),
        processors: host::cpus_allowed().len() as u32,
    }
}

/// Default file size: at most 4 GiB and, of `files` together, at most a tenth of the free space.
pub fn default_size(directory: Option<&Path>, files: u32) -> &'static str {
    let free = host::free_bytes(directory.unwrap_or(Path::new("."))).unwrap_or(Bytes(u64::MAX));
    let sizes = [("4G", 4096), ("2G", 2048), ("1G", 1024), ("512M", 512), ("256M", 256), ("64M", 64)];
    let fits = |mebibytes: u64| Bytes::MIB.times(mebibytes).times(files.into()).0 <= free.0 / 10;
    sizes.into_iter().find(|(_, mebibytes)| fits(*mebibytes)).map_or("16M", |(text, _)| text)
}

/// Block and file size in the format of job files.
///
/// # Errors
/// Where one of them is not a single size.
pub fn block_and_size(block: &str, size: &str) -> Result<(Bytes, Bytes)> {
    let include = |_: &Path| Err(std::io::ErrorKind::NotFound.into());
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

/// A seed that differs in each invocation.
pub fn fresh_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    (now.as_nanos() as u64) ^ (u64::from(std::process::id()) << 48)
}

/// Measures, by `agents` if there are some, and shows the record.
///
/// # Errors
/// Those of the measurement; runs that failed or are invalid.
pub fn carry_out(
    request: &IoRequest,
    agents: Option<&Agents>,
    observe: &ObserveStorageArguments,
    format: IoFormat,
    output: &OutputArguments,
) -> Result<()> {
    let names = |paths: &[PathBuf]| paths.iter().map(|path| path.display().to_string()).collect();
    let permitted = Permitted {
        devices: names(&request.permission.devices),
        destroy: names(&request.permission.destroy),
        ..Permitted::default()
    };
    let agents = agents.map(|agents| (agents, request.setup.directory.as_path(), &permitted));
    let measured = measure_by(agents, NO_ENGINE, observe, output, |context| run::measure_io(request, context))?;
    let record = &measured.record;
    let other = match format {
        IoFormat::Text => None,
        IoFormat::FioJson => Some(report::fio_json(record, FioJson::Plain)),
        IoFormat::FioJsonPlus => Some(report::fio_json(record, FioJson::Plus)),
        IoFormat::Csv => Some(report::io_csv(record)),
        IoFormat::Json => Some(report::json(record)),
    };
    match other.filter(|_| !record.runs.is_empty()) {
        Some(text) => print_data(&text)?,
        None => show(&measured, output)?,
    }
    judge(measured)
}

/// Carries out a measurement without an engine.
///
/// # Errors
/// Those of the measurement where there is no record yet.
pub fn measure(
    observe: &ObserveStorageArguments,
    output: &OutputArguments,
    one: impl FnOnce(Context<'_>) -> Result<Measured>,
) -> Result<Measured> {
    measure_on(NO_ENGINE, observe, output, one)
}

/// Carries out a measurement of `text`, a target.
///
/// # Errors
/// An engine that is not known, and those of the measurement where there is no record yet.
pub fn measure_on(
    text: &str,
    observe: &ObserveStorageArguments,
    output: &OutputArguments,
    one: impl FnOnce(Context<'_>) -> Result<Measured>,
) -> Result<Measured> {
    measure_by(None, text, observe, output, one)
}

/// The same by `agents`, if there are some, which work in a directory and may do what is permitted.
fn measure_by(
    agents: Option<(&Agents, &Path, &Permitted)>,
    text: &str,
    observe: &ObserveStorageArguments,
    output: &OutputArguments,
    one: impl FnOnce(Context<'_>) -> Result<Measured>,
) -> Result<Measured> {
    let target = target(text)?;
    engine(&target)?;
    check_output(output)?;
    measuring(output.quiet, |measuring| {
        let deploy = |(agents, directory, permitted)| measuring.deploy(Some(agents), directory, permitted);
        let fleet = agents.map(deploy).transpose()?.flatten();
        let fleet = fleet.as_ref().map(|(deployment, _)| deployment as &dyn Fleet);
        measuring.observing_storage(observe, &target, |context| one(Context { fleet, ..context }))
    })
}

/// What ended a measurement of storage, and runs that are invalid.
///
/// # Errors
/// Either of them.
pub fn judge(measured: Measured) -> Result<()> {
    if let Some(error) = measured.error {
        return Err(error);
    }
    let invalid: Vec<&Run> = measured.record.runs.iter().filter(|run| model::is_invalid(run)).collect();
    let names: Vec<&str> = invalid.iter().map(|run| run.test.as_str()).collect();
    match invalid.iter().any(|run| model::has_failed(run)) {
        _ if invalid.is_empty() => Ok(()),
        false => Err(Error::environment(format!("disturbed from outside: {}", names.join(", ")))
            .hint("the report shows by what; measure again on a quiet machine")),
        true => {
            let kept = kept_by_agents(&measured.record, &measured.path.display().to_string());
            Err(Error::environment(format!("no valid measurement: {}", names.join(", ")))
                .hint(format!("the report shows why{kept}")))
        }
    }
}

//! What `io` and `calibrate` have in common: where they work, what they may destroy, and how their record is shown.

use std::io::{BufRead, IsTerminal, stdin};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use fio::Surroundings;
use record::{Bytes, Check, Finding, Outcome, Run, Verdict};
use report::FioJson;
use run::{Error, Interrupt, IoRequest, Permission, Result, Workplace};

use super::run::default_record;
use crate::arguments::io::{GroundArguments, IoFormat};
use crate::engines::ENGINES;
use crate::output::{note, print, style, width};
use crate::progress::{Loudness, Progress};
use crate::signal;

/// What stands for a device that was not named again: it is asked for.
pub const ASK: &str = "-";

/// What job files may ask of this machine.
pub fn surroundings<'a>(include: &'a dyn Fn(&Path) -> std::io::Result<String>) -> Surroundings<'a> {
    Surroundings {
        variable: &|name| std::env::var(name).ok(),
        include,
        page_bytes: Bytes(rustix::param::page_size() as u64),
        memory_bytes: host::memory_total(),
        processors: host::cpus_allowed().len() as u32,
    }
}

/// The size of a file where nobody says: large enough to be no toy, and no burden.
pub fn default_size(directory: Option<&Path>) -> &'static str {
    let free = host::free_bytes(directory.unwrap_or(Path::new("."))).unwrap_or(Bytes(u64::MAX));
    let sizes = [("4G", 4096), ("2G", 2048), ("1G", 1024), ("512M", 512), ("256M", 256), ("64M", 64)];
    let fits = |mebibytes: u64| Bytes::MIB.times(mebibytes).0 <= free.0 / 10;
    sizes.into_iter().find(|(_, mebibytes)| fits(*mebibytes)).map_or("16M", |(text, _)| text)
}

/// A seed that no other invocation has.
pub fn fresh_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    (now.as_nanos() as u64) ^ (u64::from(std::process::id()) << 48)
}

/// What may be touched beyond files of dbdyno's own; asks where `writes` are not confirmed yet.
///
/// # Errors
/// Where the user did not confirm.
pub fn permission(arguments: &GroundArguments, writes: &[PathBuf]) -> Result<Permission> {
    let mut destroy = Vec::new();
    for path in &arguments.destroy_data {
        match path == Path::new(ASK) {
            false if !arguments.device.contains(path) => {
                return Err(Error::user(format!("--destroy-data {} is not a --device", path.display()))
                    .hint("name the device twice: --device PATH --destroy-data PATH"));
            }
            false => destroy.push(path.clone()),
            true => {
                for device in writes.iter().filter(|device| arguments.device.contains(device)) {
                    if arguments.yes || typed_again(device)? {
                        destroy.push(device.clone());
                    }
                }
            }
        }
    }
    Ok(Permission { devices: arguments.device.clone(), destroy })
}

fn typed_again(device: &Path) -> Result<bool> {
    let shown = device.display().to_string();
    if !stdin().is_terminal() {
        return Err(Error::user(format!("nobody confirms that the data on {shown} may be destroyed"))
            .hint(format!("say --destroy-data {shown}, or --destroy-data --yes")));
    }
    note(&format!("This destroys all data on {shown}. Type its name to go on:"));
    let mut answer = String::new();
    stdin().lock().read_line(&mut answer).map_err(|error| Error::environment(format!("no answer: {error}")))?;
    match answer.trim() == shown {
        true => Ok(true),
        false => Err(Error::user(format!("{shown} was not confirmed")).hint("nothing was written")),
    }
}

/// Where the record goes; one that is there is not overwritten.
///
/// # Errors
/// Where it is there.
pub fn record_path(wished: Option<&Path>) -> Result<PathBuf> {
    let path = wished.map_or_else(default_record, Path::to_owned);
    match path.exists() {
        false => Ok(path),
        true => Err(Error::user(format!("record {} exists", path.display())).hint("give another --record")),
    }
}

/// Measures, and shows the record.
///
/// # Errors
/// What measuring says; runs that failed or are void.
pub fn carry_out(request: &IoRequest, format: IoFormat, quiet: bool) -> Result<()> {
    let interrupt = Arc::new(Interrupt::default());
    signal::listen(Arc::clone(&interrupt))
        .map_err(|error| Error::environment(format!("signals cannot be handled: {error}")))?;
    let progress = Progress::new(if quiet { Loudness::Quiet } else { Loudness::Normal });
    let target = "sqlite".parse().map_err(|error| Error::environment(format!("{error}")))?;
    let workplace =
        Workplace { engine: ENGINES[0], target: &target, engines: ENGINES, listener: &progress, interrupt: &interrupt };
    let measured = run::measure_io(request, &workplace);
    progress.end();
    let measured = measured?;
    if !measured.record.runs.is_empty() {
        let place = measured.path.display().to_string();
        print(&match format {
            IoFormat::Text => report::text(&measured.record, &place, style(), width()),
            IoFormat::FioJson => report::fio_json(&measured.record, FioJson::Plain),
            IoFormat::FioJsonPlus => report::fio_json(&measured.record, FioJson::Plus),
            IoFormat::Csv => report::io_csv(&measured.record),
            IoFormat::Json => report::json(&measured.record),
        })?;
    }
    if let Some(error) = measured.error {
        return Err(error);
    }
    let void: Vec<&Run> = measured.record.runs.iter().filter(|run| model::is_void(run)).collect();
    let names: Vec<&str> = void.iter().map(|run| run.test.as_str()).collect();
    match void.iter().all(|run| is_spoilt_only(run)) {
        _ if void.is_empty() => Ok(()),
        true => Err(Error::environment(format!("spoilt from outside: {}", names.join(", ")))
            .hint("the report says by what; measure again on a quiet machine")),
        false => Err(Error::environment(format!("no measurement of the device: {}", names.join(", ")))
            .hint("the report says why")),
    }
}

/// Whether only the surroundings spoilt a run: other guests of the host, other programs.
fn is_spoilt_only(run: &Run) -> bool {
    let surroundings = [Check::Steal, Check::Swapping, Check::Throttling, Check::ClientShare, Check::RateLevels];
    let inner = |finding: &Finding| finding.verdict == Verdict::Fail && !surroundings.contains(&finding.check);
    run.outcome == Outcome::Done && !run.findings.iter().any(inner)
}

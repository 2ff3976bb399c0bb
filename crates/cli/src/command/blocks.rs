//! `dbdyno blocks`: random blocks through the engine.

use std::fs;
use std::path::Path;

use record::{Bytes, Preset};
use run::{BlocksRequest, Context, Error, Fleet, Result, Setup, measure_blocks};
use workload::blocks::{BlocksSettings, Idle, Ignored, Wrong, assignments};

use crate::agents::{Agents, check_target, permitting};
use crate::arguments::blocks::BlocksArguments;
use crate::arguments::value::Setting;
use crate::engines::engine;
use crate::measuring::{judge, measuring};
use crate::output::note;
use crate::sheet::{check_output, show};
use crate::target::target;

/// Upper limit of a settings file.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// Upper limit of the number of cache sizes.
const CACHES_MAX: usize = 64;

/// Carries out `dbdyno blocks`.
///
/// # Errors
/// The user's mistakes, the environment's refusals, Ctrl-C, and runs that failed.
pub fn blocks(arguments: &BlocksArguments) -> Result<()> {
    blocks_by(arguments, None)
}

/// The same, with the sessions spread over `agents`.
///
/// # Errors
/// As [`blocks()`], and where the agents cannot be started.
pub fn blocks_by(arguments: &BlocksArguments, agents: Option<&Agents>) -> Result<()> {
    let settings = settings(arguments)?;
    let target = target(&arguments.target)?;
    engine(&target)?;
    if agents.is_some() {
        check_target(&target)?;
    }
    let request = BlocksRequest {
        setup: Setup {
            keep: arguments.keep,
            client_threads: arguments.client_threads,
            ..arguments.place.setup(Preset::Quick, arguments.seed)?
        },
        settings,
        mode: arguments.mode,
        cold: arguments.cold,
        caches: caches(&arguments.cache)?,
        page_cached: None,
        warm_up: arguments.warm_up,
        probes: !arguments.no_probe,
    };
    check_output(&arguments.output)?;
    let measured = measuring(arguments.output.quiet, |measuring| {
        let fleet = measuring.deploy(agents, &request.setup.directory, &permitting(&target))?;
        let fleet = fleet.as_ref().map(|(deployment, _)| deployment as &dyn Fleet);
        measuring.observing(&arguments.place.observe, &target, |context| {
            measure_blocks(&request, Context { fleet, ..context })
        })
    })?;
    show(&measured, &arguments.output)?;
    judge(measured)
}

/// The settings of the file, if any, overridden by the options.
fn settings(arguments: &BlocksArguments) -> Result<BlocksSettings> {
    let mut settings = BlocksSettings::default();
    let of_file = match &arguments.file {
        Some(path) => read(path, &mut settings, arguments.output.quiet)?,
        None => Vec::new(),
    };
    let mut of_options = Vec::new();
    let switch = |name, option, is_on: bool| is_on.then(|| Setting { name, option, value: "TRUE".to_owned() });
    let given = [
        &arguments.schemas,
        &arguments.threads,
        &arguments.update_pct,
        &arguments.scan_pct,
        &arguments.work_unit,
        &arguments.redo_stress,
        &arguments.scale,
        &arguments.scan_table_size,
        &arguments.run_time,
        &arguments.work_loop,
        &arguments.load_parallel_degree,
        &arguments.hotspot_mb,
        &arguments.hotspot_offset_mb,
        &arguments.hotspot_frequency,
        &arguments.hot_schema_frequency,
        &arguments.think_frequency,
        &arguments.think_min,
        &arguments.think_max,
        &switch("DO_HOTSPOT", "hotspot", arguments.hotspot),
        &switch("OBFUSCATE_COLUMNS", "obfuscate", arguments.obfuscate),
    ];
    for Setting { name, option, value } in given.into_iter().flatten() {
        settings.set(name, option, value).map_err(wrong)?;
        of_options.push((*name, *option));
    }
    if arguments.run_time.is_some() && arguments.work_loop.is_none() {
        // --run-time overrides WORK_LOOP of the file.
        settings.work_loop = 0;
    }
    settings.check().map_err(wrong)?;
    let idle = settings.idle();
    refuse_idle(&idle, &of_options)?;
    if let Some(path) = arguments.file.as_ref().filter(|_| !arguments.output.quiet) {
        note_idle(&idle, &of_file, path);
    }
    Ok(settings)
}

/// Refuses an option without effect; `given` are pairs of setting and option.
fn refuse_idle(idle: &[Idle], given: &[(&str, &str)]) -> Result<()> {
    let of = |idle: &Idle| given.iter().find(|(name, _)| idle.names.contains(name)).map(|(_, option)| *option);
    match idle.iter().find_map(|idle| Some((idle, of(idle)?))) {
        Some((idle, option)) => Err(Error::user(format!("--{option} has no effect: {}", idle.reason)).hint(idle.hint)),
        None => Ok(()),
    }
}

/// Notes which settings of the file have no effect; a slob.conf usually has all settings.
fn note_idle(idle: &[Idle], given: &[String], path: &Path) {
    for idle in idle {
        let names: Vec<&str> = idle.names.iter().copied().filter(|name| given.iter().any(|one| one == name)).collect();
        if !names.is_empty() {
            let verb = if names.len() == 1 { "has" } else { "have" };
            note(&format!("{}: {} {verb} no effect: {}", path.display(), names.join(", "), idle.reason));
        }
    }
}

fn wrong(wrong: Wrong) -> Error {
    Error::user(wrong.message).hint(wrong.hint)
}

/// Reads the settings of the file at `path`, notes those that are not supported, and returns all names.
fn read(path: &Path, settings: &mut BlocksSettings, quiet: bool) -> Result<Vec<String>> {
    let shown = path.display();
    let hint = "give a file of lines such as UPDATE_PCT=30";
    if fs::metadata(path).is_ok_and(|file| file.len() > FILE_BYTES_MAX) {
        return Err(Error::user(format!("{shown} has more than {FILE_BYTES_MAX} bytes")).hint(hint));
    }
    let text = fs::read_to_string(path)
        .map_err(|error| Error::user(format!("settings {shown} cannot be read: {error}")).hint(hint))?;
    let assignments = assignments(&text).map_err(|error| Error::user(format!("{shown}, {error}")).hint(error.hint))?;
    let ignored = settings
        .set_all(&assignments)
        .map_err(|wrong| Error::user(format!("{shown}, {}", wrong.message)).hint(wrong.hint))?;
    for Ignored { line, name, reason } in ignored.iter().filter(|_| !quiet) {
        note(&format!("{shown}, line {line}: {name} is ignored: {reason}"));
    }
    Ok(assignments.into_iter().map(|assignment| assignment.name).collect())
}

/// Checks the number of cache sizes.
fn caches(sizes: &[Bytes]) -> Result<Vec<Bytes>> {
    match sizes.len() > CACHES_MAX {
        true => {
            Err(Error::user(format!("{} cache sizes are more than {CACHES_MAX}", sizes.len())).hint("give fewer sizes"))
        }
        false => Ok(sizes.to_vec()),
    }
}

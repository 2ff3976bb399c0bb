//! `dbdyno io`: job files, profiles, or one job of the command line.

use std::io::Read;
use std::path::{Path, PathBuf};

use fio::{JobFile, Override};
use record::{Arrival, IoPlan, Preset, Ratio, Until};
use run::{Error, Goal, IoRequest, Permission, Result};

use crate::agents::Agents;
use crate::arguments::io::IoArguments;
use crate::arguments::setup::setup;
use crate::new_record::record_path;
use crate::output::{print, width};
use crate::storage::job::{pairs, set_warm_up, with_defaults};
use crate::storage::location::{directory, permission, with_absolute_devices, with_devices_of_hosts, written_devices};
use crate::storage::origin::Origins;
use crate::storage::request::{carry_out, fresh_seed, surroundings};

/// Relative tolerance of a search.
const TOLERANCE: Ratio = Ratio(0.1);
/// The longest job file.
const JOB_FILE_BYTES_MAX: u64 = 4 << 20;

/// Carries out `dbdyno io`.
///
/// # Errors
/// The user's mistakes, the environment's refusals, Ctrl-C, and runs that are invalid.
pub fn io(arguments: &IoArguments) -> Result<()> {
    io_by(arguments, None)
}

/// The agents that carry out the jobs, each all of them.
pub struct IoFleet {
    /// The agents.
    pub agents: Agents,
    /// Whether each phase is measured with 1, 2, 4, ... and all of them.
    pub sweeps: bool,
    /// How often each is measured.
    pub repeats: u32,
}

/// The same, with the jobs carried out by each agent of `fleet`.
///
/// # Errors
/// As [`io()`], and where the agents cannot be started.
pub fn io_by(arguments: &IoArguments, fleet: Option<IoFleet>) -> Result<()> {
    let count = fleet.as_ref().map_or(1, |fleet| fleet.agents.count());
    let are_elsewhere = fleet.as_ref().is_some_and(|fleet| !fleet.agents.hosts().is_empty());
    let location = if are_elsewhere {
        with_devices_of_hosts(&arguments.location)?
    } else {
        with_absolute_devices(&arguments.location)?
    };
    let arguments = &IoArguments { location, ..arguments.clone() };
    let Planned { mut plan, mut directory, origins } = planned(arguments, if are_elsewhere { 1 } else { count })?;
    if !are_elsewhere && arguments.location.dir.is_none() {
        origins.check_directory(&directory, &plan)?;
    }
    if let Some(rate) = arguments.rate {
        set_rate(&mut plan, rate / f64::from(count), arguments.arrival)?;
    }
    let (sweeps_agents, repeats) = fleet.as_ref().map_or((false, 1), |fleet| (fleet.sweeps, fleet.repeats));
    let agents = fleet.map(|fleet| fleet.agents.working_in(&directory));
    if are_elsewhere {
        // That of the jobs is on the hosts.
        directory = PathBuf::from(".");
    }
    let writes: Vec<PathBuf> = written_devices(&plan, arguments.precondition);
    if arguments.dry_run {
        let allowed = Permission { devices: arguments.location.device.clone(), destroy: writes };
        let request = IoRequest { permission: allowed, ..request(arguments, plan, directory, Permission::default())? };
        if !are_elsewhere {
            run::survey_io(&request, count).map_err(|error| origins.located(error))?;
        }
        let text = report::io_plan_text(&request.plan, width());
        return print(&match agents {
            None => text,
            Some(_) => format!("{text}{}", each_of(count, sweeps_agents, repeats)),
        });
    }
    let hosts = agents.as_ref().map(Agents::hosts).unwrap_or_default();
    let permission = permission(&arguments.location, &writes, &hosts)?;
    let request = IoRequest { sweeps_agents, repeats, ..request(arguments, plan, directory, permission)? };
    if !are_elsewhere {
        // Before agents are started.
        run::survey_io(&request, count).map_err(|error| origins.located(error))?;
    }
    carry_out(&request, agents.as_ref(), &arguments.location.observe, arguments.format, &arguments.output)
}

/// What agents make of a plan.
fn each_of(agents: u32, sweeps: bool, repeats: u32) -> String {
    let numbers = if sweeps { run::jobs_of_agents(1, agents) } else { vec![agents] };
    let numbers = numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    let noun = if repeats == 1 { "time" } else { "times" };
    format!("agents    each of {agents} has all of this; runs with {numbers} of them, {repeats} {noun} each\n")
}

fn request(arguments: &IoArguments, plan: IoPlan, directory: PathBuf, permission: Permission) -> Result<IoRequest> {
    let record = record_path(arguments.location.record.as_deref())?;
    if let Some(log) = arguments.log.as_ref().filter(|log| **log == record || log.exists()) {
        let what = if *log == record { "is also the path of the record" } else { "exists" };
        return Err(Error::user(format!("log {} {what}", log.display())).hint("give another --log"));
    }
    let goal = match &arguments.until {
        None => Goal::Measure,
        Some(bound) => {
            Goal::Until(Until { level: bound.to_string(), arrival: arguments.arrival, tolerance: TOLERANCE })
        }
    };
    Ok(IoRequest {
        setup: setup(directory, Preset::Quick, arguments.seed.unwrap_or_else(fresh_seed), record),
        plan,
        goal,
        permission,
        network: None,
        precondition: arguments.precondition.then_some(arguments.round),
        log: arguments.log.clone(),
        sweeps_agents: false,
        repeats: 1,
    })
}

/// The plan of files, profile or options.
struct Planned {
    plan: IoPlan,
    /// The directory that it works in.
    directory: PathBuf,
    origins: Origins,
}

/// The plan of files, profile or options; `sets` are the sets of its files that are in one file system.
fn planned(arguments: &IoArguments, sets: u32) -> Result<Planned> {
    let include = |path: &Path| read_text(path);
    let surroundings = surroundings(&include);
    let mut overrides: Vec<Override> = Vec::new();
    let pairs = pairs(arguments);
    let alone = arguments.files.is_empty() && arguments.profile.is_none();
    if alone && arguments.rw.is_none() && arguments.overrides.is_empty() {
        return Err(
            Error::user("no job given").hint("give a job file, --profile NAME, or --rw randread; see dbdyno io --help")
        );
    }
    let files = match (&arguments.profile, alone) {
        (_, true) => vec![fio::options(with_defaults(arguments, &pairs, sets), &surroundings).map_err(refused)?],
        (Some(name), _) => {
            let text = fio::profile(name).ok_or_else(|| {
                let names: Vec<&str> = fio::profiles().collect();
                Error::user(format!("profile {name} is not known")).hint(format!("dbdyno has {}", names.join(", ")))
            })?;
            vec![JobFile::parse(name, text, &surroundings).map_err(refused)?]
        }
        (None, _) => {
            let read = |path: &PathBuf| {
                let text = read_text(path).map_err(|error| {
                    Error::user(format!("job file {} cannot be read: {error}", path.display()))
                        .hint("give the path of a job file, or --rw for a job without one")
                })?;
                let shown = path.display().to_string();
                JobFile::parse(&shown, &text, &surroundings).map_err(refused)
            };
            arguments.files.iter().map(read).collect::<Result<Vec<_>>>()?
        }
    };
    if !alone {
        for (key, value) in &pairs {
            let text = match value {
                Some(value) => format!("{key}={}", value.replace(',', "\\,")),
                None => key.clone(),
            };
            overrides.extend(fio::overrides(&text, &surroundings).map_err(refused)?);
        }
    }
    for text in &arguments.overrides {
        overrides.extend(fio::overrides(text, &surroundings).map_err(refused)?);
    }
    let mut plan = fio::plan(&files, &overrides, &surroundings).map_err(refused)?;
    if alone && arguments.warm_up.is_none() && overrides.iter().all(|setting| setting.key() != "ramp_time") {
        set_warm_up(&mut plan);
    }
    let named = fio::directory(&files, &overrides).map_err(refused)?;
    let directory = directory(arguments.location.dir.as_deref(), named, &arguments.location.device, &mut plan)?;
    Ok(Planned { plan, directory, origins: Origins { files, overrides } })
}

/// The text of a job file, of limited length.
fn read_text(path: &Path) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(JOB_FILE_BYTES_MAX + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > JOB_FILE_BYTES_MAX {
        true => Err(std::io::Error::other(format!("it is longer than {JOB_FILE_BYTES_MAX} bytes"))),
        false => Ok(String::from_utf8_lossy(&bytes).into_owned()),
    }
}

fn set_rate(plan: &mut IoPlan, steps_per_second: f64, arrival: Arrival) -> Result<()> {
    let jobs: Vec<_> = plan.phases.iter_mut().flat_map(|phase| &mut phase.jobs).collect();
    if jobs.len() != 1 {
        return Err(Error::user(format!("--rate applies to one job, and there are {}", jobs.len()))
            .hint("set rate_iops of each job in the file"));
    }
    for job in jobs {
        job.pace = arrival.pace(steps_per_second);
    }
    Ok(())
}

fn refused(error: fio::Error) -> Error {
    let bare = fio::Error { hint: None, ..error.clone() };
    let refused = Error::user(bare.to_string());
    match error.hint {
        Some(hint) => refused.hint(hint),
        None => refused,
    }
}

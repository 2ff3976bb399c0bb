//! Whether a record can be resumed: all runs of a record must be about the same platform.
//!
//! A record is a file that is given away and may have been edited by others. What it says of figures and sizes is followed; what it
//! says of the world outside, such as a server, a library or a file, could be anybody's wish, and is asked of the user again. The
//! directory is that in which dbdyno keeps its data, and is asked again where others may have written the record. All of that is
//! decided before anything is opened.

use std::collections::BTreeSet;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use engine::{Engine, Target, shown};
use record::{Build, HostInventory, LoadBeside, NodeInventory, ObservedHost, Record, Resumption};

use crate::directory;
use crate::network::NetworkPeer;
use crate::platform::Platform;
use crate::{Error, LoadBesideRequest, Request, Result, Setup};

/// The most jobs, threads or nodes of a plan: a record is a file that may have been edited.
const DEGREE_MAX: u32 = 65_536;
/// The longest window of a plan: a month.
const WINDOW_SECONDS_MAX: f64 = 31.0 * 86_400.0;

/// Whether the plan of `record` can be carried out by this program.
///
/// # Errors
/// Names the obstacle.
pub fn check_resumption(record: &Record, request: &Request) -> Result<()> {
    let refuse = |what: String| Err(Error::user(format!("the record cannot be resumed: {what}")).hint(NEW_RECORD_HINT));
    let degree = |degree: u32| (1..=DEGREE_MAX).contains(&degree);
    if let Some(run) =
        record.plan.runs.iter().find(|run| ![run.dop.nodes, run.dop.jobs, run.dop.threads].into_iter().all(degree))
    {
        return refuse(format!("run {} has a degree of parallelism out of range", run.number));
    }
    if record.plan.window_ns.seconds() > WINDOW_SECONDS_MAX || record.plan.warm_up_ns.seconds() > WINDOW_SECONDS_MAX {
        return refuse("its windows are longer than a month".to_owned());
    }
    if record.plan.paired.is_some() {
        return Err(Error::user("the record cannot be resumed: it is one side of a comparison in pairs")
            .hint("its finished pairs can be compared; for more of them start a new dbdyno pair"));
    }
    let subject = record.plan.subject().properties();
    let of_other = format!("it is a record of dbdyno {}", subject.verb);
    match subject.resumption {
        Resumption::ByRecord if subject.verb == "run" => {}
        Resumption::ByRecord => {
            return Err(Error::user(format!("the record cannot be resumed: {of_other}"))
                .hint("use `dbdyno prove durability --resume`"));
        }
        Resumption::ByCommand => {
            return Err(Error::user(format!("the record cannot be resumed: {of_other}"))
                .hint(format!("repeat the command of the {} with --resume", subject.verb)));
        }
        Resumption::Never => return refuse(of_other),
    }
    check_build(record, &request.setup)
}

/// Whether the program of `setup` is that which started `record`.
fn check_build(record: &Record, setup: &Setup) -> Result<()> {
    let refuse = |what: String| Err(Error::user(format!("the record cannot be resumed: {what}")).hint(NEW_RECORD_HINT));
    let optimised = !cfg!(debug_assertions);
    if (record.tool.version.as_str(), record.tool.optimised) != (setup.version.as_str(), optimised) {
        return refuse(format!("it was started by another build of dbdyno, version {}", record.tool.version));
    }
    let program = |build: &Option<Build>| build.as_ref().and_then(|build| build.program_sha256.clone());
    if let (Some(then), Some(now)) = (program(&record.tool.build), program(&setup.build))
        && then != now
    {
        return refuse(format!("it was started by another build of dbdyno, whose program has SHA-256 {then}"));
    }
    Ok(())
}

const NEW_RECORD_HINT: &str = "start a new record";

/// Whether a proof in `record` can be gone on with by the program of `setup`; `doubt` is why it may be that of another user.
pub(crate) fn check_proof(record: &Record, setup: &Setup, doubt: Option<&str>) -> Result<()> {
    check_build(record, setup)?;
    check_directory(&record.plan.directory, doubt)
}

/// Whether this host and `target` are those of `record`.
pub(crate) fn check_place(record: &Record, target: &Target) -> Result<()> {
    compare_place(record, &host::inventory(Path::new(".")), &target.to_string())
}

/// Why what a record with this `metadata` says may be said by another user, as a predicate of the file; None where only this user
/// may have written it.
pub fn doubt(metadata: &Metadata) -> Option<String> {
    let (owner, mode) = (metadata.uid(), metadata.mode());
    // By convention a group with the number of a user is that user's own.
    let is_own_group = metadata.gid() == owner;
    match mode & 0o022 {
        _ if owner != rustix::process::geteuid().as_raw() => Some(format!("belongs to user {owner}")),
        0 => None,
        0o020 if is_own_group => None,
        _ => Some("may be written by other users".to_owned()),
    }
}

/// Why `target` of `engine` is not taken from a record, as a predicate of the target; None where it is: an engine in this process,
/// or a server that is started for it, with sizes and switches of its own.
pub fn reaches_out(target: &Target, engine: &dyn Engine) -> Option<String> {
    let Target { user, password, addresses, database, .. } = target;
    let is_url = user.is_some() || password.is_some() || database.is_some() || !addresses.is_empty();
    // Without an address it is the server that the environment names, or that of this host.
    if is_url || !(target.local || engine.about().is_in_process) {
        return Some("is a server".to_owned());
    }
    let is_harmless = |name: &str| engine.about().harmless_parameters.contains(&name.replace('-', "_").as_str());
    let strange = target.parameters.iter().find(|(name, _)| !is_harmless(name));
    strange.map(|(name, _)| format!("sets {}", shown(name)))
}

/// `request` as it follows the plan of `record` after that was held against this program, this host and `target`; `doubt` is why the
/// record may be that of another user. Nothing is opened.
///
/// # Errors
/// Where it cannot be resumed, or names what the command line has to name again.
pub fn follow(request: Request, record: &Record, target: &Target, doubt: Option<&str>) -> Result<Request> {
    check_resumption(record, &request)?;
    check_named(record, &request, doubt)?;
    compare_place(record, &host::inventory(Path::new(".")), &target.to_string())?;
    Ok(request.resuming(&record.plan))
}

/// Whether the test files, the peer and the directory of `record` are those of `request`, in which the command line names them
/// again; `doubt` is why the record may be that of another user.
fn check_named(record: &Record, request: &Request, doubt: Option<&str>) -> Result<()> {
    let plan = &record.plan;
    let set = |words: &[String]| words.iter().cloned().collect::<BTreeSet<String>>();
    let (named, given) = (set(&plan.test_files), set(&request.tests.words));
    if named != given {
        let named: Vec<String> = named.into_iter().collect();
        return Err(match named.is_empty() {
            true => {
                Error::user("the tests of a record that is resumed are those of its plan").hint("leave --tests out")
            }
            false => Error::user("test files are not taken from the record")
                .hint(format!("name those that you mean, and no others: --tests {}", named.join(","))),
        });
    }
    if plan.scripts != request.scripts {
        return Err(match (&plan.scripts, &request.scripts) {
            (None, _) => Error::user("the record has no scripts").hint("leave --script out, or start a new record"),
            (Some(_), None) => Error::user("scripts are not taken from the record")
                .hint("give the same --script, --builtin and --define as before"),
            (Some(_), Some(_)) => Error::user("the scripts are others than those of the record")
                .hint("give the same --script, --builtin and --define as before, or start a new record"),
        });
    }
    let loads: Vec<LoadBesideRequest> = plan.loads_beside.iter().map(LoadBesideRequest::of).collect();
    let has_file = plan.loads_beside.iter().any(|load| load.test_file.is_some());
    if loads != request.loads_beside && (has_file || !request.loads_beside.is_empty()) {
        let options: Vec<String> = plan.loads_beside.iter().map(load_option).collect();
        return Err(match options.is_empty() {
            true => Error::user("the record has no load beside its tests")
                .hint("leave --load-beside out, or start a new record"),
            false => Error::user("the loads beside the tests are others than those of the record")
                .hint(format!("give the same as before: {}", options.join(" "))),
        });
    }
    let named = plan.network.as_ref().map(NetworkPeer::of);
    if named.as_ref().is_some_and(|named| *named != NetworkPeer::Own) || request.network.is_some() {
        match (&named, &request.network) {
            (Some(named), Some(given)) if named == given => {}
            (Some(NetworkPeer::Own), Some(_)) => {
                return Err(Error::user("the peer of the record is one of dbdyno itself").hint("leave --network out"));
            }
            (Some(named), _) => {
                return Err(Error::user("the peer of the network is not taken from the record")
                    .hint(format!("name the one that you mean, the same as before: --network {named}")));
            }
            (None, _) => {
                return Err(Error::user("the record has no measurement of the network")
                    .hint("leave --network out, or start a new record"));
            }
        }
    }
    check_directory(&plan.directory, doubt)
}

/// The option that asks for `load`, whose file is that of somebody else's record.
fn load_option(load: &LoadBeside) -> String {
    let rate = load.rate.map(|rate| format!(",rate={rate}")).unwrap_or_default();
    let name = load.test_file.as_ref().unwrap_or(&load.test);
    format!("--load-beside {}:jobs={}{rate}", shown(name), load.jobs)
}

/// Whether the directory `named` in a record is one of dbdyno, in which it removes what it finds, and may be taken from there.
fn check_directory(named: &str, doubt: Option<&str>) -> Result<()> {
    let path = Path::new(named);
    if !path.is_absolute() || path.file_name() != Some(directory::NAME.as_ref()) {
        let message = format!("the record names directory {}, which is none of dbdyno", shown(named));
        return Err(Error::user(message).hint(NEW_RECORD_HINT));
    }
    let Some(doubt) = doubt else { return Ok(()) };
    let here = std::env::current_dir().and_then(|path| path.canonicalize()).ok();
    match path.parent().is_some_and(|parent| here.as_deref() == Some(parent)) {
        true => Ok(()),
        false => Err(Error::user(format!("the directory is not taken from the record: its file {doubt}"))
            .hint("resume it from within the directory that was measured, or start a new record")),
    }
}

/// Whether this host and `target` are those of `record`; `host` is this host.
fn compare_place(record: &Record, host: &HostInventory, target: &str) -> Result<()> {
    if identity(&record.host) != identity(host) {
        return differs("host", &identity(&record.host), &identity(host));
    }
    match record.plan.target == target {
        true => Ok(()),
        false => {
            let then = &record.plan.target;
            let message = format!("the record was started with target {then}, and now it is {target}");
            Err(Error::user(message).hint(format!("give --target '{then}', or start a new record")))
        }
    }
}

fn differs(thing: &str, then: &str, now: &str) -> Result<()> {
    let message = format!("the record was started with {thing} {then}, and now it is {now}");
    Err(Error::environment(message).hint(NEW_RECORD_HINT))
}

/// Whether machine, target and engine are those of `record`.
pub(crate) fn compare(record: &Record, platform: &Platform<'_>) -> Result<()> {
    let opened = platform.engine.as_ref();
    compare_place(record, &platform.host, &platform.context.target.to_string())?;
    let then = observed(&record.server_hosts, &record.storage_hosts);
    let now = observed(&platform.server_hosts, &platform.storage_hosts);
    if then != now {
        return Err(Error::user(format!("the record was started with {then}, and now it is {now}"))
            .hint("give the same --observe and --observe-storage"));
    }
    let (Some(then), Some(now)) = (&record.engine, opened.map(|opened| &opened.inventory)) else { return Ok(()) };
    if then.version != now.version {
        return differs("version", &then.version, &now.version);
    }
    let names = |list: &[NodeInventory]| list.iter().map(|node| node.name.clone()).collect::<Vec<String>>();
    let (listed, found) =
        (names(&record.nodes), opened.map_or_else(Vec::new, |opened| names(&opened.nodes.inventory())));
    if listed != found {
        let found = format!("{}{}", found.join(", "), differences(&listed, &found));
        return differs("nodes", &listed.join(", "), &found);
    }
    if now.temporary {
        // The settings of a temporary server follow from target, machine and free space.
        return Ok(());
    }
    let changed = then.settings.iter().find(|setting| now.settings.iter().all(|other| other != *setting));
    match changed {
        None => Ok(()),
        Some(setting) => {
            let value = now.settings.iter().find(|other| other.name == setting.name);
            differs(&format!("setting {} =", setting.name), &setting.value, value.map_or("not set", |now| &now.value))
        }
    }
}

/// The hosts that agents observe, as text.
fn observed(server: &[ObservedHost], storage: &[ObservedHost]) -> String {
    let names: Vec<&str> = server.iter().chain(storage).map(|host| host.name.as_str()).collect();
    if names.is_empty() { "no observed host".to_owned() } else { format!("observed hosts {}", names.join(", ")) }
}

/// The names that are in only one of two lists, as a clause; empty where only the order differs.
fn differences(then: &[String], now: &[String]) -> String {
    let beyond = |one: &[String], other: &[String]| {
        one.iter().filter(|name| !other.contains(name)).map(String::as_str).collect::<Vec<&str>>().join(", ")
    };
    let clause = |word: &str, names: String| if names.is_empty() { names } else { format!("; {word} {names}") };
    clause("missing:", beyond(then, now)) + &clause("new:", beyond(now, then))
}

/// The identity of a machine, as text.
fn identity(host: &HostInventory) -> String {
    let unknown = || "unknown".to_owned();
    format!(
        "{}, {}, {} threads, {} bytes of memory, kernel {}",
        host.host_name.clone().unwrap_or_else(unknown),
        host.cpu.model.clone().unwrap_or_else(unknown),
        host.cpu.threads,
        host.memory.total_bytes.0,
        host.kernel.release
    )
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, chown};

    use super::*;

    #[test]
    fn a_file_that_others_may_write_is_doubted() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let found = |mode: u32| {
            fs::set_permissions(file.path(), PermissionsExt::from_mode(mode)).unwrap();
            doubt(&file.as_file().metadata().unwrap())
        };
        assert_eq!((found(0o600), found(0o644)), (None, None));
        assert!(found(0o646).is_some_and(|why| why.contains("other users")));
        if rustix::process::geteuid().is_root() {
            assert_eq!(found(0o664), None, "the group of the user alone");
            chown(file.path(), None, Some(65_534)).unwrap();
            assert!(found(0o664).is_some_and(|why| why.contains("other users")));
            chown(file.path(), Some(65_534), None).unwrap();
            assert_eq!(found(0o600).as_deref(), Some("belongs to user 65534"));
        }
    }

    #[test]
    fn differences_are_listed() {
        let names = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<String>>();
        assert_eq!(differences(&names("a b c"), &names("b c d e")), "; missing: a; new: d, e");
        assert_eq!(differences(&names("a b"), &names("b")), "; missing: a");
        assert_eq!(differences(&names("a b"), &names("b a")), "");
    }
}

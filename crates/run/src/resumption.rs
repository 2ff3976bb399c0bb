//! Whether a record can be resumed: all runs of a record must be about the same platform.

use record::{Build, HostInventory, NodeInventory, ObservedHost, PlanSubject, Record};

use crate::platform::Platform;
use crate::{Error, Request, Result};

/// The most jobs, threads or nodes of a plan: a record is a file that may have been edited.
const DEGREE_MAX: u32 = 65_536;
/// The longest window of a plan: a month.
const WINDOW_SECONDS_MAX: f64 = 31.0 * 86_400.0;

/// Whether the plan of `record` can be carried out by this program.
///
/// # Errors
/// Names the obstacle.
pub(crate) fn check(record: &Record, request: &Request) -> Result<()> {
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
    match record.plan.subject() {
        PlanSubject::Catalogue => {}
        PlanSubject::Load => {
            return Err(Error::user("the record cannot be resumed: it is a record of dbdyno load")
                .hint("repeat the command of the load with --resume"));
        }
        other => return refuse(format!("it is a record of dbdyno {}", other.verb())),
    }
    let optimised = !cfg!(debug_assertions);
    if (record.tool.version.as_str(), record.tool.optimised) != (request.setup.version.as_str(), optimised) {
        return refuse(format!("it was started by another build of dbdyno, version {}", record.tool.version));
    }
    let program = |build: &Option<Build>| build.as_ref().and_then(|build| build.program_sha256.clone());
    if let (Some(then), Some(now)) = (program(&record.tool.build), program(&request.setup.build))
        && then != now
    {
        return refuse(format!("it was started by another build of dbdyno, whose program has SHA-256 {then}"));
    }
    Ok(())
}

const NEW_RECORD_HINT: &str = "start a new record";

/// Whether machine, target and engine are those of `record`.
///
/// # Errors
/// Names what differs.
pub(crate) fn compare(record: &Record, platform: &Platform<'_>) -> Result<()> {
    let opened = platform.engine.as_ref();
    let differs = |thing: &str, then: &str, now: &str| {
        let message = format!("the record was started with {thing} {then}, and now it is {now}");
        Err(Error::environment(message).hint(NEW_RECORD_HINT))
    };
    if identity(&record.host) != identity(&platform.host) {
        return differs("host", &identity(&record.host), &identity(&platform.host));
    }
    let target = platform.context.target.to_string();
    if record.plan.target != target {
        return differs("target", &record.plan.target, &target);
    }
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
    use super::*;

    #[test]
    fn differences_are_listed() {
        let names = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<String>>();
        assert_eq!(differences(&names("a b c"), &names("b c d e")), "; missing: a; new: d, e");
        assert_eq!(differences(&names("a b"), &names("b")), "; missing: a");
        assert_eq!(differences(&names("a b"), &names("b a")), "");
    }
}

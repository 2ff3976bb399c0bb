//! The options of `dbdyno io` as keys of a job file.

use record::IoPlan;

use super::request::default_size;
use crate::arguments::io::{IoArguments, IoEngine};

/// Keys with their values.
pub type Pairs = Vec<(String, Option<String>)>;

/// The options that were given.
pub fn pairs(arguments: &IoArguments) -> Pairs {
    let mut pairs = Pairs::new();
    let mut add = |key: &str, value: Option<&str>| pairs.push((key.to_owned(), value.map(str::to_owned)));
    let texts = [
        ("name", &arguments.name),
        ("rw", &arguments.rw),
        ("bs", &arguments.bs),
        ("iodepth", &arguments.depth),
        ("numjobs", &arguments.jobs),
        ("rwmixread", &arguments.read_share),
        ("random_distribution", &arguments.distribution),
        ("fsync", &arguments.fsync),
        ("fdatasync", &arguments.fdatasync),
        ("size", &arguments.size),
    ];
    texts
        .into_iter()
        .filter_map(|(key, text)| Some((key, text.as_deref()?)))
        .for_each(|(key, text)| add(key, Some(text)));
    if arguments.commit {
        if arguments.fsync.is_none() && arguments.fdatasync.is_none() && arguments.profile.is_none() {
            add("fdatasync", Some("1"));
        }
        add("commit", Some("1"));
    }
    if arguments.verify {
        add("verify", Some("crc32c"));
    }
    if let Some(time) = arguments.seconds {
        add("runtime", Some(&format!("{}us", time.0 / 1_000)));
        add("time_based", Some("1"));
    }
    if let Some(time) = arguments.warm_up {
        add("ramp_time", Some(&format!("{}us", time.0 / 1_000)));
    }
    match arguments.engine {
        Some(IoEngine::Ring) => add("ioengine", Some("io_uring")),
        Some(IoEngine::Sync) => add("ioengine", Some("psync")),
        Some(IoEngine::Null) => add("ioengine", Some("null")),
        None => {}
    }
    if arguments.buffered {
        add("direct", Some("0"));
    }
    if arguments.polled {
        add("hipri", Some("1"));
    }
    if arguments.submission_polled {
        add("sqthread_poll", Some("1"));
    }
    let devices = &arguments.location.device;
    if !devices.is_empty() && arguments.files.is_empty() && arguments.profile.is_none() {
        let names: Vec<String> =
            devices.iter().map(|device| device.display().to_string().replace(':', "\\:")).collect();
        add("filename", Some(&names.join(":")));
    }
    pairs
}

/// The job of the command line: defaults, then the given options; `sets` are the sets of its files in one file system.
pub fn with_defaults<'a>(arguments: &IoArguments, pairs: &'a Pairs, sets: u32) -> Vec<(&'a str, Option<&'a str>)> {
    let given = |key: &str| pairs.iter().any(|(name, _)| name == key);
    let mut all: Vec<(&str, Option<&str>)> = vec![
        ("rw", Some("randread")),
        ("bs", Some("8k")),
        ("ioengine", Some("io_uring")),
        ("group_reporting", Some("1")),
    ];
    if arguments.engine != Some(IoEngine::Sync) {
        all.push(("iodepth", Some("32")));
    }
    if !arguments.buffered {
        all.push(("direct", Some("1")));
    }
    if !given("runtime") {
        all.extend([("runtime", Some("10")), ("time_based", Some("1"))]);
    }
    if !given("size") && arguments.location.device.is_empty() {
        all.push(("size", Some(default_size(arguments.location.dir.as_deref(), sets))));
    }
    all.retain(|(key, _)| !given(key));
    all.extend(pairs.iter().map(|(key, value)| (key.as_str(), value.as_deref())));
    all
}

/// Sets the default warm-up of every job of `plan`: a tenth of its window.
pub fn set_warm_up(plan: &mut IoPlan) {
    for job in plan.phases.iter_mut().flat_map(|phase| &mut phase.jobs) {
        job.ramp_time.0 = job.run_time.unwrap_or_default().0 / 10;
    }
}

//! A run that is planned in a browser: a command to copy, with the plan of a dry run. Nothing is executed.
//!
//! All words of the command are of lists or are numbers: what a form says names no file, no host and no program. The
//! plan is made by a process of its own in an empty directory, for engines that need no server; a server is started or
//! reached by the command alone.

use std::fs::{self, File};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use record::Preset;
use report::{Document, PlanView};
use run::{Error, Result};
use serve::PlanQuery;

/// The targets to choose from, and whether a plan of each needs no server.
const TARGETS: [(&str, bool); 5] =
    [("sqlite", true), ("duckdb", true), ("local:postgres", false), ("local:mariadb", false), ("local:mysql", false)];

/// How long a dry run may take.
const TIME_MAX: Duration = Duration::from_secs(20);

/// How often it is looked whether it is over.
const POLL: Duration = Duration::from_millis(20);

/// Degrees of parallelism, at most, and the highest one.
const DEGREES_MAX: usize = 32;
const JOBS_MAX: u32 = 100_000;

/// The page of `query`; its plan is made where that may be.
///
/// # Errors
/// For a target, test or degree of parallelism that is not in the lists.
pub fn plan(query: &PlanQuery, may_be_made: bool) -> Result<Document> {
    let is_first = query.target.is_empty();
    let target = if is_first { TARGETS[0].0 } else { &query.target };
    let (_, needs_no_server) = TARGETS
        .into_iter()
        .find(|(known, _)| *known == target)
        .ok_or_else(|| Error::user("there is no such target to choose").hint("choose one of the list"))?;
    let tests = tests();
    let chosen: Vec<String> =
        query.tests.iter().filter(|code| tests.iter().any(|(known, _)| known == code)).cloned().collect();
    if chosen.len() != query.tests.len() {
        return Err(Error::user("there is no such test").hint("`dbdyno list tests` shows them"));
    }
    let jobs = jobs(&query.jobs)?;
    let preset = query.preset.unwrap_or(Preset::Quick);
    let words = words(target, preset, &chosen, &jobs);
    let plan = match (is_first, needs_no_server, may_be_made) {
        (true, _, _) => Err("choose, and press Plan".to_owned()),
        (_, false, _) => {
            Err("a server is started by the command alone\nhint: with --dry-run it prints the plan and ends".to_owned())
        }
        (_, true, false) => {
            Err("no plan is made while a record is being measured, or for a link on another site\nhint: with \
                                 --dry-run the command prints it"
                .to_owned())
        }
        (_, true, true) => dry_run(&words),
    };
    let view = PlanView {
        targets: &TARGETS.map(|(target, _)| target),
        target,
        preset,
        tests: &tests,
        chosen: &chosen,
        jobs: &jobs,
        options: &words[1..].join(" "),
        plan,
    };
    Ok(report::plan_form(&view))
}

/// Codes and summaries of probes and tests.
fn tests() -> Vec<(&'static str, &'static str)> {
    let probes = probe::probes().iter().map(|probe| (probe.code, probe.title));
    let tests = workload::catalogue().iter().map(|test| (test.code.as_str(), test.summary.as_str()));
    probes.chain(tests).collect()
}

/// Degrees of parallelism as the command takes them.
fn jobs(text: &str) -> Result<String> {
    let numbers = text.split(',').map(str::trim).filter(|number| !number.is_empty());
    let degree = |number: &str| number.parse::<u32>().ok().filter(|jobs| (1..=JOBS_MAX).contains(jobs));
    let degrees: Option<Vec<u32>> = numbers.map(degree).collect();
    let degrees = degrees.filter(|degrees| degrees.len() <= DEGREES_MAX);
    let degrees = degrees.ok_or_else(|| {
        Error::user("the jobs are no degrees of parallelism").hint("use numbers from 1 up, such as 1,2,4")
    })?;
    Ok(degrees.iter().map(u32::to_string).collect::<Vec<_>>().join(","))
}

/// The verb and its options.
fn words(target: &str, preset: Preset, tests: &[String], jobs: &str) -> Vec<String> {
    let mut words = ["run", "--target", target, "--preset", report::preset(preset)].map(str::to_owned).to_vec();
    if !tests.is_empty() {
        words.extend(["--tests".to_owned(), tests.join(",")]);
    }
    if !jobs.is_empty() {
        words.extend(["--jobs".to_owned(), jobs.to_owned()]);
    }
    words
}

/// What a dry run of the command prints, or why it prints nothing. One at a time.
fn dry_run(words: &[String]) -> std::result::Result<String, String> {
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let failed = |error: std::io::Error| format!("no plan can be made: {error}");
    let place = tempfile::Builder::new().prefix("dbdyno-plan").tempdir().map_err(failed)?;
    let [out, err] = ["out", "err"].map(|name| place.path().join(name));
    let mut process = Command::new(std::env::current_exe().map_err(failed)?)
        .args(words)
        .args(["--dry-run", "--quiet", "--dir"])
        .arg(place.path())
        .current_dir(place.path())
        .env("COLUMNS", "80")
        .stdin(Stdio::null())
        .stdout(File::create(&out).map_err(failed)?)
        .stderr(File::create(&err).map_err(failed)?)
        .spawn()
        .map_err(failed)?;
    let begun = Instant::now();
    let status = loop {
        match process.try_wait().map_err(failed)? {
            Some(status) => break status,
            None if begun.elapsed() > TIME_MAX => {
                // It is over in either case.
                let _ = process.kill();
                let _ = process.wait();
                return Err(format!("no plan was made within {} s", TIME_MAX.as_secs()));
            }
            None => std::thread::sleep(POLL),
        }
    };
    let text = |path| fs::read_to_string(path).unwrap_or_default();
    match status.success() {
        // The place of the plan is not that of the command.
        true => Ok(text(&out)
            .lines()
            .filter(|line| !line.starts_with("directory"))
            .map(|line| format!("{line}\n"))
            .collect()),
        false => Err(text(&err).trim().trim_start_matches("error: ").to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(target: &str, tests: &[&str], jobs: &str) -> PlanQuery {
        let tests = tests.iter().map(|test| (*test).to_owned()).collect();
        PlanQuery { target: target.to_owned(), preset: None, tests, jobs: jobs.to_owned() }
    }

    #[test]
    fn what_is_in_no_list_is_refused() {
        for target in ["postgres://evil/x", "@/etc/passwd", "sqlite --dir /", "local:oracle"] {
            assert!(plan(&query(target, &[], ""), false).is_err(), "{target}");
        }
        for test in ["/etc/passwd", "mine.toml", "--dir", "T611;x"] {
            assert!(plan(&query("sqlite", &[test], ""), false).is_err(), "{test}");
        }
        for jobs in ["0", "x", "1;2", "-1", "100001", "1 2"] {
            assert!(plan(&query("sqlite", &[], jobs), false).is_err(), "{jobs}");
        }
    }

    #[test]
    fn the_command_has_what_was_chosen() {
        let chosen = vec!["T611".to_owned(), "C11".to_owned()];
        let words = words("local:postgres", Preset::Standard, &chosen, &jobs(" 1, 8").unwrap());
        assert_eq!(words.join(" "), "run --target local:postgres --preset standard --tests T611,C11 --jobs 1,8");
        assert_eq!(jobs("").unwrap(), "");
    }
}

//! A run that is planned in a browser: a command to copy, with the plan of a dry run.
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

use super::listed::{ListedTarget, ListedTargets};

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

/// The highest degree of parallelism of a run that a reader starts, and how many of them.
const RUN_JOBS_MAX: u32 = 1000;
const RUN_DEGREES_MAX: usize = 16;

/// The page of `query`; its plan is made where that may be. Targets of `listed` may be run.
///
/// # Errors
/// For a target, test or degree of parallelism that is not in the lists.
pub fn plan(query: &PlanQuery, may_be_made: bool, listed: Option<&ListedTargets>) -> Result<Document> {
    let names: Vec<&str> = listed.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    let targets: Vec<&str> = names.iter().copied().chain(TARGETS.map(|(target, _)| target)).collect();
    let is_first = query.target.is_empty();
    let target = if is_first { targets[0] } else { &query.target };
    if !targets.contains(&target) {
        return Err(Error::user("there is no such target to choose").hint("choose one of the list"));
    }
    // What a name stands for is not shown.
    let of_name = listed.and_then(|listed| listed.get(target));
    let words_of_target = of_name.map_or(target, |listed| listed.words.as_str());
    let needs_no_server = TARGETS.contains(&(words_of_target, true));
    let tests = tests();
    let (preset, chosen, jobs) = checked(query, &tests)?;
    let words = words(if of_name.is_some() { "TARGET" } else { target }, preset, &chosen, &jobs);
    let plan = match (is_first, needs_no_server, may_be_made) {
        (true, _, _) => Err("choose, and press Plan".to_owned()),
        (_, false, _) if of_name.is_some() => {
            Err("the plan is made by the run itself, which tests the target first".to_owned())
        }
        (_, false, _) => {
            Err("a server is started by the command alone\nhint: with --dry-run it prints the plan and ends".to_owned())
        }
        (_, true, false) => {
            Err("no plan is made while a record is being measured, or for a link on another site\nhint: with \
                                 --dry-run the command prints it"
                .to_owned())
        }
        (_, true, true) => dry_run(&self::words(words_of_target, preset, &chosen, &jobs)),
    };
    let view = PlanView {
        targets: &targets,
        target,
        may_run: of_name.is_some() && !is_first,
        is_listed: of_name.is_some(),
        preset,
        tests: &tests,
        chosen: &chosen,
        jobs: &jobs,
        options: &words[1..].join(" "),
        plan,
    };
    Ok(report::plan_form(&view))
}

/// The target of `query` among those that are `listed`, and the options of its run.
///
/// # Errors
/// For what is in no list, and for more jobs than a reader may ask for.
pub fn run_words<'a>(query: &PlanQuery, listed: &'a ListedTargets) -> Result<(&'a ListedTarget, Vec<String>)> {
    let target = listed.get(&query.target).ok_or_else(|| {
        Error::user("this server does not run that target").hint("choose one of its file; the plan page lists them")
    })?;
    let (preset, chosen, jobs) = checked(query, &tests())?;
    let degrees: Vec<u32> = jobs.split(',').filter_map(|jobs| jobs.parse().ok()).collect();
    if degrees.len() > RUN_DEGREES_MAX || degrees.iter().any(|jobs| *jobs > RUN_JOBS_MAX) {
        let message = format!("jobs {jobs} are more than {RUN_DEGREES_MAX} degrees of at most {RUN_JOBS_MAX}");
        return Err(Error::user(message).hint("a larger run is started by its command"));
    }
    Ok((target, options(preset, &chosen, &jobs)))
}

/// The preset, the tests and the jobs of `query`, if all are of `tests` and numbers.
fn checked(query: &PlanQuery, tests: &[(&'static str, &'static str)]) -> Result<(Preset, Vec<String>, String)> {
    let is_known = |code: &&String| tests.iter().any(|(known, _)| known == code);
    let chosen: Vec<String> = query.tests.iter().filter(is_known).cloned().collect();
    if chosen.len() != query.tests.len() {
        return Err(Error::user("there is no such test").hint("`dbdyno list tests` shows them"));
    }
    Ok((query.preset.unwrap_or(Preset::Quick), chosen, jobs(&query.jobs)?))
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
    let mut words = ["run", "--target", target].map(str::to_owned).to_vec();
    words.extend(options(preset, tests, jobs));
    words
}

fn options(preset: Preset, tests: &[String], jobs: &str) -> Vec<String> {
    let mut words = vec!["--preset".to_owned(), report::preset(preset).to_owned()];
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
            assert!(plan(&query(target, &[], ""), false, None).is_err(), "{target}");
        }
        for test in ["/etc/passwd", "mine.toml", "--dir", "T611;x"] {
            assert!(plan(&query("sqlite", &[test], ""), false, None).is_err(), "{test}");
        }
        for jobs in ["0", "x", "1;2", "-1", "100001", "1 2"] {
            assert!(plan(&query("sqlite", &[], jobs), false, None).is_err(), "{jobs}");
        }
    }

    #[test]
    fn only_what_is_listed_is_run_and_what_it_stands_for_is_not_shown() {
        let words = "postgres://bench:s3cret@db1/crm".to_owned();
        let listed = ListedTargets::from([("crm".to_owned(), ListedTarget { words, has_host: true })]);
        let run =
            |target: &str, jobs: &str| run_words(&query(target, &["T611"], jobs), &listed).map(|(_, words)| words);
        assert_eq!(run("crm", "1,2").unwrap().join(" "), "--preset quick --tests T611 --jobs 1,2");
        for target in ["sqlite", "", "crm2", "--dir=/", "postgres://bench:s3cret@db1/crm", "@/etc/passwd"] {
            assert!(run(target, "").is_err(), "{target}");
        }
        for jobs in ["1001", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17", "--dir", "x"] {
            assert!(run("crm", jobs).is_err(), "{jobs}");
        }
        let page = plan(&query("crm", &[], ""), true, Some(&listed)).unwrap().html();
        assert!(page.contains("action=\"run\"") && !page.contains("s3cret") && !page.contains("db1"), "{page}");
        let first = plan(&query("", &[], ""), true, Some(&listed)).unwrap().html();
        assert!(!first.contains("action=\"run\""));
    }

    #[test]
    fn the_command_has_what_was_chosen() {
        let chosen = vec!["T611".to_owned(), "C11".to_owned()];
        let words = words("local:postgres", Preset::Standard, &chosen, &jobs(" 1, 8").unwrap());
        assert_eq!(words.join(" "), "run --target local:postgres --preset standard --tests T611,C11 --jobs 1,8");
        assert_eq!(jobs("").unwrap(), "");
    }
}

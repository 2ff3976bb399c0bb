//! The corpus has every key, every file of it gives a plan, and no other text panics.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use dbdyno_fio as fio;
use fio::{JobFile, Meaning, Surroundings, plan};
use proptest::prelude::*;
use record::{Bytes, Coverage, IoMode, IoPlan, Layout, Nanos, Ratio};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus")
}

fn surroundings() -> Surroundings<'static> {
    Surroundings {
        variable: &|_| None,
        include: &|path| fs::read_to_string(path),
        content: &|_| Err(std::io::Error::from(std::io::ErrorKind::NotFound)),
        page_bytes: Bytes(4096),
        memory_bytes: Bytes::GIB.times(16),
        processors: 8,
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the corpus").map(|entry| entry.expect("a file").path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|end| end == "fio")).collect();
    files.sort();
    files
}

fn read(path: &Path) -> JobFile {
    let text = fs::read_to_string(path).expect("a job file");
    JobFile::parse(&path.display().to_string(), &text, &surroundings()).unwrap_or_else(|error| panic!("{error}"))
}

fn planned(path: &Path) -> IoPlan {
    plan(&[read(path)], &[], &surroundings()).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_file_of_the_corpus_gives_a_plan_and_together_they_have_every_key() {
    let mut missing: BTreeSet<&str> = fio::keys().map(|key| key.name).collect();
    for path in files(&folder()) {
        planned(&path);
        let settings = read(&path).sections.into_iter().flat_map(|section| section.settings);
        for setting in settings {
            missing.remove(setting.key.name);
        }
    }
    let refused = fio::keys().filter(|key| matches!(key.meaning, Meaning::Refused(_))).map(|key| key.name);
    assert_eq!(missing, refused.collect());
}

#[test]
fn published_jobs_give_the_expected_plans() {
    let paths = files(&folder().join("published"));
    assert_eq!(paths.len(), 4);
    for path in paths {
        let plan = planned(&path);
        let [phase] = plan.phases.as_slice() else { panic!("{}", path.display()) };
        let [job] = phase.jobs.as_slice() else { panic!("{}", path.display()) };
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let random = name.contains("rand");
        assert_eq!((job.name.as_str(), job.grouped, job.direct, job.mode), ("nvme", true, true, IoMode::Ring));
        assert_eq!((job.run_time, job.ramp_time), (Some(Nanos(30_000_000_000)), Nanos(5_000_000_000)));
        assert!(job.time_based);
        assert_eq!((job.clones, job.depth), if random { (16, 16) } else { (10, 32) });
        assert_eq!((job.files.as_slice(), job.file_size), (["test".to_owned()].as_slice(), Some(Bytes(10 << 30))));
        assert_eq!(job.mix.read, Ratio(if name.ends_with("read") { 1.0 } else { 0.0 }));
        assert_eq!(job.order.read_random, Ratio(if random { 1.0 } else { 0.0 }));
        assert_eq!(job.coverage, Coverage::Full);
        assert_eq!(job.layout, if name == "nvme-seq-write" { Layout::Allocated } else { Layout::Written });
        let lints = plan.lints.join("\n");
        assert_eq!(lints.contains("all 10 jobs"), !random, "{lints}");
    }
}

#[test]
fn a_database_is_data_and_a_log_with_a_pace_each() {
    let plan = planned(&folder().join("oltp.fio"));
    let [data, log] = plan.phases[0].jobs.as_slice() else { panic!("two jobs") };
    assert_eq!(data.pace, record::Pace::Poisson { steps_per_second: 2000.0 });
    assert_eq!(data.coverage, Coverage::Free);
    assert_eq!(log.pace, record::Pace::ThinkTime { think_ns: Nanos(25_000) });
    assert_eq!((data.report_group, log.report_group), (0, 0));
    let ignored = plan.ignored.iter().filter(|text| text.contains("refill_buffers")).count();
    assert_eq!(ignored, 1, "a setting of the defaults is listed once");
}

#[test]
fn an_included_file_is_missing_or_includes_itself() {
    let texts = [("d/a.inc", "include b.inc"), ("d/b.inc", "bs=8k\ninclude a.inc"), ("d/s.inc", "[x]")];
    let include = |path: &Path| {
        let found = texts.iter().find(|(name, _)| Path::new(name) == path).map(|(_, text)| (*text).to_owned());
        found.ok_or_else(|| std::io::Error::from(std::io::ErrorKind::NotFound))
    };
    let surroundings = Surroundings { include: &include, ..surroundings() };
    let refusal = |line: &str| {
        let text = format!("[a]\nsize=1m\n{line}\n");
        JobFile::parse("d/j.fio", &text, &surroundings).unwrap_err().to_string()
    };
    assert!(refusal("include a.inc").starts_with("d/b.inc:2: d/a.inc includes itself"));
    assert!(refusal("include none.inc").starts_with("d/j.fio:3: cannot read included file d/none.inc"));
    assert!(refusal("include s.inc").starts_with("d/s.inc:1: an included file has the section [x]"));
}

#[test]
fn syntax_errors_have_their_line() {
    let refusal = |text: &str| JobFile::parse("j", text, &surroundings()).unwrap_err().to_string();
    assert_eq!(
        refusal("size=1g\n[a]"),
        "j:1: size is set before any section; hint: start with [global] or with the [name] of a job"
    );
    assert_eq!(refusal("[a\nsize=1g"), "j:1: [a does not end with a ]; hint: a section starts with [name]");
    assert_eq!(
        refusal("[a]\n\u{0}\u{1}"),
        "j:2: the line has the control character '\\0'; hint: a job file is text: [section] and key=value"
    );
    assert_eq!(refusal("[a]\niodeepth=4"), "j:2: key \"iodeepth\" is not known; hint: did you mean iodepth?");
    assert_eq!(refusal("[a]\nRW=read"), "j:2: key \"RW\" is not known; hint: keys are in lower case: rw");
    assert_eq!(
        refusal("\u{7f}ELF"),
        "j:1: the line has the control character '\\u{7f}'; hint: a job file is text: [section] and key=value"
    );
}

/// Fragments of job files.
fn fragment() -> impl Strategy<Value = String> {
    let names: Vec<&'static str> = fio::keys().map(|key| key.name).collect();
    let value = prop_oneof![
        "[0-9a-z%:/,.() +*^-]{0,12}",
        "[0-9]{1,20}[kmgtpib]{0,3}",
        Just("randrw".to_owned()),
        Just("null".to_owned()),
        Just("zoned:50/:/".to_owned()),
        Just("$pagesize*$ncpus".to_owned()),
        "\\PC{0,8}",
    ];
    prop_oneof![
        8 => (proptest::sample::select(names), value).prop_map(|(name, value)| format!("{name}={value}\n")),
        1 => "\\[[a-z]{0,6}\\]\n",
        1 => Just("[global]\n".to_owned()),
        1 => "\\PC{0,20}\n",
    ]
}

proptest! {
    #[test]
    fn no_text_panics(text in "(?s).{0,200}") {
        if let Ok(file) = JobFile::parse("j", &text, &surroundings()) {
            drop(plan(&[file], &[], &surroundings()));
        }
    }

    #[test]
    fn no_job_panics(fragments in proptest::collection::vec(fragment(), 0..20)) {
        if let Ok(file) = JobFile::parse("j", &format!("[j]\n{}", fragments.concat()), &surroundings()) {
            drop(plan(&[file], &[], &surroundings()));
        }
    }

    #[test]
    fn no_single_setting_panics(text in fragment()) {
        if let Ok(file) = JobFile::parse("j", &format!("[j]\nsize=1g\n{text}"), &surroundings()) {
            drop(plan(&[file], &[], &surroundings()));
        }
    }

    #[test]
    fn no_override_panics(text in "[a-z_=,0-9\\\\]{0,40}") {
        drop(fio::overrides(&text, &surroundings()));
    }

    #[test]
    fn blanks_and_comments_change_nothing(index in 0usize..7, blanks in "[ \t]{0,3}", comment in "[;#][a-z =]{0,9}") {
        let paths = files(&folder());
        let path = &paths[index % paths.len()];
        let text = fs::read_to_string(path).expect("a job file");
        let change = |line: &str| match line.split_once('=') {
            Some((key, value)) => format!("{blanks}{key}{blanks}={blanks}{value}{blanks}{comment}\r\n"),
            None => format!("{blanks}{line}{blanks}\r\n"),
        };
        let changed: String = text.lines().map(change).collect();
        let name = path.display().to_string();
        let changed = JobFile::parse(&name, &changed, &surroundings()).expect("the same file");
        prop_assert_eq!(plan(&[changed], &[], &surroundings()), plan(&[read(path)], &[], &surroundings()));
    }
}

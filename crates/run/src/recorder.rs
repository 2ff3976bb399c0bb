//! A record during an invocation: each change is appended to its file at once, so that a crash or Ctrl-C loses at most
//! the run in flight.

use std::num::NonZeroU32;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use record::{DataSet, Line, Outcome, PlannedRun, Record, Run, Status, Timestamp, Unproved};
use store::{Viewers, Writer};

use crate::{Error, Fault, Result};

/// A record and its file.
pub(crate) struct Recorder {
    record: Record,
    path: PathBuf,
    writer: Option<Writer>,
    /// Changes of a resumed record, until [`Recorder::begin`] appends them.
    resumption: Option<Resumption>,
    /// Who followed it live when the last run had ended, or at the begin.
    viewers: Viewers,
}

/// Numbers of runs.
#[derive(Default)]
struct Resumption {
    repeated: Vec<u32>,
    unplanned: Vec<u32>,
}

impl Deref for Recorder {
    type Target = Record;

    fn deref(&self) -> &Record {
        &self.record
    }
}

impl Recorder {
    /// A new record, to be created at `path`.
    pub(crate) fn new(path: &Path, record: Record) -> Recorder {
        Recorder { record, path: path.to_owned(), writer: None, resumption: None, viewers: Viewers::default() }
    }

    /// The record at `path`, resumed. Failed runs are removed from it, and will be repeated.
    pub(crate) fn resumed(path: &Path, (writer, mut record): (Writer, Record)) -> Recorder {
        let failed = record.runs.extract_if(.., |run| run.outcome != Outcome::Done);
        let repeated = failed.map(|run| run.number).collect();
        (record.status, record.reason, record.ended_at, record.host.at_end) = (Status::Running, None, None, None);
        let resumption = Some(Resumption { repeated, unplanned: Vec::new() });
        Recorder { record, path: path.to_owned(), writer: Some(writer), resumption, viewers: Viewers::default() }
    }

    /// Creates the file, or appends that the record is resumed. Nothing is written before.
    pub(crate) fn begin(&mut self) -> Result<()> {
        self.viewers = self.viewers_now();
        match self.resumption.take() {
            None => self.writer = Some(Writer::create(&self.path, &self.record)?),
            Some(Resumption { repeated, unplanned }) => {
                self.append(&Line::Resumed { repeated })?;
                self.append_unplanned(unplanned)?;
            }
        }
        Ok(())
    }

    fn append(&mut self, line: &Line<&Run>) -> Result<()> {
        self.writer.as_mut().map_or(Ok(()), |writer| Ok(writer.append(line)?))
    }

    /// How many follow it live.
    pub(crate) fn viewers(&self) -> u32 {
        self.viewers.now
    }

    fn viewers_now(&self) -> Viewers {
        let directory = self.path.parent().filter(|parent| !parent.as_os_str().is_empty());
        store::viewers(directory.unwrap_or(Path::new(".")))
    }

    /// Adds a finished run, or one that goes on, in the place of what is known of it.
    pub(crate) fn add_run(&mut self, mut run: Run) -> Result<()> {
        let viewers = self.viewers_now();
        run.live_viewers = NonZeroU32::new(viewers.since(self.viewers));
        self.viewers = viewers;
        let known = self.record.runs.iter().position(|known| known.number == run.number);
        let index = known.unwrap_or(self.record.runs.len());
        match known {
            Some(index) => self.record.runs[index] = run,
            None => self.record.runs.push(run),
        }
        self.append_run(index)
    }

    fn append_run(&mut self, index: usize) -> Result<()> {
        let (Some(run), Some(writer)) = (self.record.runs.get(index), &mut self.writer) else { return Ok(()) };
        Ok(writer.append(&Line::Run(run))?)
    }

    /// Changes the last run for which `which` is true, if there is one.
    pub(crate) fn change_run(&mut self, which: impl Fn(&Run) -> bool, change: impl FnOnce(&mut Run)) -> Result<()> {
        let Some(index) = self.record.runs.iter().rposition(which) else { return Ok(()) };
        let before = self.record.runs[index].clone();
        change(&mut self.record.runs[index]);
        if self.record.runs[index] == before { Ok(()) } else { self.append_run(index) }
    }

    /// Adds a run to the plan.
    pub(crate) fn plan_run(&mut self, planned: PlannedRun) -> Result<()> {
        self.record.plan.runs.push(planned.clone());
        self.append(&Line::Planned(planned))
    }

    /// Removes from the plan the runs for which `removes` is true, given the completed runs. Returns whether there were
    /// any.
    pub(crate) fn unplan_runs(&mut self, removes: impl Fn(&PlannedRun, &[Run]) -> bool) -> Result<bool> {
        let Record { plan, runs, .. } = &mut self.record;
        let removed: Vec<u32> =
            plan.runs.extract_if(.., |planned| removes(planned, runs)).map(|run| run.number).collect();
        let any = !removed.is_empty();
        match &mut self.resumption {
            Some(resumption) => resumption.unplanned.extend(removed),
            None => self.append_unplanned(removed)?,
        }
        Ok(any)
    }

    fn append_unplanned(&mut self, numbers: Vec<u32>) -> Result<()> {
        if numbers.is_empty() { Ok(()) } else { self.append(&Line::Unplanned { numbers }) }
    }

    /// Adds `set` to the data sets; how a table was loaded is kept when it is reused.
    pub(crate) fn add_data_set(&mut self, set: DataSet) -> Result<()> {
        match self.record.data_sets.iter_mut().find(|known| known.table == set.table) {
            Some(known) if set.reused && known.fingerprint == set.fingerprint => return Ok(()),
            Some(known) => *known = set.clone(),
            None => self.record.data_sets.push(set.clone()),
        }
        self.append(&Line::DataSet(set))
    }

    /// Sets the tests whose limit could not be proved.
    pub(crate) fn set_unproved(&mut self, unproved: Vec<Unproved>) -> Result<()> {
        if self.record.unproved == unproved {
            return Ok(());
        }
        self.record.unproved.clone_from(&unproved);
        self.append(&Line::Unproved(unproved))
    }

    /// Sets the end of the record, the reason if it was aborted, and the state of the machine now. [`Recorder::end`]
    /// writes it.
    pub(crate) fn conclude(&mut self, error: Option<&Error>) {
        let record = &mut self.record;
        (record.status, record.reason) = match error {
            None => (Status::Finished, None),
            Some(error) if error.fault == Fault::Interrupted => (Status::Interrupted, None),
            Some(error) => (Status::Failed, Some(error.message.clone())),
        };
        record.ended_at = Some(timestamp());
        let directory = Path::new(&record.plan.directory);
        record.host.at_end = Some(host::state(directory, record.host.at_start.as_ref()));
    }

    /// Appends the end of the record.
    pub(crate) fn end(&mut self) -> Result<()> {
        self.writer.as_mut().map_or(Ok(()), |writer| Ok(writer.append_end(&self.record)?))
    }

    /// The record. Other processes may append to the file from here on.
    pub(crate) fn into_record(self) -> Record {
        self.record
    }
}

/// The current wall-clock time.
pub(crate) fn timestamp() -> Timestamp {
    Timestamp(humantime::format_rfc3339_millis(SystemTime::now()).to_string())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use record::UnprovedReason;

    use super::*;

    const DOP: &str = r#""dop":{"nodes":1,"jobs":1,"threads":1}"#;

    fn planned(number: u32) -> String {
        format!(r#"{{"number":{number},"test":"T611",{DOP},"repeat":{number}}}"#)
    }

    /// The line of a run with this outcome. The figures here and below have no meaning.
    fn run(number: u32, outcome: &str) -> String {
        let latency = r#"{"count":0,"min_ns":0,"mean_ns":0,"p50_ns":0,"p90_ns":null,"p99_ns":null,"p999_ns":null,"max_ns":0,"histogram":""}"#;
        format!(
            r#"{{"run":{{"number":{number},"test":"T611","title":"","layer":"server","unit":"row","sweep":"jobs",{DOP},
            "pace":"unthrottled","ceiling":null,"cache_fit":null,"data_bytes":null,"commits_expected":null,
            "changes":false,"parameters":{{}},"started_at":"2026-01-31T12:00:00.000Z","window_ns":1,"outcome":{outcome},
            "totals":{{"steps":0,"operations":0,"rows":0,"transactions":0,"bytes":null,"failures":{{}},"unfinished":0}},
            "service":{latency},"response":{latency},"readings":[],"findings":[],
            "seconds":{{"steps":[],"service_ns_sum":[],"service_ns_max":[]}}}}}}"#
        )
        .replace('\n', "")
            + "\n"
    }

    /// The lines of a record in which run 1 is done, run 2 failed, and run 3 was not started.
    fn aborted() -> String {
        let host = r#"{"host_name":null,"product":null,"cpu":{"threads":1,"caches":[],"numa_nodes":[]},"memory":{"total_bytes":1},"file_system":null,"devices":[],"kernel":{"release":"","architecture":""},"virtualisation":null,"cgroup":{}}"#;
        let head = format!(
            r#"{{"head":{{"format":"dbdyno record","schema_version":1,"id":"r","tool":{{"version":"","optimised":true}},
            "started_at":"2026-01-31T12:00:00.000Z","plan":{{"target":"null","directory":"/tmp","preset":"smoke",
            "window_ns":1,"warm_up_ns":0,"steps":null,"seed":1,"placement":"kernel","pace":"unthrottled",
            "small_rows":1,"large_rows":1,"repeats":3,"runs":[{},{},{}],"skipped":[],"test_files":[]}},"host":{host},
            "engine":null,"instrument":{{"clock_source":null,"clock_read_ns":1.0,"loop_step_ns":1.0,
            "null_engine_step_ns":1.0,"sample_ns":1}}}}}}"#,
            planned(1),
            planned(2),
            planned(3)
        );
        let end = r#"{"end":{"status":"failed","reason":"it was aborted","ended_at":"2026-01-31T12:01:00.000Z"}}"#;
        let failed = run(2, r#"{"status":"failed","message":"it was aborted"}"#);
        head.replace('\n', "") + "\n" + &run(1, r#"{"status":"done"}"#) + &failed + end + "\n"
    }

    #[test]
    fn additions_are_in_the_file_at_once() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("r.jsonl");
        fs::write(&path, aborted()).unwrap();
        let mut recorder = Recorder::resumed(&path, Writer::resume(&path).unwrap());
        let same = |recorder: &Recorder, done: &str| assert_eq!(store::read(&path).unwrap(), **recorder, "{done}");
        assert_eq!(recorder.runs.len(), 1);
        let removed = recorder
            .unplan_runs(|planned, runs| planned.number > 2 && runs.iter().all(|run| run.number != planned.number));
        assert!(removed.unwrap() && recorder.plan.runs.len() == 2);
        assert_eq!(fs::read_to_string(&path).unwrap(), aborted(), "nothing is written before `begin`");
        recorder.begin().unwrap();
        same(&recorder, "started");
        assert_eq!(recorder.status, Status::Running);
        let planned = PlannedRun { number: 3, ..recorder.plan.runs[0].clone() };
        recorder.plan_run(planned).unwrap();
        same(&recorder, "planned");
        for number in [2, 3] {
            let run = Run { number, ..recorder.runs[0].clone() };
            recorder.add_run(run).unwrap();
            same(&recorder, "run");
        }
        recorder.change_run(|run| run.number < 3, |run| run.title.push('!')).unwrap();
        same(&recorder, "changed");
        assert_eq!(recorder.runs.iter().map(|run| run.title.as_str()).collect::<Vec<&str>>(), ["", "!", ""]);
        let set = |reused: bool, fingerprint: &str| DataSet {
            table: "small".to_owned(),
            rows: 1,
            size_bytes: record::Bytes(1),
            fingerprint: fingerprint.to_owned(),
            reused,
            jobs: 1,
            load_ns: None,
            finish_ns: None,
            generator_cpu_ns: None,
            server_cpu_ns: None,
        };
        for (reused, fingerprint, kept) in
            [(false, "a", false), (true, "a", false), (true, "b", true), (false, "b", false)]
        {
            recorder.add_data_set(set(reused, fingerprint)).unwrap();
            same(&recorder, "data set");
            assert_eq!(recorder.data_sets, [set(kept, fingerprint)]);
        }
        recorder.unplan_runs(|planned, _| planned.number == 3).unwrap();
        same(&recorder, "unplanned");
        let reason = UnprovedReason::UnknownLimit;
        let unproved = Unproved { test: "T611".to_owned(), dop: recorder.runs[0].dop, reason };
        recorder.set_unproved(vec![unproved]).unwrap();
        same(&recorder, "unproved");
        recorder.conclude(Some(&Error::environment("no space")));
        recorder.end().unwrap();
        same(&recorder, "ended");
        assert_eq!((recorder.status, recorder.reason.as_deref()), (Status::Failed, Some("no space")));
    }

    #[test]
    fn a_record_that_cannot_be_created_stays_in_memory() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("r.jsonl");
        fs::write(&path, aborted()).unwrap();
        let mut recorder = Recorder::new(&path, store::read(&path).unwrap());
        assert!(recorder.begin().unwrap_err().message.ends_with("cannot be written: it exists"));
        recorder.conclude(None);
        recorder.end().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), aborted());
        assert_eq!(recorder.into_record().status, Status::Finished);
    }
}

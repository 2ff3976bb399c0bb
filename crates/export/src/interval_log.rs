//! Histograms as logs that viewers of HdrHistogram read: one file for each run.
//!
//! A line has start and length of an interval in seconds from the start of the window, its maximum in milliseconds, and
//! a histogram of response times in nanoseconds as in the record. Lines without a tag are the slices of the window, or
//! the whole window where the record has no slices; those with `Tag=response` and `Tag=service` are all response and
//! all service times of the run. Invalid runs have no log, because a viewer cannot mark them.

use std::fmt::Write as _;
use std::io::Write;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::Deserializer;
use record::{Record, Run};

use crate::error::{Error, Result};
use crate::folder::Folder;
use crate::naming::file_name_safe;

/// Nanoseconds in the unit of the largest values.
const NANOS_PER_MILLISECOND: f64 = 1e6;

/// The logs of the runs of a record.
#[derive(Default)]
pub(crate) struct Logs {
    /// Intervals without a tag, of all runs.
    pub(crate) intervals: usize,
    /// Invalid runs.
    pub(crate) left_out: usize,
}

/// Writes a file for each run of `record` that is not invalid; file names start with `stem`.
pub(crate) fn write_logs(folder: &Folder, stem: &str, record: &Record) -> Result<Logs> {
    let mut logs = Logs::default();
    for run in &record.runs {
        if model::is_invalid(run) {
            logs.left_out += 1;
            continue;
        }
        let (text, intervals) = log(run);
        let (path, mut file) =
            folder.create(&format!("{stem}.{:06}.{}.hlog", run.number, file_name_safe(&run.test)))?;
        file.write_all(text.as_bytes()).and_then(|()| file.flush()).map_err(|cause| Error::write(&path, cause))?;
        logs.intervals += intervals;
    }
    Ok(logs)
}

/// The log of a run, and its intervals without a tag.
fn log(run: &Run) -> (String, usize) {
    let start = epoch_seconds(run);
    let mut text = format!(
        "#[Run {}: {} at {} jobs, response times in ns]\n#[Histogram log format version 1.3]\n",
        run.number,
        single_line(&run.test),
        run.dop.jobs
    );
    // Writing to a string cannot fail.
    let _ = writeln!(text, "#[StartTime: {start:.3} (seconds since epoch), {}]", single_line(&run.started_at.0));
    let _ = writeln!(text, "#[BaseTime: {start:.3} (seconds since epoch)]");
    text.push_str("\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n");
    let window = run.window_ns.seconds();
    let mut intervals = 0;
    for (index, histogram) in run.slices.iter().flat_map(|slices| slices.responses.iter().enumerate()) {
        let width = run.slices.as_ref().map_or(0.0, |slices| slices.width_ns.seconds());
        let from = index as f64 * width;
        let length = width.min((window - from).max(0.0));
        intervals += usize::from(line(&mut text, "", from, length, histogram));
    }
    if run.slices.is_none() {
        intervals += usize::from(line(&mut text, "", 0.0, window, &run.response.histogram));
    }
    line(&mut text, "Tag=response,", 0.0, window, &run.response.histogram);
    line(&mut text, "Tag=service,", 0.0, window, &run.service.histogram);
    (text, intervals)
}

/// Appends an interval and returns true; false for an absent or unreadable histogram.
fn line(text: &mut String, tag: &str, start: f64, length: f64, stored: &str) -> bool {
    let Some(histogram) = decode(stored) else { return false };
    let max = histogram.max() as f64 / NANOS_PER_MILLISECOND;
    let _ = writeln!(text, "{tag}{start:.6},{length:.6},{max:.6},{stored}");
    true
}

fn decode(stored: &str) -> Option<Histogram<u64>> {
    let bytes = BASE64_STANDARD.decode(stored).ok()?;
    Deserializer::new().deserialize(&mut bytes.as_slice()).ok()
}

/// The start of the window, in seconds since 1970; 0 where it is not known.
fn epoch_seconds(run: &Run) -> f64 {
    let start = humantime::parse_rfc3339(&run.started_at.0).ok();
    start.and_then(|start| start.duration_since(std::time::UNIX_EPOCH).ok()).map_or(0.0, |since| since.as_secs_f64())
}

fn single_line(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

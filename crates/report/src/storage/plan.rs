//! The plan of `dbdyno io` in words.

use record::{Bytes, IoPhase, IoPlan, Nanos};

use super::demand::{Written, count, files, laid_out, space, time, written};
use super::job::sentences;
use crate::figure::{duration, memory};
use crate::layout::{clean, cut, paragraph};
use crate::words::{list, plural};

/// The widest layout of a plan, which has no columns.
const WIDTH_MAX: usize = 80;

/// Column of the texts.
const INDENT: usize = 12;

/// `plan` in words, for `width` columns of which 60 to 80 are used: duration, space, bytes written, then phases with
/// their jobs and files, and ignored options and lints of a job file.
pub fn io_plan_text(plan: &IoPlan, width: usize) -> String {
    let width = crate::page_width(width).min(WIDTH_MAX);
    let mut lines = Vec::new();
    let mut fact = |label: &str, text: String| lines.extend(paragraph(label, INDENT, &text, width));
    fact("phases", format!("{}, in sequence", plan.phases.len()));
    fact("time", total_time(plan));
    fact("space", needed(plan));
    fact("writes", writes(plan));
    for (index, phase) in plan.phases.iter().enumerate() {
        lines.push(String::new());
        lines.extend(paragraph(&format!("phase {}", index + 1), INDENT, &head(phase), width));
        for job in &phase.jobs {
            let label = format!("  {}", cut(&clean(&job.name), INDENT - 3));
            for (index, sentence) in sentences(job).iter().enumerate() {
                let label = if index == 0 { label.as_str() } else { "" };
                lines.extend(paragraph(label, INDENT, sentence, width));
            }
        }
    }
    let remarks = remarks(plan, width);
    if !remarks.is_empty() {
        lines.push(String::new());
        lines.extend(remarks);
    }
    let mut text = lines.join("\n");
    text.push('\n');
    text
}

fn head(phase: &IoPhase) -> String {
    let time =
        time(phase).map_or_else(|| "until its I/O completes".to_owned(), |time| format!("at most {}", duration(time)));
    format!("{}: {}, {time}", clean(&phase.name), plural(phase.jobs.len() as u64, "job"))
}

/// Lints of the job file, and options without effect.
fn remarks(plan: &IoPlan, width: usize) -> Vec<String> {
    let label = |label: &'static str| [label].into_iter().chain(std::iter::repeat(""));
    let notes = label("  note").zip(&plan.lints).chain(label("  ignored").zip(&plan.ignored));
    notes.flat_map(|(label, text)| paragraph(label, INDENT, text, width)).collect()
}

/// The time of all phases, without the layout of files.
fn total_time(plan: &IoPlan) -> String {
    let known: Vec<Nanos> = plan.phases.iter().filter_map(time).collect();
    let sum = duration(known.iter().fold(Nanos(0), |sum, time| sum + *time));
    let open = plan.phases.len() - known.len();
    let open = (open > 0).then(|| format!("{} until the I/O completes", plural(open as u64, "phase")));
    let timed = (!known.is_empty()).then(|| format!("at most {sum} of windows and ramps"));
    let laid_out = (laid_out(&files(plan)).0 > 0).then(|| "plus the time to lay out the files".to_owned());
    list([timed, open, laid_out].into_iter().flatten())
}

fn needed(plan: &IoPlan) -> String {
    let files = files(plan);
    let ours = count(files.iter().filter(|file| file.layout.is_some()));
    let found = count(&files) - ours;
    let made = (ours > 0).then(|| format!("{} in {}, removed at the end", memory(space(&files)), plural(ours, "file")));
    let unknown = files.iter().any(|file| file.layout.is_some() && file.size.is_none());
    let unknown = unknown.then(|| "as far as sizes are known".to_owned());
    let noun = if found == 1 { "file or device" } else { "files or devices" };
    let found = (found > 0).then(|| format!("{found} {noun} used as is"));
    list([made, unknown, found].into_iter().flatten())
}

/// Bytes written in advance and by the jobs.
fn writes(plan: &IoPlan) -> String {
    let before = laid_out(&files(plan));
    let (mut bytes, mut for_time, mut unknown) = (0u64, Nanos(0), false);
    for job in plan.phases.iter().flat_map(|phase| &phase.jobs) {
        match written(job) {
            Written::AtMost(Bytes(more)) => bytes = bytes.saturating_add(more),
            Written::ForTime(time) => for_time = for_time + time,
            Written::Unknown => unknown = true,
        }
    }
    let parts = [
        (before.0 > 0).then(|| format!("{} to lay out files", memory(before))),
        (bytes > 0).then(|| format!("at most {} by jobs", memory(Bytes(bytes)))),
        (for_time.0 > 0)
            .then(|| format!("as much as the device accepts in {} of jobs without a limit", duration(for_time))),
        unknown.then(|| "an amount that depends on sizes not known yet".to_owned()),
    ];
    let trims = plan.phases.iter().flat_map(|phase| &phase.jobs).any(|job| job.mix.trim.0 > 0.0);
    let trims = trims.then(|| "trims, which destroy the data there".to_owned());
    let shown = list(parts.into_iter().flatten().chain(trims));
    if shown.is_empty() { "nothing".to_owned() } else { shown }
}

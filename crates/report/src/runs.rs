//! The table of runs: by line in parts that fit a terminal, on a page with all columns.

use model::Credits;
use record::{Nanos, Preset, Record};
use tables::Row;
use tables::run::{self, RunRow};

use crate::RUNS_LISTED_MAX;
use crate::document::{Block, Cell, Section, Table, Text, Tone};
use crate::figure::duration;
use crate::kind::{Kind, RunTables};
use crate::verdict::verdict_cell;
use crate::view::View;
use crate::words::{dop, list, unit_per_second, variation, varied};

/// Lines of the table of a page.
const RUNS_MAX: usize = 1000;

/// The columns that identify a run by line.
const IDENTITY: [&str; 3] = ["run", "test", "at"];

/// The tables by line: an id, a caption, the columns beside those that identify the run, and which runs have a line.
type Part<'a> = (&'static str, &'static str, &'static [&'static str], fn(&RunRow<'a>) -> bool);

/// Operations and rows per second, service and response times, the window.
const RATES: [&str; 7] =
    ["unit", "operations_per_second", "rows_per_second", "service_ns_*", "response_ns_p9*", "window_ns", "verdict"];

/// I/O requested by the engine, its log, logical reads.
const ENGINE_IO: [&str; 7] = [
    "engine_reads_per_second",
    "engine_writes_per_second",
    "engine_read_bytes_per_second",
    "engine_write_bytes_per_second",
    "redo_bytes_per_second",
    "redo_syncs_per_second",
    "logical_reads_per_second",
];

/// I/O at the block layer, flushes.
const DEVICE_IO: [&str; 5] = [
    "device_reads_per_second",
    "device_writes_per_second",
    "device_read_bytes_per_second",
    "device_write_bytes_per_second",
    "device_flushes_per_second",
];

/// CPU of the host in percent, of dbdyno, the engine and other programs in processors.
const PROCESSORS: [&str; 7] = [
    "host_cpu_user_ratio",
    "host_cpu_system_ratio",
    "host_cpu_iowait_ratio",
    "host_cpu_steal_ratio",
    "client_cpus",
    "server_cpus",
    "foreign_cpus",
];

/// The worst minute against the first and the median.
const MINUTES: [&str; 6] = [
    "unit",
    "first_minute_operations_per_second",
    "median_minute_operations_per_second",
    "worst_minute_operations_per_second",
    "worst_minute",
    "verdict",
];

/// The columns of published reports, in their order; as many fit on paper.
const PUBLISHED: [&str; 29] = [
    "run",
    "test",
    "nodes",
    "jobs",
    "threads",
    "unit",
    "operations_per_second",
    "rows_per_second",
    "host_cpu_ratio",
    "client_host_cpu_ratio",
    "server_host_cpu_ratio",
    "foreign_host_cpu_ratio",
    "engine_reads_per_second",
    "engine_writes_per_second",
    "engine_io_per_second",
    "engine_read_bytes_per_second",
    "engine_write_bytes_per_second",
    "engine_io_bytes_per_second",
    "device_reads_per_second",
    "device_writes_per_second",
    "device_io_per_second",
    "device_read_bytes_per_second",
    "device_write_bytes_per_second",
    "device_io_bytes_per_second",
    "redo_bytes_per_second",
    "service_ns_*",
    "response_ns_p9*",
    "window_ns",
    "verdict",
];

/// The columns that other parts of a page show, and the counts behind rates.
const LEFT_OUT: [&str; 20] = [
    "record",
    "repeat",
    "title",
    "layer",
    "sweep",
    "variation",
    "variation_resource",
    "variation_ratio",
    "think_ns",
    "started_at",
    "outcome",
    "message",
    "invalid",
    "data_bytes",
    "steps",
    "operations",
    "rows",
    "transactions",
    "bytes",
    "data_reads",
];

/// How to read the table of a page.
const READING: &str = "Click a column heading to sort. Figures that no run has are left out. MB are 10⁶ bytes, 1/s I/Os per second. Engine: \
     requests of the engine to the operating system, which may serve reads from the page cache; device: requests at the \
     block layer, I/O of other programs included. An invalid run has no figures.";

/// A line per run, in the order of execution: by line the parts that a record of this kind needs, on a page all figures.
pub(crate) fn runs(record: &Record) -> Section {
    let by_line = parts(record).into_iter().map(|part| by_line(record, part).into());
    let more = (record.runs.len() > RUNS_MAX).then(|| {
        let words = format!("The first {RUNS_MAX} of {} runs are shown; ", record.runs.len());
        Block::note(
            Tone::Plain,
            [Text::from(words).code("dbdyno report RECORD --format csv").plain(" writes all of them.")],
        )
    });
    let whole = [Some(Block::text(READING)), more, Some(whole(record).into()), too_short(record)]
        .into_iter()
        .flatten()
        .collect();
    let by_line = not_listed(record).into_iter().chain(by_line).chain(too_short(record)).collect();
    let body = if record.runs.is_empty() { Vec::new() } else { vec![Block::by_line(by_line), Block::whole(whole)] };
    Section::new("runs", "Runs", body).folded()
}

/// Why no run has rates by minute; none where one has, and of a smoke run, whose figures mean nothing.
fn too_short(record: &Record) -> Option<Block> {
    let window = record.runs.iter().map(|run| match model::credits(run) {
        Some(Credits::TooShort { window_ns_min }) => Some(window_ns_min),
        Some(Credits::Minutes(_)) | None => None,
    });
    let window_ns_min = window.collect::<Option<Vec<Nanos>>>()?.into_iter().max()?;
    let words = format!(
        "Windows of less than {:.0} min are too short to see credits of disks and processors that are spent: preset soak.",
        window_ns_min.seconds() / 60.0
    );
    (record.plan.preset != Preset::Smoke).then(|| Block::aside(words))
}

/// A note where tables list not all runs, with the command that writes all of them.
pub(crate) fn not_listed(record: &Record) -> Option<Block> {
    let all = record.runs.len();
    let words = format!("The first {RUNS_LISTED_MAX} of {all} runs are listed; ");
    let text = Text::from(words).code("dbdyno report RECORD --format csv").plain(" writes all of them.");
    (all > RUNS_LISTED_MAX).then(|| Block::note(Tone::Plain, [text]))
}

/// The tables of a record of this kind.
fn parts<'a>(record: &Record) -> Vec<Part<'a>> {
    let of_io: [Part<'a>; 2] = [
        // Probes have no engine.
        ("runs-engine", "I/O requested by the engine", &ENGINE_IO, |of| {
            has_io(of) && of.row.engine_io.total_per_second().is_some()
        }),
        ("runs-device", "I/O at the block layer", &DEVICE_IO, has_io),
    ];
    match Kind::of(record).run_tables {
        RunTables::All => {
            let rates: Part<'a> = ("runs-rates", "Rates and times", &RATES, |_| true);
            let minutes: Part<'a> =
                ("runs-minutes", "Rates by minute", &MINUTES, |of| !of.is_invalid() && of.minutes().is_some());
            let processors: Part<'a> = ("runs-processors", "Processors", &PROCESSORS, |of| !of.is_invalid());
            [rates].into_iter().chain(of_io).chain([minutes, processors]).collect()
        }
        RunTables::Io => of_io.into(),
        RunTables::None => Vec::new(),
    }
}

/// Whether a run is valid and did I/O.
fn has_io(of: &RunRow<'_>) -> bool {
    !of.is_invalid() && of.has_io()
}

/// A table by line.
fn by_line<'a>(record: &'a Record, (id, caption, figures, is_shown): Part<'a>) -> Table {
    let view = view()
        .words("at", ("", "at"), |of| Cell::text(at(of)))
        .figure("window_ns", ("", "time"), |of| match of.is_invalid() {
            true => Cell::empty(),
            false => Cell::Figure(duration(of.run.window_ns), Some(of.run.window_ns.0 as f64)),
        })
        .only(&[&IDENTITY, figures].concat());
    view.table(id, caption, run::rows(record).take(RUNS_LISTED_MAX).filter(is_shown), tone)
}

/// The table of a page.
fn whole(record: &Record) -> Table {
    let view = view().words("test", ("", "test"), |of| Cell::text(test(of))).except(&LEFT_OUT);
    let view = view.first(&PUBLISHED).with_others(2);
    view.table("runs-table", "Runs in the order of execution", run::rows(record).take(RUNS_MAX), tone)
}

fn view<'a>() -> View<RunRow<'a>> {
    View::of(run::columns())
        .words("unit", ("", "unit"), |of| Cell::text(unit_per_second(of.run.unit).trim_end_matches("/s")))
        .words("verdict", ("", "verdict"), |of| verdict_cell(of.row.verdict))
}

fn tone(of: &RunRow<'_>) -> Tone {
    Tone::of(of.row.verdict)
}

/// The degree of parallelism, and how the run differs from the plain one.
fn at(of: &RunRow<'_>) -> String {
    let at = dop(of.run.dop, of.run.sweep);
    of.run.variation.map_or(at.clone(), |variation| format!("{at} {}", varied(variation)))
}

/// The test, and the variation of the run.
fn test(of: &RunRow<'_>) -> String {
    list([Some(of.run.test.clone()), of.run.variation.map(variation)].into_iter().flatten())
}

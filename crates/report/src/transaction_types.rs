//! Figures of the types of transactions: of scripts, of the transactions of a mix, and of their statements.

use record::{Record, Run, Script};
use tables::transaction_type::{self, StatementRow, TypeRow};

use crate::document::{Block, Cell, Section, Table, Tone};
use crate::figure::{grouped, nanos};
use crate::layout::{clean, cut};
use crate::nodes::runs_by_line;
use crate::view::View;
use crate::words::plural;

/// Lines of a table of a page.
const LINES_MAX: usize = 1_000;

/// Characters of a name, and of a statement.
const NAME_MAX: usize = 24;
const STATEMENT_MAX: usize = 60;

/// The columns of types that are shown everywhere; the first four name the line.
const OF_TYPE: [&str; 8] =
    ["run", "jobs", "type", "steps_ratio", "operations_per_second", "failures", "service_ns_mean", "service_ns_*"];

/// The columns of a figure per minute.
const PER_MINUTE: [&str; 5] = ["run", "jobs", "type", "minute_figure", "per_minute"];

/// The columns of statements that are shown everywhere; the first five name the line.
const OF_STATEMENT: [&str; 8] =
    ["run", "type", "line", "statement", "executions", "failures", "service_ns_mean", "service_ns_*"];

/// How to read the figures.
const READING: &str = "A type is a script, or a transaction of a mix. Times of a type are with its tries and pauses; those of a \
                       statement are of its executions that succeeded, each from sending it until its answer was read.";

/// A line per type of transactions and per statement: by line those of the fastest run of each test, on a page those of all runs.
pub(crate) fn transaction_types(record: &Record) -> Section {
    let lines = transaction_type::rows(record).count();
    // Of one type of one statement the run itself says all.
    let tells_apart = |run: &Run| match run.transaction_types.as_slice() {
        [] => false,
        [one] => one.statements.len() > 1,
        _ => true,
    };
    if !record.runs.iter().any(tells_apart) {
        return Section::new("transaction-types", "Types of transactions", Vec::new());
    }
    let shown = runs_by_line(record, |run| !run.transaction_types.is_empty());
    let of_queries = || Block::list(record.runs.iter().filter_map(queries).collect::<Vec<String>>());
    let has_figure = |of: &TypeRow<'_>| of.of.per_minute.is_some();
    let rows_per_minute = || transaction_type::rows(record).filter(has_figure);
    let is_per_minute = rows_per_minute().next().is_some();
    let fastest_per_minute =
        || per_minute("per-minute-fastest", rows_per_minute().filter(|of| shown.contains(&of.run.number)));
    let mut fastest = vec![
        of_queries(),
        types("types-fastest", transaction_type::rows(record).filter(|of| shown.contains(&of.run.number))).into(),
        statements(
            "statements-fastest",
            transaction_type::statement_rows(record).filter(|of| shown.contains(&of.run.number)),
        )
        .into(),
    ];
    if is_per_minute {
        fastest.insert(1, fastest_per_minute().into());
    }
    let statement_lines = transaction_type::statement_rows(record).count();
    let is_cut = lines.max(statement_lines) > LINES_MAX;
    let more = format!("The first {LINES_MAX} lines of each table are shown; the record has all.");
    let whole = [
        Some(Block::text(READING)),
        Some(of_queries()),
        is_cut.then(|| Block::note(Tone::Plain, [more])),
        Some(types("types-table", transaction_type::rows(record).take(LINES_MAX)).into()),
        is_per_minute.then(|| per_minute("per-minute-table", rows_per_minute().take(LINES_MAX)).into()),
        Some(statements("statements-table", transaction_type::statement_rows(record).take(LINES_MAX)).into()),
    ];
    let body = vec![Block::by_line(fastest), Block::whole(whole.into_iter().flatten().collect())];
    Section::new("transaction-types", "Types of transactions", body)
}

/// Those of `rows` that are known by a figure per minute, as that.
fn per_minute<'a>(id: &str, rows: impl Iterator<Item = TypeRow<'a>>) -> Table {
    let view = View::of(transaction_type::columns())
        .words("type", ("", "type"), |of| Cell::text(name(&of.of.name)))
        .only(&PER_MINUTE);
    view.table(id, "Committed transactions per minute", rows, |_| Tone::Plain)
}

/// What `run` says of queries together, if it is of queries and counts.
fn queries(run: &Run) -> Option<String> {
    let per_hour = model::queries_per_hour(run).filter(|_| !model::is_invalid(run))?;
    let mean = model::query_geometric_mean(run).map(|mean| format!(", geometric mean of their times {}", nanos(mean)));
    let (number, jobs, mean) = (run.number, plural(run.dop.jobs.into(), "stream"), mean.unwrap_or_default());
    Some(format!("run {number}, {}, {jobs}: {} queries per hour{mean}", run.test, grouped(per_hour)))
}

fn types<'a>(id: &str, rows: impl Iterator<Item = TypeRow<'a>>) -> Table {
    let view = View::of(transaction_type::columns())
        .words("type", ("", "type"), |of| Cell::text(name(&of.of.name)))
        .except(&["record", "invalid", "minute_figure", "per_minute"])
        .first(&OF_TYPE)
        .with_others(4);
    view.table(id, "Types of transactions", rows, |_| Tone::Plain)
}

fn statements<'a>(id: &str, rows: impl Iterator<Item = StatementRow<'a>>) -> Table {
    let view = View::of(transaction_type::statement_columns())
        .words("type", ("", "type"), |of| Cell::text(name(&of.of.0.name)))
        .words("statement", ("", "statement"), |of| Cell::text(cut(&clean(&of.of.1.text), STATEMENT_MAX)))
        .except(&["record", "invalid"])
        .first(&OF_STATEMENT)
        .with_others(4);
    view.table(id, "Statements", rows, |_| Tone::Plain)
}

/// The name of a type: of a file without its folders.
fn name(text: &str) -> String {
    let text = text.strip_prefix(Script::BUILTIN_PREFIX).unwrap_or(text);
    cut(&clean(text.rsplit('/').next().unwrap_or(text)), NAME_MAX)
}

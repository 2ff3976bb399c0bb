//! The closing lines of pgbench, as its `printResults` writes them, for programs that read them.

use record::{FailureKind, Nanos, QueryMode, Record, Run, Script, Totals, TransactionType};

/// What of the lines is asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct PgbenchLines {
    /// Transactions of each session, where a run ends after these.
    pub transactions_per_client: Option<u64>,
    /// Seconds of the run, where it ends after these.
    pub duration_s: Option<u64>,
    /// Threads of the sessions.
    pub threads: u32,
    /// Transactions that take longer are counted.
    pub latency_limit: Option<Nanos>,
    /// The times of each statement.
    pub per_statement: bool,
    /// Failures by kind.
    pub failures_detailed: bool,
    /// Whether progress is shown, which adds the standard deviation.
    pub has_progress: bool,
}

/// The closing lines of pgbench for the first run of `record`; empty without one.
pub fn pgbench_lines(record: &Record, asked: &PgbenchLines) -> String {
    let (Some(run), Some(scripts)) = (record.runs.first(), &record.plan.scripts) else { return String::new() };
    let mut lines = vec![
        format!("transaction type: {}", transaction_type(&scripts.scripts)),
        format!("scaling factor: {}", scale(record)),
        format!("query mode: {}", query_mode(scripts.query_mode)),
        format!("number of clients: {}", run.dop.jobs),
        format!("number of threads: {}", asked.threads),
    ];
    let tries_max = scripts.tries_max.map_or(1, |tries| if tries.get() == u32::MAX { 0 } else { tries.get() });
    // Without a limit pgbench has no such line.
    lines.extend((tries_max > 0).then(|| format!("maximum number of tries: {tries_max}")));
    lines.extend(counts(run, asked, tries_max));
    if run.totals.steps > 0 {
        lines.extend(times((run, scripts.connect), asked));
        let has_types = scripts.scripts.len() > 1;
        let types = run.transaction_types.iter().enumerate();
        lines.extend(types.flat_map(|of| type_lines(run, of, has_types, asked, tries_max)));
    }
    lines.join("\n") + "\n"
}

/// A line for each `every_s` seconds of the first run of `record`, as pgbench shows its progress.
pub fn pgbench_progress(record: &Record, every_s: u64) -> String {
    let Some(run) = record.runs.first() else { return String::new() };
    let whole = (run.window_ns.seconds() + 0.5) as usize;
    let seconds = &run.seconds[..run.seconds.len().min(whole)];
    let every = usize::try_from(every_s).unwrap_or(usize::MAX).max(1);
    let line = |(index, part): (usize, &[record::Second])| {
        let steps: u64 = part.iter().map(|second| second.steps).sum();
        let failures: u64 = part.iter().map(|second| second.failures).sum();
        let done = steps.saturating_sub(failures);
        let time_ns: u64 = part.iter().map(|second| second.response_ns_sum.0).sum();
        let (end, length) = (index * every + part.len(), part.len() as f64);
        let deviation = deviation_of_slices(run, index * every, end);
        format!(
            "progress: {:.1} s, {:.1} tps, lat {:.3} ms stddev {:.3}, {failures} failed\n",
            end as f64,
            done as f64 / length,
            milliseconds(time_ns as f64 / (done as f64).max(1.0)),
            milliseconds(deviation),
        )
    };
    seconds.chunks(every).enumerate().map(line).collect()
}

/// The standard deviation of the response times in the seconds from `first` to `end`, nanoseconds, from slices of one digit.
fn deviation_of_slices(run: &Run, first: usize, end: usize) -> f64 {
    let Some(slices) = &run.slices else { return 0.0 };
    let per_second = (Nanos::SECOND.0 / slices.width_ns.0.max(1)) as usize;
    let all = &slices.responses;
    let part = all.get(first * per_second..(end * per_second).min(all.len())).unwrap_or_default();
    model::standard_deviation(part.iter().map(String::as_str)).unwrap_or(0.0)
}

fn milliseconds(nanoseconds: f64) -> f64 {
    nanoseconds / 1e6
}

/// The description of a script: pgbench has its own for those that are built in.
fn description(script: &str) -> String {
    match script.strip_prefix(Script::BUILTIN_PREFIX) {
        Some("tpcb-like") => "<builtin: TPC-B (sort of)>".to_owned(),
        Some("simple-update") => "<builtin: simple update>".to_owned(),
        Some("select-only") => "<builtin: select only>".to_owned(),
        Some(other) => format!("<builtin: {other}>"),
        None => script.to_owned(),
    }
}

fn transaction_type(scripts: &[Script]) -> String {
    match scripts {
        [one] => description(&one.name),
        _ => "multiple scripts".to_owned(),
    }
}

fn scale(record: &Record) -> String {
    let scripts = record.plan.scripts.as_ref();
    let defined = scripts.and_then(|scripts| scripts.variables.get("scale").cloned());
    let made = scripts.and_then(|scripts| scripts.initialized_scale.map(|scale| scale.to_string()));
    defined.or(made).unwrap_or_else(|| "1".to_owned())
}

fn query_mode(mode: QueryMode) -> &'static str {
    match mode {
        QueryMode::Simple => "simple",
        QueryMode::Extended => "extended",
        QueryMode::Prepared => "prepared",
    }
}

fn failures(totals: &Totals) -> u64 {
    totals.failures.values().fold(0, |sum: u64, count| sum.saturating_add(*count))
}

fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 }
}

fn counts(run: &Run, asked: &PgbenchLines, tries_max: u32) -> Vec<String> {
    let totals = &run.totals;
    let processed = "number of transactions actually processed";
    let done = totals.operations;
    let mut lines = match (asked.transactions_per_client, asked.duration_s) {
        (Some(each), _) => {
            let all = each.saturating_mul(run.dop.jobs.into());
            vec![format!("number of transactions per client: {each}"), format!("{processed}: {done}/{all}")]
        }
        (None, duration) => {
            let seconds = duration.unwrap_or((run.window_ns.seconds() + 0.5) as u64);
            vec![format!("duration: {seconds} s"), format!("{processed}: {done}")]
        }
    };
    lines.extend(failure_lines("", totals, asked));
    lines.extend(retry_lines("", totals, tries_max));
    lines
}

fn failure_lines(lead: &str, totals: &Totals, asked: &PgbenchLines) -> Vec<String> {
    let line =
        |what: &str, count: u64| format!("{lead}number of {what}: {count} ({:.3}%)", percent(count, totals.steps));
    let of = |kind| totals.failures.get(&kind).copied().unwrap_or(0);
    let mut lines = vec![line("failed transactions", failures(totals))];
    if asked.failures_detailed {
        lines.push(line("serialization failures", of(FailureKind::Serialization)));
        lines.push(line("deadlock failures", of(FailureKind::Deadlock)));
    }
    lines
}

fn retry_lines(lead: &str, totals: &Totals, tries_max: u32) -> Vec<String> {
    if tries_max == 1 {
        return Vec::new();
    }
    let (retried, share) = (totals.retried, percent(totals.retried, totals.steps));
    vec![
        format!("{lead}number of transactions retried: {retried} ({share:.3}%)"),
        format!("{lead}total number of retries: {}", totals.retries),
    ]
}

fn above_limit(limit: Nanos, response: &record::Latency) -> String {
    let (late, all) = (model::count_above(response, limit).unwrap_or(0), response.count);
    let limit = milliseconds(limit.0 as f64);
    format!("number of transactions above the {limit:.1} ms latency limit: {late}/{all} ({:.3}%)", percent(late, all))
}

fn times((run, is_connect): (&Run, bool), asked: &PgbenchLines) -> Vec<String> {
    let mut lines: Vec<String> =
        asked.latency_limit.map(|limit| above_limit(limit, &run.response)).into_iter().collect();
    let is_throttled = !matches!(run.pace, record::Pace::Unthrottled);
    match is_throttled || asked.has_progress || asked.latency_limit.is_some() {
        true => lines.extend(statistics("latency", &run.response)),
        false => {
            let all = run.totals.steps as f64;
            let mean = milliseconds(run.window_ns.0 as f64) * f64::from(run.dop.jobs) / all;
            let including = if failures(&run.totals) > 0 { " (including failures)" } else { "" };
            lines.push(format!("latency average = {mean:.3} ms{including}"));
        }
    }
    if is_throttled {
        let lag = |of: fn(&record::Latency) -> Nanos| {
            milliseconds((of(&run.response).0.saturating_sub(of(&run.service).0)) as f64)
        };
        let (mean, most) = (lag(|latency| latency.mean_ns), lag(|latency| latency.max_ns));
        lines.push(format!("rate limit schedule lag: avg {mean:.3} (max {most:.3}) ms"));
    }
    let rate = run.totals.operations as f64 / run.window_ns.seconds().max(f64::MIN_POSITIVE);
    // The time of a transaction is with that of its session.
    let connections = if is_connect { "including reconnection times" } else { "without initial connection time" };
    lines.push(format!("tps = {rate:.6} ({connections})"));
    lines
}

fn statistics(name: &str, latency: &record::Latency) -> Vec<String> {
    let deviation = model::standard_deviation([latency.histogram.as_str()]).unwrap_or(0.0);
    vec![
        format!("{name} average = {:.3} ms", milliseconds(latency.mean_ns.0 as f64)),
        format!("{name} stddev = {:.3} ms", milliseconds(deviation)),
    ]
}

fn type_lines(
    run: &Run,
    (index, of): (usize, &TransactionType),
    has_types: bool,
    asked: &PgbenchLines,
    tries_max: u32,
) -> Vec<String> {
    let mut lines = Vec::new();
    if has_types {
        let weights: u64 = run.transaction_types.iter().map(|of| u64::from(of.weight)).sum();
        let done = of.totals.operations;
        let rate = done as f64 / run.window_ns.seconds().max(f64::MIN_POSITIVE);
        lines.push(format!("SQL script {}: {}", index + 1, description(&of.name)));
        lines.push(format!(" - weight: {} (targets {:.1}% of total)", of.weight, percent(of.weight.into(), weights)));
        let share = percent(of.totals.steps, run.totals.steps);
        lines.push(format!(" - {done} transactions ({share:.1}% of total, tps = {rate:.6})"));
        lines.extend(failure_lines(" - ", &of.totals, asked));
        lines.extend(retry_lines(" - ", &of.totals, tries_max));
        lines.extend(statistics(" - latency", &of.response));
    }
    if asked.per_statement && !of.statements.is_empty() {
        let lead = if has_types { " - " } else { "" };
        let is_tried_once = tries_max == 1;
        let counted = if is_tried_once { " and failures" } else { ", failures and retries" };
        lines.push(format!("{lead}statement latencies in milliseconds{counted}:"));
        lines.extend(of.statements.iter().map(|statement| {
            let mean = milliseconds(statement.service.mean_ns.0 as f64);
            let failures = statement.failures.saturating_sub(statement.retries);
            let retries = if is_tried_once { String::new() } else { format!("  {:10}", statement.retries) };
            format!("   {mean:11.3}  {failures:10}{retries} {}", statement.text)
        }));
    }
    lines
}

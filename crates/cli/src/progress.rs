//! Progress of a measurement on standard error: a bar on a terminal, lines elsewhere, nothing if quiet.

use std::collections::BTreeSet;
use std::io::{IsTerminal, stderr};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use record::{Bytes, LoadStageKind, Nanos, PlannedRun, Run, Side, Variation};
use run::{AgentProgress, Event, Listener};

use crate::output::{note, shown_line};

/// So long after its last message an agent is said to be silent.
const SILENT_MIN: Nanos = Nanos(3_000_000_000);

/// So many agents are shown one by one.
const AGENTS_SHOWN_MAX: usize = 3;

/// Verbosity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loudness {
    /// Nothing.
    Quiet,
    /// A line per run, and a bar on a terminal.
    Normal,
}

impl Loudness {
    /// That of the option `--quiet`.
    pub fn of(quiet: bool) -> Loudness {
        if quiet { Loudness::Quiet } else { Loudness::Normal }
    }
}

/// A listener that prints to standard error.
pub struct Progress {
    loudness: Loudness,
    bar: Option<ProgressBar>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    runs: usize,
    runs_done: usize,
    expected: Nanos,
    expected_done: Nanos,
    current: String,
    current_expected: Nanos,
    /// Of a fleet: what its agents have done in the run.
    agents: Vec<(String, u64)>,
    /// Agents of which nothing is heard.
    silent: BTreeSet<String>,
    /// Of a comparison in pairs: the running side.
    side: Option<Side>,
    /// Prefix of lines: side and number of the pair.
    prefix: String,
}

impl Progress {
    /// A listener with this verbosity.
    pub fn new(loudness: Loudness) -> Progress {
        let on_terminal = loudness == Loudness::Normal && stderr().is_terminal();
        let bar = on_terminal.then(|| {
            let bar = ProgressBar::with_draw_target(Some(1), ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("{bar:24} {wide_msg}").expect("a constant template");
            bar.set_style(style);
            bar
        });
        Progress { loudness, bar, state: Mutex::new(State::default()) }
    }

    /// Removes the bar.
    pub fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn line(&self, text: &str) {
        match (&self.bar, self.loudness) {
            (_, Loudness::Quiet) => {}
            (Some(bar), _) => bar.println(shown_line(text)),
            (None, _) => note(text),
        }
    }

    fn show(&self, state: &State, within: Nanos, message: String) {
        let Some(bar) = &self.bar else { return };
        let milliseconds = |nanos: Nanos| nanos.0 / 1_000_000;
        bar.set_length(milliseconds(state.expected).max(1));
        bar.set_position(milliseconds(state.expected_done + within.min(state.current_expected)));
        bar.set_message(shown_line(&message));
    }

    fn progress(&self, state: &State, elapsed: Nanos, operations: u64) {
        let rate = operations as f64 / elapsed.seconds().max(1e-3);
        let left = state.expected.since(state.expected_done + elapsed.min(state.current_expected));
        let message = format!(
            "{}  {} left  {}/s  {}{}",
            count(state),
            humantime::format_duration(Duration::from_secs(left.seconds() as u64)),
            report::number(rate),
            agents(state, elapsed),
            state.current
        );
        self.show(state, elapsed, message);
    }

    /// Progress of a load. `input` and `of` are bytes of the source, compressed where it is.
    fn load_progress(
        &self,
        state: &State,
        elapsed: Nanos,
        loaded: Bytes,
        (input, of): (Bytes, Option<Bytes>),
        slowest: Option<LoadStageKind>,
    ) {
        let done = if input.0 > 0 { input } else { loaded };
        let share =
            of.map_or(String::new(), |of| format!("{:.0} %  ", (done.0 as f64 / of.0.max(1) as f64).min(1.0) * 100.0));
        let megabytes = loaded.0 as f64 / 1e6;
        let slowest = slowest.map_or(String::new(), |kind| format!("  busiest: {}", kind.word()));
        let message = format!(
            "{}  {share}{megabytes:.0} MB  {:.0} MB/s{slowest}  {}",
            count(state),
            megabytes / elapsed.seconds().max(1e-3),
            state.current
        );
        self.show(state, elapsed, message);
    }

    /// Says once of which agents nothing is heard, and once that there is again.
    fn agents(&self, state: &mut State, agents: &[AgentProgress<'_>]) {
        state.agents = agents.iter().map(|agent| (agent.agent.to_owned(), agent.operations)).collect();
        for AgentProgress { agent, silent, .. } in agents {
            let is_silent = *silent >= SILENT_MIN;
            if is_silent && state.silent.insert((*agent).to_owned()) {
                self.line(&format!("agent {agent}: nothing was heard of it for {:.0} s", silent.seconds()));
            } else if !is_silent && state.silent.remove(*agent) {
                self.line(&format!("agent {agent} answers again"));
            }
        }
    }

    fn end_run(&self, state: &mut State, run: &Run) {
        state.runs_done += 1;
        state.expected_done = state.expected_done + state.current_expected;
        state.current_expected = Nanos(0);
        (state.agents, state.silent) = (Vec::new(), BTreeSet::new());
        self.line(&format!("{}{}", state.prefix, report::run_line(run)));
    }
}

impl Listener for Progress {
    fn on_event(&self, event: &Event<'_>) {
        if self.loudness == Loudness::Quiet {
            return;
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Note(text) => self.line(text),
            Event::Planned { runs, expected, skipped, records } => {
                (state.runs, state.expected) = (*runs, *expected);
                for skip in *skipped {
                    self.line(&format!("skipped {}: {}", skip.test, skip.reason));
                }
                // The plan of a load has no duration.
                let about = match expected.seconds().ceil() as u64 {
                    0 => String::new(),
                    seconds => {
                        format!(", about {} and set-up", humantime::format_duration(Duration::from_secs(seconds)))
                    }
                };
                let run_noun = if *runs == 1 { "run" } else { "runs" };
                let records: Vec<String> = records.iter().map(|path| path.display().to_string()).collect();
                let noun = if records.len() == 1 { "record" } else { "records" };
                self.line(&format!("{runs} {run_noun}{about}; {noun} {}", records.join(" and ")));
            }
            Event::Side(side) => {
                state.side = Some(*side);
                state.prefix = format!("{side:?}  ");
            }
            Event::Loading { table, rows_done, rows } => {
                let share = *rows_done as f64 / (*rows).max(1) as f64;
                self.show(&state, Nanos(0), format!("{}loading {table}: {:.0} %", state.prefix, share * 100.0));
            }
            Event::Writing { file, done, size } => {
                let share = done.0 as f64 / size.0.max(1) as f64;
                self.show(&state, Nanos(0), format!("writing {file}: {:.0} %", share * 100.0));
            }
            Event::RunStarted { planned, title, expected } => {
                if let Some(side) = state.side {
                    // A control probe belongs to neither side.
                    let side = if probe::probe(&planned.test).is_some() { " ".to_owned() } else { format!("{side:?}") };
                    state.prefix = format!("{side} {}  ", planned.repeat);
                }
                state.current = format!("{}{}", state.prefix, name(planned, title));
                state.current_expected = *expected;
                // A run that was added to the plan meanwhile.
                if state.runs > 0 && state.runs_done >= state.runs {
                    (state.runs, state.expected) = (state.runs_done + 1, state.expected + *expected);
                }
                let message = format!("{} {}", count(&state), state.current);
                self.show(&state, Nanos(0), message);
            }
            Event::Progress { elapsed, operations } => self.progress(&state, *elapsed, *operations),
            Event::Agents(agents) => self.agents(&mut state, agents),
            Event::LoadProgress { elapsed, loaded, input, of, slowest } => {
                self.load_progress(&state, *elapsed, *loaded, (*input, *of), *slowest);
            }
            Event::RunFinished(run) => self.end_run(&mut state, run),
            Event::Proved { label, proof } => self.line(&format!("{label}: {}", report::proof_text(proof))),
            Event::NotProved { label, limiter, reason } => {
                self.line(&format!("{label}: {}", report::unproved_text(*limiter, reason)));
            }
        }
    }
}

/// The rates of the agents; of many the slowest and the fastest.
fn agents(state: &State, elapsed: Nanos) -> String {
    let rate = |operations: u64| report::number(operations as f64 / elapsed.seconds().max(1e-3));
    let one = |(agent, operations): &(String, u64)| format!("{agent} {}/s", rate(*operations));
    let agents = &state.agents;
    let text = match (agents.iter().min_by_key(|agent| agent.1), agents.iter().max_by_key(|agent| agent.1)) {
        (Some(slowest), Some(fastest)) if agents.len() > AGENTS_SHOWN_MAX => {
            format!("slowest {}, fastest {}", one(slowest), one(fastest))
        }
        _ => agents.iter().map(one).collect::<Vec<_>>().join(", "),
    };
    if text.is_empty() { text } else { format!("({text})  ") }
}

/// Number of the run, and of how many where that is known: not in a search.
fn count(state: &State) -> String {
    match state.runs {
        0 => format!("{}", state.runs_done + 1),
        runs => format!("{}/{runs}", state.runs_done + 1),
    }
}

fn name(planned: &PlannedRun, title: &str) -> String {
    let dop = match planned.dop.threads {
        1 => format!("J{}", planned.dop.jobs),
        threads => format!("T{threads}"),
    };
    let traced = if planned.variation == Some(Variation::Traced) { "traced: " } else { "" };
    format!("{} {dop} {traced}{title}", planned.test)
}

//! What a record is good for: the class of its result, and the obstacles to a better one.
//!
//! The class is the lowest that an obstacle allows ([`Obstacle::allows`]). Obstacles are data; the sentences are the report's.

use record::{Check, Finding, Nanos, Preset, Ratio, Record, ResultClass, Run, Status, Verdict, WarningSubject};

use crate::emulation::emulation;
use crate::machine_change::MachineChange;
use crate::sheet::{Line, Point};
use crate::summary::MainResult;
use crate::verdict::{has_found_a_limit, is_invalid};
use crate::warning::{Warning, warnings};

/// Repeats by which one may decide: with fewer, no pair of their order statistics holds the median with 95 % confidence, and no
/// comparison of them can have a verdict.
pub const REPEATS_MIN: usize = 6;

/// Why a result is of no better class.
#[derive(Clone, Debug, PartialEq)]
pub enum Obstacle {
    /// dbdyno was built without optimisation.
    NotOptimised,
    /// dbdyno was run by an emulator.
    Emulated {
        /// The processor that it was built for.
        program: String,
        /// That of the machine.
        machine: String,
    },
    /// Preset smoke, whose windows prove that everything works.
    Smoke,
    /// No run is finished.
    NoRun,
    /// No run is valid, or nothing was found.
    NoResult,
    /// Main results of one run each: how well they repeat is not known.
    OneRun {
        /// The tests; empty where it is all of the main results.
        tests: Vec<String>,
    },
    /// Main results of several runs each, and fewer than [`REPEATS_MIN`].
    FewRepeats {
        /// The tests.
        tests: Vec<String>,
        /// The fewest runs of one of them.
        repeats: usize,
    },
    /// The windows are too short to tell whether the rate is steady.
    ShortWindows {
        /// The length of the shortest of the main results.
        window_ns: Nanos,
    },
    /// The search was not confirmed by runs above the rate that it found.
    NotConfirmed,
    /// A warning about a main result.
    Doubt(Doubt),
    /// The measurement did not end as planned.
    NotFinished(Status),
    /// Runs are invalid, without those that missed their rate.
    InvalidRuns {
        /// Their number.
        invalid: usize,
        /// The number of all runs.
        runs: usize,
    },
    /// The kernel reported hardware faults during the measurement, so many.
    HardwareFaults(u64),
    /// Processors were throttled for their heat, so often.
    Throttled(u64),
    /// The probe of the processor took longer after the measurement than before, by this share; negative where shorter.
    Slowed(Ratio),
    /// Fields that dbdyno has to disclose are not known.
    Undisclosed(Undisclosed),
}

/// A warning about main results.
#[derive(Clone, Debug, PartialEq)]
pub struct Doubt {
    /// What it is about.
    pub subject: WarningSubject,
    /// The finding of the first run; absent unless it is a check.
    pub finding: Option<Finding>,
    /// The tests of main results that it is about.
    pub tests: Vec<String>,
    /// The number of their runs that it is about.
    pub runs: usize,
}

/// Fields of the disclosure that are absent for the same reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undisclosed {
    /// The names of the fields.
    pub fields: Vec<&'static str>,
    /// Why they are absent.
    pub reason: String,
}

impl Obstacle {
    /// The best class of a result with this obstacle.
    pub fn allows(&self) -> ResultClass {
        match self {
            Obstacle::NotOptimised
            | Obstacle::Emulated { .. }
            | Obstacle::Smoke
            | Obstacle::NoRun
            | Obstacle::NoResult => ResultClass::Meaningless,
            Obstacle::OneRun { .. } | Obstacle::ShortWindows { .. } => ResultClass::FirstLook,
            Obstacle::FewRepeats { .. }
            | Obstacle::NotConfirmed
            | Obstacle::Doubt(_)
            | Obstacle::NotFinished(_)
            | Obstacle::InvalidRuns { .. }
            | Obstacle::HardwareFaults(_)
            | Obstacle::Throttled(_)
            | Obstacle::Slowed(_)
            | Obstacle::Undisclosed(_) => ResultClass::Indicative,
        }
    }
}

/// What a record is good for, and why not for more.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitness {
    /// The class of its result.
    pub class: ResultClass,
    /// Why it is no better one, those that allow least first; empty where it is the best.
    pub obstacles: Vec<Obstacle>,
}

impl Fitness {
    /// The warnings about main results.
    pub fn doubts(&self) -> impl Iterator<Item = &Doubt> {
        self.obstacles.iter().filter_map(|obstacle| match obstacle {
            Obstacle::Doubt(doubt) => Some(doubt),
            _ => None,
        })
    }

    /// The obstacles that decide the class.
    pub fn decisive(&self) -> impl Iterator<Item = &Obstacle> {
        self.obstacles.iter().filter(|obstacle| obstacle.allows() == self.class)
    }

    /// The tests of main results with a warning, each once.
    pub fn doubtful_tests(&self) -> Vec<String> {
        let mut tests: Vec<String> = Vec::new();
        for test in self.doubts().flat_map(|doubt| &doubt.tests) {
            if !tests.contains(test) {
                tests.push(test.clone());
            }
        }
        tests
    }

    /// Whether main results have too few runs to decide by.
    pub fn lacks_repeats(&self) -> bool {
        self.obstacles.iter().any(|one| matches!(one, Obstacle::OneRun { .. } | Obstacle::FewRepeats { .. }))
    }

    /// Whether one may decide by the main results: they were repeated, and none is in doubt.
    pub fn is_basis(&self) -> bool {
        let speaks_against = |one: &Obstacle| matches!(one, Obstacle::Doubt(_) | Obstacle::NotConfirmed);
        self.class >= ResultClass::Indicative && !self.lacks_repeats() && !self.obstacles.iter().any(speaks_against)
    }
}

/// What `record` with the main results `results` is good for, where the fields `undisclosed` are absent.
pub fn fitness(record: &Record, results: &[MainResult], undisclosed: Vec<Undisclosed>) -> Fitness {
    let mut obstacles = meaningless(record, results);
    obstacles.extend(unrepeated(results));
    obstacles.extend(few_repeats(results));
    obstacles.extend(short_windows(record, results));
    let is_unconfirmed = |result: &MainResult| matches!(result, MainResult::Search(found) if !found.is_confirmed);
    obstacles.extend(results.iter().any(is_unconfirmed).then_some(Obstacle::NotConfirmed));
    obstacles.extend(doubts(record, results).into_iter().map(Obstacle::Doubt));
    obstacles.extend(of_the_measurement(record));
    obstacles.extend(undisclosed.into_iter().map(Obstacle::Undisclosed));
    obstacles.sort_by_key(Obstacle::allows);
    let class = obstacles.first().map_or(ResultClass::Publishable, Obstacle::allows);
    Fitness { class, obstacles }
}

fn meaningless(record: &Record, results: &[MainResult]) -> Vec<Obstacle> {
    let mut obstacles = Vec::new();
    obstacles.extend((!record.tool.optimised).then_some(Obstacle::NotOptimised));
    obstacles.extend(
        emulation(record)
            .map(|(program, machine)| Obstacle::Emulated { program: program.to_owned(), machine: machine.to_owned() }),
    );
    obstacles.extend((record.plan.preset == Preset::Smoke).then_some(Obstacle::Smoke));
    if record.runs.is_empty() {
        obstacles.push(Obstacle::NoRun);
    } else if results.is_empty() {
        obstacles.push(Obstacle::NoResult);
    }
    obstacles
}

/// The best lines of tests among `results`, each with its best point.
fn best(results: &[MainResult]) -> impl Iterator<Item = (&Line, &Point)> {
    results.iter().filter_map(|result| match result {
        MainResult::Best(line) => Some((&**line, line.best.as_ref()?)),
        _ => None,
    })
}

fn unrepeated(results: &[MainResult]) -> Option<Obstacle> {
    let once: Vec<String> =
        best(results).filter(|(_, best)| best.repeats < 2).map(|(line, _)| line.test.clone()).collect();
    let is_all = once.len() == results.len();
    (!once.is_empty()).then(|| Obstacle::OneRun { tests: if is_all { Vec::new() } else { once } })
}

fn few_repeats(results: &[MainResult]) -> Option<Obstacle> {
    let is_few = |(_, best): &(&Line, &Point)| (2..REPEATS_MIN).contains(&best.repeats);
    let repeats = best(results).filter(is_few).map(|(_, best)| best.repeats).min()?;
    let tests = best(results).filter(is_few).map(|(line, _)| line.test.clone()).collect();
    Some(Obstacle::FewRepeats { tests, repeats })
}

/// Runs of loads and streams end by themselves: of them the check of the window counts steps.
fn short_windows(record: &Record, results: &[MainResult]) -> Option<Obstacle> {
    let is_timed = record.plan.subject().properties().is_timed;
    let is_short = |finding: &Finding| (finding.check(), finding.verdict) == (Check::WindowLength, Verdict::Unknown);
    let runs = best(results).filter_map(|(_, best)| record.runs.iter().find(|run| run.number == best.run));
    let short = runs.filter(|run| is_timed && run.findings.iter().any(is_short));
    short.map(|run| run.window_ns).min().map(|window_ns| Obstacle::ShortWindows { window_ns })
}

/// The warnings about runs of `results`, of a search, a calibration or a proof about all runs, the most serious first.
fn doubts(record: &Record, results: &[MainResult]) -> Vec<Doubt> {
    let tests: Vec<&str> = best(results).map(|(line, _)| line.test.as_str()).collect();
    let is_of_all = tests.len() < results.len();
    let is_main =
        |run: &Run| !is_invalid(run) && (is_of_all || run.variation.is_none() && tests.contains(&run.test.as_str()));
    let doubt = |warning: Warning<'_>| {
        let (verdict, subject) = (warning.verdict, warning.subject);
        let instances: Vec<_> = warning.instances.into_iter().filter(|instance| is_main(instance.run)).collect();
        let finding = instances.first()?.finding.cloned();
        let of_main = Warning { verdict, subject, instances };
        let tests = of_main.tests().into_iter().map(str::to_owned).collect();
        Some(Doubt { subject, finding, tests, runs: of_main.run_count() })
    };
    let serious = warnings(record).into_iter().filter(|warning| warning.verdict == Verdict::Warn);
    let mut doubts: Vec<Doubt> = serious.filter_map(doubt).collect();
    doubts.sort_by_key(|doubt| std::cmp::Reverse(doubt.runs));
    doubts
}

fn of_the_measurement(record: &Record) -> Vec<Obstacle> {
    let mut obstacles = Vec::new();
    obstacles.extend((record.status != Status::Finished).then_some(Obstacle::NotFinished(record.status)));
    let runs = record.runs.len();
    let invalid = record.runs.iter().filter(|run| is_invalid(run) && !has_found_a_limit(run)).count();
    obstacles.extend((invalid > 0).then_some(Obstacle::InvalidRuns { invalid, runs }));
    if let Some(change) = MachineChange::of(&record.host) {
        let faults = change.fault_count;
        obstacles.extend((faults > 0).then_some(Obstacle::HardwareFaults(faults)));
        obstacles.extend(change.throttle_count.filter(|count| *count > 0).map(Obstacle::Throttled));
        obstacles.extend(change.slowing.filter(|_| change.is_unstable()).map(Obstacle::Slowed));
    }
    obstacles
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{finding, record, run};
    use crate::summary::summary;

    fn repeated(count: u32) -> Record {
        let mut measured = record((1..=count).map(|number| Run { number, ..run("T611", 1) }).collect());
        measured.tool.optimised = true;
        measured.status = Status::Finished;
        measured
    }

    fn of(measured: &Record) -> Fitness {
        fitness(measured, &summary(measured).results, Vec::new())
    }

    #[test]
    fn one_run_is_a_first_look_and_repeats_without_a_warning_may_be_published() {
        let once = of(&repeated(1));
        assert_eq!((once.class, once.is_basis()), (ResultClass::FirstLook, false));
        assert_eq!(once.obstacles, [Obstacle::OneRun { tests: Vec::new() }]);
        let often = of(&repeated(6));
        assert_eq!((often.class, often.is_basis()), (ResultClass::Publishable, true));
        let open = Undisclosed { fields: vec!["build"], reason: "not known".to_owned() };
        let measured = repeated(6);
        let open = fitness(&measured, &summary(&measured).results, vec![open]);
        assert_eq!((open.class, open.is_basis()), (ResultClass::Indicative, true), "to decide by, not to publish");
    }

    #[test]
    fn fewer_repeats_than_an_interval_needs_are_no_basis() {
        let few = of(&repeated(5));
        assert_eq!((few.class, few.is_basis()), (ResultClass::Indicative, false));
        assert_eq!(few.obstacles, [Obstacle::FewRepeats { tests: vec!["T611".to_owned()], repeats: 5 }]);
        assert!(!of(&repeated(REPEATS_MIN as u32)).lacks_repeats());
    }

    #[test]
    fn a_warning_about_a_main_result_leaves_no_basis() {
        let mut measured = repeated(6);
        measured.runs[2].findings.push(finding(Check::Steal, Verdict::Warn));
        let found = of(&measured);
        assert_eq!((found.class, found.is_basis()), (ResultClass::Indicative, false));
        let doubts: Vec<_> = found.doubts().map(|doubt| (doubt.subject, doubt.tests.clone(), doubt.runs)).collect();
        assert_eq!(doubts, [(WarningSubject::Check(Check::Steal), vec!["T611".to_owned()], 1)]);
    }

    #[test]
    fn what_means_nothing_and_short_windows_come_before_all_else() {
        let mut measured = repeated(6);
        for run in &mut measured.runs {
            run.findings.push(finding(Check::WindowLength, Verdict::Unknown));
        }
        assert_eq!(of(&measured).class, ResultClass::FirstLook);
        measured.plan.preset = Preset::Smoke;
        let found = of(&measured);
        assert_eq!((found.class, found.decisive().count()), (ResultClass::Meaningless, 1));
        measured.runs.clear();
        assert!(of(&measured).obstacles.contains(&Obstacle::NoRun));
    }
}

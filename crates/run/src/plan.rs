//! From what was asked for to the list of runs.

use std::path::Path;

use engine::{Caps, Engine};
use probe::Probe;
use record::{Dop, Layer, Nanos, Plan, PlannedRun, Preset, Skipped, Sweep};
use workload::{Sizes, Test};

use crate::io::{Offer, add_jobs};
use crate::order::in_rounds;
use crate::{Error, Request, Result};

/// Something that can be run: a probe, or a test that needs an engine.
#[derive(Clone, Copy)]
pub(crate) enum Item<'a> {
    /// Needs none.
    Probe(&'a Probe),
    /// Needs one.
    Test(&'a Test),
}

impl Item<'_> {
    pub(crate) fn code(&self) -> &str {
        match self {
            Item::Probe(probe) => probe.code,
            Item::Test(test) => &test.code,
        }
    }

    pub(crate) fn title(&self) -> &str {
        match self {
            Item::Probe(probe) => probe.title,
            Item::Test(test) => &test.summary,
        }
    }

    fn sweep(&self) -> Sweep {
        match self {
            Item::Probe(_) => Sweep::Jobs,
            Item::Test(test) => test.sweep,
        }
    }

    pub(crate) fn layer(&self) -> Layer {
        match self {
            Item::Probe(probe) => probe.layer,
            Item::Test(test) => test.layer,
        }
    }

    pub(crate) fn matches(&self, word: &str) -> bool {
        let group = match self {
            Item::Probe(_) => "probes",
            Item::Test(_) => "tests",
        };
        self.code().eq_ignore_ascii_case(word)
            || ["all", group, self.layer().word()].iter().any(|known| known.eq_ignore_ascii_case(word))
    }
}

/// The items that `request` asks for, in the order of the catalogue; `own` are the user's test files.
///
/// # Errors
/// For a word that names nothing.
pub(crate) fn select<'a>(request: &Request, own: &'a [Test]) -> Result<Vec<Item<'a>>> {
    let catalogue = || {
        let probes = probe::probes().iter().map(Item::Probe);
        probes.chain(workload::catalogue().iter().map(Item::Test))
    };
    let words: Vec<&str> = request.tests.words.iter().map(String::as_str).filter(|word| !is_file(word)).collect();
    for word in &words {
        if !catalogue().any(|item| item.matches(word)) {
            let codes: Vec<String> = catalogue().map(|item| item.code().to_owned()).collect();
            return Err(Error::user(format!("test {word} is not known")).hint(format!(
                "give codes ({}), layers (cpu, memory, storage, server, database), probes, tests or all, or the path \
                 of a test file ending in .toml",
                codes.join(" ")
            )));
        }
    }
    if let Some(test) = own.iter().find(|test| catalogue().any(|item| item.code() == test.code)) {
        return Err(Error::user(format!("test {} of a test file is in the catalogue already", test.code))
            .hint("give it a code of its own, such as T901"));
    }
    let twice = |(index, test): &(usize, &Test)| own[..*index].iter().any(|one| one.code == test.code);
    if let Some((_, test)) = own.iter().enumerate().find(twice) {
        return Err(Error::user(format!("test {} stands in two test files", test.code))
            .hint("give each a code of its own, such as T901 and T902"));
    }
    let everything = request.tests.words.is_empty();
    let mut items: Vec<Item<'a>> =
        catalogue().filter(|item| everything || words.iter().any(|word| item.matches(word))).collect();
    items.extend(own.iter().map(Item::Test));
    Ok(items)
}

/// Whether a word of the selection is the path of a test file.
pub(crate) fn is_file(word: &str) -> bool {
    word.ends_with(".toml") || word.contains('/')
}

/// The lengths of warm-up and window that `preset` stands for.
pub fn windows(preset: Preset) -> (Nanos, Nanos) {
    let milliseconds = |count: u64| Nanos(count * 1_000_000);
    match preset {
        Preset::Smoke => (milliseconds(0), milliseconds(100)),
        Preset::Quick => (milliseconds(400), milliseconds(2_000)),
        Preset::Standard => (milliseconds(5_000), milliseconds(30_000)),
        Preset::Publish => (milliseconds(60_000), milliseconds(300_000)),
    }
}

/// The warm-up and the window of `request`: as asked for, or as its preset says. A window of its own brings a
/// warm-up of a quarter, at most that of the preset.
pub fn window(request: &Request) -> (Nanos, Nanos) {
    let (warm_up, window) = windows(request.preset);
    let window = request.window.unwrap_or(window);
    (request.warm_up.unwrap_or(warm_up.min(Nanos(window.0 / 4))), window)
}

/// How often `preset` measures each test at each degree of parallelism: figures to publish need repetitions, because
/// only they tell what another run would bring; six are the least from which a comparison can be significant.
pub fn repeats(preset: Preset) -> u32 {
    match preset {
        Preset::Smoke | Preset::Quick | Preset::Standard => 1,
        Preset::Publish => 6,
    }
}

/// 1, 2, 4, ... up to twice the processors.
pub(crate) fn degrees(processors: u32) -> Vec<u32> {
    std::iter::successors(Some(1u32), |degree| degree.checked_mul(2))
        .take_while(|degree| *degree <= processors.max(1) * 2)
        .collect()
}

/// The engine, as far as the plan needs it.
pub(crate) struct Ability<'a> {
    pub engine: &'a dyn Engine,
    pub caps: Caps,
}

/// The machine, as far as the plan needs it.
pub(crate) struct Machine {
    /// Processors that the jobs may use.
    pub processors: u32,
    /// What probes of storage find.
    pub storage: Offer,
}

/// What is run, at which degrees of parallelism, how often and in which order, and what is skipped.
///
/// Probes have all their rounds before the tests have theirs: they want an empty machine, and the file that those of
/// storage work on is made once.
pub(crate) fn plan(
    request: &Request,
    target: &str,
    directory: &Path,
    items: &[Item<'_>],
    ability: Option<&Ability<'_>>,
    sizes: &Sizes,
    machine: &Machine,
) -> Plan {
    let mut plan = plan_once(request, target, directory, items, ability, sizes, machine);
    plan.repeats = request.repeats.unwrap_or_else(|| repeats(request.preset)).max(1);
    let is_probe = |run: &PlannedRun| probe::probe(&run.test).is_some();
    let (probes, tests): (Vec<PlannedRun>, Vec<PlannedRun>) = plan.runs.drain(..).partition(is_probe);
    plan.runs = in_rounds(&probes, plan.repeats, plan.seed);
    plan.runs.extend(in_rounds(&tests, plan.repeats, plan.seed));
    number(&mut plan);
    plan
}

/// Numbers the runs in the order in which they stand.
pub(crate) fn number(plan: &mut Plan) {
    plan.runs.iter_mut().zip(1..).for_each(|(run, number)| run.number = number);
}

/// The same with every test once at each degree of parallelism, in the order of the catalogue; not numbered.
pub(crate) fn plan_once(
    request: &Request,
    target: &str,
    directory: &Path,
    items: &[Item<'_>],
    ability: Option<&Ability<'_>>,
    sizes: &Sizes,
    machine: &Machine,
) -> Plan {
    let degrees = request.degrees.clone().unwrap_or_else(|| degrees(machine.processors));
    let (warm_up_ns, window_ns) = window(request);
    let mut runs: Vec<PlannedRun> = Vec::new();
    let mut skipped = Vec::new();
    for item in items {
        let reason = match (item, ability) {
            (Item::Test(test), Some(ability)) => test
                .missing(&ability.caps, ability.engine)
                .map(|missing| format!("{} has {missing}", ability.engine.title())),
            _ => None,
        };
        match reason {
            Some(reason) => skipped.push(Skipped { test: item.code().to_owned(), reason }),
            None => runs.extend(dops(*item, &degrees, ability).into_iter().map(|dop| PlannedRun {
                number: 0,
                test: item.code().to_owned(),
                dop,
                repeat: 1,
            })),
        }
    }
    let mut plan = Plan {
        target: target.to_owned(),
        directory: directory.display().to_string(),
        preset: request.preset,
        window_ns,
        warm_up_ns,
        steps: request.steps,
        seed: request.seed,
        placement: request.placement,
        pace: request.pace,
        small_rows: sizes.small_rows,
        large_rows: sizes.large_rows,
        repeats: 1,
        paired: None,
        runs,
        skipped,
        test_files: request.tests.words.iter().filter(|word| is_file(word)).cloned().collect(),
        io: None,
    };
    add_jobs(&mut plan, items, &machine.storage);
    plan
}

/// The sweep of one test. A test of threads inside a statement runs with one thread where the engine has no more.
fn dops(item: Item<'_>, degrees: &[u32], ability: Option<&Ability<'_>>) -> Vec<Dop> {
    match item.sweep() {
        Sweep::Jobs => degrees.iter().map(|degree| Dop::jobs(*degree)).collect(),
        Sweep::Threads => {
            let parallel = ability.is_some_and(|ability| match item {
                Item::Test(test) => test.is_parallel(&ability.caps),
                Item::Probe(_) => false,
            });
            let threads: &[u32] = if parallel { degrees } else { &[1] };
            threads.iter().map(|threads| Dop { nodes: 1, jobs: 1, threads: *threads }).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degrees_double_up_to_twice_the_processors() {
        assert_eq!(degrees(1), [1, 2]);
        assert_eq!(degrees(2), [1, 2, 4]);
        assert_eq!(degrees(6), [1, 2, 4, 8]);
        assert_eq!(degrees(0), [1, 2]);
    }

    #[test]
    fn a_file_is_told_from_a_code() {
        assert!(is_file("mine.toml") && is_file("./T611") && !is_file("T611") && !is_file("cpu"));
    }
}

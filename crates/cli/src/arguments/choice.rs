//! Choices between words: each with its help, and what it stands for.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use record::{Arrival, Placement, Preset, QueryMode};

/// A value parser of the words of `choices`.
pub fn of<T, const COUNT: usize>(choices: [(&'static str, &'static str, T); COUNT]) -> impl TypedValueParser<Value = T>
where
    T: Clone + Send + Sync + 'static,
{
    let words = choices.each_ref().map(|(word, help, _)| PossibleValue::new(*word).help(*help));
    PossibleValuesParser::new(words).map(move |found| {
        let (.., value) = choices.iter().find(|(word, ..)| *word == found).unwrap_or_else(|| unreachable!("{found}"));
        value.clone()
    })
}

/// Presets.
pub fn preset() -> impl TypedValueParser<Value = Preset> {
    of([
        ("smoke", "Checks that everything works, within a minute; its figures mean nothing", Preset::Smoke),
        ("quick", "A first look: 2 seconds a run, tables of megabytes", Preset::Quick),
        (
            "standard",
            "Figures to work with: 30 seconds a run, the large table twice the engine's cache",
            Preset::Standard,
        ),
        (
            "publish",
            "Figures to publish: 5 minutes a run, each test six times, then its latency at 50 to 90 % of its capacity",
            Preset::Publish,
        ),
        (
            "soak",
            "Half an hour a run of few tests at the most jobs, to see burst credits of disks and processors spent",
            Preset::Soak,
        ),
    ])
}

/// CPU pinning.
pub fn placement() -> impl TypedValueParser<Value = Placement> {
    of([
        ("kernel", "None: the kernel decides", Placement::Kernel),
        ("spread", "Each job on a processor of its own, its server process on the next one", Placement::Spread),
        ("paired", "Each job on a processor of its own, its server process on the same one", Placement::Paired),
    ])
}

/// Arrival process of an open loop.
pub fn arrival() -> impl TypedValueParser<Value = Arrival> {
    of([
        ("poisson", "Exponential intervals, as from many independent users", Arrival::Poisson),
        ("fixed", "Constant intervals", Arrival::Fixed),
    ])
}

/// How statements of scripts are sent.
pub fn query_mode() -> impl TypedValueParser<Value = QueryMode> {
    of([
        ("simple", "As text, with the values of variables in place", QueryMode::Simple),
        ("extended", "As text with the values beside it, parsed anew each time (PostgreSQL)", QueryMode::Extended),
        ("prepared", "Prepared once for each session", QueryMode::Prepared),
    ])
}

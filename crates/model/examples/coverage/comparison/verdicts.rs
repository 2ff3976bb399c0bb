//! One test: pairs, repeats without pairs, single runs.

use dbdyno_model::ComparisonVerdict::{self, Equivalent, Faster, Inconclusive, Slower};

use super::experiment::{MARGIN, paired, paired_tests, rates, test, unpaired, verdicts};
use super::lines;
use crate::simulation::Simulation;
use crate::{Tables, share};

const RUNS: usize = 2_000;

/// Verdicts that are wrong, and the one that is true, where the ratio is `ratio`; at a limit of the margin, where it lies
/// within or beyond by nothing, those of the other side are wrong.
fn cases() -> [(&'static str, f64, &'static [ComparisonVerdict], ComparisonVerdict); 5] {
    [
        ("equal", 1.0, &[Faster, Slower], Equivalent),
        ("within the margin by nothing", 1.0 + MARGIN, &[Faster, Slower], Equivalent),
        ("beyond the margin by nothing", 1.0 + MARGIN, &[Equivalent, Slower], Faster),
        ("5 % faster", 1.05, &[Equivalent, Slower], Faster),
        ("10 % slower", 0.9, &[Equivalent, Faster], Slower),
    ]
}

/// Wrong and true verdicts of `RUNS` comparisons.
fn counted(
    wrong: &[ComparisonVerdict],
    right: ComparisonVerdict,
    mut verdict: impl FnMut() -> Option<ComparisonVerdict>,
) -> [usize; 2] {
    let mut counts = [0, 0];
    for found in (0..RUNS).filter_map(|_| verdict()) {
        counts[0] += usize::from(wrong.contains(&found));
        counts[1] += usize::from(found == right);
    }
    counts
}

/// Pairs on a machine that varies by 10 % between them.
pub(super) fn of_pairs(tables: &mut Tables) {
    tables.begin("verdicts of 12 pairs with a deviation of 2 %");
    let mut simulation = Simulation::new(31);
    for (what, ratio, wrong, right) in cases() {
        let counts =
            counted(wrong, right, || verdicts(&paired(paired_tests(&mut simulation, 12, &[ratio], 0.02))).next());
        let found = match right {
            Faster if ratio > 1.04 => Some(0.99..=1.0),
            Slower => Some(0.99..=1.0),
            Equivalent if ratio == 1.0 => Some(0.7..=1.0),
            _ => None,
        };
        lines(tables, what, counts, RUNS, found);
    }
}

/// Repeats at different times, on a machine that stays as it is.
pub(super) fn without_pairs(tables: &mut Tables) {
    tables.begin("verdicts of repeats without pairs, 8 and 10 with a deviation of 1 % each");
    let mut simulation = Simulation::new(32);
    for (what, ratio, wrong, right) in cases() {
        let counts = counted(wrong, right, || {
            let sides = [(8, 1.0), (10, ratio)]
                .map(|(count, ratio)| vec![test("T", &[rates(&mut simulation, count, ratio, 0.01)])]);
            verdicts(&unpaired(sides)).next()
        });
        let found = match right {
            Faster if ratio > 1.04 => Some(0.9..=1.0),
            Slower => Some(0.99..=1.0),
            Equivalent if ratio == 1.0 => Some(0.7..=1.0),
            _ => None,
        };
        lines(tables, what, counts, RUNS, found);
    }
}

/// One run on a side, of systems of which one is half as fast.
pub(super) fn of_single_runs(tables: &mut Tables) {
    tables.begin("verdicts of single runs, where one system is half as fast");
    let mut simulation = Simulation::new(33);
    for (base, other) in [(1, 1), (1, 10)] {
        let decided = (0..RUNS).filter(|_| {
            let sides = [(base, 1.0), (other, 0.5)]
                .map(|(count, ratio)| vec![test("T", &[rates(&mut simulation, count, ratio, 0.02)])]);
            verdicts(&unpaired(sides)).next() != Some(Inconclusive)
        });
        tables.line(&format!("{base} and {other}: decided"), share(decided.count(), RUNS), Some(0.0..=0.0), "");
    }
}

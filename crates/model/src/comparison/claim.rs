//! The verdict that runs come nearest to, and how far they speak against every other one.

use super::shifts::Shifts;
use crate::decision::ComparisonVerdict;
use crate::rules::RULES;

/// A verdict with its p-value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Claim {
    /// FASTER, SLOWER or EQUIVALENT.
    pub(super) verdict: ComparisonVerdict,
    /// Probability of runs that speak as much for it where it is wrong, at most.
    pub(super) p_value: f64,
}

impl Claim {
    /// The verdict with the least p-value by `shifts` of the logarithm of the ratio, at `margin`.
    ///
    /// A verdict is wrong where the ratio lies on another side of a limit of the margin: FASTER says that it lies above
    /// the upper one, EQUIVALENT that it lies below that and above the lower one. Wherever the ratio is, at most one limit
    /// on each side of it can be crossed, and FASTER and SLOWER have half of the significance level each.
    ///
    /// `choices` are the degrees of parallelism of each side among which its points were chosen, because they did best: each
    /// of them may have done so by chance, so that what speaks for a side is counted for each (Bonferroni).
    pub(super) fn of(shifts: &Shifts, margin: f64, choices: [usize; 2]) -> Claim {
        let limit = margin.ln_1p();
        let [for_base, for_other] = choices.map(|count| count.max(1) as f64);
        let faster = 2.0 * for_other * shifts.chance_of_not_above(limit);
        let slower = 2.0 * for_base * shifts.chance_of_not_below(-limit);
        let below = for_base * shifts.chance_of_not_below(limit);
        let above = for_other * shifts.chance_of_not_above(-limit);
        let equivalent = below.max(above) * RULES.significance / RULES.equivalence_significance;
        let claims = [
            (ComparisonVerdict::Faster, faster),
            (ComparisonVerdict::Slower, slower),
            (ComparisonVerdict::Equivalent, equivalent),
        ];
        let least = claims.into_iter().fold(claims[0], |least, next| if next.1 < least.1 { next } else { least });
        Claim { verdict: least.0, p_value: least.1.min(1.0) }
    }
}

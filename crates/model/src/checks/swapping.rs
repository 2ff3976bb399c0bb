//! Pages swapped in during the window.
//!
//! The counter is of the whole host: a few pages are a warning, many invalidate the run.

use record::evidence::Swapping;
use record::{Evidence, Finding, Run, Verdict, name};

use super::finding;
use crate::delta::delta;
use crate::rules::RULES;

pub(super) fn check(run: &Run) -> Option<Finding> {
    let Some(pages) = delta(run, name::HOST_SWAP_IN_COUNT) else {
        return finding(Verdict::Unknown, Evidence::Swapping(None));
    };
    let pages_per_second_max = RULES.swap_in_per_second_fail;
    let verdict = match pages {
        0 => Verdict::Pass,
        pages if pages as f64 <= pages_per_second_max * run.window_ns.seconds() => Verdict::Warn,
        _ => Verdict::Fail,
    };
    finding(verdict, Evidence::Swapping(Some(Swapping { pages, pages_per_second_max })))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{counted, run};

    #[test]
    fn a_page_is_a_warning_and_many_invalidate_the_run() {
        let says = |pages: u64| check(&counted(run("T611", 1), &[(name::HOST_SWAP_IN_COUNT, pages)])).unwrap();
        assert_eq!(says(0).verdict, Verdict::Pass);
        assert_eq!((says(1).verdict, says(1_000).verdict), (Verdict::Warn, Verdict::Warn));
        assert_eq!(says(1_001).verdict, Verdict::Fail);
        let swapping = Swapping { pages: 1_001, pages_per_second_max: 100.0 };
        assert_eq!(says(1_001).evidence, Evidence::Swapping(Some(swapping)));
        assert_eq!(check(&run("T611", 1)).unwrap().verdict, Verdict::Unknown);
    }
}

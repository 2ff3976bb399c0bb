//! Pages brought in from swap while measured.
//!
//! The counter is the whole host's: a few pages may belong to anybody and are a warning, many void the run.

use record::{Check, Finding, Run, Verdict, name};

use super::{finding, plural};
use crate::delta::delta;
use crate::rules::RULES;

pub(super) fn check(run: &Run) -> Option<Finding> {
    let Some(pages) = delta(run, name::HOST_SWAP_IN_COUNT) else {
        return finding(Check::Swapping, Verdict::Unknown, "whether the host swapped is not known");
    };
    let limit = RULES.swap_in_per_second_fail * run.window_ns.seconds();
    let verdict = match pages {
        0 => return finding(Check::Swapping, Verdict::Pass, "nothing was swapped in"),
        pages if pages as f64 <= limit => Verdict::Warn,
        _ => Verdict::Fail,
    };
    let detail =
        format!("{} were swapped in; limit {} per second", plural(pages, "page"), RULES.swap_in_per_second_fail);
    finding(Check::Swapping, verdict, detail)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{counted, run};

    #[test]
    fn a_page_is_a_warning_and_a_thousand_per_second_are_the_end() {
        let says = |pages: u64| check(&counted(run("T611", 1), &[(name::HOST_SWAP_IN_COUNT, pages)])).unwrap();
        assert_eq!(says(0).verdict, Verdict::Pass);
        assert_eq!((says(1).verdict, says(1_000).verdict), (Verdict::Warn, Verdict::Warn));
        assert_eq!(says(1_001).verdict, Verdict::Fail);
        assert_eq!(says(1_001).detail, "1001 pages were swapped in; limit 100 per second");
        assert_eq!(check(&run("T611", 1)).unwrap().verdict, Verdict::Unknown);
    }
}

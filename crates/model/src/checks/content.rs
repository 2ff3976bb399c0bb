//! What was read against what was written: blocks whose content was checked.

use record::{Check, Finding, IoStream, Run, Verdict};

use super::{finding, plural};

pub(super) fn check(run: &Run) -> Option<Finding> {
    let streams = &run.storage.as_ref()?.streams;
    let sum = |value: fn(&IoStream) -> u64| streams.iter().map(value).fold(0, u64::saturating_add);
    let checked = plural(sum(|stream| stream.verified), "block");
    match (sum(|stream| stream.verified), sum(|stream| stream.corrupt)) {
        (0, 0) => None,
        (_, 0) => finding(Check::Content, Verdict::Pass, format!("{checked} read, and each held what was written")),
        (_, corrupt) => finding(
            Check::Content,
            Verdict::Fail,
            format!("{} of {checked} did not hold what was written", plural(corrupt, "block")),
        ),
    }
}

#[cfg(test)]
mod tests {
    use record::IoKind;

    use super::*;
    use crate::fixture::{io_run, run, storage};

    #[test]
    fn one_corrupt_block_voids_the_run() {
        let says = |verified: u64, corrupt: u64| {
            let mut run = io_run("io", IoKind::Read, 1);
            let stream = &mut storage(&mut run).streams[0];
            (stream.verified, stream.corrupt) = (verified, corrupt);
            check(&run).map(|finding| (finding.verdict, finding.detail))
        };
        assert_eq!(says(0, 0), None);
        assert_eq!(says(100, 0).unwrap().0, Verdict::Pass);
        assert_eq!(
            says(100, 1),
            Some((Verdict::Fail, "1 block of 100 blocks did not hold what was written".to_owned()))
        );
        assert_eq!(check(&run("T611", 1)), None);
    }
}

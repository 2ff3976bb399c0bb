//! Verified content of blocks.

use record::evidence::Content;
use record::{Evidence, Finding, IoStream, Run, Verdict};

use super::finding;

pub(super) fn check(run: &Run) -> Option<Finding> {
    let streams = &run.storage.as_ref()?.streams;
    let sum = |value: fn(&IoStream) -> u64| streams.iter().map(value).fold(0, u64::saturating_add);
    let content = Content { verified: sum(|stream| stream.verified), corrupt: sum(|stream| stream.corrupt) };
    match content {
        Content { verified: 0, corrupt: 0 } => None,
        Content { corrupt: 0, .. } => finding(Verdict::Pass, Evidence::Content(content)),
        _ => finding(Verdict::Fail, Evidence::Content(content)),
    }
}

#[cfg(test)]
mod tests {
    use record::IoKind;

    use super::*;
    use crate::fixture::{io_run, run, storage};

    #[test]
    fn one_corrupt_block_invalidates_the_run() {
        let says = |verified: u64, corrupt: u64| {
            let mut run = io_run("io", IoKind::Read, 1);
            let stream = &mut storage(&mut run).streams[0];
            (stream.verified, stream.corrupt) = (verified, corrupt);
            check(&run).map(|finding| (finding.verdict, finding.evidence))
        };
        assert_eq!(says(0, 0), None);
        assert_eq!(says(100, 0).unwrap().0, Verdict::Pass);
        let corrupt = Evidence::Content(Content { verified: 100, corrupt: 1 });
        assert_eq!(says(100, 1), Some((Verdict::Fail, corrupt)));
        assert_eq!(check(&run("T611", 1)), None);
    }
}

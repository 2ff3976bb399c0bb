//! Verified content of blocks.

use record::evidence::Content;
use record::{Evidence, Finding, IoStream, Run, Verdict};

use super::finding;

pub(super) fn check(run: &Run) -> Option<Finding> {
    let streams = &run.storage.as_ref()?.streams;
    let sum = |value: fn(&IoStream) -> u64| streams.iter().map(value).fold(0, u64::saturating_add);
    let content = Content {
        verified: sum(|stream| stream.verified),
        corrupt: sum(|stream| stream.corrupt),
        stale: sum(|stream| stream.stale),
        unverified: sum(|stream| stream.unverified),
    };
    let verdict = match content {
        _ if content == Content::default() => return None,
        Content { corrupt: 1.., .. } | Content { stale: 1.., .. } => Verdict::Fail,
        // Single blocks that were written while they were read say nothing against the others.
        Content { verified, unverified, .. } if unverified > verified => Verdict::Unknown,
        _ => Verdict::Pass,
    };
    finding(verdict, Evidence::Content(content))
}

#[cfg(test)]
mod tests {
    use record::IoKind;

    use super::*;
    use crate::fixture::{io_run, run, storage};

    #[test]
    fn one_corrupt_or_stale_block_invalidates_the_run() {
        let says = |content: Content| {
            let mut run = io_run("io", IoKind::Read, 1);
            let stream = &mut storage(&mut run).streams[0];
            (stream.verified, stream.corrupt) = (content.verified, content.corrupt);
            (stream.stale, stream.unverified) = (content.stale, content.unverified);
            let finding = check(&run)?;
            assert_eq!(finding.evidence, Evidence::Content(content));
            Some(finding.verdict)
        };
        let verified = Content { verified: 100, ..Content::default() };
        assert_eq!(says(Content::default()), None);
        assert_eq!(says(verified), Some(Verdict::Pass));
        assert_eq!(says(Content { corrupt: 1, ..verified }), Some(Verdict::Fail));
        assert_eq!(says(Content { stale: 1, ..verified }), Some(Verdict::Fail));
        assert_eq!(says(Content { stale: 16, ..Content::default() }), Some(Verdict::Fail), "none is verified");
        assert_eq!(says(Content { unverified: 1, ..verified }), Some(Verdict::Pass));
        assert_eq!(says(Content { unverified: 101, ..verified }), Some(Verdict::Unknown));
        assert_eq!(check(&run("T611", 1)), None);
    }
}

//! Compressible or duplicate data, which inflate the figures of a device that compresses or deduplicates.
//!
//! By a sample of the files at the end of the run: deflated size and share of equal blocks. Never more than a warning,
//! since it is not known whether the device makes use of it.

use record::evidence::Compressible;
use record::{Evidence, Finding, IoFile, Run, Verdict};

use super::{finding, worst};
use crate::rules::RULES;

pub(super) fn check(run: &Run) -> Option<Finding> {
    let storage = run.storage.as_ref()?;
    // An empty file has no sample, and a file in memory no device.
    let asked = |file: &&IoFile| file.has_device != Some(false) && (file.size_bytes.0 > 0 || file.is_device);
    let found: Vec<(Verdict, Evidence)> = storage.files.iter().filter(asked).map(judge).collect();
    if found.iter().all(|(verdict, _)| *verdict == Verdict::Pass) && !found.is_empty() {
        return finding(Verdict::Pass, Evidence::Compressible(Compressible::None));
    }
    worst(found)
}

fn judge(file: &IoFile) -> (Verdict, Evidence) {
    let path = file.path.clone();
    let (verdict, found) = match (file.compressed, file.repeated) {
        (Some(size), _) if size.0 < RULES.compressed_min => (Verdict::Warn, Compressible::Compresses { path, size }),
        (_, Some(share)) if share.0 > RULES.repeated_max => (Verdict::Warn, Compressible::Repeats { path, share }),
        (Some(_), Some(_)) => (Verdict::Pass, Compressible::None),
        _ => (Verdict::Unknown, Compressible::NotKnown { path }),
    };
    (verdict, Evidence::Compressible(found))
}

#[cfg(test)]
mod tests {
    use record::{IoKind, Ratio};

    use super::*;
    use crate::fixture::{io_run, run, storage};

    fn says(compressed: Option<f64>, repeated: Option<f64>) -> (Verdict, Evidence) {
        let mut run = io_run("io", IoKind::Read, 1);
        let file = &mut storage(&mut run).files[0];
        (file.compressed, file.repeated) = (compressed.map(Ratio), repeated.map(Ratio));
        let finding = check(&run).unwrap();
        (finding.verdict, finding.evidence)
    }

    #[test]
    fn compressible_and_duplicate_data_are_warnings() {
        assert_eq!(says(Some(1.0), Some(0.05)), (Verdict::Pass, Evidence::Compressible(Compressible::None)));
        let found = Compressible::Compresses { path: "/data/file".to_owned(), size: Ratio(0.42) };
        assert_eq!(says(Some(0.42), Some(0.0)), (Verdict::Warn, Evidence::Compressible(found)));
        assert_eq!(says(Some(1.0), Some(0.06)).0, Verdict::Warn);
        assert_eq!((says(None, Some(0.0)).0, says(Some(0.9), None).0), (Verdict::Unknown, Verdict::Unknown));
        assert_eq!(says(None, Some(0.5)).0, Verdict::Warn, "one of the two is enough");
    }

    #[test]
    fn an_empty_file_and_one_in_memory_are_not_checked() {
        let mut empty = io_run("io", IoKind::Commit, 1);
        storage(&mut empty).files[0].size_bytes = record::Bytes(0);
        assert_eq!((check(&empty), check(&run("T211", 1))), (None, None));
        let mut memory = io_run("io", IoKind::Read, 1);
        storage(&mut memory).files[0].has_device = Some(false);
        assert_eq!(check(&memory), None);
    }
}

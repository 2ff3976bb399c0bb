//! Data that a device can compress or store once: one that does shows more than it has.
//!
//! From a sample of what lies in the files when the run has ended: its size after deflating it, and the share of equal
//! blocks. Whether the device makes use of it cannot be seen from here, so that it is never more than a warning.

use record::{Check, Finding, IoFile, Run, Verdict};

use super::{finding, percent, worst};
use crate::rules::RULES;

pub(super) fn check(run: &Run) -> Option<Finding> {
    let storage = run.storage.as_ref()?;
    // An empty file has nothing to take a sample of; one in memory has no device that could compress.
    let asked = |file: &&IoFile| file.has_device != Some(false) && (file.size_bytes.0 > 0 || file.is_device);
    let said: Vec<(Verdict, String)> = storage.files.iter().filter(asked).map(say).collect();
    if said.iter().all(|(verdict, _)| *verdict == Verdict::Pass) && !said.is_empty() {
        return finding(Check::Compressible, Verdict::Pass, "the data neither compresses nor repeats itself");
    }
    worst(Check::Compressible, said)
}

fn say(file: &IoFile) -> (Verdict, String) {
    let path = &file.path;
    let flattered = "a device that does so shows more than it has";
    match (file.compressed, file.repeated) {
        (Some(size), _) if size.0 < RULES.compressed_min => {
            (Verdict::Warn, format!("{path} compresses to {} of its size: {flattered}", percent(size.0)))
        }
        (_, Some(repeated)) if repeated.0 > RULES.repeated_max => {
            (Verdict::Warn, format!("{} of the blocks of {path} can be stored once: {flattered}", percent(repeated.0)))
        }
        (Some(_), Some(_)) => (Verdict::Pass, String::new()),
        _ => (Verdict::Unknown, format!("whether {path} can be compressed is not known")),
    }
}

#[cfg(test)]
mod tests {
    use record::{IoKind, Ratio};

    use super::*;
    use crate::fixture::{io_run, run, storage};

    fn says(compressed: Option<f64>, repeated: Option<f64>) -> (Verdict, String) {
        let mut run = io_run("io", IoKind::Read, 1);
        let file = &mut storage(&mut run).files[0];
        (file.compressed, file.repeated) = (compressed.map(Ratio), repeated.map(Ratio));
        let finding = check(&run).unwrap();
        (finding.verdict, finding.detail)
    }

    #[test]
    fn what_compresses_or_repeats_is_said() {
        assert_eq!(
            says(Some(1.0), Some(0.05)),
            (Verdict::Pass, "the data neither compresses nor repeats itself".to_owned())
        );
        assert_eq!(
            says(Some(0.42), Some(0.0)),
            (
                Verdict::Warn,
                "/data/file compresses to 42 % of its size: a device that does so shows more than it has".to_owned()
            )
        );
        assert_eq!(says(Some(1.0), Some(0.06)).0, Verdict::Warn);
        assert_eq!((says(None, Some(0.0)).0, says(Some(0.9), None).0), (Verdict::Unknown, Verdict::Unknown));
        assert_eq!(says(None, Some(0.5)).0, Verdict::Warn, "one of the two is enough");
    }

    #[test]
    fn an_empty_file_and_one_in_memory_are_not_asked() {
        let mut empty = io_run("io", IoKind::Commit, 1);
        storage(&mut empty).files[0].size_bytes = record::Bytes(0);
        assert_eq!((check(&empty), check(&run("T211", 1))), (None, None));
        let mut memory = io_run("io", IoKind::Read, 1);
        storage(&mut memory).files[0].has_device = Some(false);
        assert_eq!(check(&memory), None);
    }
}

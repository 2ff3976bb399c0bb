//! The device number in block requests.

use std::fs;
use std::path::Path;

use crate::refusal::Unavailable;

/// Bits of the minor number in the kernel.
const MINOR_BITS: u32 = 20;

/// The device number of the whole disk `name`; `sys` is the path of `/sys`.
pub(crate) fn number(sys: &Path, name: &str) -> Result<u32, Unavailable> {
    let directory = sys.join("block").join(name);
    let Some(number) = fs::read_to_string(directory.join("dev")).ok().and_then(|text| parse(&text)) else {
        return Err(Unavailable::new(
            format!("{name} is not a block device of this host"),
            "measure a directory on a block device (--dir)",
        ));
    };
    // Only devices with hardware queues have requests; stacked devices (LVM, dm-crypt, md) pass them on.
    match directory.join("mq").is_dir() {
        true => Ok(number),
        false => Err(Unavailable::new(
            format!("{name} is a stacked device without requests of its own"),
            "measure a directory on a file system directly on a disk",
        )),
    }
}

/// Parses major and minor number, `254:0`, as one number of the kernel.
fn parse(text: &str) -> Option<u32> {
    let (major, minor) = text.trim().split_once(':')?;
    let (major, minor): (u32, u32) = (major.parse().ok()?, minor.parse().ok()?);
    let fits = major < 1 << (32 - MINOR_BITS) && minor < 1 << MINOR_BITS && (major, minor) != (0, 0);
    fits.then_some(major << MINOR_BITS | minor)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_disk_has_a_number_and_a_stack_of_disks_has_none() {
        let sys = tempfile::tempdir().unwrap();
        for (name, text) in [("vda", "254:0\n"), ("dm-0", "253:0\n"), ("odd", "nothing")] {
            fs::create_dir_all(sys.path().join("block").join(name)).unwrap();
            fs::write(sys.path().join("block").join(name).join("dev"), text).unwrap();
        }
        fs::create_dir(sys.path().join("block/vda/mq")).unwrap();
        assert_eq!(number(sys.path(), "vda"), Ok(254 << 20));
        let reason = |name| number(sys.path(), name).unwrap_err().reason;
        assert!(reason("dm-0").contains("dm-0 is a stacked device"));
        assert!(reason("odd").contains("odd is not a block device"));
        assert!(reason("sdz").contains("sdz is not a block device"));
    }

    proptest! {
        #[test]
        fn valid_numbers_are_parsed_and_no_text_panics(major in 0u32..10_000, minor: u32, text in "\\PC*") {
            let fits = (1..4_096).contains(&major) && minor < 1 << 20;
            let read = parse(&format!("{major}:{minor}\n"));
            prop_assert_eq!(read.is_some(), fits || major == 0 && (1..1 << 20).contains(&minor));
            prop_assert!(read.is_none_or(|number| (number >> 20, number & 0xf_ffff) == (major, minor)));
            let _ = parse(&text);
        }
    }
}

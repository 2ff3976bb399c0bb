//! Names of what dbdyno makes: they alone tell it from what others made, also after a crash.
//!
//! A subsystem is ours by its NQN. A port has no name but a number; the serial number of a subsystem of ours names the
//! port that was made for it, and is written before that port is.

use std::path::Path;

/// The beginning of the NQN of every subsystem and initiator of dbdyno.
pub const NQN_PREFIX: &str = "nqn.2024-01.org.dbdyno:";

/// The longest NQN, in bytes.
pub const NQN_BYTES_MAX: usize = 223;

/// Ports of dbdyno have numbers of this range: others count from 1.
pub(super) const PORTS: std::ops::RangeInclusive<u16> = 0xdb00..=0xdbff;

/// Bytes of a host or device in a name.
const PART_BYTES_MAX: usize = 64;

/// Whether an NQN is of dbdyno.
pub fn is_ours(nqn: &str) -> bool {
    nqn.starts_with(NQN_PREFIX)
}

/// The NQN of the subsystem of `backing`: host and device, so that targets of several hosts differ. Files of the same name
/// differ by a checksum of the path.
pub(super) fn subsystem_nqn(host: &str, backing: &Path, is_block_device: bool) -> String {
    let name = backing.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let suffix = match is_block_device {
        true => String::new(),
        false => format!("-{:08x}", checksum(backing.as_os_str().as_encoded_bytes()) as u32),
    };
    format!("{NQN_PREFIX}{}:{}{suffix}", part(host), part(&name))
}

/// The NQN of this host as an initiator.
pub(super) fn initiator_nqn(host: &str) -> String {
    format!("{NQN_PREFIX}initiator:{}", part(host))
}

/// The identifier that belongs to an initiator's NQN: newer kernels refuse one of them with two of the other.
pub(super) fn initiator_id(nqn: &str) -> String {
    let (high, low) = (checksum(nqn.as_bytes()), checksum(format!("{nqn}:").as_bytes()));
    // Version 8 and the variant of RFC 9562: made by a rule of one's own.
    format!(
        "{:08x}-{:04x}-8{:03x}-{:04x}-{:012x}",
        high >> 32,
        high >> 16 & 0xffff,
        high & 0xfff,
        low >> 48 & 0x3fff | 0x8000,
        low & 0xffff_ffff_ffff
    )
}

/// The serial number of the subsystem `nqn`, at most 20 bytes: it names the port that is made for it.
pub(super) fn serial(nqn: &str, port: u16) -> String {
    format!("dbdyno-{port}-{:07x}", checksum(nqn.as_bytes()) & 0xfff_ffff)
}

/// The port that the serial number of the subsystem `nqn` names.
pub(super) fn port_of_serial(nqn: &str, text: &str) -> Option<u16> {
    let port = text.strip_prefix("dbdyno-")?.split('-').next()?.parse().ok()?;
    (serial(nqn, port) == text && PORTS.contains(&port)).then_some(port)
}

/// `text` with letters, digits, `.`, `-` and `_` only.
fn part(text: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-' | '_');
    text.chars().map(|letter| if is_plain(letter) { letter } else { '-' }).take(PART_BYTES_MAX).collect()
}

/// FNV-1a.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_subsystem_is_named_by_host_and_device() {
        let device = subsystem_nqn("guest", Path::new("/dev/nvme1n1"), true);
        assert_eq!(device, "nqn.2024-01.org.dbdyno:guest:nvme1n1");
        let [first, second] = ["/a/data 1.img", "/b/data 1.img"].map(|path| subsystem_nqn("h", Path::new(path), false));
        assert!(first.starts_with("nqn.2024-01.org.dbdyno:h:data-1.img-"), "{first}");
        assert_ne!(first, second);
    }

    #[test]
    fn an_initiator_has_one_identifier() {
        let id = initiator_id(&initiator_nqn("guest"));
        assert_eq!(id, initiator_id(&initiator_nqn("guest")));
        assert_ne!(id, initiator_id(&initiator_nqn("other")));
        assert_eq!(id.split('-').map(str::len).collect::<Vec<_>>(), [8, 4, 4, 4, 12], "{id}");
    }

    #[test]
    fn the_serial_number_of_another_subsystem_names_no_port() {
        let text = serial("a", 0xdb00);
        assert_eq!((port_of_serial("a", &text), port_of_serial("b", &text)), (Some(0xdb00), None));
        assert_eq!(port_of_serial("a", &serial("a", 1)), None, "not of the range");
    }

    proptest! {
        #[test]
        fn every_name_is_within_the_limits_of_the_kernel(host in "\\PC{0,300}", file in "[^/\0]{1,300}", port in any::<u16>()) {
            let nqn = subsystem_nqn(&host, &Path::new("/x").join(&file), false);
            let initiator = initiator_nqn(&host);
            prop_assert!(is_ours(&nqn) && is_ours(&initiator));
            for name in [&nqn, &initiator] {
                prop_assert!(name.len() <= NQN_BYTES_MAX && !name.contains([',', '/', ' ', '\n']), "{name}");
            }
            prop_assert!(serial(&nqn, port).len() <= 20);
            prop_assert_eq!(port_of_serial(&nqn, &serial(&nqn, port)), PORTS.contains(&port).then_some(port));
            let _ = port_of_serial(&nqn, &file);
        }
    }
}

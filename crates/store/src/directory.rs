//! How records are named where the user names none.

use std::fmt::Write;
use std::path::Path;
use std::time::SystemTime;

/// The beginning of the name of every record that the user did not name himself.
pub(crate) const FILE_PREFIX: &str = "dbdyno-";

/// The end of such a name.
const FILE_ENDING: &str = ".jsonl";

/// Ends of the names of files that may be records: users name theirs as they like.
const RECORD_ENDINGS: [&str; 2] = [FILE_ENDING, ".json"];

/// Letters of a host name that stand in a file name: as many as a label of the domain name system may have.
const HOST_LETTERS_MAX: usize = 63;

/// The name of the file of a record that is begun at `begun` (shown in UTC, to the second) on this host:
/// `dbdyno-20260131-120000-db1.jsonl`. Of the host name only what stands before its first dot is taken, and of that
/// only what is harmless in a file name.
pub fn default_name(begun: SystemTime, host_name: &str) -> String {
    let mut moment = String::new();
    // A moment before 1970 or after 9999 has no such form; the name then says only where.
    let _ = write!(moment, "{}", humantime::format_rfc3339_seconds(begun));
    let digits: String = moment.chars().filter(char::is_ascii_digit).collect();
    let (day, time) = digits.split_at(digits.len().min(8));
    let harmless = |letter: &char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    let label = host_name.split('.').next().unwrap_or_default();
    let host: String = label.chars().filter(harmless).take(HOST_LETTERS_MAX).collect();
    let parts = [day, time, if host.is_empty() { "host" } else { &host }];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    format!("{FILE_PREFIX}{}{FILE_ENDING}", parts.join("-"))
}

/// Whether a file of this name can be a record.
pub fn is_record_name(name: &str) -> bool {
    RECORD_ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// The name that the record at `path` bears: its file name without the ending.
pub fn id_of(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;

    #[test]
    fn a_record_is_named_by_when_and_where_it_was_begun() {
        let begun = UNIX_EPOCH + Duration::from_millis(1_769_860_984_567);
        let name = default_name(begun, "db1.example.net");
        assert_eq!(name, "dbdyno-20260131-120304-db1.jsonl");
        assert_eq!(id_of(Path::new("/measured").join(name).as_path()), "dbdyno-20260131-120304-db1");
    }

    #[test]
    fn neither_a_host_name_nor_a_clock_can_spoil_the_name() {
        assert_eq!(default_name(UNIX_EPOCH, "/../e vil"), "dbdyno-19700101-000000-host.jsonl");
        assert_eq!(default_name(UNIX_EPOCH, "a/b c\n"), "dbdyno-19700101-000000-abc.jsonl");
        assert_eq!(default_name(UNIX_EPOCH, ""), "dbdyno-19700101-000000-host.jsonl");
        let far = UNIX_EPOCH + Duration::from_secs(1 << 40);
        assert_eq!(default_name(far, "db1"), "dbdyno-db1.jsonl");
        assert_eq!(id_of(Path::new("/")), "");
    }
}

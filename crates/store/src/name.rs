//! Names of record files.

use std::fmt::Write;
use std::path::Path;
use std::time::SystemTime;

/// Prefix of default names.
pub(crate) const FILE_PREFIX: &str = "dbdyno-";

/// Ending of default names.
const FILE_ENDING: &str = ".jsonl";

/// Endings of files that may be records.
const RECORD_ENDINGS: [&str; 2] = [FILE_ENDING, ".json"];

/// Maximum length of the host name in a file name: that of a DNS label.
const HOST_LENGTH_MAX: usize = 63;

/// The default file name of a record started at `start` (UTC, in seconds): `dbdyno-20260131-120000-db1.jsonl`. The host
/// name is cut at its first dot, and only characters that are safe in file names are kept.
pub fn default_name(start: SystemTime, host_name: &str) -> String {
    let mut moment = String::new();
    // A time before 1970 or after 9999 cannot be formatted; the name then has no time.
    let _ = write!(moment, "{}", humantime::format_rfc3339_seconds(start));
    let digits: String = moment.chars().filter(char::is_ascii_digit).collect();
    let (day, time) = digits.split_at(digits.len().min(8));
    let is_safe = |letter: &char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    let label = host_name.split('.').next().unwrap_or_default();
    let host: String = label.chars().filter(is_safe).take(HOST_LENGTH_MAX).collect();
    let parts = [day, time, if host.is_empty() { "host" } else { &host }];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    format!("{FILE_PREFIX}{}{FILE_ENDING}", parts.join("-"))
}

/// Whether a file of this name can be a record.
pub fn is_record_name(name: &str) -> bool {
    RECORD_ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// The name of the record at `path`: its file name without the ending.
pub fn id_of(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;

    #[test]
    fn a_record_is_named_by_time_and_host() {
        let start = UNIX_EPOCH + Duration::from_millis(1_769_860_984_567);
        let name = default_name(start, "db1.example.net");
        assert_eq!(name, "dbdyno-20260131-120304-db1.jsonl");
        assert_eq!(id_of(Path::new("/measured").join(name).as_path()), "dbdyno-20260131-120304-db1");
    }

    #[test]
    fn any_host_name_and_clock_give_a_valid_name() {
        assert_eq!(default_name(UNIX_EPOCH, "/../e vil"), "dbdyno-19700101-000000-host.jsonl");
        assert_eq!(default_name(UNIX_EPOCH, "a/b c\n"), "dbdyno-19700101-000000-abc.jsonl");
        assert_eq!(default_name(UNIX_EPOCH, ""), "dbdyno-19700101-000000-host.jsonl");
        let far = UNIX_EPOCH + Duration::from_secs(1 << 40);
        assert_eq!(default_name(far, "db1"), "dbdyno-db1.jsonl");
        assert_eq!(id_of(Path::new("/")), "");
    }
}

//! The parameters of a target, and their defaults.

use std::time::Duration;

use base::quantity::{self, Written};
use engine::Machine;
use engine::{Error, Kind, Result, Target, Workspace};

/// Cache size if the plan has none.
const CACHE_BYTES_DEFAULT: u64 = 64 << 20;
/// The block size of the other engines.
const PAGE_BYTES_DEFAULT: u32 = 8192;

/// The parameters: sizes and switches.
pub(crate) const KNOWN: [&str; 9] = [
    "page_size",
    "journal_mode",
    "synchronous",
    "cache_size",
    "mmap_size",
    "busy_timeout",
    "wal_autocheckpoint",
    "temp_store",
    "direct",
];

/// Settings of the database and its connections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Settings {
    /// A power of two in [512, 65536].
    pub(crate) page_bytes: u32,
    /// Whether the target requests this page size, so that an existing database must have it.
    pub(crate) page_bytes_requested: bool,
    pub(crate) journal_mode: &'static str,
    pub(crate) synchronous: &'static str,
    pub(crate) temp_store: &'static str,
    /// Per session.
    pub(crate) cache_bytes: u64,
    pub(crate) mmap_bytes: u64,
    pub(crate) busy_timeout: Duration,
    pub(crate) wal_autocheckpoint: u32,
    /// Whether reads of tables that do not fit the cache bypass the page cache of the operating system.
    pub(crate) direct: bool,
}

impl Settings {
    pub(crate) fn parse(target: &Target, workspace: &Workspace) -> Result<Settings> {
        if let Some((name, _)) = target.parameters.iter().find(|(name, _)| !KNOWN.contains(&name.as_str())) {
            let error = Error::new(Kind::Usage, format!("SQLite has no parameter {name}"));
            return Err(error.hint(format!("known are {}", KNOWN.join(", "))));
        }
        let page_bytes = target.parameter("page_size").map(page_bytes).transpose()?;
        let bytes = |name: &str| target.parameter(name).map(|value| bytes(name, value)).transpose();
        let choice = |name: &str, known: &[&'static str], default: &'static str| match target.parameter(name) {
            Some(value) => one_of(name, value, known),
            None => Ok(default),
        };
        Ok(Settings {
            page_bytes: page_bytes.unwrap_or(PAGE_BYTES_DEFAULT),
            page_bytes_requested: page_bytes.is_some(),
            journal_mode: choice("journal_mode", &["wal", "delete", "truncate", "persist"], "wal")?,
            synchronous: choice("synchronous", &["off", "normal", "full", "extra"], "full")?,
            temp_store: choice("temp_store", &["default", "file", "memory"], "default")?,
            cache_bytes: bytes("cache_size")?.unwrap_or_else(|| planned_cache_bytes(workspace)),
            mmap_bytes: bytes("mmap_size")?.unwrap_or(0),
            direct: choice("direct", &["on", "off"], "on")? == "on",
            busy_timeout: target.parameter("busy_timeout").map_or(Ok(Duration::from_secs(60)), busy_timeout)?,
            wal_autocheckpoint: target.parameter("wal_autocheckpoint").map_or(Ok(1000), wal_autocheckpoint)?,
        })
    }
}

/// The cache size of the plan, for each session, limited so that all sessions together use at most half of the memory:
/// a table that fits must fit for every job, but the host must not run out of memory.
fn planned_cache_bytes(workspace: &Workspace) -> u64 {
    let planned = workspace.cache_bytes.map_or(CACHE_BYTES_DEFAULT, |bytes| bytes.0);
    let memory = Machine::here(&workspace.directory).memory_bytes;
    let session_shard = memory / 2 / u64::from(workspace.sessions_max.max(1));
    planned.min(session_shard).max(1 << 20)
}

fn invalid(name: &str, value: &str, allowed: &str) -> Error {
    Error::new(Kind::Usage, format!("{name}={value} is not {allowed}"))
}

fn page_bytes(value: &str) -> Result<u32> {
    let bytes = bytes("page_size", value)?;
    u32::try_from(bytes)
        .ok()
        .filter(|size| size.is_power_of_two() && (512..=65536).contains(size))
        .ok_or_else(|| invalid("page_size", value, "a power of two from 512 to 65536, such as 4KiB"))
}

fn one_of(name: &str, value: &str, known: &[&'static str]) -> Result<&'static str> {
    let found = known.iter().find(|known| known.eq_ignore_ascii_case(value));
    found.copied().ok_or_else(|| invalid(name, value, &format!("one of {}", known.join(", "))))
}

/// A number of bytes. The library has no suffixes; they are those of dbdyno.
fn bytes(name: &str, value: &str) -> Result<u64> {
    // The library uses 64-bit signed numbers.
    let found = quantity::size(value).filter(|bytes| *bytes <= i64::MAX as u64);
    found.ok_or_else(|| invalid(name, value, "a size such as 65536 or 64MiB"))
}

/// A time; without a unit milliseconds, as in the pragma of this name.
fn busy_timeout(value: &str) -> Result<Duration> {
    let written = Written::of(value);
    let time_ns = if written.unit.is_empty() { written.about(1_000_000) } else { quantity::time_ns(value) };
    time_ns.map(Duration::from_nanos).ok_or_else(|| invalid("busy_timeout", value, "a time such as 60s or 500ms"))
}

fn wal_autocheckpoint(value: &str) -> Result<u32> {
    let pages = value.parse::<u32>().ok().filter(|pages| *pages <= i32::MAX as u32);
    pages.ok_or_else(|| invalid("wal_autocheckpoint", value, "a number of pages from 0 to 2147483647"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use record::Bytes;

    use super::*;

    fn parse(target: &str, cache_bytes: Option<Bytes>) -> Result<Settings> {
        let workspace = Workspace { directory: std::env::temp_dir(), keep: false, cache_bytes, sessions_max: 4 };
        Settings::parse(&target.parse().expect("a target"), &workspace)
    }

    #[test]
    fn defaults_are_durable_without_memory_map() {
        let settings = parse("sqlite", Some(Bytes::MIB.times(16))).expect("defaults");
        assert_eq!((settings.page_bytes, settings.page_bytes_requested), (8192, false));
        assert_eq!((settings.journal_mode, settings.synchronous), ("wal", "full"));
        assert_eq!((settings.cache_bytes, settings.mmap_bytes), (16 << 20, 0));
        assert_eq!(settings.busy_timeout, Duration::from_secs(60));
        let all = parse("sqlite", Some(Bytes(u64::MAX))).expect("a cache beyond all memory");
        let memory = Machine::here(&std::env::temp_dir()).memory_bytes;
        assert!(all.cache_bytes < memory / 4, "four sessions leave half of the memory");
    }

    #[test]
    fn every_parameter_is_read() {
        let target = "sqlite?page_size=4KiB&journal_mode=TRUNCATE&synchronous=off&cache_size=8MiB&mmap_size=1GiB\
                      &busy_timeout=500ms&wal_autocheckpoint=0&temp_store=memory";
        let expected = Settings {
            page_bytes: 4096,
            page_bytes_requested: true,
            journal_mode: "truncate",
            synchronous: "off",
            temp_store: "memory",
            cache_bytes: 8 << 20,
            mmap_bytes: 1 << 30,
            busy_timeout: Duration::from_millis(500),
            direct: true,
            wal_autocheckpoint: 0,
        };
        assert_eq!(parse(target, None).expect("known parameters"), expected);
        assert_eq!(parse("sqlite?busy_timeout=250", None).expect("ms").busy_timeout, Duration::from_millis(250));
        assert_eq!(parse("sqlite?busy_timeout=2s", None).expect("s").busy_timeout, Duration::from_secs(2));
        assert_eq!(parse("sqlite?busy_timeout=1m", None).expect("min").busy_timeout, Duration::from_secs(60));
    }

    proptest! {
        #[test]
        fn a_size_is_its_number_times_its_suffix(number in 0u64..1 << 32, power in 0u32..4, binary in any::<bool>()) {
            let short = ["", "k", "M", "g"][power as usize];
            let text = format!("{number}{short}{}", if binary && power > 0 { "iB" } else { "" });
            let unit = if binary { 1024u64 } else { 1000 };
            prop_assert_eq!(bytes("any", &text).expect("a size"), number * unit.pow(power));
        }

        #[test]
        fn no_text_makes_a_parser_panic(text in "\\PC{0,24}") {
            let _ = (bytes("any", &text), page_bytes(&text), busy_timeout(&text), wal_autocheckpoint(&text));
        }
    }

    #[test]
    fn invalid_values_are_rejected_with_the_valid_ones() {
        for (target, hint) in [
            ("sqlite?page_size=1000", "a power of two from 512 to 65536"),
            ("sqlite?page_size=131072", "a power of two"),
            ("sqlite?page_size=", "a size such as"),
            ("sqlite?cache_size=-1", "a size such as"),
            ("sqlite?cache_size=1EB", "a size such as"),
            ("sqlite?cache_size=99999999999G", "a size such as"),
            ("sqlite?synchronous=on", "one of off, normal, full, extra"),
            ("sqlite?journal_mode=memory", "one of wal, delete, truncate, persist"),
            ("sqlite?busy_timeout=+5s", "a time such as"),
            ("sqlite?busy_timeout=1M", "a time such as"),
            ("sqlite?page_size=4k", "a power of two from 512 to 65536, such as 4KiB"),
            ("sqlite?wal_autocheckpoint=4294967295", "a number of pages"),
        ] {
            let error = parse(target, None).expect_err(target);
            assert_eq!(error.kind, Kind::Usage);
            assert!(error.message.contains(hint), "{target}: {error}");
        }
        let error = parse("sqlite?locking_mode=exclusive", None).expect_err("unknown");
        assert!(error.hint.is_some_and(|hint| hint.contains("busy_timeout")), "the known ones are listed");
    }
}

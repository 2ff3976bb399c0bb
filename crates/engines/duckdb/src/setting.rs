//! The parameters of a target, and what holds where none is given.

use std::ffi::OsString;
use std::path::PathBuf;

use base::quantity;
use engine::{Error, Kind, Result, Target, Workspace};

use crate::capi::Source;

/// Less than this, and the library runs out of memory in the middle of an index: its limit is for all that it does,
/// not for its cache alone.
const MEMORY_BYTES_MIN: u64 = 512 << 20;

const KNOWN: [&str; 3] = ["library", "memory_limit", "checkpoint_threshold"];

/// Those that are sizes.
pub(crate) const HARMLESS: &[&str] = &["memory_limit", "checkpoint_threshold"];

/// How the library is found and the database is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Settings {
    pub(crate) source: Source,
    pub(crate) memory_bytes: u64,
    /// None leaves the library its own.
    pub(crate) checkpoint_bytes: Option<u64>,
}

impl Settings {
    pub(crate) fn parse(target: &Target, workspace: &Workspace) -> Result<Settings> {
        if let Some((name, _)) = target.parameters.iter().find(|(name, _)| !KNOWN.contains(&name.as_str())) {
            let error = Error::new(Kind::Usage, format!("DuckDB has no parameter {name}"));
            return Err(error.hint(format!("known are {}", KNOWN.join(", "))));
        }
        let size = |name: &str| target.parameter(name).map(|value| size_bytes(name, value)).transpose();
        let planned = workspace.cache_bytes.map_or(0, |bytes| bytes.0).max(MEMORY_BYTES_MIN);
        Ok(Settings {
            source: source(target.parameter("library"), |name| std::env::var_os(name))?,
            memory_bytes: size("memory_limit")?.unwrap_or(planned),
            checkpoint_bytes: size("checkpoint_threshold")?,
        })
    }

    /// The library's configuration: names and values.
    pub(crate) fn configuration(&self) -> Vec<(&'static str, String)> {
        let mut configuration = vec![
            ("memory_limit", format!("{}B", self.memory_bytes)),
            // Nothing is fetched from the network in the middle of a measurement.
            ("autoinstall_known_extensions", "false".to_owned()),
            ("autoload_known_extensions", "false".to_owned()),
        ];
        configuration.extend(self.checkpoint_bytes.map(|bytes| ("checkpoint_threshold", format!("{bytes}B"))));
        configuration
    }
}

/// Where the library is to be found; `variable` reads the environment.
fn source(parameter: Option<&str>, variable: impl Fn(&str) -> Option<OsString>) -> Result<Source> {
    let name = libloading::library_filename("duckdb");
    let path = |name| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(parameter) = parameter {
        return match parameter {
            "" => Err(refused("library", parameter, "the path of a library, such as /usr/lib/libduckdb.so")),
            path => Ok(Source::Parameter(path.into())),
        };
    }
    if let Some(path) = path("DUCKDB_LIBRARY") {
        return Ok(Source::Environment("DUCKDB_LIBRARY", path));
    }
    if let Some(directory) = path("DUCKDB_LIB_DIR") {
        return Ok(Source::Environment("DUCKDB_LIB_DIR", directory.join(name)));
    }
    Ok(Source::SearchPath(name.into()))
}

fn refused(name: &str, value: &str, allowed: &str) -> Error {
    Error::new(Kind::Usage, format!("{name}={value} is not {allowed}"))
}

/// A number of bytes. Suffixes mean what the library takes them for, which is what they mean to dbdyno: `kB`, `MB`, `GB`,
/// `TB` are powers of 1000, `KiB`, ... of 1024.
fn size_bytes(name: &str, value: &str) -> Result<u64> {
    // The most that the library's own 64-bit signed numbers hold.
    let found = quantity::size(value).filter(|bytes| (1..=i64::MAX as u64).contains(bytes));
    found.ok_or_else(|| refused(name, value, "a size such as 65536, 512MiB or 4GB"))
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
    fn the_plan_gives_the_memory_but_never_too_little() {
        assert_eq!(parse("duckdb", None).expect("defaults").memory_bytes, 512 << 20);
        assert_eq!(parse("duckdb", Some(Bytes::MIB.times(16))).expect("small").memory_bytes, 512 << 20);
        assert_eq!(parse("duckdb", Some(Bytes::GIB.times(8))).expect("large").memory_bytes, 8 << 30);
        let settings = parse("duckdb?memory_limit=64MiB&checkpoint_threshold=1gb&library=/x/y.so", None).expect("all");
        assert_eq!((settings.memory_bytes, settings.checkpoint_bytes), (64 << 20, Some(1_000_000_000)));
        assert_eq!(settings.source, Source::Parameter("/x/y.so".into()));
        assert!(settings.configuration().contains(&("checkpoint_threshold", "1000000000B".to_owned())));
    }

    #[test]
    fn the_library_is_the_parameter_or_a_variable_or_left_to_the_loader() {
        let environment = |names: &'static [(&'static str, &'static str)]| {
            move |name: &str| names.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
        };
        let both = environment(&[("DUCKDB_LIBRARY", "/a/one.so"), ("DUCKDB_LIB_DIR", "/b")]);
        assert_eq!(source(Some("two.so"), both).expect("parameter"), Source::Parameter("two.so".into()));
        assert_eq!(source(None, both).expect("file"), Source::Environment("DUCKDB_LIBRARY", "/a/one.so".into()));
        let directory = environment(&[("DUCKDB_LIBRARY", ""), ("DUCKDB_LIB_DIR", "/b")]);
        let name = libloading::library_filename("duckdb");
        let expected = Source::Environment("DUCKDB_LIB_DIR", PathBuf::from("/b").join(&name));
        assert_eq!(source(None, directory).expect("directory"), expected);
        assert_eq!(source(None, |_| None).expect("nothing"), Source::SearchPath(name.into()));
        assert_eq!(source(Some(""), |_| None).expect_err("empty").kind, Kind::Usage);
    }

    #[test]
    fn what_cannot_be_is_refused_with_what_can() {
        for target in [
            "duckdb?memory_limit=0",
            "duckdb?memory_limit=-1",
            "duckdb?checkpoint_threshold=1EB",
            "duckdb?memory_limit=80%25",
        ] {
            let error = parse(target, None).expect_err(target);
            assert_eq!(error.kind, Kind::Usage);
            assert!(error.message.contains("a size such as"), "{target}: {error}");
        }
        let error = parse("duckdb?threads=4", None).expect_err("unknown");
        assert!(error.hint.is_some_and(|hint| hint.contains("memory_limit")), "the known ones are listed");
    }

    proptest! {
        #[test]
        fn a_size_is_its_number_times_its_unit(number in 1u64..1 << 22, power in 0u32..5, binary in any::<bool>()) {
            let suffix = ["", "k", "M", "G", "T"][power as usize];
            let ending = if binary && power > 0 { "iB" } else { "B" };
            let unit = if binary { 1024u64 } else { 1000 };
            let expected = number * unit.pow(power);
            prop_assert_eq!(size_bytes("any", &format!("{number}{suffix}{ending}")).expect("a size"), expected);
        }

        #[test]
        fn no_text_makes_the_parser_panic(text in "\\PC{0,24}") {
            let _ = size_bytes("any", &text);
        }
    }
}

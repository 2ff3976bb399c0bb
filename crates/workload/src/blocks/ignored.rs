//! Settings of `slob.conf` that are ignored: some whatever their value, and those of SLOB 2.2 and older where they ask for
//! nothing.

/// Settings that are known and ignored, and why.
const IGNORED: &[(&str, &str)] = &[
    ("DATABASE_STATISTICS_TYPE", "the counters of every engine are read at both edges of the window"),
    ("EXTERNAL_SCRIPT", "dbdyno runs no scripts"),
    ("ADMIN_SQLNET_SERVICE", TARGET),
    ("SQLNET_SERVICE_BASE", TARGET),
    ("SQLNET_SERVICE_MAX", TARGET),
    ("ADMIN_CONNECT_STRING", TARGET),
    ("NON_ADMIN_CONNECT_STRING", TARGET),
    ("DBA_PRIV_USER", "--target gives the user"),
    ("SYSDBA_PASSWD", "--target gives the user; the password was not kept"),
    ("NO_OS_PERF_DATA", "the counters of the host are always read"),
    ("UNIQUE_INDEX", "the key index is the same on every engine"),
    ("BLOCK_SZ", "sizes are counted in blocks of 8 KiB"),
];

const TARGET: &str = "--target gives the location of the database";

/// A setting of SLOB 2.2 and older.
struct Former {
    name: &'static str,
    /// The setting that took its place.
    successor: &'static str,
    /// Why it is ignored at a value that asks for nothing.
    neutral: &'static str,
}

const FORMER: [Former; 4] = [
    Former {
        name: "SHARED_DATA_MODULUS",
        successor: "HOT_SCHEMA_FREQUENCY",
        neutral: "0 is no shared schema (now HOT_SCHEMA_FREQUENCY)",
    },
    Former { name: "DO_UPDATE_HOTSPOT", successor: "DO_HOTSPOT", neutral: "FALSE is no hot spot (now DO_HOTSPOT)" },
    Former {
        name: HOTSPOT_PCT,
        successor: "HOTSPOT_FREQUENCY",
        neutral: "there is no hot spot (now HOTSPOT_FREQUENCY)",
    },
    Former {
        name: "THINK_TM_MODULUS",
        successor: "THINK_TM_FREQUENCY",
        neutral: "0 is no think time (now THINK_TM_FREQUENCY)",
    },
];

/// The size of the former hot spot, which says nothing without one.
const HOTSPOT_PCT: &str = "HOTSPOT_PCT";

/// Why the setting `name` is ignored whatever its value, if it is.
pub(super) fn always(name: &str) -> Option<&'static str> {
    IGNORED.iter().find(|(known, _)| *known == name).map(|(_, reason)| *reason)
}

/// Why the former setting `name` is ignored at `value`, if it asks for nothing there.
pub(super) fn at_value(name: &str, value: &str, with_hot_spot: bool) -> Option<&'static str> {
    let former = FORMER.iter().find(|former| former.name == name)?;
    let value = value.trim();
    let asks_for_nothing = match name {
        HOTSPOT_PCT => !with_hot_spot,
        _ => value.is_empty() || value.eq_ignore_ascii_case("false") || value.parse() == Ok(0.0),
    };
    asks_for_nothing.then_some(former.neutral)
}

/// The setting that took the place of `name`, if it is a former one.
pub(super) fn successor(name: &str) -> Option<&'static str> {
    FORMER.iter().find(|former| former.name == name).map(|former| former.successor)
}

//! Settings: their meaning, and impossible ones.

use proptest::prelude::*;

use super::*;
use crate::blocks::{Ignored, assignments, ignored, settings_of};

fn with(pairs: &[(&str, &str)]) -> BlocksSettings {
    let mut settings = BlocksSettings::default();
    for (name, value) in pairs {
        assert_eq!(settings.set(name, name, value), Ok(()), "{name}={value}");
    }
    settings
}

#[test]
fn what_is_written_as_a_file_is_read_as_the_same() {
    let settings = with(&[
        ("RUN_TIME", "0.123456789"),
        ("WORK_LOOP", "18446744073709551615"),
        ("SCALE", "1T"),
        ("SCAN_TABLE_SZ", "0"),
        ("REDO_STRESS", "heavy"),
        ("DO_HOTSPOT", "TRUE"),
        ("HOTSPOT_OFFSET_MB", "0"),
        ("THINK_TM_MIN", "604799.999"),
        ("OBFUSCATE_COLUMNS", "true"),
    ]);
    assert_eq!(settings_of(&settings.conf()).unwrap(), settings);
    let default = BlocksSettings::default();
    assert_eq!(settings_of(&default.conf()).unwrap(), default);
    assert_eq!(default.conf().lines().count(), KNOWN.len());
    assert!(settings_of("SCALE=x").is_err() && settings_of("`id`").is_err());
}

#[test]
fn every_setting_has_its_documented_meaning() {
    let settings = with(&[
        ("UPDATE_PCT", "30"),
        ("SCAN_PCT", "5"),
        ("RUN_TIME", "7200"),
        ("WORK_LOOP", "100"),
        ("SCALE", "2G"),
        ("SCAN_TABLE_SZ", "4M"),
        ("WORK_UNIT", "256"),
        ("REDO_STRESS", "heavy"),
        ("LOAD_PARALLEL_DEGREE", "4"),
        ("THREADS_PER_SCHEMA", "8"),
        ("SCHEMAS", "16"),
        ("DO_HOTSPOT", "TRUE"),
        ("HOTSPOT_MB", "10"),
        ("HOTSPOT_OFFSET_MB", "20"),
        ("HOTSPOT_FREQUENCY", "7"),
        ("HOT_SCHEMA_FREQUENCY", "9"),
        ("THINK_TM_FREQUENCY", "11"),
        ("THINK_TM_MIN", ".2"),
        ("THINK_TM_MAX", "0.4"),
        ("OBFUSCATE_COLUMNS", "true"),
    ]);
    assert_eq!((settings.update_percent, settings.scan_percent, settings.work_loop), (30, 5, 100));
    assert_eq!(settings.run_time, Nanos::from_seconds(7200.0));
    assert_eq!((settings.scale_blocks, settings.scan_blocks, settings.work_unit), (262_144, 512, 256));
    assert_eq!((settings.redo_stress, settings.load_jobs, settings.sessions()), (RedoStress::Heavy, 4, 128));
    assert_eq!(settings.hot_spot(), Some(HotSpot { offset_blocks: 2_560, blocks: 1_280, frequency: 7 }));
    let think = Think { frequency: 11, least_ns: Nanos(200_000_000), most_ns: Nanos(400_000_000) };
    assert_eq!((settings.think(), settings.hot_schema_frequency), (Some(think), 9));
    assert!(settings.obfuscated && settings.check().is_ok() && settings.remarks().is_empty());
}

#[test]
fn the_documented_defaults_hold() {
    let settings = BlocksSettings::default();
    assert_eq!((settings.update_percent, settings.work_unit, settings.scale_blocks), (10, 64, 10_240));
    assert_eq!((settings.scan_blocks, settings.sessions(), settings.load_jobs), (128, 1, 2));
    assert_eq!((settings.hot_spot(), settings.think(), settings.check()), (None, None, Ok(())));
    assert!(settings.remarks().is_empty());
}

#[test]
fn invalid_settings_are_refused_with_value_limit_and_hint() {
    for (name, value, words) in [
        ("UPDATE_PCT", "101", "UPDATE_PCT 101 is out of range"),
        ("UPDATE_PCT", "-1", "UPDATE_PCT -1 is not a whole number"),
        ("UPDATE_PCT", "", "UPDATE_PCT \"\" is not a whole number"),
        ("SCALE", "", "SCALE \"\" is neither"),
        ("RUN_TIME", " ", "RUN_TIME \"\" is not a length of time"),
        ("REDO_STRESS", "", "REDO_STRESS \"\" is neither"),
        ("SCAN_PCT", "many", "SCAN_PCT many"),
        ("RUN_TIME", "0", "RUN_TIME 0 is not a length of time"),
        ("RUN_TIME", "nan", "RUN_TIME nan"),
        ("RUN_TIME", "1e9", "RUN_TIME 1e9"),
        ("WORK_LOOP", "1.5", "WORK_LOOP 1.5"),
        ("SCALE", "99", "SCALE 99 is out of range: 99 blocks"),
        ("SCALE", "80K", "SCALE 80K is neither"),
        ("SCALE", "M", "SCALE M is neither"),
        ("SCALE", "+80M", "SCALE +80M"),
        ("SCALE", "99999999999999999999T", "SCALE"),
        ("SCALE", "18446744073709551615T", "out of range"),
        ("SCAN_TABLE_SZ", "3", "SCAN_TABLE_SZ 3 is out of range"),
        ("WORK_UNIT", "0", "WORK_UNIT 0"),
        ("WORK_UNIT", "1025", "WORK_UNIT 1025"),
        ("REDO_STRESS", "MEDIUM", "neither LITE nor HEAVY"),
        ("THREADS_PER_SCHEMA", "0", "THREADS_PER_SCHEMA 0"),
        ("DO_HOTSPOT", "yes", "neither TRUE nor FALSE"),
        ("HOTSPOT_FREQUENCY", "0", "HOTSPOT_FREQUENCY 0"),
        ("HOTSPOT_MB", "18446744073709551615", "HOTSPOT_MB"),
        ("THINK_TM_MIN", "-1", "THINK_TM_MIN -1"),
        ("UPDATE_PERCENT", "30", "UPDATE_PERCENT is not a setting"),
        ("update_pct", "30", "update_pct is not a setting"),
    ] {
        let error = BlocksSettings::default().set(name, name, value).expect_err(name);
        assert!(error.message.contains(words), "{error}");
        assert!(!error.hint.is_empty());
    }
}

#[test]
fn contradictory_settings_are_refused() {
    for (pairs, words) in [
        (vec![("SCHEMAS", "4096"), ("THREADS_PER_SCHEMA", "3")], "12288 sessions"),
        (vec![("SCALE", "100"), ("WORK_UNIT", "101")], "does not fit"),
        (vec![("SCAN_PCT", "1"), ("SCAN_TABLE_SZ", "0")], "no scan table"),
        (vec![("THINK_TM_FREQUENCY", "1"), ("THINK_TM_MIN", "2"), ("THINK_TM_MAX", "1")], "longer than the longest"),
        (vec![("DO_HOTSPOT", "TRUE"), ("SCALE", "3071")], "ends at block 3072"),
        (vec![("DO_HOTSPOT", "TRUE"), ("HOTSPOT_MB", "1"), ("WORK_UNIT", "129")], "128 blocks, fewer than the 129"),
    ] {
        let error = with(&pairs).check().expect_err(words);
        assert!(error.message.contains(words), "{error}");
    }
    let all = [("SCAN_PCT", "10"), ("SCAN_TABLE_SZ", "0"), ("UPDATE_PCT", "100")];
    assert!(with(&all).check().is_ok(), "nothing is left that could scan");
    let short = with(&[("SCALE", "2000"), ("RUN_TIME", "1")]);
    assert_eq!(short.remarks().len(), 2, "{:?}", short.remarks());
}

#[test]
fn settings_without_effect_are_listed() {
    let names = |pairs: &[(&str, &str)]| -> Vec<&str> { with(pairs).idle().iter().map(|idle| idle.names[0]).collect() };
    assert_eq!(names(&[]), ["HOTSPOT_MB", "THINK_TM_MIN"]);
    assert_eq!(names(&[("HOT_SCHEMA_FREQUENCY", "3")]), ["HOTSPOT_MB", "THINK_TM_MIN", "HOT_SCHEMA_FREQUENCY"]);
    let all = [("DO_HOTSPOT", "TRUE"), ("THINK_TM_FREQUENCY", "1"), ("HOT_SCHEMA_FREQUENCY", "3"), ("SCHEMAS", "2")];
    assert!(names(&all).is_empty());
    assert_eq!((with(&all).hot_schema(), with(&[("HOT_SCHEMA_FREQUENCY", "3")]).hot_schema()), (Some(3), None));
}

fn set_all(text: &str) -> Result<Vec<Ignored>, Wrong> {
    BlocksSettings::default().set_all(&assignments(text).expect("assignments"))
}

#[test]
fn ignored_settings_have_a_reason_and_a_password_is_not_kept() {
    for name in ["SYSDBA_PASSWD", "EXTERNAL_SCRIPT", "NON_ADMIN_CONNECT_STRING", "BLOCK_SZ"] {
        let ignored = set_all(&format!("\n{name}=tiger")).expect("known");
        let [Ignored { line: 2, name: shown, reason }] = &ignored[..] else { panic!("{ignored:?}") };
        assert!(shown == name && !reason.is_empty() && !reason.contains("tiger"), "{ignored:?}");
    }
    assert!(KNOWN.iter().all(|name| ignored::always(name).is_none() && ignored::successor(name).is_none()));
}

#[test]
fn former_settings_that_ask_for_nothing_are_ignored_with_their_present_name() {
    let text = "UPDATE_PCT=25\nSHARED_DATA_MODULUS=0\nDO_UPDATE_HOTSPOT=FALSE\nHOTSPOT_PCT=10\nTHINK_TM_MODULUS=0.0\n";
    let ignored = set_all(text).expect("SLOB 2.2");
    assert_eq!(ignored.iter().map(|one| one.line).collect::<Vec<u32>>(), [2, 3, 4, 5]);
    for (ignored, successor) in
        ignored.iter().zip(["HOT_SCHEMA_FREQUENCY", "DO_HOTSPOT", "HOTSPOT_FREQUENCY", "THINK_TM_FREQUENCY"])
    {
        assert!(ignored.reason.contains(successor) && KNOWN.contains(&successor), "{ignored:?}");
    }
    let error = set_all("DO_HOTSPOT=TRUE\nHOTSPOT_PCT=10").expect_err("it would mean something");
    assert_eq!(error.message, "line 2: HOTSPOT_PCT (now HOTSPOT_FREQUENCY) is not a setting of this method");
}

#[test]
fn all_unknown_settings_are_in_one_error_with_their_lines_and_present_names() {
    let error = set_all("DO_UPDATE_HOTSPOT=TRUE\nSCALE=10000\nTHINK_TM_MODULUS=7").expect_err("former ones");
    assert_eq!(
        error.message,
        "line 1: DO_UPDATE_HOTSPOT (now DO_HOTSPOT), line 3: THINK_TM_MODULUS (now THINK_TM_FREQUENCY) are not settings \
         of this method"
    );
    assert!(error.hint.starts_with("give the present names"), "{}", error.hint);
    let error = set_all("UPDATE_PERCENT=tiger\nTHINK_TM_MODULUS=7\nWORKUNIT=1").expect_err("unknown");
    assert_eq!(
        error.message,
        "line 1: UPDATE_PERCENT, line 2: THINK_TM_MODULUS (now THINK_TM_FREQUENCY), line 3: WORKUNIT are not settings \
         of this method"
    );
    assert!(error.hint.starts_with("known are UPDATE_PCT, "), "{}", error.hint);
    let error = set_all("SCALE=10000\nUPDATE_PCT=101").expect_err("a value");
    assert!(error.message.starts_with("line 2: UPDATE_PCT"), "{}", error.message);
}

/// The published file, as it is.
#[test]
fn the_published_file_is_read() {
    let text = include_str!("slob.conf");
    let mut settings = BlocksSettings::default();
    assert_eq!(settings.set_all(&assignments(text).expect("assignments")), Ok(Vec::new()));
    assert_eq!((settings.update_percent, settings.work_unit), (30, 64));
    assert_eq!(settings.run_time, Nanos::from_seconds(7200.0));
    assert_eq!((settings.scan_blocks, settings.sessions()), (128, 1));
    assert_eq!(settings.check(), Ok(()));
}

proptest! {
    #[test]
    fn no_value_makes_a_setting_panic(which in 0usize..KNOWN.len(), value in "[0-9.]{0,22}[a-zA-Z\\PC]{0,2}") {
        let mut settings = BlocksSettings::default();
        let _ = settings.set(KNOWN[which], KNOWN[which], &value);
        let _ = (settings.check(), settings.remarks(), settings.hot_spot(), settings.think());
    }

    #[test]
    fn a_size_is_its_number_of_blocks(number in 1u64..1_000, unit in 0usize..3) {
        let (letter, bytes) = [("M", 1u64 << 20), ("g", 1 << 30), ("T", 1 << 40)][unit];
        for ending in ["", "iB"] {
            let text = format!("{number}{letter}{ending}");
            prop_assert_eq!(with(&[("SCALE", &text)]).scale_blocks, number * bytes / 8_192);
        }
    }
}

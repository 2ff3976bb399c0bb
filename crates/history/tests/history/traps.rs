//! What misleads whoever sizes a platform: each is a doubt, or a refusal.

use dbdyno_history::{History, Names};
use record::load_profile::LoadQuantity::{CommitsPerSecond, StatementsPerSecond};
use record::load_profile::{DoubtKind, Weight};

use crate::{average, doubts, profile_of, refusal};

/// A dump of statements with their number and what was dropped of them.
fn statements(minute: u32, calls: u64, dealloc: u64, reset: &str) -> String {
    let at = format!("2026-10-12 08:{minute:02}:00+00");
    format!(
        "dumped_at,dealloc,stats_reset\n{at},{dealloc},{reset}\n\
         dumped_at,userid,dbid,queryid,toplevel,calls\n{at},10,5,77,t,{calls}\n"
    )
}

fn databases(minute: u32, commits: u64, reset: &str) -> String {
    let at = format!("2026-10-12 08:{minute:02}:00+00");
    format!(
        "dumped_at,datid,numbackends,xact_commit,xact_rollback,blks_read,blks_hit,stats_reset\n\
         {at},5,2,{commits},0,0,{commits},{reset}\n"
    )
}

fn kinds_of(text: &str) -> Vec<(Weight, DoubtKind)> {
    doubts(&profile_of(&[("load.csv", text.as_bytes())]))
}

fn is_told(text: &str, weight: Weight, kind: DoubtKind) {
    let kinds = kinds_of(text);
    assert!(kinds.contains(&(weight, kind.clone())), "{kind:?} is not in {kinds:?}");
}

#[test]
fn a_long_interval_hides_its_peak() {
    let text = databases(0, 0, "") + &databases(59, 1_000_000, "").replace("08:59", "10:59");
    is_told(&text, Weight::Warning, DoubtKind::LongInterval { seconds: 10_740.0, seconds_max: 7_200.0 });
}

#[test]
fn averages_are_no_peaks() {
    is_told(&(databases(0, 0, "") + &databases(10, 600_000, "")), Weight::Warning, DoubtKind::AveragesOnly);
}

#[test]
fn an_idle_source_says_nothing_of_a_load() {
    let idle = DoubtKind::Idle { active_sessions: None, statements_per_second: Some(0.1) };
    is_told(&(databases(0, 0, "") + &databases(10, 60, "")), Weight::Warning, idle);
    let busy = kinds_of(&(databases(0, 0, "") + &databases(10, 600_000, "")));
    assert!(!busy.iter().any(|(_, kind)| matches!(kind, DoubtKind::Idle { .. })));
}

#[test]
fn one_dump_is_used_only_with_the_time_of_its_reset() {
    is_told(&databases(0, 1_000_000, ""), Weight::Refusal, DoubtKind::NoResetTime);
    let profile = profile_of(&[("load.csv", databases(0, 3_600_000, "2026-10-12 07:00:00+00").as_bytes())]);
    assert_eq!(average(&profile, 0, CommitsPerSecond), Some(1_000.0));
    assert!(doubts(&profile).contains(&(Weight::Warning, DoubtKind::SingleDump)));
}

#[test]
fn dropped_statements_are_counted() {
    let text = statements(0, 0, 5, "2026-10-01 00:00:00+00") + &statements(10, 600_000, 12, "2026-10-01 00:00:00+00");
    is_told(&text, Weight::Warning, DoubtKind::StatementsDeallocated { count: 7 });
}

#[test]
fn statistics_of_statements_that_were_reset_are_left_out() {
    let texts = [
        statements(0, 0, 0, "2026-10-01 00:00:00+00"),
        statements(10, 600_000, 0, "2026-10-01 00:00:00+00"),
        statements(20, 60_000, 0, "2026-10-12 08:15:00+00"),
    ];
    let commits: String = [0, 10, 20].map(|minute| databases(minute, u64::from(minute) * 60_000, "")).concat();
    let text = texts.concat() + &commits;
    let profile = profile_of(&[("load.csv", text.as_bytes())]);
    let told: Vec<f64> = profile
        .intervals
        .iter()
        .filter_map(|interval| Some(interval.amounts.get(&StatementsPerSecond)?.average))
        .collect();
    assert_eq!((told, profile.intervals.len()), (vec![1_000.0], 2));
    assert!(doubts(&profile).contains(&(Weight::Refusal, DoubtKind::Reset)));
}

#[test]
fn a_reset_between_two_dumps_refuses_the_interval() {
    let text = databases(0, 1_000_000, "2026-10-01 00:00:00+00") + &databases(10, 1_500_000, "2026-10-12 08:05:00+00");
    let profile = profile_of(&[("load.csv", text.as_bytes())]);
    assert!(profile.intervals.is_empty());
    assert!(doubts(&profile).contains(&(Weight::Refusal, DoubtKind::Reset)));
    let text = databases(0, 1_000_000, "") + &databases(10, 900_000, "");
    is_told(&text, Weight::Refusal, DoubtKind::Decreased { counter: "xact_commit".into() });
}

/// A dump of the status with a counter.
fn status(uptime: u64, flushed: u64, questions: u64) -> String {
    format!("Variable_name\tValue\nQuestions\t{questions}\nUptime\t{uptime}\nUptime_since_flush_status\t{flushed}\n")
}

#[test]
fn a_restart_a_flush_and_a_wrapped_counter_are_told_apart() {
    let timed = |second: u64, dump: String| format!("dumped_at\n{}\n{dump}", 1_791_792_000 + second);
    let text = timed(0, status(5_000, 5_000, 70)) + &timed(600, status(300, 300, 9_000_000));
    is_told(&text, Weight::Refusal, DoubtKind::Restart);
    let text = timed(0, status(5_000, 5_000, 70)) + &timed(600, status(5_600, 300, 9_000_000));
    is_told(&text, Weight::Refusal, DoubtKind::Reset);
    let text = timed(0, status(5_000, 5_000, (1 << 32) - 60_000)) + &timed(600, status(5_600, 5_600, 540_000));
    is_told(&text, Weight::Warning, DoubtKind::Wrapped { counter: "Questions".into(), bits: 32 });
    let profile = profile_of(&[("load.tsv", text.as_bytes())]);
    assert_eq!(average(&profile, 0, StatementsPerSecond), Some(1_000.0));
    let text = timed(0, status(5_000, 5_000, 100)) + &timed(4_200, status(5_600, 5_600, 600_100));
    is_told(&text, Weight::Warning, DoubtKind::ClockStep { seconds: 3_600.0 });
    let profile = profile_of(&[("load.tsv", text.as_bytes())]);
    assert_eq!(average(&profile, 0, StatementsPerSecond), Some(1_000.0));
}

#[test]
fn dumps_of_a_server_in_several_files_have_one_reset() {
    let timed =
        |millisecond: u64, dump: String| format!("dumped_at\n{}.{millisecond:03}\n{dump}", 1_791_792_000 + millisecond);
    let (one, other) = (timed(0, status(5_000, 4_000, 0)), timed(600, status(5_600, 4_600, 600_000)));
    let profile = profile_of(&[("one.tsv", one.as_bytes()), ("other.tsv", other.as_bytes())]);
    assert_eq!(profile.intervals.len(), 1);
    assert!(!doubts(&profile).iter().any(|(weight, _)| *weight == Weight::Refusal));
}

#[test]
fn one_file_given_twice_is_counted_once() {
    let text = databases(0, 0, "") + &databases(10, 600_000, "");
    let profile = profile_of(&[("load.csv", text.as_bytes()), ("copy.csv", text.as_bytes())]);
    assert_eq!(profile.intervals.len(), 1);
    assert!(doubts(&profile).contains(&(Weight::Refusal, DoubtKind::Overlap)));
}

#[test]
fn a_dump_that_is_cut_is_told() {
    let text = databases(0, 0, "") + &databases(10, 600_000, "");
    let cut = &text[..text.len() - 9];
    let kinds = kinds_of(cut);
    assert!(kinds.contains(&(Weight::Refusal, DoubtKind::Truncated)), "{kinds:?}");
}

#[test]
fn what_is_no_file_of_statistics_is_refused_with_the_forms() {
    for bytes in [b"".as_slice(), b"hello\nworld\n", b"\0\0\0\0", b"{\"a\": 1}", b"a,b,c\n1,2,3\n"] {
        let message = refusal("what", bytes);
        assert!(message.starts_with("what: the file") && message.contains("hint: "), "{message}");
    }
    assert!(refusal("a.gz", b"\x1f\x8b\x08").contains("compressed by gzip"));
    assert!(refusal("a.txt", b"\xff\xfeL\0i\0").contains("UTF-16"));
    assert!(History::new(Names::Hidden).finish().unwrap_err().message.contains("no file"));
}

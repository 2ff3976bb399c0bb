//! Reports of AWR and Statspack, and AWR Miner.

use dbdyno_history::{History, Names};
use record::Bytes;
use record::load_profile::LoadQuantity::*;
use record::load_profile::{DoubtKind, Elsewhere, LoadQuantity, SourceMoment, Weight, Zone};

use crate::{doubts, expect, profile_of, refusal, told};

const TEXT: &[u8] = include_bytes!("files/awr-19c.txt");
const COMMA: &[u8] = include_bytes!("files/awr-19c-comma.html");
const STATSPACK: &[u8] = include_bytes!("files/statspack-11g.txt");
const CLUSTER: &[u8] = include_bytes!("files/awr-rac-12c.txt");
const TEXT_23: &[u8] = include_bytes!("files/awr-23ai.txt");
const CONTAINER_23: &[u8] = include_bytes!("files/awr-23ai-pdb.html");
const CLUSTER_23: &[u8] = include_bytes!("files/awr-rac-23ai.html");
const STATSPACK_OF_CLUSTER: &[u8] = include_bytes!("files/statspack-rac-19c.txt");
const MINER: &[u8] = include_bytes!("files/awr-miner.out");

/// 2026-10-12 09:00.
const NINE: SourceMoment = SourceMoment(1_791_795_600_000);

/// The load of the text.
const OF_TEXT: [(LoadQuantity, f64); 21] = [
    (PhysicalReadsPerSecond, 4_000.0),
    (SequentialReadsPerSecond, 400.0),
    (PhysicalReadBytesPerSecond, 52_428_800.0),
    (PhysicalWritesPerSecond, 1_000.0),
    (SequentialWritesPerSecond, 100.0),
    (PhysicalWriteBytesPerSecond, 13_107_200.0),
    (CommitsPerSecond, 500.0),
    (RollbacksPerSecond, 1.0),
    (LogBytesPerSecond, 2_097_152.0),
    (LogWritesPerSecond, 400.0),
    (LogSyncsPerSecond, 500.0),
    (LogicalReadsPerSecond, 250_000.0),
    (StatementsPerSecond, 10_000.0),
    (DatabaseProcessorSecondsPerSecond, 5.5),
    (HostBusyShare, 0.25),
    (ActiveSessions, 8.0),
    (Sessions, 320.0),
    (NetworkReceivedBytesPerSecond, 1_048_576.0),
    (NetworkSentBytesPerSecond, 5_242_880.0),
    (RandomReadSeconds, 500e-6),
    (CommitSeconds, 1e-3),
];

#[test]
fn a_text_of_one_instance_is_read_whole() {
    let profile = profile_of(&[("one.txt", TEXT)]);
    assert_eq!(profile.intervals.len(), 1);
    expect(&profile, 0, &OF_TEXT);
    expect(&profile, 0, &[(HostFreeMemoryBytes, 8_589_934_592.0)]);
    assert_eq!(told(&profile, 0), 22);
    assert_eq!((profile.intervals[0].started_at_ms, profile.intervals[0].seconds), (NINE, 3_600.0));
    let source = &profile.sources[0];
    assert_eq!((source.form.as_str(), source.engine.as_deref(), source.zone), ("awr", Some("oracle"), Zone::Unknown));
    assert_eq!((source.version.as_deref(), source.database_id.as_deref()), (Some("19.0.0.0.0"), Some("1122334455")));
    assert_eq!((source.instances_expected, source.files), (Some(2), 1));
    let instance = &profile.instances[0];
    assert_eq!(
        (instance.number, instance.hardware_threads, instance.cores, instance.sockets),
        (1, Some(32), Some(16), Some(2))
    );
    assert_eq!(instance.memory_bytes, Some(Bytes(256 << 30)));
    assert_eq!(instance.buffer_cache_bytes, Some(Bytes(83_968 << 20)));
    assert_eq!(instance.shared_memory_bytes, Some(Bytes(96 << 30)));
    assert_eq!(instance.session_memory_bytes, Some(Bytes(10 << 30)));
    assert_eq!(
        doubts(&profile),
        [
            (Weight::Warning, DoubtKind::AveragesOnly),
            (Weight::Warning, DoubtKind::InstancesMissing { read: 1, expected: 2 }),
        ]
    );
    assert_eq!(profile.absent, []);
}

#[test]
fn markup_with_decimal_commas_and_narrow_blanks_is_read_as_text() {
    let profile = profile_of(&[("two.html", COMMA)]);
    let expected = [
        (PhysicalReadsPerSecond, 1_200.0),
        (PhysicalReadBytesPerSecond, 16.0 * 1_048_576.0),
        (PhysicalWritesPerSecond, 300.0),
        (PhysicalWriteBytesPerSecond, 4.0 * 1_048_576.0),
        (CommitsPerSecond, 250.0),
        (RollbacksPerSecond, 0.5),
        (LogBytesPerSecond, 1_048_576.0),
        (LogicalReadsPerSecond, 50_000.0),
        (StatementsPerSecond, 2_000.0),
        (DatabaseProcessorSecondsPerSecond, 1.1),
        (HostBusyShare, 0.1),
        (ActiveSessions, 2.0),
        (Sessions, 120.0),
        (RandomReadSeconds, 350e-6),
        (CommitSeconds, 500e-6),
    ];
    expect(&profile, 0, &expected);
    assert_eq!(told(&profile, 0), expected.len());
    assert_eq!(profile.intervals[0].started_at_ms, NINE);
    assert_eq!(profile.instances[0].number, 2);
    assert_eq!(profile.instances[0].buffer_cache_bytes, Some(Bytes(51_200 << 20)));
    let absent: Vec<LoadQuantity> = profile.absent.iter().map(|absent| absent.quantity).collect();
    assert!(absent.contains(&LogWritesPerSecond) && absent.contains(&NetworkSentBytesPerSecond), "{absent:?}");
    assert_eq!(profile.absent[0].elsewhere, Elsewhere::Section { heading: "Instance Activity Stats".into() });
}

#[test]
fn both_instances_are_one_source_and_none_is_missing() {
    let profile = profile_of(&[("one.txt", TEXT), ("two.html", COMMA)]);
    assert_eq!((profile.sources.len(), profile.instances.len(), profile.intervals.len()), (1, 2, 2));
    assert_eq!(profile.sources[0].files, 2);
    assert_eq!(doubts(&profile), [(Weight::Warning, DoubtKind::AveragesOnly)]);
    expect(&profile, 0, &OF_TEXT);
}

#[test]
fn a_report_of_the_cluster_is_the_sum_of_its_instances() {
    let profile = profile_of(&[("rac.txt", CLUSTER)]);
    let expected = [
        (PhysicalReadsPerSecond, 5_200.0),
        (PhysicalReadBytesPerSecond, 69_206_016.0),
        (PhysicalWritesPerSecond, 1_300.0),
        (PhysicalWriteBytesPerSecond, 17_301_504.0),
        (CommitsPerSecond, 750.0),
        (RollbacksPerSecond, 1.5),
        (LogBytesPerSecond, 3_145_728.0),
        (LogicalReadsPerSecond, 300_000.0),
        (StatementsPerSecond, 12_000.0),
        (DatabaseProcessorSecondsPerSecond, 6.6),
        (HostBusyShare, 0.175),
        (ActiveSessions, 10.0),
    ];
    expect(&profile, 0, &expected);
    assert_eq!(told(&profile, 0), expected.len());
    assert_eq!((profile.intervals[0].started_at_ms, profile.intervals[0].seconds), (NINE, 3_600.0));
    let instance = &profile.instances[0];
    assert_eq!((instance.number, instance.hardware_threads, instance.cores), (0, Some(64), Some(32)));
    assert_eq!(instance.memory_bytes, Some(Bytes(512 << 30)));
    assert_eq!(profile.sources[0].instances_expected, Some(2));
    assert_eq!(doubts(&profile), [(Weight::Warning, DoubtKind::AveragesOnly)]);
}

#[test]
fn a_text_of_23ai_has_its_containers_beside_its_sessions() {
    let profile = profile_of(&[("mill.txt", TEXT_23)]);
    let expected = [
        (PhysicalReadsPerSecond, 2_000.0),
        (SequentialReadsPerSecond, 200.0),
        (PhysicalReadBytesPerSecond, 22_020_096.0),
        (PhysicalWritesPerSecond, 600.0),
        (SequentialWritesPerSecond, 10.0),
        (PhysicalWriteBytesPerSecond, 7_340_032.0),
        (CommitsPerSecond, 200.0),
        (RollbacksPerSecond, 2.0),
        (LogBytesPerSecond, 819_200.0),
        (LogWritesPerSecond, 150.0),
        (LogSyncsPerSecond, 200.0),
        (LogicalReadsPerSecond, 90_000.0),
        (StatementsPerSecond, 3_000.0),
        (DatabaseProcessorSecondsPerSecond, 2.8),
        (HostBusyShare, 0.3),
        (HostFreeMemoryBytes, 6_442_450_944.0),
        (ActiveSessions, 4.0),
        (Sessions, 200.0),
        (NetworkReceivedBytesPerSecond, 524_288.0),
        (NetworkSentBytesPerSecond, 2_097_152.0),
        (RandomReadSeconds, 400e-6),
        (CommitSeconds, 750e-6),
    ];
    expect(&profile, 0, &expected);
    assert_eq!(told(&profile, 0), expected.len());
    assert_eq!(profile.sources[0].version.as_deref(), Some("23.0.0.0.0"));
    // Containers are no instances.
    assert_eq!(profile.sources[0].instances_expected, None);
    assert_eq!(profile.instances[0].session_memory_bytes, Some(Bytes(4 << 30)));
}

#[test]
fn a_report_of_a_container_is_one_of_its_instance() {
    let profile = profile_of(&[("pdb.html", CONTAINER_23)]);
    let expected = [
        (PhysicalReadsPerSecond, 220.0),
        (PhysicalReadBytesPerSecond, 2_202_009.6),
        // Instance activity does not have these here: they are those of the I/O profile.
        (PhysicalWritesPerSecond, 60.0),
        (PhysicalWriteBytesPerSecond, 0.6 * 1_048_576.0),
        (CommitsPerSecond, 50.0),
        (DatabaseProcessorSecondsPerSecond, 0.31),
        (HostBusyShare, 0.25),
        (ActiveSessions, 0.5),
        (Sessions, 42.0),
        (RandomReadSeconds, 300e-6),
        (CommitSeconds, 600e-6),
    ];
    expect(&profile, 0, &expected);
    assert_eq!(profile.intervals[0].seconds, 1_800.0);
    // One of them went away within the interval.
    assert!(
        doubts(&profile).contains(&(Weight::Warning, DoubtKind::InstancesMissing { read: 1, expected: 2 })),
        "{:?}",
        doubts(&profile)
    );
}

#[test]
fn markup_of_a_cluster_of_three_is_their_sum() {
    let profile = profile_of(&[("rac.html", CLUSTER_23)]);
    let expected = [
        (PhysicalReadsPerSecond, 6_000.0),
        (PhysicalReadBytesPerSecond, 125_829_120.0),
        (PhysicalWritesPerSecond, 1_500.0),
        (PhysicalWriteBytesPerSecond, 20_971_520.0),
        (CommitsPerSecond, 798.0),
        (RollbacksPerSecond, 2.0),
        (LogBytesPerSecond, 2_048.0 * 1_024.0),
        (LogicalReadsPerSecond, 400_000.0),
        (StatementsPerSecond, 15_000.0),
        (DatabaseProcessorSecondsPerSecond, 8.4),
        (HostBusyShare, 0.2),
        (ActiveSessions, 12.0),
    ];
    expect(&profile, 0, &expected);
    assert_eq!(told(&profile, 0), expected.len());
    let instance = &profile.instances[0];
    assert_eq!((instance.number, instance.hardware_threads, instance.cores), (0, Some(96), Some(48)));
    assert_eq!(instance.memory_bytes, Some(Bytes((3 * 524_288) << 20)));
    assert_eq!(instance.shared_memory_bytes, Some(Bytes((3 * 98_304) << 20)));
    assert_eq!(instance.session_memory_bytes, Some(Bytes((3 * 16_384) << 20)));
    // One of the caches grew.
    assert_eq!(instance.buffer_cache_bytes, Some(Bytes((2 * 81_920 + 83_968) << 20)));
    assert_eq!(profile.sources[0].instances_expected, Some(3));
    assert_eq!(doubts(&profile), [(Weight::Warning, DoubtKind::AveragesOnly)]);
}

#[test]
fn an_instance_that_a_report_of_the_cluster_lacks_is_said() {
    let text = String::from_utf8(CLUSTER_23.to_vec()).unwrap();
    let of_four = text.replacen(">3</td><td align=\"right\" class=\"awrc\">3</td>", ">3</td><td>4</td>", 1);
    let profile = profile_of(&[("rac.html", of_four.as_bytes())]);
    let missing = |read, expected| DoubtKind::InstancesMissing { read, expected };
    assert!(doubts(&profile).contains(&(Weight::Warning, missing(3, 4))), "{:?}", doubts(&profile));
    // A table that lacks one is no sum of all.
    let begin =
        text.find("<tr><td align=\"right\" class=\"awrc\">2</td><td align=\"right\" class=\"awrc\">14,400.00").unwrap();
    let end = begin + text[begin..].find("</tr>").unwrap() + 5;
    let profile = profile_of(&[("rac.html", format!("{}{}", &text[..begin], &text[end..]).as_bytes())]);
    assert!(!profile.intervals[0].amounts.contains_key(&DatabaseProcessorSecondsPerSecond));
    assert!(doubts(&profile).contains(&(Weight::Refusal, missing(2, 3))), "{:?}", doubts(&profile));
    expect(&profile, 0, &[(ActiveSessions, 12.0), (CommitsPerSecond, 798.0)]);
}

#[test]
fn reports_of_instances_replace_that_of_the_cluster() {
    let profile = profile_of(&[("rac.txt", CLUSTER), ("one.txt", TEXT), ("two.html", COMMA)]);
    let numbers: Vec<u32> =
        profile.intervals.iter().map(|interval| profile.instances[interval.instance as usize].number).collect();
    assert_eq!(numbers, [1, 2]);
    assert!(doubts(&profile).contains(&(Weight::Refusal, DoubtKind::ClusterTwice)));
}

#[test]
fn statspack_has_a_blank_name_and_cut_columns() {
    let profile = profile_of(&[("sp.lst", STATSPACK)]);
    let expected = [
        (PhysicalReadsPerSecond, 100.0),
        (PhysicalReadBytesPerSecond, 819_200.0),
        (PhysicalWritesPerSecond, 50.0),
        (PhysicalWriteBytesPerSecond, 524_288.0),
        (CommitsPerSecond, 20.0),
        (RollbacksPerSecond, 1.0),
        (LogBytesPerSecond, 40_960.0),
        (LogicalReadsPerSecond, 6_000.0),
        (StatementsPerSecond, 400.0),
        (DatabaseProcessorSecondsPerSecond, 3_816.0 / 10_800.0),
        (HostBusyShare, 0.2),
        (ActiveSessions, 7_200.0 / 10_800.0),
        (Sessions, 62.0),
        (RandomReadSeconds, 5e-3),
    ];
    expect(&profile, 0, &expected);
    // Six seconds of 216,000 waits are too coarse for their average.
    assert_eq!(told(&profile, 0), expected.len());
    let source = &profile.sources[0];
    assert_eq!((source.form.as_str(), source.database_id.as_deref()), ("statspack", Some("2233445566")));
    assert_eq!((profile.instances[0].hardware_threads, profile.instances[0].cores), (Some(8), Some(4)));
    assert_eq!(profile.instances[0].memory_bytes, Some(Bytes(33_285_996_544)));
    assert!(
        doubts(&profile)
            .contains(&(Weight::Warning, DoubtKind::LongInterval { seconds: 10_800.0, seconds_max: 7_200.0 }))
    );
}

#[test]
fn statspack_of_a_cluster_tells_how_many_instances_there_were() {
    let profile = profile_of(&[("sp.lst", STATSPACK_OF_CLUSTER)]);
    let expected = [
        (PhysicalReadsPerSecond, 300.0),
        (CommitsPerSecond, 50.0),
        (DatabaseProcessorSecondsPerSecond, 0.8),
        (HostBusyShare, 0.2),
        (ActiveSessions, 1.5),
        (RandomReadSeconds, 2e-3),
    ];
    expect(&profile, 0, &expected);
    assert_eq!((profile.instances[0].number, profile.sources[0].instances_expected), (2, Some(3)));
    assert!(doubts(&profile).contains(&(Weight::Warning, DoubtKind::InstancesMissing { read: 1, expected: 3 })));
    let text = String::from_utf8(STATSPACK_OF_CLUSTER.to_vec()).unwrap();
    let one = text.replace("kiosk2 ", "kiosk1 ").replace(" 2 04-May", " 1 04-May");
    let three = text.replace("kiosk2 ", "kiosk3 ").replace(" 2 04-May", " 3 04-May");
    let profile = profile_of(&[("1", one.as_bytes()), ("2", STATSPACK_OF_CLUSTER), ("3", three.as_bytes())]);
    assert_eq!((profile.instances.len(), profile.intervals.len()), (3, 3));
    assert!(!doubts(&profile).iter().any(|(_, kind)| matches!(kind, DoubtKind::InstancesMissing { .. })));
}

#[test]
fn awr_miner_has_maxima_and_sizes() {
    let profile = profile_of(&[("awr-hist.out", MINER)]);
    assert_eq!((profile.instances.len(), profile.intervals.len()), (2, 4));
    let expected = [
        (PhysicalReadsPerSecond, 4_000.5),
        (PhysicalReadBytesPerSecond, 100.0 * 1_048_576.0),
        (PhysicalWritesPerSecond, 1_000.0),
        (CommitsPerSecond, 500.5),
        (LogBytesPerSecond, 2_097_152.0),
        (LogicalReadsPerSecond, 250_000.0),
        (DatabaseProcessorSecondsPerSecond, 5.4),
        (HostBusyShare, 0.255),
        (ActiveSessions, 8.2),
        (Sessions, 300.0),
        (RandomReadSeconds, 0.5e-3),
    ];
    expect(&profile, 0, &expected);
    assert_eq!(profile.intervals[0].amounts[&PhysicalReadsPerSecond].max, Some(16_000.9));
    assert_eq!(profile.intervals[0].amounts[&HostBusyShare].max, Some(0.612));
    // Minutes are rounded: 61 of them would reach into the hour before.
    let seconds: Vec<f64> = profile.intervals.iter().map(|interval| interval.seconds).collect();
    assert_eq!(seconds, [3_600.0, 3_600.0, 3_600.0, 3_600.0]);
    assert_eq!(profile.sources[0].size_bytes, Some(Bytes(1002 << 30)));
    assert_eq!(profile.sources[0].growth_bytes_per_day, Some(2.0 * f64::powi(1024.0, 3)));
    assert_eq!(profile.instances[0].hardware_threads, Some(32));
    assert_eq!(profile.instances[0].session_memory_bytes, Some(Bytes((9.5 * f64::powi(1024.0, 3)) as u64)));
    assert_eq!(profile.instances[1].hardware_threads, None);
    assert_eq!(
        doubts(&profile),
        [(Weight::Refusal, DoubtKind::Impossible { field: "exec_s".into(), text: "##########".into() })]
    );
}

#[test]
fn names_are_kept_only_where_they_are_asked_for() {
    let mut history = History::new(Names::Kept);
    history.read("one.txt", TEXT).unwrap();
    let kept = history.finish().unwrap();
    assert_eq!(kept.instances[0].host_name.as_deref(), Some("db-one.example"));
    assert_eq!(kept.sources[0].database_name.as_deref(), Some("SHOP"));
    let hidden = serde_json::to_string(&profile_of(&[("one.txt", TEXT), ("miner", MINER)])).unwrap();
    for name in ["db-one", "SHOP", "shop1", "ware-a", "WARE"] {
        assert!(!hidden.contains(name), "{name}");
    }
}

#[test]
fn ends_of_lines_marks_and_foreign_bytes_change_nothing() {
    let text = String::from_utf8(TEXT.to_vec()).unwrap();
    let expected = profile_of(&[("one.txt", TEXT)]);
    let windows = format!("\u{feff}{}", text.replace('\n', "\r\n"));
    assert_eq!(profile_of(&[("one.txt", windows.as_bytes())]), expected);
    let latin: Vec<u8> = text.replace("shop_a ", "sh\u{f6}p_a ").chars().map(|letter| letter as u8).collect();
    let profile = profile_of(&[("one.txt", &latin)]);
    assert_eq!(profile.intervals, expected.intervals);
    assert!(doubts(&profile).contains(&(Weight::Warning, DoubtKind::Encoding)));
}

#[test]
fn reports_one_after_the_other_are_intervals() {
    let text = String::from_utf8(TEXT.to_vec()).unwrap();
    let later =
        text.replace("12-Oct-26 10:00:00", "12-Oct-26 11:00:00").replace("12-Oct-26 09:00:00", "12-Oct-26 10:00:00");
    let profile = profile_of(&[("both.txt", format!("{text}{later}").as_bytes())]);
    assert_eq!(profile.intervals.len(), 2);
    expect(&profile, 1, &OF_TEXT);
}

#[test]
fn a_report_that_ends_early_has_what_was_there_and_says_so() {
    let text = String::from_utf8(TEXT.to_vec()).unwrap();
    let cut = &text[..text.find("Other Instance Activity").unwrap()];
    let profile = profile_of(&[("cut.txt", cut.as_bytes())]);
    // The counts of requests are gone: those of the load profile stand for them.
    expect(&profile, 0, &[(CommitsPerSecond, 500.0), (PhysicalReadsPerSecond, 3_900.0)]);
    assert!(doubts(&profile).contains(&(Weight::Warning, DoubtKind::Truncated)));
    let absent: Vec<LoadQuantity> = profile.absent.iter().map(|absent| absent.quantity).collect();
    assert!(absent.contains(&LogWritesPerSecond) && !absent.contains(&PhysicalReadsPerSecond));
    let header = &text[..text.find("Begin Snap:").unwrap()];
    assert!(refusal("cut.txt", header.as_bytes()).contains("does not tell when it begins"));
}

#[test]
fn the_time_of_instance_activity_is_in_hundredths_and_not_taken() {
    let text = String::from_utf8(TEXT.to_vec()).unwrap();
    let (head, rest) = text.split_once("Time Model Statistics ").unwrap();
    let rest = &rest[rest.find("Operating System Statistics").unwrap()..];
    let rest = rest.replace(
        "execute count   ",
        "DB time                           2,880,000          800.0           1.6\nexecute count   ",
    );
    let profile = profile_of(&[("one.txt", format!("{head}{rest}").as_bytes())]);
    // The header and the load profile have it, too.
    expect(&profile, 0, &[(ActiveSessions, 8.0), (DatabaseProcessorSecondsPerSecond, 5.5)]);
}

#[test]
fn a_clock_that_was_set_within_the_interval_is_said() {
    let text = String::from_utf8(TEXT.to_vec()).unwrap().replace("12-Oct-26 10:00:00", "12-Oct-26 11:00:00");
    let profile = profile_of(&[("dst.txt", text.as_bytes())]);
    assert_eq!(profile.intervals[0].seconds, 3_600.0);
    assert!(doubts(&profile).contains(&(Weight::Warning, DoubtKind::ClockStep { seconds: 3_600.0 })));
}

#[test]
fn two_notations_are_refused_and_an_ambiguous_number_is_left_out() {
    let text = String::from_utf8(TEXT.to_vec()).unwrap();
    let mixed = text.replace("1,800,000          500.0", "1.800.000          500,0");
    assert!(refusal("mixed.txt", mixed.as_bytes()).contains("two notations"));
    let header = &text[..text.find("Load Profile").unwrap()].replace("480.00", "480").replace("60.00", "60");
    let header = header.replace("256.00", "256");
    let table = "Statistic                                     Total\n\
                 -------------------------------- ------------------\n\
                 user commits                                  1,800\n\
                 user rollbacks                                   36\n";
    let profile = profile_of(&[("few.txt", format!("{header}{table}").as_bytes())]);
    expect(&profile, 0, &[(RollbacksPerSecond, 0.01)]);
    assert!(!profile.intervals[0].amounts.contains_key(&CommitsPerSecond));
    assert!(doubts(&profile).contains(&(Weight::Refusal, DoubtKind::AmbiguousNumber { text: "1,800".into() })));
}

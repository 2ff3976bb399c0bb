//! Dumps of views and of the status of a server, and pgBadger.

use dbdyno_history::{Form, History, Names};
use record::Bytes;
use record::load_profile::LoadQuantity::*;
use record::load_profile::{DoubtKind, Elsewhere, LoadQuantity, SourceMoment, Weight, Zone};

use crate::{average, doubts, expect, profile_of, refusal, told};

/// 2026-10-12 08:00 of UTC.
const EIGHT: SourceMoment = SourceMoment(1_791_792_000_000);

/// A dump of a server of 18 at a minute after eight, as the script of the program writes it.
fn dump_of_18(minute: u32, scale: u64, reset: &str) -> String {
    let at = format!("2026-10-12 08:{minute:02}:00.5+00");
    let row = |values: &[u64]| values.iter().map(|value| (value * scale).to_string()).collect::<Vec<_>>().join(",");
    format!(
        "dumped_at,server_version,system_identifier,block_size,shared_buffers_bytes,size_bytes,wal_position_bytes\n\
         {at},18.1,7000000000000000001,8192,17179869184,{size},{}\n\
         dumped_at,datid,numbackends,xact_commit,xact_rollback,blks_read,blks_hit,blk_read_time,active_time,stats_reset\n\
         {at},0,,{},{reset}\n\
         {at},5,12,{},{reset}\n\
         {at},16384,30,{},{reset}\n\
         dumped_at,wal_records,wal_bytes,stats_reset\n{at},{},{reset}\n\
         dumped_at,backend_type,object,context,reads,writes,fsyncs,read_bytes,write_bytes,stats_reset\n\
         {at},client backend,relation,normal,{},{reset}\n\
         {at},client backend,relation,bulkread,{},{reset}\n\
         {at},walwriter,wal,normal,,{},{reset}\n\
         {at},checkpointer,relation,normal,,{},{reset}\n\
         dumped_at,dealloc,stats_reset\n{at},0,{reset}\n\
         dumped_at,userid,dbid,queryid,toplevel,calls\n\
         {at},10,16384,-77,t,{}\n{at},10,16384,78,f,{}\n",
        row(&[600_000_000]),
        row(&[0, 0, 600, 6_000, 0]).replacen(",0", ",0.0", 2) + ",0.0",
        row(&[600, 0, 0, 60_000]) + ",0.0,600.0",
        row(&[300_000, 6_000, 120_000, 12_000_000]) + &format!(",{}.5,{}.25", 240_000 * scale, 1_200_000 * scale),
        row(&[900_000, 600_000_000]),
        row(&[60_000, 0, 0, 491_520_000, 0]),
        row(&[6_000, 0, 0, 786_432_000, 0]),
        row(&[120_000, 60_000]) + &format!(",,{}", 660_000_000 * scale),
        row(&[30_000, 60]) + &format!(",,{}", 245_760_000 * scale),
        row(&[1_200_000]),
        row(&[5_000_000]),
        size = 1_000_000_000_000u64 + scale,
    )
}

/// A file of each form.
pub fn samples() -> Vec<String> {
    let two = |dump: &dyn Fn(u32, u64) -> String| dump(0, 1) + &dump(10, 2);
    vec![
        two(&|minute, scale| dump_of_18(minute, scale, "2026-10-01 00:00:00+00")),
        two(&|minute, scale| old_dump(minute, scale, "13.22")),
        two(&|minute, scale| status(u64::from(minute) * 60, 5_000 + u64::from(minute) * 60, scale, "10.11.6-MariaDB")),
        "{\"per_minute_info\":{\"one\":{\"20261012\":{\"08\":{\"00\":{\"query\":{\"count\":60,\"second\":{\"00\":9}}}}}}}}".to_owned(),
    ]
}

#[test]
fn views_of_18_have_requests_and_bytes() {
    let text = dump_of_18(0, 1, "") + &dump_of_18(10, 2, "");
    let profile = profile_of(&[("load.csv", text.as_bytes())]);
    assert_eq!((profile.sources.len(), profile.intervals.len()), (1, 1));
    let expected = [
        (CommitsPerSecond, 501.0),
        (RollbacksPerSecond, 10.0),
        (LogicalReadsPerSecond, (600.0 + 6_000.0 + 60_000.0 + 120_000.0 + 12_000_000.0) / 600.0),
        (PhysicalReadsPerSecond, 110.0),
        (SequentialReadsPerSecond, 10.0),
        (PhysicalReadBytesPerSecond, 2_129_920.0),
        (PhysicalWritesPerSecond, 250.0),
        (PhysicalWriteBytesPerSecond, 1_509_600.0),
        (LogBytesPerSecond, 1_000_000.0),
        (LogWritesPerSecond, 200.0),
        (LogSyncsPerSecond, 100.0),
        (StatementsPerSecond, 2_000.0),
        (ActiveSessions, 2.0),
        (Sessions, 42.0),
    ];
    expect(&profile, 0, &expected);
    assert_eq!(told(&profile, 0), expected.len() + 1, "{:?}", profile.intervals[0]);
    assert!(average(&profile, 0, RandomReadSeconds).is_some_and(|seconds| (seconds - 0.002).abs() < 1e-4));
    assert_eq!(profile.intervals[0].started_at_ms, SourceMoment(EIGHT.0 + 500));
    let source = &profile.sources[0];
    assert_eq!((source.engine.as_deref(), source.version.as_deref()), (Some("postgres"), Some("18.1")));
    assert_eq!((source.zone, source.size_bytes), (Zone::OffsetMinutes(0), Some(Bytes(1_000_000_000_002))));
    assert_eq!(profile.instances[0].buffer_cache_bytes, Some(Bytes(16 << 30)));
    let kinds: Vec<DoubtKind> = doubts(&profile).into_iter().map(|(_, kind)| kind).collect();
    assert_eq!(kinds, [DoubtKind::PageCacheReads, DoubtKind::AveragesOnly]);
    let absent: Vec<LoadQuantity> = profile.absent.iter().map(|absent| absent.quantity).collect();
    assert!(absent.contains(&HostBusyShare) && absent.contains(&DatabaseProcessorSecondsPerSecond));
}

#[test]
fn dumps_of_several_files_make_one_history_in_any_order() {
    let files = [dump_of_18(10, 2, ""), dump_of_18(0, 1, ""), dump_of_18(20, 4, "")];
    let files: Vec<(&str, &[u8])> = files.iter().map(|text| ("load.csv", text.as_bytes())).collect();
    let profile = profile_of(&files);
    assert_eq!((profile.sources[0].files, profile.intervals.len()), (3, 2));
    expect(&profile, 0, &[(CommitsPerSecond, 501.0)]);
    expect(&profile, 1, &[(CommitsPerSecond, 1_002.0)]);
}

/// Views of a server of `version` before 16, with a separator and quotes.
fn old_dump(minute: u32, scale: u64, version: &str) -> String {
    let at = format!("\"2026-10-12 10:{minute:02}:00+02\"");
    let of = |value: u64| (value * scale).to_string();
    format!(
        "now;server_version;wal_position_bytes\n{at};{version};{}\n\
         now;datid;datname;numbackends;xact_commit;xact_rollback;blks_read;blks_hit;blk_read_time;stats_reset\n\
         {at};16384;\"a;\"\"b\"\"\nc\";8;{};{};{};{};0;\n(1 row)\n\n\
         now;checkpoints_timed;buffers_checkpoint;buffers_clean;buffers_backend;buffers_alloc;stats_reset\n\
         {at};3;{};{};{};7;2026-10-01 00:00:00+02\n(1 row)\n",
        of(6_000_000),
        of(60_000),
        of(600),
        of(30_000),
        of(600_000),
        of(6_000),
        of(600),
        of(600),
    )
}

#[test]
fn views_of_13_count_blocks() {
    let text = old_dump(0, 1, "13.22") + &old_dump(10, 2, "13.22");
    let profile = profile_of(&[("load.csv", text.as_bytes())]);
    let expected = [
        (CommitsPerSecond, 100.0),
        (RollbacksPerSecond, 1.0),
        (LogicalReadsPerSecond, 1_050.0),
        (PhysicalReadsPerSecond, 50.0),
        (PhysicalReadBytesPerSecond, 409_600.0),
        (PhysicalWriteBytesPerSecond, 12.0 * 8192.0 + 10_000.0),
        (LogBytesPerSecond, 10_000.0),
        (Sessions, 8.0),
    ];
    expect(&profile, 0, &expected);
    // Writes of the log are not counted before 14, so that the sum of all writes is not known.
    assert_eq!(told(&profile, 0), expected.len());
    assert_eq!(profile.intervals[0].started_at_ms, EIGHT);
    let elsewhere = |quantity| {
        profile.absent.iter().find(|absent| absent.quantity == quantity).map(|absent| absent.elsewhere.clone())
    };
    assert_eq!(elsewhere(LogWritesPerSecond), Some(Elsewhere::NewerVersion { version: "14".into() }));
    assert_eq!(elsewhere(StatementsPerSecond), Some(Elsewhere::View { name: "pg_stat_statements".into() }));
}

#[test]
fn requests_of_17_are_blocks_and_not_taken_for_requests() {
    let dump = |minute: u32, scale: u64| {
        let at = format!("2026-10-12 08:{minute:02}:00+00");
        format!(
            "dumped_at,server_version,wal_position_bytes\n{at},17.2,{}\n\
             dumped_at,backend_type,object,context,reads,writes,extends,op_bytes,fsyncs,stats_reset\n\
             {at},client backend,relation,normal,{},{},9,8192,0,\n",
            scale * 600,
            scale * 6_000,
            scale * 600
        )
    };
    let profile = profile_of(&[("load.csv", (dump(0, 1) + &dump(10, 2)).as_bytes())]);
    expect(&profile, 0, &[(PhysicalReadBytesPerSecond, 81_920.0), (PhysicalWriteBytesPerSecond, 8_193.0)]);
    assert_eq!(average(&profile, 0, PhysicalReadsPerSecond), None);
    let absent = profile.absent.iter().find(|absent| absent.quantity == PhysicalReadsPerSecond).unwrap();
    assert_eq!(absent.elsewhere, Elsewhere::HostStatistics);
}

#[test]
fn a_dump_without_time_is_refused_with_a_hint() {
    let text = "datid,datname,xact_commit,xact_rollback,blks_read,blks_hit\n5,a,1,2,3,4\n";
    let message = refusal("load.csv", text.as_bytes());
    assert!(message.starts_with("load.csv:1: a dump of pg_stat_database has no time"), "{message}");
}

/// A dump of the status of a server.
fn status(second: u64, uptime: u64, scale: u64, version: &str) -> String {
    let at = 1_791_792_000 + second;
    format!(
        "dumped_at\n{at}.250000\nVariable_name\tValue\nAborted_clients\t3\nBytes_received\t{}\nBytes_sent\t{}\n\
         Com_commit\t{}\nCom_insert\t{}\nCom_rollback\t{}\nInnodb_buffer_pool_read_requests\t{}\n\
         Innodb_data_read\t{}\nInnodb_data_reads\t{}\nInnodb_data_writes\t{}\nInnodb_data_written\t{}\n\
         Innodb_log_writes\t{}\nInnodb_os_log_written\t{}\nInnodb_page_size\t16384\nQuestions\t{}\n\
         Threads_connected\t{}\nThreads_running\t5\nUptime\t{uptime}\nUptime_since_flush_status\t{uptime}\n\
         Variable_name\tValue\ninnodb_buffer_pool_size\t8589934592\nversion\t{version}\n",
        scale * 600_000,
        scale * 1_200_000,
        scale * 30_000,
        scale * 60_000,
        scale * 600,
        scale * 6_000_000,
        scale * 491_520_000,
        scale * 30_000,
        scale * 12_000,
        scale * 196_608_000,
        scale * 30_000,
        scale * 60_000_000,
        scale * 600_000,
        50 + scale,
    )
}

#[test]
fn the_status_of_a_server_is_compared() {
    let text = status(0, 5_000, 1, "10.11.6-MariaDB") + &status(600, 5_600, 2, "10.11.6-MariaDB");
    let profile = profile_of(&[("load.tsv", text.as_bytes())]);
    let expected = [
        (CommitsPerSecond, 50.0),
        (RollbacksPerSecond, 1.0),
        (StatementsPerSecond, 1_000.0),
        (LogicalReadsPerSecond, 10_000.0),
        (PhysicalReadsPerSecond, 50.0),
        (PhysicalReadBytesPerSecond, 819_200.0),
        // This version counts writes of the log by themselves.
        (PhysicalWritesPerSecond, 70.0),
        (PhysicalWriteBytesPerSecond, 427_680.0),
        (LogBytesPerSecond, 100_000.0),
        (LogWritesPerSecond, 50.0),
        (NetworkReceivedBytesPerSecond, 1_000.0),
        (NetworkSentBytesPerSecond, 2_000.0),
        (Sessions, 51.5),
        (ActiveSessions, 4.0),
    ];
    expect(&profile, 0, &expected);
    assert_eq!(told(&profile, 0), expected.len());
    assert_eq!(profile.sources[0].engine.as_deref(), Some("mariadb"));
    assert_eq!(profile.instances[0].buffer_cache_bytes, Some(Bytes(8 << 30)));
    let text = text.replace("10.11.6-MariaDB", "8.4.3");
    let profile = profile_of(&[("load.tsv", text.as_bytes())]);
    expect(&profile, 0, &[(PhysicalWritesPerSecond, 20.0)]);
    assert_eq!(profile.sources[0].engine.as_deref(), Some("mysql"));
}

#[test]
fn tables_with_borders_are_the_same_as_those_with_tabs() {
    let plain = status(0, 5_000, 1, "8.4.3") + &status(600, 5_600, 2, "8.4.3");
    let bordered: String = plain
        .lines()
        .map(|line| match line.split_once('\t') {
            Some((name, value)) => format!("| {name:<40} | {value:<20} |\r\n"),
            None => format!("+------+\r\n| {line} |\r\n"),
        })
        .collect();
    let expected = profile_of(&[("load.tsv", plain.as_bytes())]);
    assert_eq!(profile_of(&[("load.txt", bordered.as_bytes())]), expected);
}

#[test]
fn a_status_without_times_has_those_of_the_server() {
    let dump =
        |uptime: u64, questions: u64| format!("Variable_name\tValue\nQuestions\t{questions}\nUptime\t{uptime}\n");
    let profile = profile_of(&[("load.tsv", (dump(100, 10) + &dump(160, 6_010)).as_bytes())]);
    expect(&profile, 0, &[(StatementsPerSecond, 100.0)]);
    assert_eq!((profile.intervals[0].started_at_ms, profile.intervals[0].seconds), (SourceMoment(100_000), 60.0));
}

#[test]
fn statements_that_commit_themselves_are_counted_as_commits() {
    let dump = |uptime: u64, count: u64| {
        format!("Variable_name\tValue\nCom_commit\t0\nCom_insert\t{count}\nCom_update\t{count}\nUptime\t{uptime}\n")
    };
    let profile = profile_of(&[("load.tsv", (dump(100, 10) + &dump(160, 610)).as_bytes())]);
    expect(&profile, 0, &[(CommitsPerSecond, 20.0)]);
}

#[test]
fn minutes_of_a_log_have_their_largest_second() {
    let minute = |count: u64| {
        format!(
            "{{\"connection\":{{\"count\":0}},\"query\":{{\"count\":{count},\"duration\":\"{}.5\",\"min\":null,\
             \"second\":{{\"00\":{count},\"30\":1}}}},\"session\":{{\"second\":{{\"01\":0}}}}}}",
            count * 100
        )
    };
    let text = format!(
        "{{\"overall_stat\":{{}},\"per_minute_info\":{{\"one\":{{\"20261012\":{{\"08\":{{\"00\":{},\"01\":{}}}}}}},\
         \"two\":{{\"20261012\":{{\"08\":{{\"00\":{}}}}}}}}},\"top_slowest\":{{\"a\":[1,\"text\"]}}}}",
        minute(600),
        minute(60),
        minute(1_200)
    );
    let mut history = History::new(Names::Hidden);
    assert_eq!(history.read("log.json", text.as_bytes()), Ok(Form::Badger));
    let profile = history.finish().unwrap();
    assert_eq!(profile.intervals.len(), 2);
    expect(&profile, 0, &[(StatementsPerSecond, 30.0), (ActiveSessions, 3.0 + 1e-3 / 60.0)]);
    assert_eq!(profile.intervals[0].amounts[&StatementsPerSecond].max, Some(1_800.0));
    assert_eq!(
        (profile.intervals[1].started_at_ms, profile.intervals[1].seconds),
        (SourceMoment(EIGHT.0 + 60_000), 60.0)
    );
    // Without names of databases, as older versions write it, and cut.
    let older = format!("{{\"per_minute_info\":{{\"20261012\":{{\"08\":{{\"00\":{},\"01\":{{\"query\"", minute(600));
    let profile = profile_of(&[("log.json", older.as_bytes())]);
    expect(&profile, 0, &[(StatementsPerSecond, 10.0)]);
    assert!(doubts(&profile).contains(&(Weight::Refusal, DoubtKind::Truncated)));
}

//! Statistics of hosts.

use record::Bytes;
use record::load_profile::LoadQuantity::*;
use record::load_profile::{DoubtKind, LoadQuantity, Scope, SourceMoment, Weight, Zone};

use crate::{doubts, expect, profile_of, refusal, told};

/// 2026-10-12 08:00.
const EIGHT_MS: i64 = 1_791_792_000_000;

/// A sample of `sadf -j`, `minute` after eight.
fn sadf_sample(minute: u32, factor: u32) -> String {
    format!(
        "{{\"timestamp\": {{\"date\": \"2026-10-12\", \"time\": \"08:{minute:02}:00\", \"utc\": 1, \"interval\": 600}},\n\
         \"cpu-load\": [{{\"cpu\": \"all\", \"usr\": 20.00, \"iowait\": 5.00, \"idle\": 70.00}},\n\
         {{\"cpu\": \"0\", \"iowait\": 0.00, \"idle\": 1.00}}],\n\
         \"interrupts\": [{{\"intr\": \"sum\", \"all\": 581.00}}],\n\
         \"io\": {{\"tps\": 300.00, \"io-reads\": {{\"rtps\": {}.00, \"bread\": 4000.00}}, \
         \"io-writes\": {{\"wtps\": 100.00, \"bwrtn\": 2000.00}}}},\n\
         \"memory\": {{\"memfree\": 1000000, \"avail\": 6000000, \"memused\": 2000000, \"memused-percent\": 25.00, \
         \"buffers\": 1000000, \"cached\": 3500000, \"slab\": 500000}},\n\
         \"network\": {{\"net-dev\": [{{\"iface\": \"lo\", \"rxkB\": 900.00, \"txkB\": 900.00}}, \
         {{\"iface\": \"eth0\", \"rxkB\": 10.00, \"txkB\": 20.00}}, {{\"iface\": \"eth1\", \"rxkB\": 1.00, \"txkB\": 2.00}}]}}}}",
        200 * factor
    )
}

fn sadf(samples: &[String]) -> String {
    format!(
        "{{\"sysstat\": {{\n\"hosts\": [\n{{\n\"nodename\": \"db-one\",\n\"sysname\": \"Linux\",\n\"release\": \"6.1.0\",\n\
         \"number-of-cpus\": 8,\n\"file-date\": \"2026-10-12\",\n\"timezone\": \"UTC\",\n\"statistics\": [\n{}\n],\n\
         \"restarts\": [\n{{\"boot\": {{\"date\": \"2026-10-12\"}}}}\n]\n}}\n]\n}}}}\n",
        samples.join(",\n")
    )
}

const OF_SADF: [(LoadQuantity, f64); 8] = [
    (PhysicalReadsPerSecond, 200.0),
    (PhysicalReadBytesPerSecond, 2_048_000.0),
    (PhysicalWritesPerSecond, 100.0),
    (PhysicalWriteBytesPerSecond, 1_024_000.0),
    (HostBusyShare, 0.25),
    (NetworkReceivedBytesPerSecond, 11_264.0),
    (NetworkSentBytesPerSecond, 22_528.0),
    (HostFreeMemoryBytes, 1_024_000_000.0),
];

/// A file of each form.
pub fn samples() -> Vec<String> {
    vec![
        sadf(&[sadf_sample(10, 1), sadf_sample(20, 2)]),
        sar(".", "2026-10-12 "),
        iostat(ISO, |second| format!("10/12/2026 08:00:{second:02} AM")),
    ]
}

#[test]
fn samples_of_sadf_are_intervals() {
    let text = sadf(&[sadf_sample(10, 1), sadf_sample(20, 2)]);
    let profile = profile_of(&[("sa12.json", text.as_bytes())]);
    assert_eq!(profile.intervals.len(), 2);
    expect(&profile, 0, &OF_SADF);
    expect(&profile, 1, &[(PhysicalReadsPerSecond, 400.0)]);
    assert_eq!(told(&profile, 0), OF_SADF.len());
    assert_eq!((profile.intervals[0].started_at_ms, profile.intervals[0].seconds), (SourceMoment(EIGHT_MS), 600.0));
    let source = &profile.sources[0];
    assert_eq!((source.scope, source.zone, source.engine.as_deref()), (Scope::Host, Zone::OffsetMinutes(0), None));
    let instance = &profile.instances[0];
    assert_eq!((instance.hardware_threads, instance.memory_bytes), (Some(8), Some(Bytes(8_000_000 * 1024))));
    assert_eq!(instance.host_name, None);
    assert!(doubts(&profile).contains(&(Weight::Warning, DoubtKind::WholeHost)));
}

#[test]
fn a_cut_file_keeps_the_samples_that_are_whole() {
    let text = sadf(&[sadf_sample(10, 1), sadf_sample(20, 2)]);
    let cut = &text[..text.rfind("\"network\"").unwrap()];
    let profile = profile_of(&[("sa12.json", cut.as_bytes())]);
    assert_eq!(profile.intervals.len(), 1);
    assert!(doubts(&profile).contains(&(Weight::Refusal, DoubtKind::Truncated)));
    let broken = text.replace("\"io\": {", "\"io\": }");
    assert!(refusal("sa12.json", broken.as_bytes()).contains("no JSON of its form"));
}

/// A day of `sar -A` with a decimal sign.
fn sar(decimal: &str, zone: &str) -> String {
    let text = format!(
        "Linux 6.1.0-18-amd64 (db-one) \t{zone}\t_x86_64_\t(8 CPU)\n\n\
         08:00:01        CPU      %usr     %nice      %sys   %iowait    %steal     %idle\n\
         08:10:01        all     20.00      0.00      5.00      5.00      0.00     70.00\n\
         08:10:01          0     90.00      0.00      5.00      5.00      0.00      0.00\n\
         08:20:01        all     40.00      0.00      5.00      5.00      0.00     50.00\n\
         Average:        all     30.00      0.00      5.00      5.00      0.00     60.00\n\n\
         08:00:01       proc/s   cswch/s\n\
         08:10:01         1.00   5000.00\n\n\
         08:00:01          tps      rtps      wtps      dtps   bread/s   bwrtn/s   bdscd/s\n\
         08:10:01       300.00    200.00    100.00      0.00   4000.00   2000.00      0.00\n\
         08:20:01       600.00    400.00    200.00      0.00   8000.00   4000.00      0.00\n\
         Average:       450.00    300.00    150.00      0.00   6000.00   3000.00      0.00\n\n\
         08:00:01    kbmemfree   kbavail kbmemused  %memused kbbuffers  kbcached    kbslab\n\
         08:10:01      1000000   6000000   2000000     25.00   1000000   3500000    500000\n\n\
         08:00:01        IFACE   rxpck/s   txpck/s    rxkB/s    txkB/s   rxcmp/s   txcmp/s  rxmcst/s   %ifutil\n\
         08:10:01           lo      1.00      1.00    900.00    900.00      0.00      0.00      0.00      0.00\n\
         08:10:01         eth0      1.00      1.00     10.00     20.00      0.00      0.00      0.00      0.00\n\
         08:10:01         eth1      1.00      1.00      1.00      2.00      0.00      0.00      0.00      0.00\n\n\
         08:10:01        IFACE   rxpck/s   txpck/s    rxkB/s    txkB/s   rxcmp/s   txcmp/s  rxmcst/s   %ifutil\n\
         08:20:01         eth0      1.00      1.00     50.00     60.00      0.00      0.00      0.00      0.00\n\
         Average:         eth0      1.00      1.00     30.00     40.00      0.00      0.00      0.00      0.00\n"
    );
    let (title, rest) = text.split_at(text.find("\n\n").unwrap());
    format!("{title}{}", rest.replace('.', decimal))
}

#[test]
fn sections_of_sar_are_joined_by_their_times() {
    for (decimal, day) in [(".", "2026-10-12 "), (",", "12.10.2026 "), (".", "10/12/2026 ")] {
        let profile = profile_of(&[("sar.txt", sar(decimal, day).as_bytes())]);
        assert_eq!(profile.intervals.len(), 2, "{day}");
        expect(&profile, 0, &OF_SADF);
        expect(
            &profile,
            1,
            &[(PhysicalReadsPerSecond, 400.0), (HostBusyShare, 0.45), (NetworkSentBytesPerSecond, 61_440.0)],
        );
        assert_eq!(profile.intervals[0].started_at_ms, SourceMoment(EIGHT_MS + 1_000));
        assert_eq!(profile.intervals[1].seconds, 600.0);
        let instance = &profile.instances[0];
        assert_eq!((instance.hardware_threads, instance.memory_bytes), (Some(8), Some(Bytes(8_000_000 * 1024))));
        let is_ambiguous = |(_, kind): &(Weight, DoubtKind)| matches!(kind, DoubtKind::AmbiguousNumber { .. });
        assert_eq!(doubts(&profile).iter().any(is_ambiguous), day.contains('/'), "{day}");
    }
    assert!(refusal("sar.txt", sar(".", "Mo 12. Okt ").as_bytes()).contains("the day"));
}

#[test]
fn sar_goes_on_after_midnight_and_after_half_a_day() {
    let text = "Linux 6.1 (h) \t10/13/26 \t_x86_64_\t(2 CPU)\n\n\
         11:40:01 PM  CPU     %user     %nice   %system   %iowait    %steal     %idle\n\
         11:50:01 PM  all     20.00      0.00      5.00      5.00      0.00     70.00\n\
         12:00:01 AM  all     20.00      0.00      5.00      5.00      0.00     60.00\n\n\
         11:40:01 PM       tps      rtps      wtps   bread/s   bwrtn/s\n\
         11:50:01 PM    300.00    200.00    100.00   4000.00   2000.00\n\
         12:00:01 AM    300.00    100.00    100.00   4000.00   2000.00\n";
    let profile = profile_of(&[("sar.txt", text.as_bytes())]);
    assert_eq!(profile.intervals.len(), 2);
    expect(&profile, 1, &[(PhysicalReadsPerSecond, 100.0), (HostBusyShare, 0.35)]);
    assert_eq!(profile.intervals[1].started_at_ms.0 - profile.intervals[0].started_at_ms.0, 600_000);
}

#[test]
fn a_clock_that_is_set_back_leaves_out_what_it_shows_twice() {
    let mut text = "Linux 6.1 (h) \t2026-10-25 \t_x86_64_\t(2 CPU)\n\n\
                    02:30:01        CPU      %usr   %iowait     %idle\n"
        .to_owned();
    for time in
        ["02:40:01", "02:50:01", "02:00:01", "02:10:01", "02:20:01", "02:30:01", "02:40:01", "02:50:01", "03:00:01"]
    {
        text.push_str(&format!("{time}        all     20.00      5.00     70.00\n"));
    }
    let profile = profile_of(&[("sar.txt", text.as_bytes())]);
    let kinds: Vec<DoubtKind> = doubts(&profile).into_iter().map(|(_, kind)| kind).collect();
    assert!(kinds.contains(&DoubtKind::ClockStep { seconds: -3_600.0 }), "{kinds:?}");
    assert!(kinds.contains(&DoubtKind::Overlap), "{kinds:?}");
    assert_eq!(profile.intervals.len(), 6);
}

/// Reports of `iostat -x -t`.
fn iostat(title: &str, time: impl Fn(u32) -> String) -> String {
    let report = |second: u32, factor: u32| {
        format!(
            "{}\navg-cpu:  %user   %nice %system %iowait  %steal   %idle\n          20.00    0.00    5.00    5.00    0.00   70.00\n\n\
             Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm\n\
             nvme0n1         {}.00   1500.00     0.00   0.00    0.20     8.00   60.00    700.00     1.00   2.00\n\
             nvme0n1p1         1.00      8.00     0.00   0.00    0.20     8.00    0.00      0.00     0.00   0.00\n\
             sda              50.00    500.00     0.00   0.00    0.20     8.00   40.00    300.00     1.00   2.00\n\
             dm-0            200.00   2000.00     0.00   0.00    0.20     8.00  100.00   1000.00     0.00   0.00\n\
             \x20all            400.00   4000.00     0.00   0.00    0.20     8.00  200.00   2000.00     0.00   0.00\n\n\n",
            time(second),
            150 * factor
        )
    };
    format!("{title}\n\n{}{}{}", report(0, 900), report(10, 1), report(20, 3))
}

const ISO: &str = "Linux 6.1.0 (db-one) \t2026-10-12 \t_x86_64_\t(8 CPU)";

#[test]
fn the_first_report_of_iostat_is_of_another_time() {
    let stamps: [fn(u32) -> String; 3] = [
        |second| format!("2026-10-12T08:00:{second:02}+0000"),
        |second| format!("10/12/2026 08:00:{second:02} AM"),
        |second| format!("12.10.2026 08:00:{second:02}"),
    ];
    for stamp in stamps {
        let profile = profile_of(&[("iostat.txt", iostat(ISO, stamp).as_bytes())]);
        assert_eq!(profile.intervals.len(), 2);
        expect(
            &profile,
            0,
            &[
                (PhysicalReadsPerSecond, 200.0),
                (PhysicalReadBytesPerSecond, 2_048_000.0),
                (PhysicalWritesPerSecond, 100.0),
                (PhysicalWriteBytesPerSecond, 1_024_000.0),
                (HostBusyShare, 0.25),
            ],
        );
        expect(&profile, 1, &[(PhysicalReadsPerSecond, 500.0)]);
        assert_eq!((profile.intervals[0].started_at_ms, profile.intervals[0].seconds), (SourceMoment(EIGHT_MS), 10.0));
    }
    let headless = iostat("", stamps[0]);
    assert_eq!(profile_of(&[("iostat.txt", headless.as_bytes())]).intervals.len(), 2);
    let without = iostat(ISO, |_| String::new());
    assert!(refusal("iostat.txt", without.as_bytes()).contains("no times"));
}

#[test]
fn iostat_as_json_is_the_same() {
    let disk = |factor: u32| {
        format!(
            "{{\"disk_device\": \"nvme0n1\", \"r/s\": {}.00, \"w/s\": 60.00, \"rkB/s\": 1500.00, \"wkB/s\": 700.00, \"util\": 3.52}},\n\
             {{\"disk_device\": \"sda\", \"r/s\": 50.00, \"w/s\": 40.00, \"rkB/s\": 500.00, \"wkB/s\": 300.00}},\n\
             {{\"disk_device\": \"dm-0\", \"r/s\": 200.00, \"w/s\": 100.00, \"rkB/s\": 2000.00, \"wkB/s\": 1000.00}}",
            150 * factor
        )
    };
    let sample = |second: u32, factor: u32| {
        format!(
            "{{\"timestamp\": \"2026-10-12T08:00:{second:02}+0000\", \"avg-cpu\": {{\"user\": 20.0, \"iowait\": 5.00, \"idle\": 70.00}},\n\
             \"disk\": [{}]}}",
            disk(factor)
        )
    };
    let json = format!(
        "{{\"sysstat\": {{\"hosts\": [{{\"nodename\": \"db-one\", \"number-of-cpus\": 8, \"date\": \"2026-10-12\", \"statistics\": [{}]}}]}}}}",
        [sample(0, 900), sample(10, 1), sample(20, 3)].join(",")
    );
    let profile = profile_of(&[("iostat.json", json.as_bytes())]);
    let text =
        profile_of(&[("iostat.txt", iostat(ISO, |second| format!("2026-10-12T08:00:{second:02}+0000")).as_bytes())]);
    assert_eq!(profile, text);
}

#[test]
fn one_host_of_several_programs_is_one() {
    let sadf = sadf(&[sadf_sample(30, 1)]);
    let iostat = iostat(ISO, |second| format!("2026-10-12T08:00:{second:02}+0000"));
    let profile = profile_of(&[("sa12.json", sadf.as_bytes()), ("iostat.txt", iostat.as_bytes())]);
    assert_eq!((profile.sources.len(), profile.instances.len(), profile.intervals.len()), (2, 2, 3));
}

#[test]
fn a_sample_with_more_devices_than_a_host_can_have_is_refused() {
    let rows = |row: &str, count: usize| vec![row; count].join(",");
    let of_sadf = |count: usize| {
        let sample = sadf_sample(10, 1);
        sadf(&[sample.replacen("\"cpu-load\": [", &format!("\"cpu-load\": [{},", rows("{\"cpu\": \"1\"}", count)), 1)])
    };
    let few = of_sadf(1_000);
    assert_eq!(profile_of(&[("sa12.json", few.as_bytes())]).intervals.len(), 1);
    assert!(refusal("sa12.json", of_sadf(65_536).as_bytes()).contains("no JSON of its form"));
}

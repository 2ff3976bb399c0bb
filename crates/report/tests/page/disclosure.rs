//! What the page discloses, and what it says that a result may be used for.

use dbdyno_report::{SheetOptions, Style};
use record::{Build, Check, KernelLog, Location, Outcome, Preset, Reading, Record, Run, Status, Verdict};

use crate::content::disclosed;
use crate::document::{parse, text as words, texts, xml};
use crate::drawn::{html, text};
use crate::finding_sample::finding;
use crate::{sample, series};

fn page(record: &Record) -> String {
    xml(&html(record, &SheetOptions { path: "record.json", ..SheetOptions::default() }))
}

/// The sentence at the verdicts.
fn class(record: &Record) -> String {
    let page = page(record);
    texts(&parse(&page), "#class p").remove(0)
}

/// A record of a clean build in which nothing went wrong and each test was repeated.
fn clean() -> Record {
    let mut record = series::record();
    record.status = Status::Finished;
    record.reason = None;
    record.plan.preset = Preset::Publish;
    record.plan.repeats = 6;
    record.tool.build = Some(Build {
        commit: Some("0123456789abcdef0123456789abcdef01234567".to_owned()),
        clean: Some(true),
        compiler: Some("rustc 1.95.0".to_owned()),
        platform: Some("x86_64-unknown-linux-gnu".to_owned()),
        flags: Some("profile release, opt-level 3, no flags".to_owned()),
        program_sha256: Some("ab".repeat(32)),
    });
    record.runs.retain(|run| run.test == "T611" || run.test == "T616");
    record.runs.iter_mut().for_each(|run| run.findings.retain(|finding| finding.verdict != Verdict::Warn));
    let again: Vec<Run> = (0..5).flat_map(|_| record.runs.clone()).collect();
    record.runs.extend(again);
    for (number, run) in (1..).zip(&mut record.runs) {
        run.number = number;
    }
    record
}

#[test]
fn a_clean_measurement_of_a_disclosed_machine_is_publishable() {
    let record = clean();
    let sentence = class(&record);
    assert!(sentence.starts_with("This result is PUBLISHABLE: "), "{sentence}");
    let page = page(&record);
    for (field, value) in [
        ("source revision of the tool", "0123456789abcdef0123456789abcdef01234567, without changes"),
        ("stepping and microcode", "family 6, model 42, stepping 7, microcode 0x2f"),
        ("boost", "driver example_pstate, boost on"),
        ("idle states", "driver example_idle, states POLL, C1, C6 (off)"),
        ("memory modules and their speed", "2 modules of 4 GiB DDR5 4800 MT/s of 5600 (A1, B1)"),
        (
            "firmware, serial number and link of devices",
            "nvme0n1: firmware EX42, serial number ****1234, link 16 GT/s x4",
        ),
        ("network", "eth0: example_net, 25000 Mbit/s, MTU 1500"),
        ("firmware of the machine", "Example Firmware 1.2 of 01/02/2026"),
        ("mitigations", "spectre_v2: Mitigation: Retpolines; not affected by 1 others"),
        (
            "performance-relevant kernel settings",
            "vm.dirty_background_ratio = 10, vm.dirty_ratio = 20, vm.swappiness = 60",
        ),
        ("system clock", "synchronised, max error 1.50 ms"),
        ("load before the first run", "1-minute load average 0.25, background programs: backup 4 % of one CPU"),
        ("clock and temperature", "2000 MHz, 50 °C before, 2003 MHz, 53 °C after"),
        ("thermal throttling", "0 times"),
        (
            "CPU probe before and after",
            "dependent multiplications on one CPU: 1.00 ns each before, 1.00 ns after, +0.0 %",
        ),
        ("kernel messages from start to end", "0 messages of level warning or above, 0 about hardware faults"),
    ] {
        assert_eq!(disclosed(&page, field), value, "{field}");
    }
    assert!(disclosed(&page, "I/O scheduler and queues").contains("read_ahead_kb = 128"));
    assert!(disclosed(&page, "space used from start to end").starts_with("3.00 GB"));
}

#[test]
fn whatever_is_not_disclosed_stands_in_the_sentence_at_the_verdicts() {
    type Spoil = fn(&mut Record);
    let cases: [(&str, Spoil); 17] = [
        ("with uncommitted changes", |record| record.tool.build.as_mut().unwrap().clean = Some(false)),
        ("outside of a git tree", |record| record.tool.build.as_mut().unwrap().commit = None),
        ("built without optimisation", |record| record.tool.optimised = false),
        ("emulated on aarch64", |record| record.host.kernel.architecture = "aarch64".to_owned()),
        ("stepping and microcode not disclosed", |record| record.host.cpu.microcode = None),
        ("mitigations not disclosed", |record| record.host.kernel.mitigations.clear()),
        ("the engine runs on another host", |record| record.engine.as_mut().unwrap().location = Location::Remote),
        ("--repeats 6", |record| record.runs.truncate(record.runs.len() / 6)),
        ("preset smoke", |record| record.plan.preset = Preset::Smoke),
        ("not finished but interrupted", |record| record.status = Status::Interrupted),
        ("user-defined test files (mine.toml)", |record| record.plan.test_files.push("mine.toml".to_owned())),
        ("are invalid", |record| record.runs[0].outcome = Outcome::Failed { message: "gone".to_owned() }),
        ("are invalid", |record| {
            record.runs[0].findings.push(finding(Check::CommitCount, Verdict::Fail));
        }),
        ("kernel reported 1 hardware fault", |record| {
            let log =
                KernelLog { fault_count: 1, faults: vec!["I/O error, dev sda".to_owned()], ..KernelLog::default() };
            record.host.at_end.as_mut().unwrap().kernel_log = Some(log);
        }),
        ("kernel.dmesg_restrict", |record| {
            let log = KernelLog { unreadable: Some("kernel.dmesg_restrict".to_owned()), ..KernelLog::default() };
            record.host.at_end.as_mut().unwrap().kernel_log = Some(log);
        }),
        ("thermal throttling occurred 2 times", |record| {
            record.host.at_end.as_mut().unwrap().thermal_throttle_count = Some(2)
        }),
        ("CPU probe took 1.20 times as long", |record| {
            record.host.at_end.as_mut().unwrap().multiplication_ns = Some(1.2)
        }),
    ];
    for (obstacle, spoil) in cases {
        let mut record = clean();
        spoil(&mut record);
        let sentence = class(&record);
        assert!(sentence.contains(" and not PUBLISHABLE, because "), "{obstacle}: {sentence}");
        assert!(sentence.contains(obstacle), "{obstacle}: {sentence}");
        let on_a_terminal = text(&record, "record.json", Style::default(), 120);
        assert!(on_a_terminal.contains("and not PUBLISHABLE"), "{obstacle}");
    }
}

#[test]
fn what_a_hypervisor_hides_stands_in_nobody_s_way_and_on_bare_metal_it_does() {
    let mut record = clean();
    let host = &mut record.host;
    (host.firmware, host.cpu.boost, host.cpu.governor) = (None, None, None);
    host.memory.modules.clear();
    host.devices.iter_mut().for_each(|device| device.firmware = None);
    let hidden = "does not apply: hidden from a virtual machine (kvm)";
    assert!(class(&record).contains("PUBLISHABLE:"));
    assert!(disclosed(&page(&record), "memory modules and their speed").starts_with(hidden));
    for metal in [None, Some("docker".to_owned())] {
        record.host.virtualisation = metal;
        assert!(class(&record).contains("memory modules and their speed not disclosed"), "{}", class(&record));
    }
    record.host.virtualisation = Some("docker on kvm".to_owned());
    assert!(class(&record).contains("PUBLISHABLE:"));
}

#[test]
fn a_record_that_is_older_than_a_field_says_so() {
    let mut record = clean();
    record.tool.build = None;
    (record.host.at_start, record.host.at_end, record.host.firmware) = (None, None, None);
    record.host.virtualisation = None;
    let page = page(&record);
    for field in ["source revision of the tool", "firmware of the machine", "kernel messages from start to end"] {
        assert_eq!(disclosed(&page, field), "not available: not read by the dbdyno version that measured", "{field}");
    }
    let sentence = class(&record);
    let together = "source revision of the tool, build, SHA-256 of the program, firmware of the machine and ";
    assert!(sentence.contains(together), "one reason is stated once: {sentence}");
}

#[test]
fn the_command_that_repeats_it_names_everything_that_was_chosen() {
    let mut record = clean();
    record.plan.runs.retain(|run| run.test == "T611" || run.test == "T616");
    record.plan.target = "local:example?a=b c".to_owned();
    let command = disclosed(&page(&record), "one command that repeats the measurement");
    assert_eq!(
        command,
        "dbdyno run --target 'local:example?a=b c' --tests T611,T616 --jobs 1,2,4 --preset publish --seconds 3 \
         --warm-up 0.5 --repeats 6 --small-rows 1000000 --large-rows 10000000 --placement kernel --seed 42 --dir /measured"
    );
}

#[test]
fn top_waits_have_their_names_for_any_engine() {
    let mut record = sample::record();
    let waits = |page: &str| texts(&parse(page), "#waits tbody tr");
    assert!(waits(&page(&record)).is_empty());
    let reason = "Not available: this engine counts no waits with its settings";
    assert!(words(parse(&page(&record)).root()).contains(reason));
    for run in record.runs.iter_mut().filter(|run| run.test == "T311") {
        let window = run.window_ns.0;
        let grow = |reading: &mut Reading, end: bool| {
            for (name, value) in [
                ("example_wait_log_sync_ns", window / 2),
                ("example_wait_log_sync_count", window / 2_000_000),
                ("example_row_lock_time_ns", window / 10),
                ("example_active_time_ns", window),
                ("example_wait_idle_ns", 1),
            ] {
                reading.values.insert(name.to_owned(), if end { value } else { 0 });
            }
        };
        grow(&mut run.readings[0], false);
        grow(&mut run.readings[1], true);
    }
    let found = waits(&page(&record));
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].contains("log sync") && found[0].contains("1.00 ms"), "{found:?}");
    assert!(found[1].contains("row lock"), "{found:?}");
}

#[test]
fn a_view_without_seconds_has_the_same_class() {
    let whole = clean();
    let mut thin = clean();
    thin.runs.iter_mut().for_each(model::thin);
    assert_eq!(class(&thin), class(&whole));
    thin.host.at_start = None;
    assert!(class(&thin).contains("series per second not disclosed (no run has seconds)"), "{}", class(&thin));
}

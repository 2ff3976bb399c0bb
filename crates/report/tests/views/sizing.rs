//! A production load on the platform of the sample, and the same replayed in kind.

use std::collections::BTreeMap;

use dbdyno_report::{SheetOptions, SizingView, Style, sizing};
use model::sizing::{Growth, Platform, history, in_kind, recorded_ceilings, recorded_curves, size};
use record::load_profile::{Amount, Instance, Interval, LoadQuantity, Scope, Source, SourceMoment, Zone};
use record::{Bytes, LoadInKind, LoadLevel, LoadProfile, Record, Role, Run, Totals, TransactionType};

use crate::drawn::{html, text};
use crate::sample;

/// A day, of which 14 o'clock is the busiest hour.
fn profile() -> LoadProfile {
    use LoadQuantity::*;
    let interval = |hour: i64| {
        let busy = if hour == 14 { 2.0 } else { 1.0 };
        let amounts = [
            (PhysicalReadsPerSecond, 450.0),
            (LogicalReadsPerSecond, 9_000.0),
            (CommitsPerSecond, 60.0),
            (LogBytesPerSecond, 30_000.0),
            (Sessions, 12.0),
            (NetworkSentBytesPerSecond, 80_000.0),
        ];
        let amounts = amounts.map(|(quantity, average)| (quantity, Amount { average: average * busy, max: None }));
        Interval {
            source: 0,
            instance: 0,
            started_at_ms: SourceMoment(1_790_035_200_000 + hour * 3_600_000),
            seconds: 3_600.0,
            amounts: BTreeMap::from(amounts),
        }
    };
    LoadProfile {
        sources: vec![Source {
            form: "watch".to_owned(),
            scope: Scope::Database,
            engine: Some("postgres".to_owned()),
            version: Some("17.2".to_owned()),
            database_id: None,
            database_name: None,
            zone: Zone::OffsetMinutes(0),
            files: 0,
            instances_expected: None,
            size_bytes: Some(Bytes(250_000_000_000)),
            growth_bytes_per_day: Some(1e9),
            watching_seconds_per_second: Some(0.001),
        }],
        instances: vec![Instance { number: 1, hardware_threads: Some(8), ..Instance::default() }],
        intervals: (0..24).map(interval).collect(),
        ..LoadProfile::default()
    }
}

#[test]
fn a_load_on_a_platform_is_a_sentence_then_its_resources() {
    let (profile, record) = (profile(), sample::record());
    let history = history(&profile);
    let platform = Platform {
        name: "new.jsonl".to_owned(),
        ceilings: recorded_ceilings(&record),
        curves: recorded_curves(&record),
        ..Platform::default()
    };
    let sizings = [size(&history, platform, Growth { per_year: 0.3, years: 3.0 })];
    let growth = Growth { per_year: 0.3, years: 3.0 };
    let view = SizingView { profile: &profile, history: &history, sizings: &sizings, growth, old_sheet: None };
    insta::assert_snapshot!(sizing(&view).text(Style::default(), 100));
}

/// The sample with a run of the load in kind, that reached so much of its commits.
fn replayed(share: f64) -> Record {
    let mut record = sample::record();
    let load: LoadInKind = in_kind(&history(&profile()), LoadLevel::Peak, 1.0, Bytes(192)).unwrap();
    let plain = record.runs.iter().find(|run| run.test == "T611" && run.dop.jobs == 4).unwrap();
    let seconds = plain.window_ns.seconds();
    let of = |role: &record::RoleInKind| {
        let is_short = matches!(role.step, record::StepInKind::Commit { .. }) && share < 1.0;
        let due = role.steps_per_second * seconds;
        let done = if is_short { (due * share) as u64 } else { due.round() as u64 };
        TransactionType {
            name: role.step.name().to_owned(),
            weight: 1,
            role: Some(Role {
                name: role.step.name().to_owned(),
                jobs: Some(role.jobs),
                rate: Some(role.steps_per_second),
            }),
            per_minute: None,
            totals: Totals {
                steps: done,
                operations: done,
                unfinished: if is_short { due as u64 - done } else { 0 },
                ..Totals::default()
            },
            service: plain.service.clone(),
            response: plain.response.clone(),
            statements: Vec::new(),
        }
    };
    let types: Vec<TransactionType> = load.roles.iter().map(of).collect();
    let run = Run {
        number: 900,
        test: "K100".to_owned(),
        title: "a production load in kind".to_owned(),
        transaction_types: types,
        ..plain.clone()
    };
    record.runs.push(run);
    record.plan.in_kind = Some(load);
    record
}

/// The section of the load in kind in the details.
fn section(record: &Record) -> String {
    let shown = text(record, "r.jsonl", Style::default(), 100);
    let lines: Vec<&str> = shown.lines().collect();
    let from = lines.iter().position(|line| line.starts_with("Replay in kind")).expect("the section");
    let end = |line: &&str| line.starts_with("Spec sheet");
    let to = lines[from + 1..].iter().position(end).map_or(lines.len(), |at| from + 1 + at);
    lines[from..to.min(from + 70)].join("\n")
}

#[test]
fn a_load_in_kind_has_what_was_asked_and_reached() {
    insta::assert_snapshot!(section(&replayed(1.0)));
}

#[test]
fn a_role_that_fell_short_is_shown_as_such() {
    let shown = section(&replayed(0.4));
    assert!(shown.contains("40"), "{shown}");
    let page = html(&replayed(0.4), &SheetOptions::default());
    assert!(page.contains("in-kind-roles"));
}

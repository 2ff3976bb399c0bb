//! Comparability and differences.

use super::*;
use crate::system::InvalidReason;

fn invalid(run: u32) -> InvalidRun {
    InvalidRun { run, reason: InvalidReason::NothingCounted }
}

#[test]
fn systems_measured_differently_are_not_compared() {
    let both = || pair(vec![test("T611", vec![point(2, &TEN)])], vec![test("T611", vec![point(2, &TEN)])]);
    assert_eq!(compared_test(&compared(&both())).outcome.word(), "EQUIVALENT");
    let with = |change: fn(&mut System)| {
        let mut systems = both();
        change(&mut systems[1]);
        reasons(&systems)
    };
    assert_eq!(
        with(|system| system.tests[0].data_bytes = Some(Bytes(Bytes::GIB.0 * 98 / 100))),
        ["table sizes differ by more than 1.0 %: 1 GiB and 1003.5 MiB"]
    );
    assert_eq!(with(|system| system.tests[0].unit = Unit::Statement), ["different units"]);
    assert_eq!(
        with(|system| system.tests[0].pace = Pace::Rate { steps_per_second: 100.0 }),
        ["different load: closed loop, unthrottled and 100 steps/s, fixed interval"]
    );
    assert_eq!(
        with(|system| system.durability.as_mut().unwrap().durable = Some(false)),
        ["different durability: durable (every commit waits) and not durable (every commit waits)"]
    );
    assert_eq!(
        with(|system| if let Origin::Measured { preset, .. } = &mut system.origin {
            *preset = Preset::Smoke;
        }),
        ["b was measured with preset smoke, which makes no claims"]
    );
    assert_eq!(
        with(|system| {
            system.tests[0].points[0].rates.clear();
            system.tests[0].points[0].invalid = vec![invalid(1), invalid(2)];
        }),
        [format!("{:?}", Reason::Invalid { system: "b".to_owned(), runs: 2, first: invalid(1) })]
    );
}

#[test]
fn irrelevant_differences_do_not_rule_out_a_comparison() {
    let mut systems = pair(vec![test("T611", vec![point(2, &TEN)])], vec![test("T611", vec![point(2, &TEN)])]);
    systems[1].durability = Some(Durability { durable: Some(true), words: "by other means".to_owned() });
    systems[1].tests[0].data_bytes = Some(Bytes(Bytes::GIB.0 * 995 / 1000));
    assert_eq!(compared_test(&compared(&systems)).outcome.word(), "EQUIVALENT");
    systems[1].durability.as_mut().unwrap().durable = Some(false);
    systems.iter_mut().for_each(|system| system.tests[0].changes = Some(false));
    assert_eq!(compared_test(&compared(&systems)).outcome.word(), "EQUIVALENT", "nothing is committed");
    systems.iter_mut().for_each(|system| system.tests[0].pace = Pace::Rate { steps_per_second: 100.0 });
    assert!(reasons(&systems)[0].starts_with("both ran at a given rate"));
}

#[test]
fn parameters_count_for_tests_and_not_for_probes() {
    let systems = |code: &str| {
        let mut systems = pair(vec![test(code, vec![point(2, &TEN)])], vec![test(code, vec![point(2, &TEN)])]);
        systems[0].tests[0].parameters.insert("n".to_owned(), 25);
        systems[1].tests[0].parameters.insert("n".to_owned(), 39);
        systems
    };
    assert_eq!(reasons(&systems("T151")), ["different n: 25 and 39"]);
    assert_eq!(compared_test(&compared(&systems("P221"))).outcome.word(), "EQUIVALENT");
}

#[test]
fn runs_of_blocks_with_other_caches_or_another_loop_are_not_compared() {
    let blocks = || test("B100", vec![point(2, &TEN)]);
    let conditions = |caches: &str, location: &str, operations: &str| {
        [("caches", caches), ("loop", location), ("operations per step", operations)]
            .map(|(name, words)| (name.to_owned(), words.to_owned()))
            .into()
    };
    let mut systems = pair(vec![blocks()], vec![blocks()]);
    systems[0].tests[0].conditions = conditions("cold", "in the client", "1");
    systems[1].tests[0].conditions = conditions("cold", "in the client", "1");
    assert_eq!(compared_test(&compared(&systems)).outcome.word(), "EQUIVALENT");
    systems[1].tests[0].conditions = conditions("warm", "in the engine", "100");
    assert_eq!(
        reasons(&systems),
        [
            "different caches: cold and warm",
            "different loop: in the client and in the engine",
            "different operations per step: 1 and 100"
        ]
    );
}

#[test]
fn differences_and_unshared_tests_are_listed() {
    let fact = |group, name: &str, value: &str| Fact { group, name: name.to_owned(), value: value.to_owned() };
    let mut one = system("a", None, vec![test("T611", vec![point(1, &TEN)]), test("T616", vec![])]);
    let mut other = system("b", None, vec![test("T611", vec![point(1, &TEN)]), test("T716", vec![])]);
    one.facts = vec![fact(FactGroup::Setting, "fsync", "on"), fact(FactGroup::Machine, "memory", "1 GiB")];
    other.facts = vec![
        fact(FactGroup::Setting, "fsync", "off"),
        fact(FactGroup::Machine, "memory", "1 GiB"),
        fact(FactGroup::Machine, "processor", "fast"),
    ];
    one.remarks = vec![Remark::Aborted(None)];
    let comparison = compared(&[one.clone(), other.clone()]);
    let names: Vec<&str> = comparison.differences.iter().map(|difference| difference.name.as_str()).collect();
    assert_eq!(names, ["processor", "fsync"]);
    assert_eq!(comparison.differences[0].values, [None, Some("fast".to_owned())]);
    let missing: Vec<(&str, &[usize])> =
        comparison.unshared.iter().map(|test| (test.code.as_str(), test.systems.as_slice())).collect();
    assert_eq!(missing, [("T616", &[0][..]), ("T716", &[1][..])]);
    assert_eq!((comparison.tests.len(), comparison.remarks), (1, vec![("a".to_owned(), Remark::Aborted(None))]));
    one.origin = Origin::Published { year: 2012, source: String::new() };
    let names: Vec<String> =
        compared(&[one, other]).differences.into_iter().map(|difference| difference.name).collect();
    assert_eq!(names, ["fsync"], "publications omit most facts");
}

#[test]
fn facts_of_a_publication_get_common_names() {
    use FactGroup::{Engine, Machine, Setting, Storage};
    let fact = |(group, name, value): (FactGroup, &str, &str)| Fact { group, name: name.into(), value: value.into() };
    let facts = |of: &[(FactGroup, &str, &str)]| of.iter().copied().map(fact).collect::<Vec<_>>();
    let mut one = system("a", None, vec![]);
    one.facts = facts(&[
        (Machine, "topology", "4 cores"),
        (Storage, "file system", "ext4"),
        (Storage, "device sda", "1 TiB"),
        (Engine, "engine", "Engine 1"),
        (Engine, "buffer cache", "1 GiB"),
    ]);
    let mut other = system("b", None, vec![]);
    other.facts = facts(&[
        (Machine, "sockets", "4"),
        (Machine, "cores", "32"),
        (Storage, "storage", "flash"),
        (Engine, "database", "Engine 2"),
        (Setting, "buffer cache", "64 GB"),
    ]);
    other.origin = Origin::Published { year: 2012, source: String::new() };
    let listed: Vec<String> = compared(&[one, other])
        .differences
        .into_iter()
        .map(|found| format!("{}: {}", found.name, found.values.into_iter().flatten().collect::<Vec<_>>().join(" | ")))
        .collect();
    assert_eq!(
        listed,
        [
            "topology: 4 cores | 4 sockets; 32 cores",
            "storage: ext4; device sda: 1 TiB | flash",
            "engine: Engine 1 | Engine 2",
            "buffer cache: 1 GiB | 64 GB"
        ]
    );
}

#[test]
fn settings_are_compared_within_an_engine() {
    let side = |engine: &str, settings: &[(&str, &str)]| {
        let mut system = system("s", None, Vec::new());
        let fact = |group, name: &str, value: &str| Fact { group, name: name.to_owned(), value: value.to_owned() };
        system.facts = vec![fact(FactGroup::Engine, "engine", engine)];
        system.facts.extend(settings.iter().map(|(name, value)| fact(FactGroup::Setting, name, value)));
        system
    };
    let systems = [
        side("Some SQL 15.18 (Debian 12)", &[("cache", "1 GB"), ("connections", "22"), ("jit", "off")]),
        side("Some SQL 16.1", &[("cache", "2 GB"), ("connections", "22")]),
        side("Other 3.54", &[("page_size", "8192"), ("connections", "22")]),
    ];
    assert_eq!(systems[0].engine(), Some("Some SQL"));
    let found = compared(&systems).differences;
    let settings = found.iter().filter(|difference| difference.group == FactGroup::Setting);
    let listed: Vec<(&str, Vec<&str>)> = settings
        .map(|one| (one.name.as_str(), one.values.iter().map(|value| value.as_deref().unwrap_or("-")).collect()))
        .collect();
    assert_eq!(
        listed,
        [
            ("cache", vec!["1 GB", "2 GB", "-"]),
            ("jit", vec!["off", "-", "-"]),
            ("engine-specific settings", vec!["2 of Some SQL", "1 of Some SQL", "1 of Other"]),
        ]
    );
}

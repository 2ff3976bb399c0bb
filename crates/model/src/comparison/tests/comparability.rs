//! Comparability and differences.

use record::{CacheState, LoadBeside, LoopLocation};

use super::*;
use crate::system::InvalidReason;

fn text(text: &str) -> FactValue {
    FactValue::Text(text.to_owned())
}

fn fact(group: FactGroup, name: &str, value: &str) -> Fact {
    Fact { group, name: name.to_owned(), value: text(value) }
}

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
        [Reason::TableSizes([Bytes::GIB, Bytes(Bytes::GIB.0 * 98 / 100)])]
    );
    assert_eq!(with(|system| system.tests[0].unit = Unit::Statement), [Reason::Units]);
    assert_eq!(
        with(|system| system.tests[0].pace = Pace::Rate { steps_per_second: 100.0 }),
        [Reason::Paces([Pace::Unthrottled, Pace::Rate { steps_per_second: 100.0 }])]
    );
    assert_eq!(
        with(|system| system.durability.as_mut().unwrap().durable = Some(false)),
        [Reason::Durability([true, false].map(|durable| {
            Durability { durable: Some(durable), words: "every commit waits".to_owned(), shown: None }
        }))]
    );
    assert_eq!(
        with(|system| if let Origin::Measured { preset, .. } = &mut system.origin {
            *preset = Preset::Smoke;
        }),
        [Reason::Smoke { system: "b".to_owned() }]
    );
    assert_eq!(
        with(|system| {
            system.tests[0].points[0].rates.clear();
            system.tests[0].points[0].invalid = vec![invalid(1), invalid(2)];
        }),
        [Reason::Invalid { system: "b".to_owned(), runs: 2, first: invalid(1) }]
    );
}

#[test]
fn irrelevant_differences_do_not_rule_out_a_comparison() {
    let mut systems = pair(vec![test("T611", vec![point(2, &TEN)])], vec![test("T611", vec![point(2, &TEN)])]);
    systems[1].durability = Some(Durability { durable: Some(true), words: "by other means".to_owned(), shown: None });
    systems[1].tests[0].data_bytes = Some(Bytes(Bytes::GIB.0 * 995 / 1000));
    assert_eq!(compared_test(&compared(&systems)).outcome.word(), "EQUIVALENT");
    systems[1].durability.as_mut().unwrap().durable = Some(false);
    systems.iter_mut().for_each(|system| system.tests[0].changes = Some(false));
    assert_eq!(compared_test(&compared(&systems)).outcome.word(), "EQUIVALENT", "nothing is committed");
    systems.iter_mut().for_each(|system| system.tests[0].pace = Pace::Rate { steps_per_second: 100.0 });
    assert_eq!(reasons(&systems), [Reason::GivenRate(Pace::Rate { steps_per_second: 100.0 })]);
}

#[test]
fn parameters_count_for_tests_and_not_for_probes() {
    let systems = |code: &str| {
        let mut systems = pair(vec![test(code, vec![point(2, &TEN)])], vec![test(code, vec![point(2, &TEN)])]);
        systems[0].tests[0].parameters.insert("n".to_owned(), 25);
        systems[1].tests[0].parameters.insert("n".to_owned(), 39);
        systems
    };
    assert_eq!(reasons(&systems("T151")), [Reason::Parameter { name: "n".to_owned(), values: [25, 39] }]);
    assert_eq!(compared_test(&compared(&systems("M21"))).outcome.word(), "EQUIVALENT");
}

#[test]
fn runs_of_blocks_with_other_caches_or_another_loop_are_not_compared() {
    let blocks = || test("B100", vec![point(2, &TEN)]);
    let one =
        [Condition::Caches(CacheState::Cold), Condition::Loop(LoopLocation::Client), Condition::OperationsPerStep(1)];
    let another =
        [Condition::Caches(CacheState::Warm), Condition::Loop(LoopLocation::Engine), Condition::OperationsPerStep(100)];
    let mut systems = pair(vec![blocks()], vec![blocks()]);
    systems[0].tests[0].conditions = one.to_vec();
    systems[1].tests[0].conditions = one.to_vec();
    assert_eq!(compared_test(&compared(&systems)).outcome.word(), "EQUIVALENT");
    systems[1].tests[0].conditions = another.to_vec();
    let both = one.into_iter().zip(another);
    assert_eq!(reasons(&systems), both.map(|(one, another)| Reason::Condition([one, another])).collect::<Vec<_>>());
}

#[test]
fn loads_beside_are_a_condition_but_between_the_sides_of_a_pair() {
    let load = LoadBeside { test: "H100".to_owned(), test_file: None, jobs: 1, rate: None };
    let conditions = [Condition::LoadsBeside(Vec::new()), Condition::LoadsBeside(vec![load])];
    let side = |condition: &Condition| {
        vec![SystemTest { conditions: vec![condition.clone()], ..test("C100", vec![point(1, &TEN)]) }]
    };
    let [alone, beside] = conditions.each_ref().map(side);
    let paired = pair(alone.clone(), beside.clone());
    assert_eq!(compared_test(&compared(&paired)).outcome.word(), "EQUIVALENT", "the loss is what is measured");
    let unpaired = [system("a", None, alone), system("b", None, beside)];
    assert_eq!(reasons(&unpaired), [Reason::Condition(conditions)]);
}

#[test]
fn differences_and_unshared_tests_are_listed() {
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
    assert_eq!(comparison.differences[0].values, [vec![], vec![FactValue::Text("fast".to_owned())]]);
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
    let facts = |of: &[(FactGroup, &str, &str)]| {
        of.iter().map(|(group, name, value)| fact(*group, name, value)).collect::<Vec<_>>()
    };
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
    let named = |value: &str, name: &str| FactValue::Named { name: name.to_owned(), value: Box::new(text(value)) };
    let counted = |value: &str, noun: &str| FactValue::Counted { value: Box::new(text(value)), noun: noun.to_owned() };
    let found = compared(&[one, other]).differences;
    let listed: Vec<(&str, &[Vec<FactValue>])> =
        found.iter().map(|found| (found.name.as_str(), found.values.as_slice())).collect();
    assert_eq!(
        listed,
        [
            ("topology", &[vec![text("4 cores")], vec![counted("4", "sockets"), counted("32", "cores")]][..]),
            ("storage", &[vec![text("ext4"), named("1 TiB", "device sda")], vec![text("flash")]]),
            ("engine", &[vec![text("Engine 1")], vec![text("Engine 2")]]),
            ("buffer cache", &[vec![text("1 GiB")], vec![text("64 GB")]]),
        ]
    );
}

#[test]
fn settings_are_compared_within_an_engine() {
    let side = |engine: &str, settings: &[(&str, &str)]| {
        let mut system = system("s", None, Vec::new());
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
    let listed: Vec<(&str, Vec<Vec<FactValue>>)> =
        settings.map(|one| (one.name.as_str(), one.values.clone())).collect();
    let own = |count, engine: &str| vec![FactValue::OwnSettings { count, engine: engine.to_owned() }];
    assert_eq!(
        listed,
        [
            ("cache", vec![vec![text("1 GB")], vec![text("2 GB")], vec![]]),
            ("jit", vec![vec![text("off")], vec![], vec![]]),
            ("engine-specific settings", vec![own(2, "Some SQL"), own(1, "Some SQL"), own(1, "Other")]),
        ]
    );
}

//! The page of a planned load, and the page of loads that were not measured.

use dbdyno_report::{ByteUnits, LoadPlanView, LoadPredictionView, RequestedLoad, Style, load_plan, load_prediction};
use model::Interval;
use model::load::{Binding, Composed, LoadCheck, Prediction, Refusal, Target};
use model::load_plan::{
    Basis, Cores, Input, MeasuredPlan, Plan, RateSource, Stage, StageCost, StageRate, Units, WrittenSource,
};
use record::{Bytes, LoadForm, LoadModel, Rate, Ratio};

use crate::document::{parse, texts, xml};

fn rate(stage: Stage, low: f64, high: f64) -> StageCost {
    let rate = Interval { estimate: low, low, high };
    StageCost::Rate(StageRate { stage, rate, worker_cores: 1.0, times: 1, source: RateSource::Measured })
}

/// A terabyte in an hour over two links of gigabit Ethernet, for which four processors are too few.
pub fn plan() -> LoadPlanView {
    on_cores(4)
}

fn on_cores(count: u32) -> LoadPlanView {
    let plan = Plan {
        volume: Bytes(1_000_000_000_000),
        window_seconds: 3_600.0,
        input: Input { name: Some("gzip".to_owned()), ratio: 2.1 },
        stages: vec![
            rate(Stage::Decompress, 250e6, 400e6),
            rate(Stage::Parse, 100e6, 300e6),
            StageCost::Skipped(Stage::Convert),
            rate(Stage::Insert, 50e6, 50e6),
        ],
        cores: Cores::Shared(Some(count)),
        utilisation: Ratio(1.0),
        network: Some(Units { count: 2, each: Rate(117.7e6), name: "1 GbE".to_owned(), basis: Basis::Given }),
        disks: None,
        written_per_byte: Some((2.5, WrittenSource::Given)),
        log_per_byte: None,
        replicas: 0,
    };
    LoadPlanView::new(plan, ByteUnits::Thousands, vec!["rates are those of <b>another</b> machine".to_owned()])
}

fn target(jobs: u32, input: &str) -> Target {
    let (model, form) = (LoadModel::default(), LoadForm::Typed);
    Target { model, form, jobs, input: input.to_owned(), input_cost: None, processors: None }
}

fn predicted(rate: f64) -> Prediction {
    Prediction {
        rate: Rate(rate),
        binding: Binding::Sessions,
        sessions: Some(Rate(rate)),
        processors: None,
        reading: None,
        composed: Composed::No,
        off_max: Some(0.1),
        left_out: 3,
    }
}

/// What a record says of 1, 2 and 4 sessions, and how far that was off elsewhere.
pub fn prediction() -> LoadPredictionView {
    let asked = |jobs: u32, input: &str| RequestedLoad {
        target: target(jobs, input),
        predicted: Ok(predicted(50e6 * f64::from(jobs))),
        measured: (jobs < 4).then_some(Rate(51e6 * f64::from(jobs))),
    };
    let mut all: Vec<RequestedLoad> =
        ["gzip", "none"].iter().flat_map(|input| [1, 2, 4].map(|jobs| asked(jobs, input))).collect();
    all.push(RequestedLoad { target: target(1, "zstd"), predicted: Err(Refusal::NoLoads), measured: None });
    LoadPredictionView {
        title: "dbdyno loads: plain typed into Example SQL on db1".to_owned(),
        measured: Some(MeasuredPlan {
            stages: vec![rate(Stage::Parse, 100e6, 120e6)],
            input_ratio: Some(2.1),
            written_per_byte: None,
            log_per_byte: Some(1.1),
            rate: Rate(102e6),
            fastest: 2,
            runs: vec![1, 2],
        }),
        asked: all,
        checked: vec![LoadCheck {
            run: 3,
            target: target(2, "gzip"),
            predicted: Ok(predicted(100e6)),
            measured: Rate(80e6),
            is_seen: false,
        }],
        remarks: Vec::new(),
    }
}

#[test]
fn the_page_of_a_plan_names_the_bottleneck_and_what_each_resource_is_used_to() {
    let text = xml(&load_plan(&plan()).html());
    let page = parse(&text);
    assert_eq!(texts(&page, "h1"), ["Load plan: 1.00 TB/h"]);
    let lead = texts(&page, ".note.fail").concat();
    assert!(lead.contains("It does not fit (estimate). The bottleneck is processors, 236 % utilised ("), "{lead}");
    assert!(texts(&page, ".note.warn").concat().contains("<b>another</b>"), "remarks are escaped");
    assert_eq!(texts(&page, "#resources-table tbody th"), ["processors", "network", "disks"]);
    // Needed 278 MB/s: 1.11 cores to decompress, 2.78 to parse, 5.56 to insert; 132 MB/s of 235 over the links.
    assert_eq!(texts(&page, "#resources-table .fail"), ["236 % (179 to 236 %)"], "a shortage is marked");
    let drawn = texts(&page, "#resources .data pre").concat();
    assert_eq!(drawn.lines().count(), 1 + 2, "unknown disks are not drawn: {drawn}");
    assert_eq!(texts(&page, "#resources figure").len() + texts(&page, "#stages figure").len(), 2);
    let stages = texts(&page, "#stages-table tbody tr").concat();
    assert!(stages.contains("skipped") && stages.contains("250 to 400"), "{stages}");
    assert!(texts(&page, "#words li").concat().contains("gzip at ratio 2.10 reduces it to 132 MB/s, which fits"));
}

#[test]
fn text_and_page_say_that_a_range_on_both_sides_of_what_is_available_decides_nothing() {
    let view = on_cores(8);
    let text = load_plan(&view).text(Style::default(), 200);
    let source = xml(&load_plan(&view).html());
    let page = parse(&source);
    let lead = texts(&page, ".note").concat();
    let verdict = "Whether the plan fits is not known: see processors (90 to 118 %), disks.";
    assert!(lead.contains(verdict) && text.contains(verdict), "{lead}\n{text}");
    assert!(
        text.contains("118 % (90 to 118 %)") && lead.contains("118 % utilised (90 to 118 %) (estimate)"),
        "{text}\n{lead}"
    );
    assert_eq!(texts(&page, ".note.fail").len() + texts(&page, "#resources-table .fail").len(), 0);
}

#[test]
fn the_page_of_a_prediction_has_a_curve_for_each_input_and_by_how_much_others_were_off() {
    let text = xml(&load_prediction(&prediction()).html());
    let page = parse(&text);
    assert_eq!(texts(&page, "#predicted-table tbody tr").len(), 6);
    assert!(texts(&page, "#predicted li").concat().contains("zstd: no prediction"));
    assert_eq!(texts(&page, "#checked-table tbody th"), ["3"]);
    assert!(texts(&page, "#checked-table").concat().contains("+25 %"));
    let drawn = texts(&page, "#predicted .data pre").concat();
    for name in ["measured, gzip", "predicted, gzip", "measured, none", "predicted, none"] {
        assert!(drawn.contains(name), "no {name} in {drawn}");
    }
    assert!(!drawn.contains("zstd"));
    assert_eq!(texts(&page, "#checked figure").len(), 1);
}

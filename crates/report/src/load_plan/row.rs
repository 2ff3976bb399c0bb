//! The rows of a plan's tables, for text and page.

use model::load_plan::{Need, Part, RateSource, Resource, Stage, StageCost, StageRate, Units};
use model::{FitVerdict, Interval};
use record::Rate;

use super::LoadPlanView;
use super::amount::{ByteUnits, seconds};
use super::sentence::{name, named, used_span};
use crate::figure::{UNKNOWN, percent, three_digits};

/// One resource.
pub(super) struct ResourceRow {
    /// Name, required, available, utilisation, time alone, count required.
    pub(super) cells: [String; 6],
    /// Whether more is required than available, by all of its range.
    pub(super) is_short: bool,
}

/// The resources, the most used first.
pub(super) fn resource_rows(view: &LoadPlanView) -> Vec<ResourceRow> {
    let unknown = || UNKNOWN.to_owned();
    let row = |need: &Need| ResourceRow {
        cells: [
            name(need.resource).to_owned(),
            required(view, need).unwrap_or_else(unknown),
            available(view, need).unwrap_or_else(unknown),
            used(need).unwrap_or_else(unknown),
            need.seconds.map_or_else(unknown, seconds),
            count(view, need).unwrap_or_else(unknown),
        ],
        is_short: need.fits() == FitVerdict::DoesNotFit,
    };
    view.needs.needs.iter().map(row).collect()
}

/// `132 of 235 MB/s`, `>= 9.44 of 4.00 cores`; none where one of them is not known.
pub(super) fn required_of_available(view: &LoadPlanView, need: &Need) -> Option<String> {
    let (required, available) = (need.needed?.estimate, need.there?);
    let (required, available, unit) = match need.resource.is_processors() {
        true => (three_digits(required), three_digits(available), "cores"),
        false => (view.units.digits(required), view.units.digits(available), view.units.unit()),
    };
    Some(format!("{}{required} of {available} {unit}", least(need)))
}

/// The utilisation of a resource with its range: `99 % (64 to 114 %)`; none where it is not known.
fn used(need: &Need) -> Option<String> {
    let span = used_span(need).map_or_else(String::new, |span| format!(" ({span})"));
    Some(format!("{}{}{span}", least(need), percent(need.used?)))
}

/// The required amount of a resource, with its unit; none where it is not known.
fn required(view: &LoadPlanView, need: &Need) -> Option<String> {
    need.needed.map(|needed| format!("{}{}", least(need), amount(view, need, needed.estimate)))
}

/// The available amount; none where it is not known.
fn available(view: &LoadPlanView, need: &Need) -> Option<String> {
    need.there.map(|there| amount(view, need, there))
}

fn amount(view: &LoadPlanView, need: &Need, value: f64) -> String {
    match need.resource.is_processors() {
        true => three_digits(value),
        false => view.units.rate(Rate(value)),
    }
}

/// The prefix of a requirement with unknown stages.
fn least(need: &Need) -> &'static str {
    if need.unknown.is_empty() { "" } else { ">= " }
}

/// The required count of a resource, in words.
fn count(view: &LoadPlanView, need: &Need) -> Option<String> {
    let count = need.count?;
    let of = |units: &Units| named(&Units { count: 1, ..units.clone() });
    let one = match need.resource {
        Resource::Network | Resource::ReplicaLinks => of(view.plan.network.as_ref()?),
        Resource::Disks => of(view.plan.disks.as_ref()?),
        _ if count == 1.0 => return Some("1 core".to_owned()),
        _ => return Some(format!("{count} cores")),
    };
    Some(format!("{count} x {one}"))
}

/// The CPU stages in the order of the pipeline: each with its rate and range, required cores and workers, and the
/// source of the rate.
pub(super) fn stage_rows(view: &LoadPlanView) -> Vec<[String; 6]> {
    let parts: Vec<&Part> = view.needs.needs.iter().flat_map(|need| &need.parts).collect();
    let unknown: Vec<Stage> = view.needs.needs.iter().flat_map(|need| need.unknown.clone()).collect();
    let row = |stage: Stage| {
        let part = parts.iter().find(|part| part.stage == stage);
        match view.plan.cost(stage) {
            Some(StageCost::Rate(rate)) => Some(stage_row(view.units, rate, part.copied())),
            Some(StageCost::Skipped(_)) => Some([stage.word(), "", "", "0", "", "skipped"].map(str::to_owned)),
            None if unknown.contains(&stage) => {
                Some([stage.word(), UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, "not known"].map(str::to_owned))
            }
            None => None,
        }
    };
    Stage::ALL.into_iter().filter_map(row).collect()
}

fn stage_row(units: ByteUnits, rate: &StageRate, part: Option<&Part>) -> [String; 6] {
    let core = rate.rate.estimate / rate.worker_cores;
    let times = if rate.times == 1 { String::new() } else { format!(" x {}", rate.times) };
    [
        format!("{}{times}", rate.stage.word()),
        units.rate(Rate(core)),
        span(units, rate),
        part.map_or_else(|| "after load".to_owned(), |part| three_digits(part.cores.estimate)),
        part.map_or_else(String::new, |part| part.workers.to_string()),
        source(rate.source).to_owned(),
    ]
}

/// The range of the rate per core; nothing where it is not known.
fn span(units: ByteUnits, rate: &StageRate) -> String {
    let Interval { low, high, .. } = rate.rate;
    match low < high {
        true => format!("{} to {}", units.digits(low / rate.worker_cores), units.digits(high / rate.worker_cores)),
        false => String::new(),
    }
}

fn source(source: RateSource) -> &'static str {
    match source {
        RateSource::Given => "given",
        RateSource::Measured => "measured",
        RateSource::NotMeasured => "NOT MEASURED",
    }
}

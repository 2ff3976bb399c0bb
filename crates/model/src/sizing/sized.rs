//! A load held against a platform.

use super::{Ceiling, CeilingSource, Demand, Growth, Level, LoadHistory, LoadPoint, ProcessorRatio, ResponseCurve};
use crate::PriceBook;
use crate::platform::Basis;
use crate::platform_plan::{Bound, Measure, Origin, Part, PlatformPlan, Purchase, bounds, purchases};

/// A platform as a load is held against it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Platform {
    /// Its name.
    pub name: String,
    /// What it showed, or gives at best.
    pub ceilings: Vec<Ceiling>,
    /// Times over rates; none of a published or planned platform.
    pub curves: Vec<ResponseCurve>,
    /// Its processors in hardware threads of the old platform; absent where one of both sheets is.
    pub processors: Option<ProcessorRatio>,
    /// Its hardware threads, where they are known.
    pub threads: Option<f64>,
    /// Its parts, with what is required of them, for what to buy next.
    pub plan: PlatformPlan,
    /// What it costs.
    pub prices: Option<PriceBook>,
    /// Whether nothing of it was measured: its ceilings are bounds.
    pub is_planned: bool,
}

/// A resource with what is needed of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceShare {
    /// The resource.
    pub demand: Demand,
    /// What is needed of it today.
    pub today: Level,
    /// What is needed after growth.
    pub needed: Level,
    /// What there is.
    pub ceiling: Ceiling,
    /// The share of it that the peak needs.
    pub share: f64,
    /// The share that is not exceeded for 0.95 and for 0.99 of the time.
    pub share_p95: Option<f64>,
    /// As above.
    pub share_p99: Option<f64>,
    /// How many times today's peak fills it; absent for what does not grow.
    pub multiple: Option<f64>,
}

/// Why a resource has no share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnsizedReason {
    /// The load does not tell it.
    NotInLoad,
    /// The platform was not measured with a test that stands for it.
    NotMeasured,
    /// There is no sheet of the old platform to hold the processors against.
    NoOldSheet,
}

/// A resource that is not held against the platform.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unsized {
    /// The resource.
    pub demand: Demand,
    /// Why.
    pub reason: UnsizedReason,
    /// What is needed of it, where the load tells.
    pub needed: Option<Level>,
}

/// The times of a demand at a load, as they were measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Outlook {
    /// The demand.
    pub demand: Demand,
    /// The test.
    pub test: String,
    /// How many times today's peak.
    pub multiple: f64,
    /// The rate that it takes.
    pub rate: f64,
    /// The highest rate that was measured.
    pub rate_max: f64,
    /// The times of the nearest measured rate that is no less; absent beyond what was measured.
    pub point: Option<LoadPoint>,
}

/// A load on a platform.
#[derive(Clone, Debug, PartialEq)]
pub struct Sizing {
    /// The platform.
    pub platform: Platform,
    /// The resources that are known on both sides, the fullest first.
    pub resources: Vec<ResourceShare>,
    /// The others.
    pub unsized_resources: Vec<Unsized>,
    /// How many times today's peak the first of those that grow is full at.
    pub multiple: Option<f64>,
    /// Years until then, by the growth.
    pub years: Option<f64>,
    /// Times at today's peak, after growth, and where the first resource is full.
    pub outlooks: Vec<Outlook>,
    /// What to buy next.
    pub purchases: Vec<Purchase>,
}

impl Sizing {
    /// The resource that is full first; absent where nothing is known of both sides.
    pub fn first(&self) -> Option<&ResourceShare> {
        self.resources.first()
    }
}

/// `history` on `platform`, after `growth`.
pub fn size(history: &LoadHistory, platform: Platform, growth: Growth) -> Sizing {
    let factor = growth.factor();
    let ceilings = all_ceilings(history, &platform);
    let mut resources = Vec::new();
    let mut unsized_resources = Vec::new();
    for demand in Demand::ALL {
        let today = history.level(demand);
        let ceiling = ceilings.iter().find(|ceiling| ceiling.demand == demand);
        match (today, ceiling) {
            (Some(today), Some(ceiling)) => resources.push(share(demand, today, ceiling, factor)),
            (Some(needed), None) => {
                let reason = match demand {
                    Demand::Processors => UnsizedReason::NoOldSheet,
                    _ => UnsizedReason::NotMeasured,
                };
                unsized_resources.push(Unsized { demand, reason, needed: Some(needed) });
            }
            (None, _) => {
                unsized_resources.push(Unsized { demand, reason: UnsizedReason::NotInLoad, needed: None });
            }
        }
    }
    resources.sort_by(|one, other| other.share.total_cmp(&one.share));
    let multiple = resources.iter().filter_map(|resource| resource.multiple).reduce(f64::min);
    Sizing {
        outlooks: outlooks(history, &platform, factor, multiple),
        purchases: to_buy(&platform, &resources),
        years: multiple.and_then(|multiple| growth.years_until(multiple)),
        multiple,
        resources,
        unsized_resources,
        platform,
    }
}

/// The ceilings of `platform` with those that depend on the load: processors of the old platform, and reads and writes at its
/// mix.
fn all_ceilings(history: &LoadHistory, platform: &Platform) -> Vec<Ceiling> {
    let mut all = platform.ceilings.clone();
    let of = |demand: Demand| platform.ceilings.iter().find(|ceiling| ceiling.demand == demand);
    if let Some(ratio) = &platform.processors {
        let source = CeilingSource::Sheets { codes: ratio.codes.clone() };
        all.push(Ceiling { demand: Demand::Processors, available: ratio.threads_low, source });
    }
    let both = of(Demand::RandomReads).zip(of(Demand::RandomWrites)).zip(history.write_share);
    if let Some(((reads, writes), share)) = both.filter(|_| of(Demand::RandomRequests).is_none()) {
        let source =
            CeilingSource::Mix { reads: Box::new(reads.source.clone()), writes: Box::new(writes.source.clone()) };
        let available = 1.0 / ((1.0 - share) / reads.available + share / writes.available);
        all.push(Ceiling { demand: Demand::RandomRequests, available, source });
    }
    all
}

fn share(demand: Demand, today: Level, ceiling: &Ceiling, factor: f64) -> ResourceShare {
    let needed = if demand.grows() { today.times(factor) } else { today };
    let of = |value: f64| value / ceiling.available;
    ResourceShare {
        demand,
        today,
        needed,
        share: of(needed.peak()),
        share_p95: needed.p95.map(of),
        share_p99: needed.p99.map(of),
        multiple: Some(ceiling.available / today.peak()).filter(|one| demand.grows() && one.is_finite()),
        ceiling: ceiling.clone(),
    }
}

/// The times of each curve at today's peak, after growth, and where the first resource is full.
fn outlooks(history: &LoadHistory, platform: &Platform, factor: f64, multiple: Option<f64>) -> Vec<Outlook> {
    let mut multiples = vec![1.0];
    multiples.extend(Some(factor).filter(|factor| (factor - 1.0).abs() > 1e-9));
    multiples.extend(multiple);
    let mut demands: Vec<Demand> = platform.curves.iter().map(|curve| curve.demand).collect();
    demands.dedup();
    let at = |demand: Demand, multiple: f64| {
        let rate = history.level(demand)?.peak() * multiple;
        let curves = || platform.curves.iter().filter(|curve| curve.demand == demand);
        // A multiple is the quotient of two rates: the highest measured rate is within what was measured.
        let found = |curve: &&ResponseCurve| curve.at(rate * (1.0 - 1e-9)).is_some();
        let highest = || curves().max_by(|one, other| one.rate_max().total_cmp(&other.rate_max()));
        let curve = curves().find(found).or_else(highest)?;
        Some(Outlook {
            demand,
            test: curve.test.clone(),
            multiple,
            rate,
            rate_max: curve.rate_max(),
            point: curve.at(rate * (1.0 - 1e-9)),
        })
        .filter(|outlook| outlook.rate > 0.0)
    };
    demands.iter().flat_map(|demand| multiples.iter().filter_map(|multiple| at(*demand, *multiple))).collect()
}

/// The part of a platform that a demand is of.
fn part(demand: Demand, plan: &PlatformPlan) -> Option<(Part, Measure)> {
    let drives = || plan.data_drives().map(|drive| Part::Drives(drive.name.clone()));
    Some(match demand {
        Demand::Processors => (Part::Processors, Measure::Cores),
        Demand::RandomRequests => (drives()?, Measure::Iops),
        Demand::ReadBytes => (drives()?, Measure::Read),
        Demand::WrittenBytes => (drives()?, Measure::Written),
        Demand::Capacity => (drives()?, Measure::Capacity),
        Demand::Commits => (Part::Commit, Measure::Commits),
        Demand::NetworkSent => (Part::Network, Measure::Carried),
        Demand::RandomReads
        | Demand::RandomWrites
        | Demand::LogBytes
        | Demand::LogicalReads
        | Demand::NetworkReceived
        | Demand::Sessions
        | Demand::Memory => return None,
    })
}

/// What to buy next, by the shares that were found: in units of the parts of the plan where it has bounds of all that are
/// held against it, or else in times as much.
fn to_buy(platform: &Platform, resources: &[ResourceShare]) -> Vec<Purchase> {
    let plan = with_processors(platform, resources);
    let planned = bounds(&plan);
    let bound = |resource: &ResourceShare| {
        let (part, measure) = part(resource.demand, &plan)?;
        let known = planned.iter().find(|bound| bound.part == part && bound.measure == measure);
        let available = known.map_or(resource.ceiling.available, |bound| bound.available);
        let measured = Origin { basis: Basis::Measured, source: None };
        let bound = Bound {
            part,
            measure,
            required: Some(resource.share * available),
            available,
            reached: None,
            origin: known.map_or(measured, |bound| bound.origin.clone()),
            share: Some(resource.share),
        };
        Some((bound, known.is_some()))
    };
    let (found, known): (Vec<Bound>, Vec<bool>) = resources.iter().filter_map(bound).unzip();
    match known.iter().all(|known| *known) {
        true => purchases(&plan, &found),
        false => purchases(&PlatformPlan::default(), &found),
    }
}

/// The plan of `platform`, of whose cores as many are required as of its hardware threads.
fn with_processors(platform: &Platform, resources: &[ResourceShare]) -> PlatformPlan {
    let mut plan = platform.plan.clone();
    let processors = resources.iter().find(|resource| resource.demand == Demand::Processors);
    let cores = plan.processor.as_ref().map(|processor| processor.capacity_cores());
    if let Some((resource, cores)) = processors.zip(cores) {
        let transactions = plan.required.commits.filter(|commits| *commits > 0.0).unwrap_or(1.0);
        plan.required.transactions = Some(transactions);
        plan.required.cpu_seconds = Some(resource.share * cores / transactions);
    }
    plan
}

//! The explanation and the caveats of a plan.

use model::load_plan::{Basis, Cores, Need, PhaseKind, RateSource, Resource, Stage, StageCost, Units, WrittenSource};
use model::{FitVerdict, Interval};
use record::{Rate, Ratio};

use super::LoadPlanView;
use super::amount::{cores, seconds, time};
use crate::figure::{percent, three_digits};
use crate::words::{basis, capital, plural};

/// An hour, the usual unit of rates.
const HOUR_SECONDS: f64 = 3_600.0;

/// The sentences below the verdict, in the order of the pipeline.
pub(super) fn explanation(view: &LoadPlanView) -> Vec<String> {
    let mut sentences = vec![goal(view)];
    sentences.extend(network(view));
    sentences.extend(processors(view));
    sentences.extend(disks(view));
    sentences.extend(replicas(view));
    sentences
}

/// The name of a resource.
pub(super) fn name(resource: Resource) -> &'static str {
    match resource {
        Resource::Network => "network",
        Resource::Processors => "processors",
        Resource::ClientProcessors => "client processors",
        Resource::ServerProcessors => "server processors",
        Resource::Disks => "disks",
        Resource::ReplicaLinks => "replica links",
    }
}

/// `2 x 1 GbE`, `8 x 200MB/s`.
pub(super) fn named(units: &Units) -> String {
    let of = &units.name;
    if units.count == 1 { of.clone() } else { format!("{} x {of}", units.count) }
}

/// The links with a verb: `2 x 1 GbE carry`, `The network, 2 x 115MB/s, carries`.
fn links_carry(links: &Units) -> String {
    match (links.basis, links.count) {
        (Basis::Given, 1) => "The network carries".to_owned(),
        (Basis::Given, _) => format!("The network, {}, carries", named(links)),
        (Basis::TcpGoodput { .. } | Basis::Published, _) => format!("{} carry", named(links)),
    }
}

/// The goal: `1.00 TB/h`, `10.0 TB in 4.00 h`.
pub(super) fn goal_words(view: &LoadPlanView) -> String {
    match view.plan.window_seconds {
        HOUR_SECONDS => view.units.hourly(view.needs.flat),
        window => format!("{} in {}", view.units.volume(view.plan.volume), time(window)),
    }
}

fn goal(view: &LoadPlanView) -> String {
    let units = view.units;
    let flat = format!("{} is {} of flat file", goal_words(view), units.rate(view.needs.flat));
    let after: Vec<String> = view
        .needs
        .phases
        .iter()
        .filter_map(|phase| match phase.kind {
            PhaseKind::Load => None,
            PhaseKind::Index => Some(format!("building indexes takes {}", time(phase.seconds))),
            PhaseKind::Verify => Some(format!("verification takes {}", time(phase.seconds))),
        })
        .collect();
    match (after.is_empty(), view.needs.loading) {
        (true, _) => format!("{flat}."),
        (false, None) => {
            format!("{flat}; {} after the load, which leaves no time for the load.", after.join(" and "))
        }
        (false, Some(loading)) => format!(
            "{flat}; {} after the load, so that the load has to reach {}.",
            after.join(" and "),
            units.rate(Rate(loading.estimate))
        ),
    }
}

fn need(view: &LoadPlanView, resource: Resource) -> Option<&Need> {
    view.needs.needs.iter().find(|need| need.resource == resource)
}

fn network(view: &LoadPlanView) -> Option<String> {
    let (units, loading) = (view.units, view.needs.loading?);
    let input = &view.plan.input;
    let Some(links) = &view.plan.network else {
        let sent = view.needs.input.map(|rate| units.rate(Rate(rate.estimate)))?;
        let how = input.name.as_ref().map_or_else(String::new, |name| {
            format!(
                " ({} at ratio {} for {} of flat file)",
                name,
                three_digits(input.ratio),
                units.rate(Rate(loading.estimate))
            )
        });
        return Some(format!("{sent}{how} are required of the network; its capacity is not known."));
    };
    let all = links.all();
    let basis = match links.basis {
        Basis::Given => String::new(),
        Basis::TcpGoodput { mtu_bytes } => format!(" (TCP goodput at an MTU of {mtu_bytes} bytes)"),
        Basis::Published => " (as published)".to_owned(),
    };
    let mut text = format!("{} {}{basis}", links_carry(links), units.rate(all));
    let alone = format!("{} in total", seconds(view.plan.volume.0 as f64 / all.0));
    let fits = |required: Interval| {
        let of = |rate: f64| rate / all.0;
        FitVerdict::of(Interval { estimate: of(required.estimate), low: of(required.low), high: of(required.high) })
    };
    text.push_str(&match fits(loading) {
        FitVerdict::Fits => format!(", enough for uncompressed input, {alone}"),
        FitVerdict::DoesNotFit => format!(", not enough for uncompressed input: {alone}"),
        FitVerdict::NotKnown => format!(", perhaps not enough for uncompressed input: {alone}"),
    });
    if let (Some(name), Some(sent)) = (&input.name, view.needs.input) {
        let fits = match fits(sent) {
            FitVerdict::Fits => "which fits",
            FitVerdict::DoesNotFit => "which does not fit either",
            FitVerdict::NotKnown => "which may not fit",
        };
        let time = seconds(view.plan.volume.0 as f64 / input.ratio / all.0);
        text.push_str(&format!(
            "; {} at ratio {} reduces it to {}, {fits}, {time}",
            name,
            three_digits(input.ratio),
            units.rate(Rate(sent.estimate))
        ));
    }
    Some(format!("{text}."))
}

/// The CPU requirement of the stages, and the unknown ones.
fn processors(view: &LoadPlanView) -> Vec<String> {
    let pools = view.needs.needs.iter().filter(|need| need.resource.is_processors());
    let mut pools: Vec<&Need> = pools.collect();
    pools.sort_by_key(|need| need.resource == Resource::ServerProcessors);
    pools.into_iter().map(|need| pool(view, need)).collect()
}

fn pool(view: &LoadPlanView, need: &Need) -> String {
    let owner = match need.resource {
        Resource::ClientProcessors => " of the client",
        Resource::ServerProcessors => " of the server",
        _ => "",
    };
    let parts: Vec<String> = need
        .parts
        .iter()
        .map(|part| {
            let workers = (part.worker_cores != 1.0)
                .then(|| format!(" ({} workers of {} each)", part.workers, cores(part.worker_cores)));
            format!("{} requires {}{}", doing(part.stage), cores(part.cores.estimate), workers.unwrap_or_default())
        })
        .collect();
    let open = match need.unknown.as_slice() {
        [] => String::new(),
        stages => {
            let words: Vec<&str> = stages.iter().map(|stage| stage.word()).collect();
            format!("; the rate of {} is not known", words.join(", "))
        }
    };
    let least = if need.unknown.is_empty() { "" } else { "at least " };
    let Some((needed, count)) = need.needed.zip(need.count) else {
        return format!("The number of required processors{owner} is not known{open}.");
    };
    let busy = match view.plan.utilisation.0 {
        1.0 => String::new(),
        _ => format!(" at {} utilisation", percent(view.plan.utilisation)),
    };
    let available = need.there.map(|available| format!(", {available} available")).unwrap_or_default();
    let all = format!("{least}{} in total{owner}{busy}, rounded up to {count}{available}", cores(needed.estimate));
    let text = if parts.is_empty() { all } else { format!("{}: {all}", parts.join(", ")) };
    format!("{}{open}.", capital(&text))
}

fn doing(stage: Stage) -> &'static str {
    match stage {
        Stage::Read => "reading",
        Stage::Decompress => "decompressing",
        Stage::Parse => "parsing",
        Stage::Convert => "converting",
        Stage::Send => "sending",
        Stage::Insert => "inserting",
        Stage::Index => "building indexes",
        Stage::Verify => "verifying",
    }
}

fn disks(view: &LoadPlanView) -> Option<String> {
    let need = need(view, Resource::Disks)?;
    let of = |disks: &Units| format!("{} of {}", plural(disks.count.into(), "disk"), disks.name);
    let disks = view.plan.disks.as_ref();
    let disks = disks.map(|disks| format!("{} write {}", of(disks), view.units.rate(disks.all())));
    let Some((per_byte, source)) = view.plan.written_per_byte else {
        let there = disks.map_or_else(String::new, |disks| format!("; {disks}"));
        return Some(format!("The write amplification is not known{there}."));
    };
    let source = match source {
        WrittenSource::Given => "",
        WrittenSource::Device => " (measured at the block layer, writes of other programs included)",
        WrittenSource::LogAndTable => " (log and table as measured)",
    };
    let copies = match view.plan.replicas {
        0 => String::new(),
        replicas => format!(" in each of {} copies", replicas + 1),
    };
    let needed = need.needed.map_or_else(String::new, |needed| format!(": {}", view.units.rate(Rate(needed.estimate))));
    let there = disks.unwrap_or_else(|| "the write rate of the disks is not known".to_owned());
    Some(format!(
        "{} bytes are written per byte of flat file{source}{copies}{needed}; {there}.",
        three_digits(per_byte)
    ))
}

fn replicas(view: &LoadPlanView) -> Option<String> {
    let need = need(view, Resource::ReplicaLinks)?;
    let replicas = view.plan.replicas;
    Some(match need.needed {
        Some(needed) => format!(
            "The log for {replicas} replicas requires {} of the links, outbound.",
            view.units.rate(Rate(needed.estimate))
        ),
        None => format!("The log volume for the {replicas} replicas is not known."),
    })
}

/// Whether the plan fits, the bottleneck, and the possible rate.
pub(super) fn verdict(view: &LoadPlanView) -> String {
    let open = || {
        let open = view.needs.needs.iter().filter(|need| need.fits() == FitVerdict::NotKnown);
        let words = |need: &Need| match used_span(need) {
            Some(span) => format!("{} ({span})", name(need.resource)),
            None => name(need.resource).to_owned(),
        };
        open.map(words).collect::<Vec<_>>().join(", ")
    };
    let most = view.needs.bottleneck();
    let used = most.and_then(|need| {
        let span = used_span(need).map_or_else(String::new, |span| format!(" ({span})"));
        Some(format!("{}, {} utilised{span}", name(need.resource), percent(need.used?)))
    });
    let basis = basis(view.needs.basis);
    // The possible rate is not known where the time of a stage is not.
    let allows = |before: &str, after: &str| {
        let possible = view.needs.possible.map(|rate| view.units.hourly(rate));
        possible.map_or(String::new(), |possible| format!("{before} allow {possible}{after}"))
    };
    match (view.needs.fits, used) {
        (FitVerdict::Fits, Some(used)) => {
            format!("It fits ({basis}). The bottleneck is {used}{}.", allows("; the available resources", ""))
        }
        (FitVerdict::DoesNotFit, Some(used)) => {
            format!("It does not fit ({basis}). The bottleneck is {used}{}.", allows("; the available resources", ""))
        }
        (FitVerdict::NotKnown, Some(used)) => format!(
            "The bottleneck of the known resources is {used} ({basis}){}. Whether the plan fits is not known: see {}.",
            allows("; they", ""),
            open()
        ),
        (_, None) => "The available resources were not given: no bottleneck is known.".to_owned(),
    }
}

/// The range of the utilisation of a resource: `64 to 114 %`; none where it is one value, or not known.
pub(super) fn used_span(need: &Need) -> Option<String> {
    let Interval { low, high, .. } = need.used_range().filter(|used| used.low < used.high)?;
    Some(match high.is_finite() {
        true => format!("{} to {}", percent(Ratio(low)).trim_end_matches(" %"), percent(Ratio(high))),
        false => format!("{} and more", percent(Ratio(low))),
    })
}

/// The caveats of a plan: given ones, and the sources of its figures.
pub(super) fn caveats(view: &LoadPlanView) -> Vec<String> {
    let plan = &view.plan;
    let mut caveats = view.remarks.clone();
    let rates = plan.stages.iter().filter_map(|cost| match cost {
        StageCost::Rate(rate) => Some(rate),
        StageCost::Skipped(_) => None,
    });
    if rates.clone().any(|rate| rate.source == RateSource::NotMeasured) {
        caveats.push(
            "rates that were NOT MEASURED are commonly published ranges, used at their lower end; replace them by a \
             load of your own data on your own machine (dbdyno load, then --from RECORD)"
                .to_owned(),
        );
    }
    if plan.utilisation.0 == 1.0 && rates.clone().next().is_some() {
        caveats
            .push("processors are planned at 100 % utilisation; --target-utilisation 0.7 leaves headroom".to_owned());
    }
    if rates.clone().any(|rate| rate.stage.is_after_the_load()) {
        caveats.push("stages after the load are assumed to use all processors of the server".to_owned());
    }
    if are_open(plan.cores) {
        caveats.push("the number of processors was not given (--cores)".to_owned());
    }
    caveats
}

/// Whether `cores` does not define the number of cores.
fn are_open(cores: Cores) -> bool {
    matches!(cores, Cores::Shared(None) | Cores::Apart { client: None, .. } | Cores::Apart { server: None, .. })
}

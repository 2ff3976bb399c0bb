//! The arithmetic of a plan in words.

use model::load_plan::{Need, PhaseKind, Resource, Stage, Units, WrittenSource};

use super::LoadPlanView;
use super::amount::{cores, seconds, time};
use crate::figure::{percent, three_digits};
use crate::layout::clean;
use crate::words::plural;

/// The hour that rates are often said in.
const HOUR_SECONDS: f64 = 3_600.0;

/// The sentences, in the order of the way that a byte takes; the last one is the verdict.
pub(super) fn sentences(view: &LoadPlanView) -> Vec<String> {
    let mut said = vec![goal(view)];
    said.extend(network(view));
    said.extend(processors(view));
    said.extend(disks(view));
    said.extend(replicas(view));
    said.push(verdict(view));
    said
}

/// What a resource is called.
pub(super) fn name(resource: Resource) -> &'static str {
    match resource {
        Resource::Network => "network",
        Resource::Processors => "processors",
        Resource::ClientProcessors => "processors of the client",
        Resource::ServerProcessors => "processors of the server",
        Resource::Disks => "disks",
        Resource::ReplicaLinks => "links to replicas",
    }
}

/// `2 x 1 GbE`, `8 x 200MB/s`.
pub(super) fn named(units: &Units) -> String {
    let of = clean(&units.name);
    if units.count == 1 { of } else { format!("{} x {of}", units.count) }
}

/// The links as a subject with its verb: `2 x 1 GbE carry`, `The network, 2 x 115MB/s, carries`.
fn links_carry(links: &Units) -> String {
    match (&links.basis, links.count) {
        (Some(_), _) => format!("{} carry", named(links)),
        (None, 1) => "The network carries".to_owned(),
        (None, _) => format!("The network, {}, carries", named(links)),
    }
}

/// What the goal is called: `1.00 TB/h`, `10.0 TB in 4.00 h`.
pub(super) fn goal_words(view: &LoadPlanView) -> String {
    match view.plan.window_seconds {
        HOUR_SECONDS => view.steps.hourly(view.needs.flat),
        window => format!("{} in {}", view.steps.volume(view.plan.volume), time(window)),
    }
}

fn goal(view: &LoadPlanView) -> String {
    let steps = view.steps;
    let flat = format!("{} is {} of flat file", goal_words(view), steps.rate(view.needs.flat));
    let after: Vec<String> = view
        .needs
        .phases
        .iter()
        .filter_map(|phase| match phase.kind {
            PhaseKind::Load => None,
            PhaseKind::Index => Some(format!("making indexes takes {}", time(phase.seconds))),
            PhaseKind::Verify => Some(format!("checking takes {}", time(phase.seconds))),
        })
        .collect();
    match (after.is_empty(), view.needs.loading) {
        (true, _) => format!("{flat}."),
        (false, None) => {
            format!("{flat}; {} when the load has ended, which leaves no time for it.", after.join(" and "))
        }
        (false, Some(loading)) => format!(
            "{flat}; {} when the load has ended, so that it has to reach {} meanwhile.",
            after.join(" and "),
            steps.rate(loading)
        ),
    }
}

fn need(view: &LoadPlanView, resource: Resource) -> Option<&Need> {
    view.needs.needs.iter().find(|need| need.resource == resource)
}

fn network(view: &LoadPlanView) -> Option<String> {
    let (steps, loading) = (view.steps, view.needs.loading?);
    let input = &view.plan.input;
    let Some(links) = &view.plan.network else {
        let sent = view.needs.input.map(|rate| steps.rate(rate))?;
        let how = input.name.as_ref().map_or_else(String::new, |name| {
            format!(" ({} at {} for {} of flat file)", clean(name), three_digits(input.ratio), steps.rate(loading))
        });
        return Some(format!("{sent}{how} have to come over the network; what it carries is not known."));
    };
    let all = links.all();
    let basis = links.basis.as_ref().map_or_else(String::new, |basis| format!(" ({basis})"));
    let mut said = format!("{} {}{basis}", links_carry(links), steps.rate(all));
    let alone = format!("{} for all of it", seconds(view.plan.volume.0 as f64 / all.0));
    said.push_str(&match loading.0 <= all.0 {
        true => format!(", enough for plain text, {alone}"),
        false => format!(", so that plain text does not fit: {alone}"),
    });
    if let (Some(name), Some(sent)) = (&input.name, view.needs.input) {
        let fits = if sent.0 <= all.0 { "which fits" } else { "which does not fit either" };
        let time = seconds(view.plan.volume.0 as f64 / input.ratio / all.0);
        said.push_str(&format!(
            "; {} at {} makes it {}, {fits}, {time}",
            clean(name),
            three_digits(input.ratio),
            steps.rate(sent)
        ));
    }
    Some(format!("{said}."))
}

/// What the stages need, and which are not known.
fn processors(view: &LoadPlanView) -> Vec<String> {
    let pools = view.needs.needs.iter().filter(|need| need.resource.is_processors());
    let mut pools: Vec<&Need> = pools.collect();
    pools.sort_by_key(|need| need.resource == Resource::ServerProcessors);
    pools.into_iter().map(|need| pool(view, need)).collect()
}

fn pool(view: &LoadPlanView, need: &Need) -> String {
    let whose = match need.resource {
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
            format!("{} needs {}{}", doing(part.stage), cores(part.cores.estimate), workers.unwrap_or_default())
        })
        .collect();
    let open = match need.unknown.as_slice() {
        [] => String::new(),
        stages => {
            let words: Vec<&str> = stages.iter().map(|stage| stage.word()).collect();
            format!("; of {} no rate is known", words.join(", "))
        }
    };
    let least = if need.unknown.is_empty() { "" } else { "at least " };
    let Some((needed, count)) = need.needed.zip(need.count) else {
        return format!("How many processors{whose} are needed is not known{open}.");
    };
    let busy = match view.plan.utilisation.0 {
        1.0 => String::new(),
        _ => format!(" at {} busy", percent(view.plan.utilisation)),
    };
    let there = need.there.map(|there| format!(" where there are {there}")).unwrap_or_default();
    let all = format!("{least}{} in all{whose}{busy}, {count} whole ones{there}", cores(needed.estimate));
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
        Stage::Index => "making indexes",
        Stage::Verify => "checking",
    }
}

fn disks(view: &LoadPlanView) -> Option<String> {
    let need = need(view, Resource::Disks)?;
    let of = |disks: &Units| format!("{} of {}", plural(disks.count.into(), "disk"), clean(&disks.name));
    let disks = view.plan.disks.as_ref();
    let disks = disks.map(|disks| format!("{} write {}", of(disks), view.steps.rate(disks.all())));
    let Some((per_byte, source)) = view.plan.written_per_byte else {
        let there = disks.map_or_else(String::new, |disks| format!("; {disks}"));
        return Some(format!("How many bytes are written for a byte of flat file is not known{there}."));
    };
    let source = match source {
        WrittenSource::Given => "",
        WrittenSource::Device => " (measured at the block layer, what others wrote included)",
        WrittenSource::LogAndTable => " (log and table as measured)",
    };
    let copies = match view.plan.replicas {
        0 => String::new(),
        replicas => format!(" in each of {} copies", replicas + 1),
    };
    let needed =
        need.needed.map_or_else(String::new, |needed| format!(": {}", view.steps.rate(record::Rate(needed.estimate))));
    let there = disks.unwrap_or_else(|| "what the disks write is not known".to_owned());
    Some(format!(
        "{} bytes are written for a byte of flat file{source}{copies}{needed}; {there}.",
        three_digits(per_byte)
    ))
}

fn replicas(view: &LoadPlanView) -> Option<String> {
    let need = need(view, Resource::ReplicaLinks)?;
    let replicas = view.plan.replicas;
    Some(match need.needed {
        Some(needed) => format!(
            "The log for {replicas} replicas takes {} of the links, in the other direction.",
            view.steps.rate(record::Rate(needed.estimate))
        ),
        None => format!("How much log goes to the {replicas} replicas is not known."),
    })
}

/// Whether it fits, what is used most, and what there is allows.
pub(super) fn verdict(view: &LoadPlanView) -> String {
    let open = || {
        let known = view.needs.needs.iter().filter(|need| need.used.is_none() || !need.unknown.is_empty());
        known.map(|need| name(need.resource)).collect::<Vec<_>>().join(", ")
    };
    let most = view.needs.bottleneck();
    let used = most.and_then(|need| Some(format!("{}, used to {}", name(need.resource), percent(need.used?))));
    // What it allows in all is not known where the time of one part of it is not.
    let allows = |before: &str, after: &str| {
        let possible = view.needs.possible.map(|rate| view.steps.hourly(rate));
        possible.map_or(String::new(), |possible| format!("{before} allows {possible}{after}"))
    };
    match (view.needs.fits, used) {
        (Some(true), Some(used)) => format!("It fits. The bottleneck is {used}{}.", allows("; what there is", "")),
        (Some(false), Some(used)) => {
            format!("It does not fit. The bottleneck is {used}{}.", allows("; what there is", " at most"))
        }
        (None, Some(used)) => format!(
            "Of what is known the bottleneck is {used}{}. Whether it fits is not known: see {}.",
            allows(", which", " at most"),
            open()
        ),
        (_, None) => "What there is was not said, so that no bottleneck can be named.".to_owned(),
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

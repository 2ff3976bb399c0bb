//! Acknowledged commits and faults: the verdict, the controls beside it, the events of one crash.

use model::durability::CrashVerdict;
use model::{DurabilityCondition, DurabilityProof, Excluded, GradedLie, Protection, Stratum};
use record::{
    ClusterFault, Crash, CrashCluster, CrashCondition, CrashEvent, CrashEventKind, CrashFileSystem, CrashMoment,
    CrashRung, FaultSeen, Ratio, Survival,
};

use crate::chart::{Axis, Figures, LineChart, Mark, Point, Role, Scale, Series};
use crate::document::{Block, Cell, Column, Diagram, Row, Table};
use crate::figure::{UNKNOWN, nanos, percent};
use crate::words::plural;

/// What a fault takes away, for a sentence.
fn fault(proof: &DurabilityProof) -> String {
    match (proof.rung, proof.file_system) {
        (CrashRung::D0, _) if !proof.seen.is_empty() => {
            "server started anew; that it was killed is the word of who ran it".to_owned()
        }
        (CrashRung::D0, _) => "processes killed".to_owned(),
        (CrashRung::D1, _) => {
            "processes killed, and what was not synced lost, reordered or torn, file by file".to_owned()
        }
        (CrashRung::D2, file_system) => format!(
            "processes killed, and what the disk below {} was not told to flush lost, reordered or torn",
            file_system.map_or("the file system", CrashFileSystem::word)
        ),
        (CrashRung::ByHand, _) => "power cut, by the word of who ran it".to_owned(),
    }
}

/// The rung of a proof, and of several nodes those that a fault took.
fn rung_words(rung: CrashRung, cluster: Option<CrashCluster>) -> String {
    let rung = rung.word();
    cluster.map_or_else(|| rung.to_owned(), |cluster| format!("{rung}, {}", cluster_words(cluster)))
}

/// Which nodes a fault took, and what was done about it.
pub(crate) fn cluster_words(CrashCluster { nodes, fault }: CrashCluster) -> String {
    match fault {
        ClusterFault::Primary => format!("primary of {nodes} nodes lost, replica promoted"),
        ClusterFault::AllNodes => format!("all {nodes} nodes lost at once"),
    }
}

/// What was seen of faults that somebody else made, and what is not known of them.
fn seen_words(proof: &DurabilityProof) -> Option<String> {
    if proof.seen.is_empty() {
        return None;
    }
    let words = |(seen, count): &(FaultSeen, u64)| {
        let what = match seen {
            FaultSeen::Nothing => "no start of the server was seen, which is no fault",
            FaultSeen::Server => {
                "the server was started anew and its host was not: no power was cut, and whether its processes were killed (D0) or it was \
                 shut down is the word of who ran it"
            }
            FaultSeen::ServerAtLeast => {
                "a restart of the server was seen; whether power was cut is the word of who ran it, and a restart alone shows D0"
            }
            FaultSeen::Host => {
                "the host was started anew; whether its power was cut, and it was not shut down, is the word of who ran it"
            }
        };
        let times = if *count == 1 { "once".to_owned() } else { format!("{count} times") };
        format!("{times} {what}")
    };
    let ended = proof.shown.as_ref().and_then(|crash| crash.ended_with.as_deref());
    let ended = ended.map_or(String::new(), |error| format!("; a session ended with: {error}"));
    Some(format!(
        "Of {}: {}{ended}",
        plural(total(proof), "fault"),
        proof.seen.iter().map(words).collect::<Vec<_>>().join("; ")
    ))
}

fn total(proof: &DurabilityProof) -> u64 {
    proof.seen.iter().map(|(_, count)| count).sum()
}

/// What a rung does not show.
fn unseen(rung: CrashRung, cluster: Option<CrashCluster>) -> &'static str {
    if cluster.is_some_and(|cluster| cluster.fault == ClusterFault::Primary) {
        return "This shows that a replica has what the primary acknowledged. Nodes that are lost together, a primary that goes on \
                without its replicas, and the old primary after that are not tried: --fault all-nodes tries the first";
    }
    match rung {
        CrashRung::D0 => {
            "D0 shows that commits left the processes of the engine; whether they were synced is not seen: D1 shows that"
        }
        CrashRung::D1 => {
            "D1 shows that the engine syncs what it acknowledges and recovers from what is left. The file system below it, the \
             kernel, the hypervisor and the drive are not tried: D2 tries the file system"
        }
        CrashRung::D2 => {
            "D2 shows that engine and file system together flush what is acknowledged and recover from what is left. The kernel, \
             the hypervisor and the drive are not tried: D3, which you have by hand (--witness)"
        }
        CrashRung::ByHand => {
            "D3 by hand shows this server with this drive on this day, and excludes little where faults are few. No control is tried: a \
             cache that loses what was flushed is seen only if it held something at that moment"
        }
    }
}

/// `60 crashes`, or `60 runs, 300 states` where the load of each was run once for several states.
fn faults(crashes: u64, states: u64) -> String {
    match states > crashes {
        true => format!("{}, {}", plural(crashes, "run"), plural(states, "state")),
        false if crashes == 1 => "1 crash".to_owned(),
        false => format!("{crashes} crashes"),
    }
}

pub(super) fn sentences(proof: &DurabilityProof) -> Vec<String> {
    let rung = rung_words(proof.rung, proof.cluster);
    let has_states = proof.states > proof.crashes;
    let crashes = faults(proof.crashes, proof.states);
    let fault = fault(proof);
    let first = match (proof.verdict, proof.bound) {
        (CrashVerdict::Survived, Some(bound)) => format!(
            "SURVIVED {rung} ({fault}): 0 of {crashes} lost an acknowledged commit; at most {} of such {} do, at 95 % \
             confidence{}",
            percent(bound),
            if has_states { "runs" } else { "crashes" },
            if has_states { ": by runs, because states of one run are not independent" } else { "" }
        ),
        (CrashVerdict::NoPower, _) => format!(
            "NO POWER on {rung} ({fault}): 0 of {crashes} lost an acknowledged commit, but controls that have to lose did not \
             lose in three of five crashes, or none was tried: a loss would not have been seen"
        ),
        (CrashVerdict::NoFault, _) => format!(
            "NO FAULT on {rung}: the server was not started anew since the last commit, so that nothing is shown; all that was \
             acknowledged is there"
        ),
        (verdict, _) if has_states => format!(
            "{} on {rung} ({fault}): {} of {crashes} had a damage, in one state or several",
            verdict.word(),
            proof.damaged
        ),
        (verdict, _) => format!("{} on {rung} ({fault}): {} of {crashes} had a damage", verdict.word(), proof.damaged),
    };
    let asked = proof.conditions.iter().find(|found| found.condition == CrashCondition::Asked);
    let commits = asked.map(|asked| {
        format!(
            "{} commits were acknowledged before these faults, {} of them are lost; {} had no answer, which may be there or not",
            asked.acknowledged, asked.lost, asked.unknown
        )
    });
    let graded = proof.graded.iter().filter_map(|graded| Some(graded_words(graded, proof.bound?)));
    let protections = protections_words(&proof.protections);
    [Some(first), commits]
        .into_iter()
        .flatten()
        .chain(seen_words(proof))
        .chain(graded)
        .chain(protections)
        .chain([unseen(proof.rung, proof.cluster).to_owned()])
        .collect()
}

/// Whether storage that ignores some syncs would have been seen by as many faults as leave `bound`.
fn graded_words(graded: &GradedLie, bound: Ratio) -> String {
    let GradedLie { every, crashes, damaged, share_min, excluded } = graded;
    let (share, bound) = (percent(Ratio(*damaged as f64 / *crashes as f64)), percent(bound));
    let seen = match excluded {
        Excluded::Yes => format!("more than the {bound} above, so that it would have been seen"),
        Excluded::Perhaps => format!("which may be less than the {bound} above, so that it is not excluded for sure"),
        Excluded::No => format!("no more than the {bound} above, so that it is not excluded"),
    };
    let share = if *damaged > 0 { format!(" ({share}, at least {})", percent(*share_min)) } else { String::new() };
    format!("Storage that ignores one of {every} syncs had a damage in {damaged} of {crashes}{share}: {seen}")
}

/// The engine's own protections as they stood, and what was tried without them; none where none is known.
fn protections_words(protections: &[Protection]) -> Option<String> {
    let as_they_stood: Vec<String> =
        protections.iter().map(|found| format!("{}={}", found.name, found.value)).collect();
    let torn = |found: &DurabilityCondition| {
        format!(
            "with {} {} of {} had a damage ({})",
            condition(&found.condition),
            found.damaged,
            faults(found.crashes, found.states),
            found.verdict.word()
        )
    };
    let without: Vec<String> = protections.iter().flat_map(|found| &found.without).map(torn).collect();
    let without = if without.is_empty() { "no control was without them".to_owned() } else { without.join(", ") };
    (!protections.is_empty()).then(|| format!("The engine's own protections: {}; {without}", as_they_stood.join(", ")))
}

/// A condition in words.
fn condition(found: &CrashCondition) -> String {
    match found {
        CrashCondition::Asked => "as asked for".to_owned(),
        CrashCondition::LyingStorage { every: 1 } => "all syncs ignored".to_owned(),
        CrashCondition::LyingStorage { every } => format!("1 of {every} syncs ignored"),
        CrashCondition::Settings { settings } => settings.clone(),
    }
}

pub(super) fn comparison(proof: &DurabilityProof) -> (Table, String) {
    let has_states = proof.states > proof.crashes;
    let columns = vec![
        Column::text("condition"),
        Column::text("verdict"),
        Column::figure(if has_states { "runs" } else { "crashes" }),
        Column::figure("states"),
        Column::figure("damaged"),
        Column::figure("acknow-\nledged"),
        Column::figure("lost"),
        Column::figure("ready\nmedian"),
        Column::figure("ready\nlongest"),
    ];
    let row = |found: &DurabilityCondition| {
        let words = condition(&found.condition);
        let name = match () {
            () if found.must_lose => format!("control: {words}"),
            () if found.condition == CrashCondition::Asked => words,
            () => format!("beside it: {words}"),
        };
        Row::new(vec![
            Cell::text(name),
            Cell::text(found.verdict.word()),
            Cell::count(found.crashes),
            Cell::count(found.states),
            Cell::count(found.damaged),
            Cell::count(found.acknowledged),
            Cell::count(found.lost),
            Cell::figure(found.ready_ns_median.map(|time| time.0 as f64), nanos),
            Cell::figure(found.ready_ns_max.map(|time| time.0 as f64), nanos),
        ])
    };
    let note = "A control has to lose in three of five crashes, so that a loss can be seen at all. Ready: from the start of the \
                engine after the fault until it took sessions, recovery included; it is no figure of speed where the files lie \
                on the layer that loses them.";
    let rows = proof.conditions.iter().map(row);
    let table = with_states(Table::new("proof-table", "Conditions", columns).with(rows), has_states, STATES_COLUMN);
    (Table { flexible: Some(0), is_whole: true, ..table }, note.to_owned())
}

/// Kinds of events in the order of their key; a picture tells them apart by shape.
const EVENTS: [CrashEventKind; 4] =
    [CrashEventKind::Acknowledged, CrashEventKind::Lost, CrashEventKind::UnknownThere, CrashEventKind::UnknownGone];

/// The last commits of each client up to the fault.
fn picture(crash: &Crash) -> LineChart {
    let of_kind = |kind| {
        let points = crash.timeline.iter().filter(|event| event.kind == kind).map(|event| {
            Point::new(event.at_ns.0 as f64, f64::from(event.client)).noted(format!("commit {}", event.number))
        });
        Series::new(event_words(kind), Role::Event, points.collect())
    };
    let faults = crash.timeline.iter().filter(|event| event.kind == CrashEventKind::Fault);
    let clients = crash.timeline.iter().map(|event| event.client).max().unwrap_or(0);
    let count = |kind| crash.timeline.iter().filter(|event| event.kind == kind).count();
    LineChart {
        marks: faults.map(|event| Mark { x: event.at_ns.0 as f64, label: "fault".to_owned() }).collect(),
        ..LineChart::new(
            "The last commits before the fault",
            format!(
                "Of the last commits before the fault, {} were acknowledged and are there, {} were acknowledged and are lost, {} \
                 had no answer.",
                count(CrashEventKind::Acknowledged),
                count(CrashEventKind::Lost),
                count(CrashEventKind::UnknownThere) + count(CrashEventKind::UnknownGone)
            ),
            Axis::new("time", Scale::Linear, Figures::Nanos),
            Axis::new(
                "client",
                Scale::Linear,
                Figures::Names((0..=clients).map(|client| client.to_string()).collect()),
            ),
            EVENTS.into_iter().map(of_kind).filter(|series| !series.points.is_empty()).collect(),
        )
    }
}

/// The crashes by what the engine was doing, and the events of one of them.
pub(super) fn details(proof: &DurabilityProof) -> Vec<Block> {
    let (table, note) = strata(proof);
    let strata = [table.into(), Block::aside(note)];
    let Some(crash) = &proof.shown else { return strata.into() };
    let columns = vec![Column::figure("time"), Column::text("client"), Column::figure("commit"), Column::text("event")];
    let row = |event: &CrashEvent| {
        let is_fault = event.kind == CrashEventKind::Fault;
        Row::new(vec![
            Cell::figure(Some(event.at_ns.0 as f64), nanos),
            Cell::text(if is_fault { String::new() } else { event.client.to_string() }),
            if is_fault { Cell::text(String::new()) } else { Cell::count(event.number) },
            Cell::text(event_words(event.kind)),
        ])
    };
    let table =
        Table::new("durability-timeline", "The last events of one crash", columns).with(crash.timeline.iter().map(row));
    let drawn = Block::whole(vec![Block::Charts(vec![Diagram::new("durability-events", picture(crash))])]);
    strata.into_iter().chain([drawn, Block::aside(crash_words(crash)), table.into()]).collect()
}

fn event_words(kind: CrashEventKind) -> &'static str {
    match kind {
        CrashEventKind::Acknowledged => "acknowledged, there",
        CrashEventKind::Lost => "acknowledged, LOST",
        CrashEventKind::UnknownThere => "without an answer, there",
        CrashEventKind::UnknownGone => "without an answer, not there",
        CrashEventKind::Fault => "fault",
    }
}

fn moment_words(moment: CrashMoment) -> &'static str {
    match moment {
        CrashMoment::Commit => "commits of rows",
        CrashMoment::Checkpoint => "commits and a checkpoint",
        CrashMoment::Flush => "the sync of a checkpoint",
        CrashMoment::Tables => "commits and changes of tables",
        CrashMoment::LogSwitch => "commits and a switch of the log",
    }
}

/// Crashes by what the engine was doing: each kind excludes what it alone has tried.
fn strata(proof: &DurabilityProof) -> (Table, String) {
    let has_states = proof.states > proof.crashes;
    let columns = vec![
        Column::text("during"),
        Column::figure(if has_states { "runs" } else { "crashes" }),
        Column::figure("states"),
        Column::figure("damaged"),
        Column::figure("acknow-\nledged"),
        Column::figure("excluded\nabove"),
    ];
    let row = |stratum: &Stratum| {
        Row::new(vec![
            Cell::text(moment_words(stratum.moment)),
            Cell::count(stratum.crashes),
            Cell::count(stratum.states),
            Cell::count(stratum.damaged),
            Cell::count(stratum.acknowledged),
            Cell::figure(stratum.bound.map(|bound| bound.0), |share| percent(Ratio(share))),
        ])
    };
    let note = "Excluded: the largest share of crashes with a loss that those of the line leave at 95 % confidence, 1 - 0.05^(1/N). \
                Changes of tables: they are created, renamed, emptied and dropped. The sync of a checkpoint: what it wrote is about \
                to be synced.";
    let table = Table::new("durability-strata", "By what the engine was doing", columns);
    let table = with_states(table.with(proof.strata.iter().map(row)), has_states, STATES_COLUMN - 1);
    (Table { flexible: Some(0), is_whole: true, ..table }, note.to_owned())
}

/// The place of the states in the table of conditions; that of strata has no verdict before them.
const STATES_COLUMN: usize = 3;

/// The table without its column of states, where each crash has one.
fn with_states(mut table: Table, has_states: bool, column: usize) -> Table {
    if !has_states {
        table.columns.remove(column);
        for row in &mut table.rows {
            row.cells.remove(column);
        }
    }
    table
}

fn crash_words(crash: &Crash) -> String {
    let moment = moment_words(crash.moment);
    let isolated = crash.isolated_ns.map_or_else(String::new, |isolated| {
        format!(", {} after nothing of the primary reached a replica any more", nanos(isolated.0 as f64))
    });
    let delay = match (crash.delay_ns, crash.changes) {
        (Some(delay), _) => format!("{} after the last commit", nanos(delay.0 as f64)),
        (None, Some(changes)) if crash.state > 1 => format!("after {changes} changes of the storage under load"),
        (None, _) => format!("under load{isolated}"),
    };
    let survival = match crash.survival {
        Survival::All => "all that was written survived",
        Survival::AllLost => "nothing that was not synced survived",
        Survival::Prefix => "what was not synced survived up to a moment",
        Survival::Subset => "pages of 4 KiB that were not synced survived by lot",
        Survival::Torn => "sectors of 512 bytes that were not synced survived by lot",
        Survival::Unknown => "what of the unsynced survived is not known",
    };
    let unsynced = crash.unsynced_writes.map_or(String::new(), |writes| {
        format!(
            " ({} not synced)",
            if writes == 1 { "1 write was".to_owned() } else { format!("{writes} writes were") }
        )
    });
    let ready = crash.ready_ns.map_or_else(|| UNKNOWN.to_owned(), |ready| nanos(ready.0 as f64));
    let is_later = |event: &CrashEvent| {
        let fault = crash.timeline.iter().find(|event| event.kind == CrashEventKind::Fault);
        event.kind == CrashEventKind::Acknowledged && fault.is_some_and(|fault| event.at_ns > fault.at_ns)
    };
    let late = if crash.timeline.iter().any(is_later) {
        " Answers that were under way at the fault were read after it."
    } else {
        ""
    };
    let said: Vec<&str> = crash.would_not_start.iter().chain(&crash.complaints).map(String::as_str).collect();
    let said = if said.is_empty() { String::new() } else { format!(" The engine said: {}.", said.join("; ")) };
    let ready = match crash.survival {
        Survival::Unknown => String::new(),
        _ => format!("; ready after {ready}"),
    };
    format!("{moment}; the fault came {delay}; {survival}{unsynced}{ready}.{late}{said}")
}

pub(super) fn tile(proof: &DurabilityProof) -> (String, String, String) {
    (
        match proof.states > proof.crashes {
            true => format!("runs with a loss or another damage, {}, {} states", proof.rung.word(), proof.states),
            false => format!("crashes with a loss or another damage, {}", proof.rung.word()),
        },
        format!("{} of {}", proof.damaged, proof.crashes),
        proof.verdict.word().to_owned(),
    )
}

//! Faults that somebody else makes: what the witness of a server elsewhere says of its loads, and of what was found after each.
//!
//! The parts of such a witness go by turns. That of a load has its seed, what the server said of its start, and commits. That of
//! a look at what is left has what was found, a record for each figure.

use record::{Crash, CrashDamage, CrashMoment, FaultSeen, Survival};

use super::{Ledger, Outcome, Witness, WitnessKind, WitnessObject, WitnessParts, WitnessRecord};

/// How far the uptime of a server may be behind what it has to be: it is told in whole seconds.
const UPTIME_SECONDS_TOLERANCE: u64 = 2;

/// What a server says of its start, and when.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ServerStart {
    /// A number that is another one after each start; absent where it has none.
    pub mark: Option<u64>,
    /// Whole seconds since its start; absent where it does not say.
    pub uptime_seconds: Option<u32>,
    /// The same as the mark, of its host.
    pub host_mark: Option<u64>,
    /// Clock of the host of the witness, nanoseconds since 1970.
    pub at_unix_ns: u64,
}

impl ServerStart {
    /// Its record.
    pub fn record(&self) -> WitnessRecord {
        WitnessRecord {
            kind: WitnessKind::Server,
            object: WitnessObject::Row,
            client: self.uptime_seconds.unwrap_or(u32::MAX),
            number: self.mark.unwrap_or(0),
            device_seq: self.host_mark.unwrap_or(0),
            mono_ns: self.at_unix_ns,
        }
    }

    fn of(record: &WitnessRecord) -> ServerStart {
        ServerStart {
            mark: Some(record.number).filter(|mark| *mark != 0),
            uptime_seconds: Some(record.client).filter(|seconds| *seconds != u32::MAX),
            host_mark: Some(record.device_seq).filter(|mark| *mark != 0),
            at_unix_ns: record.mono_ns,
        }
    }

    /// What was seen of a fault between this and `later`, of the same server.
    pub fn fault_until(&self, later: &ServerStart) -> FaultSeen {
        let hosts = self.host_mark.zip(later.host_mark);
        match (hosts.map(|(before, after)| before == after), self.is_restarted(later)) {
            (Some(false), _) => FaultSeen::Host,
            (_, false) => FaultSeen::Nothing,
            (Some(true), true) => FaultSeen::Server,
            (None, true) => FaultSeen::ServerAtLeast,
        }
    }

    /// Whether the server was started in between. What cannot be seen was not.
    fn is_restarted(&self, later: &ServerStart) -> bool {
        if let Some((before, after)) = self.mark.zip(later.mark) {
            return before != after;
        }
        let Some((before, after)) = self.uptime_seconds.zip(later.uptime_seconds) else { return false };
        let elapsed_seconds = later.at_unix_ns.saturating_sub(self.at_unix_ns) / 1_000_000_000;
        after < before || u64::from(after) + UPTIME_SECONDS_TOLERANCE < u64::from(before) + elapsed_seconds
    }
}

/// What was found after a fault.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// What was seen of the fault.
    pub seen: Option<FaultSeen>,
    /// Rows that are there; absent where they cannot be read.
    pub rows: Option<u64>,
    /// What is wrong.
    pub damage: CrashDamage,
    /// How often the engine's own checks complained.
    pub complaints: u64,
}

impl Findings {
    /// A record for each figure, at `mono_ns`.
    pub fn records(&self, mono_ns: u64) -> Vec<WitnessRecord> {
        let seen = self.seen.and_then(|seen| FaultSeen::ALL.iter().position(|one| *one == seen));
        let Findings { rows, damage, complaints, .. } = self;
        let CrashDamage { lost, holes, torn, phantoms, duplicates, wrong_counters } = *damage;
        let figures = [
            seen.map(|place| place as u64),
            *rows,
            Some(lost),
            Some(holes),
            Some(torn),
            Some(phantoms),
            Some(duplicates),
            Some(wrong_counters),
            Some(*complaints),
        ];
        let record = |(figure, client): (Option<u64>, u32)| {
            let (kind, object) = (WitnessKind::Finding, WitnessObject::Row);
            figure.map(|number| WitnessRecord { kind, object, client, number, device_seq: 0, mono_ns })
        };
        figures.into_iter().zip(0..).filter_map(record).collect()
    }

    fn of(records: &[WitnessRecord]) -> Option<Findings> {
        let is_one = |record: &WitnessRecord| record.kind == WitnessKind::Finding;
        if records.is_empty() || !records.iter().all(is_one) {
            return None;
        }
        let figure = |which: u32| records.iter().find(|record| record.client == which).map(|record| record.number);
        let count = |which: u32| figure(which).unwrap_or(0);
        Some(Findings {
            seen: figure(0).and_then(|place| FaultSeen::ALL.get(usize::try_from(place).ok()?).copied()),
            rows: figure(1),
            damage: CrashDamage {
                lost: count(2),
                holes: count(3),
                torn: count(4),
                phantoms: count(5),
                duplicates: count(6),
                wrong_counters: count(7),
            },
            complaints: count(8),
        })
    }
}

/// A load, and what was found after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Seed of what its rows hold.
    pub seed: u64,
    /// What the server said of its start before it.
    pub before: ServerStart,
    /// The records of its commits, and of the fault, if the connection was lost.
    pub witness: Witness,
    /// What was found afterwards; absent where nobody has looked yet.
    pub findings: Option<Findings>,
}

impl Cut {
    /// How long its clients committed, nanoseconds.
    pub fn load_ns(&self) -> u64 {
        let records = &self.witness.records;
        records.first().zip(records.last()).map_or(0, |(first, last)| last.mono_ns.saturating_sub(first.mono_ns))
    }

    /// The crash with `number`: as far as the witness knows it.
    pub fn crash(&self, number: u32) -> Crash {
        let ledger = Ledger::of(&self.witness);
        let findings = self.findings.unwrap_or_default();
        Crash {
            number,
            state: 1,
            changes: None,
            seed: self.seed,
            moment: CrashMoment::Commit,
            survival: Survival::Unknown,
            delay_ns: None,
            isolated_ns: None,
            attempted: ledger.attempted(),
            acknowledged: ledger.count(Outcome::Acknowledged),
            unknown: ledger.count(Outcome::Unknown),
            found: findings.rows,
            unsynced_writes: None,
            unsynced_bytes: None,
            ready_ns: None,
            would_not_start: None,
            damage: findings.damage,
            complaints: (0..findings.complaints).map(|_| "told when it was found".to_owned()).collect(),
            seen: findings.seen,
            ended_with: None,
            timeline: Vec::new(),
        }
    }
}

/// The loads of a witness; none where it is another kind of witness.
pub fn cuts(witness: &WitnessParts) -> Option<Vec<Cut>> {
    let mut cuts: Vec<Cut> = Vec::new();
    for part in &witness.parts {
        match (cuts.last_mut().filter(|cut| cut.findings.is_none()), part.as_slice()) {
            (Some(cut), records) => cut.findings = Some(Findings::of(records)?),
            (None, [begin, server, commits @ ..])
                if (begin.kind, server.kind) == (WitnessKind::Begin, WitnessKind::Server) =>
            {
                cuts.push(Cut {
                    seed: begin.number,
                    before: ServerStart::of(server),
                    witness: Witness { text: witness.text.clone(), records: commits.to_vec() },
                    findings: None,
                });
            }
            _ => return None,
        }
    }
    Some(cuts)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND_NS: u64 = 1_000_000_000;

    fn start(mark: Option<u64>, uptime_seconds: Option<u32>, host_mark: Option<u64>, at_seconds: u64) -> ServerStart {
        ServerStart { mark, uptime_seconds, host_mark, at_unix_ns: at_seconds * SECOND_NS }
    }

    #[test]
    fn a_fault_is_seen_by_a_start_of_the_server_or_of_its_host() {
        let before = start(Some(5), Some(100), Some(8), 1_000);
        let seen = |mark, uptime, host| before.fault_until(&start(mark, uptime, host, 1_060));
        assert_eq!(seen(Some(5), Some(160), Some(8)), FaultSeen::Nothing);
        assert_eq!(seen(Some(6), Some(9), Some(8)), FaultSeen::Server);
        assert_eq!(seen(Some(6), Some(9), None), FaultSeen::ServerAtLeast);
        assert_eq!(seen(Some(6), Some(9), Some(9)), FaultSeen::Host);
        // A server may not say when it was started, and the clock of its host may have jumped.
        assert_eq!(seen(None, Some(160), None), FaultSeen::Nothing);
        assert_eq!(seen(None, Some(158), None), FaultSeen::Nothing);
        assert_eq!(seen(None, Some(157), None), FaultSeen::ServerAtLeast);
        assert_eq!(seen(Some(5), Some(3), None), FaultSeen::Nothing);
        assert_eq!(seen(None, None, None), FaultSeen::Nothing);
        assert_eq!(seen(None, None, Some(9)), FaultSeen::Host);
    }

    fn begun(seed: u64, server: ServerStart, commits: &[(WitnessKind, u64)]) -> Vec<WitnessRecord> {
        let record = |kind, number| WitnessRecord {
            kind,
            object: WitnessObject::Row,
            client: 0,
            number,
            device_seq: 0,
            mono_ns: 1,
        };
        let commits = commits.iter().map(|(kind, number)| record(*kind, *number));
        [record(WitnessKind::Begin, seed), server.record()].into_iter().chain(commits).collect()
    }

    #[test]
    fn loads_and_what_was_found_go_by_turns() {
        use WitnessKind::{Acknowledged, Attempt, Fault};
        let server = start(Some(5), None, None, 9);
        let load = begun(7, server, &[(Attempt, 1), (Acknowledged, 1), (Attempt, 2), (Fault, 0)]);
        let damage = CrashDamage { lost: 1, wrong_counters: 2, ..CrashDamage::default() };
        let findings = Findings { seen: Some(FaultSeen::ServerAtLeast), rows: None, damage, complaints: 1 };
        let parts = |parts: &[Vec<WitnessRecord>]| cuts(&WitnessParts { text: String::new(), parts: parts.to_vec() });
        let found = parts(&[load.clone(), findings.records(3), load.clone()]).expect("by hand");
        assert_eq!((found.len(), found[0].findings, found[1].findings), (2, Some(findings), None));
        assert_eq!((found[1].seed, found[1].before), (7, server));
        let crash = found[0].crash(1);
        assert_eq!((crash.attempted, crash.acknowledged, crash.unknown, crash.found), (2, 1, 1, None));
        assert_eq!((crash.damage, crash.complaints.len(), crash.seen), (damage, 1, findings.seen));
        assert_eq!(parts(&[findings.records(3)]), None);
        assert_eq!(parts(&[load.clone(), load.clone()]), None);
        assert_eq!(parts(&[load[2..].to_vec()]), None);
        assert_eq!(parts(&[load, findings.records(3), findings.records(3)]), None);
    }
}

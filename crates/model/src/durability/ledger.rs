//! What was acknowledged, against what is there: the algebra of sets of Jepsen's checkers (lost = acknowledged without found,
//! phantom = found without attempted), for clients that number their commits.

use std::collections::BTreeMap;

use record::CrashDamage;

use super::{Witness, WitnessKind, WitnessObject, WitnessRecord};

/// What became of a commit, as its client knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Acknowledged: it has to be there.
    Acknowledged,
    /// Without an answer: it may be there.
    Unknown,
    /// Rolled back: it may not be there.
    RolledBack,
}

/// The commits of a witness.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// Of rows, by client and number.
    pub rows: BTreeMap<(u32, u64), Outcome>,
    /// Of tables, by client and number.
    pub tables: BTreeMap<(u32, u64), TableOutcomes>,
}

/// What became of what a client did to a table, in this order; absent where it did not do it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableOutcomes {
    /// It was created.
    pub created: Option<Outcome>,
    /// It got a new name.
    pub renamed: Option<Outcome>,
    /// Its rows were removed, all at once.
    pub emptied: Option<Outcome>,
    /// It was dropped.
    pub dropped: Option<Outcome>,
}

impl TableOutcomes {
    fn all(self) -> impl Iterator<Item = Outcome> {
        [self.created, self.renamed, self.emptied, self.dropped].into_iter().flatten()
    }

    /// Of what was acknowledged, how much is not there in `found`.
    fn lost(self, found: FoundTable) -> u64 {
        use Outcome::{Acknowledged, Unknown};
        let is_gone = !found.is_by_old_name && !found.is_by_new_name;
        let lost = match (self.created, self.renamed, self.dropped) {
            (_, _, Some(Acknowledged)) => !is_gone,
            (_, _, Some(Unknown)) if is_gone => false,
            (_, Some(Acknowledged), _) => !found.is_by_new_name || found.is_by_old_name,
            (_, Some(Unknown), _) | (Some(Acknowledged), None, _) => is_gone,
            _ => false,
        };
        u64::from(lost) + u64::from(self.emptied == Some(Acknowledged) && found.rows > 0)
    }
}

/// What is there of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FoundTable {
    /// By the name that it was created with.
    pub is_by_old_name: bool,
    /// By the name that it got.
    pub is_by_new_name: bool,
    /// Its rows.
    pub rows: u64,
}

impl Ledger {
    /// The commits of `witness`: the last record of each counts, and one that was only attempted has no answer.
    pub fn of(witness: &Witness) -> Ledger {
        let outcome = |record: &WitnessRecord| match record.kind {
            WitnessKind::Attempt | WitnessKind::Unknown => Some(Outcome::Unknown),
            WitnessKind::Acknowledged => Some(Outcome::Acknowledged),
            WitnessKind::RolledBack => Some(Outcome::RolledBack),
            WitnessKind::Fault | WitnessKind::End | WitnessKind::Begin | WitnessKind::Server | WitnessKind::Finding => {
                None
            }
        };
        Ledger::with(witness, outcome)
    }

    /// The same for a fault after the change of the storage with number `change`, and before the next one. What had its answer by
    /// then has to be there; what was begun by then has none, whatever its answer was later; and of what was begun with this
    /// change or after it nothing was written.
    pub fn at(witness: &Witness, change: u64) -> Ledger {
        let outcome = |record: &WitnessRecord| match record.kind {
            WitnessKind::Attempt => (record.device_seq < change).then_some(Outcome::Unknown),
            WitnessKind::Acknowledged => (record.device_seq <= change).then_some(Outcome::Acknowledged),
            WitnessKind::RolledBack => (record.device_seq <= change).then_some(Outcome::RolledBack),
            WitnessKind::Unknown
            | WitnessKind::Fault
            | WitnessKind::End
            | WitnessKind::Begin
            | WitnessKind::Server
            | WitnessKind::Finding => None,
        };
        Ledger::with(witness, outcome)
    }

    /// With the outcomes that `outcome` says of records, the last one of each commit.
    fn with(witness: &Witness, outcome: impl Fn(&WitnessRecord) -> Option<Outcome>) -> Ledger {
        let mut ledger = Ledger::default();
        for record in &witness.records {
            let Some(outcome) = outcome(record) else { continue };
            let commit = (record.client, record.number);
            if record.object == WitnessObject::Row {
                ledger.rows.insert(commit, outcome);
                continue;
            }
            let table = ledger.tables.entry(commit).or_default();
            match record.object {
                WitnessObject::Row => {}
                WitnessObject::Table => table.created = Some(outcome),
                WitnessObject::Renamed => table.renamed = Some(outcome),
                WitnessObject::Emptied => table.emptied = Some(outcome),
                WitnessObject::Dropped => table.dropped = Some(outcome),
            }
        }
        ledger
    }

    /// How many commits have an outcome, rows and tables.
    pub fn count(&self, outcome: Outcome) -> u64 {
        self.outcomes().filter(|found| *found == outcome).count() as u64
    }

    /// All commits that were begun.
    pub fn attempted(&self) -> u64 {
        self.outcomes().count() as u64
    }

    fn outcomes(&self) -> impl Iterator<Item = Outcome> {
        self.rows.values().copied().chain(self.tables.values().flat_map(|table| table.all()))
    }
}

/// What is there of a commit of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FoundRow {
    /// Rows in the table with a key.
    pub rows: u32,
    /// Rows in the table without a key, where one that was applied twice shows.
    pub copies: u32,
    /// Whether the content is what was written.
    pub is_intact: bool,
}

impl FoundRow {
    fn is_whole(self) -> bool {
        self.rows > 0 && self.copies > 0 && self.is_intact
    }
}

/// The damage of a crash: `rows` and `tables` are what was found of commits by client and number, `counters` what each
/// client's counter says, which its commits raise by one each.
pub fn damage(
    ledger: &Ledger,
    rows: &BTreeMap<(u32, u64), FoundRow>,
    tables: &BTreeMap<(u32, u64), FoundTable>,
    counters: &BTreeMap<u32, u64>,
) -> CrashDamage {
    let mut damage = CrashDamage::default();
    for (commit, outcome) in &ledger.rows {
        let found = rows.get(commit);
        match (outcome, found) {
            (Outcome::Acknowledged, None) => {
                damage.lost += 1;
                let later = (commit.0, commit.1 + 1)..=(commit.0, u64::MAX);
                damage.holes += u64::from(rows.range(later).next().is_some());
            }
            (Outcome::RolledBack, Some(_)) => damage.phantoms += 1,
            (_, Some(found)) if !found.is_whole() => damage.torn += 1,
            (_, Some(found)) if found.rows > 1 || found.copies > 1 => damage.duplicates += 1,
            _ => {}
        }
    }
    damage.phantoms += rows.keys().filter(|commit| !ledger.rows.contains_key(commit)).count() as u64;
    let found = |table: &(u32, u64)| tables.get(table).copied().unwrap_or_default();
    damage.lost += ledger.tables.iter().map(|(table, outcomes)| outcomes.lost(found(table))).sum::<u64>();
    let is_twice = |found: &&FoundTable| found.is_by_old_name && found.is_by_new_name;
    damage.duplicates += tables.values().filter(is_twice).count() as u64;
    let clients: std::collections::BTreeSet<u32> =
        ledger.rows.keys().chain(rows.keys()).map(|(client, _)| *client).chain(counters.keys().copied()).collect();
    damage.wrong_counters = clients
        .iter()
        .filter(|client| {
            let there = rows.range((**client, 0)..=(**client, u64::MAX)).count() as u64;
            counters.get(client).copied().unwrap_or(0) != there
        })
        .count() as u64;
    damage
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: FoundRow = FoundRow { rows: 1, copies: 1, is_intact: true };

    fn ledger(outcomes: &[Outcome]) -> Ledger {
        let rows = outcomes.iter().zip(1..).map(|(outcome, number)| ((0, number), *outcome)).collect();
        Ledger { rows, tables: BTreeMap::new() }
    }

    fn found(numbers: &[u64]) -> (BTreeMap<(u32, u64), FoundRow>, BTreeMap<u32, u64>) {
        (numbers.iter().map(|number| ((0, *number), WHOLE)).collect(), BTreeMap::from([(0, numbers.len() as u64)]))
    }

    fn of(outcomes: &[Outcome], numbers: &[u64]) -> CrashDamage {
        let (rows, counters) = found(numbers);
        damage(&ledger(outcomes), &rows, &BTreeMap::new(), &counters)
    }

    use Outcome::{Acknowledged as A, RolledBack as R, Unknown as U};

    #[test]
    fn what_is_acknowledged_has_to_be_there_and_what_has_no_answer_may_be() {
        assert!(of(&[A, A, U], &[1, 2]).is_none() && of(&[A, A, U], &[1, 2, 3]).is_none());
        assert_eq!(of(&[A, A, U], &[1]), CrashDamage { lost: 1, ..CrashDamage::default() });
        assert_eq!(of(&[A, A, A], &[1, 3]), CrashDamage { lost: 1, holes: 1, ..CrashDamage::default() });
    }

    #[test]
    fn what_nobody_wrote_is_a_phantom() {
        assert_eq!(of(&[A, R], &[1, 2]), CrashDamage { phantoms: 1, ..CrashDamage::default() });
        assert_eq!(of(&[A], &[1, 7]), CrashDamage { phantoms: 1, ..CrashDamage::default() });
        assert!(of(&[A, R, A], &[1, 3]).is_none());
    }

    #[test]
    fn parts_doubles_and_counters_are_told_apart() {
        let with = |changed: FoundRow| {
            let (mut rows, counters) = found(&[1, 2]);
            rows.insert((0, 2), changed);
            damage(&ledger(&[A, A]), &rows, &BTreeMap::new(), &counters)
        };
        let torn = CrashDamage { torn: 1, ..CrashDamage::default() };
        assert_eq!(with(FoundRow { is_intact: false, ..WHOLE }), torn);
        assert_eq!(with(FoundRow { copies: 0, ..WHOLE }), torn);
        assert_eq!(with(FoundRow { rows: 0, ..WHOLE }), torn);
        assert_eq!(with(FoundRow { copies: 2, ..WHOLE }), CrashDamage { duplicates: 1, ..CrashDamage::default() });
        let (rows, _) = found(&[1, 2]);
        let one_less = damage(&ledger(&[A, A]), &rows, &BTreeMap::new(), &BTreeMap::from([(0, 1)]));
        assert_eq!(one_less, CrashDamage { wrong_counters: 1, ..CrashDamage::default() });
    }

    /// The damage of one table.
    fn of_table(outcomes: TableOutcomes, found: FoundTable) -> (u64, u64) {
        let ledger = Ledger { rows: BTreeMap::new(), tables: BTreeMap::from([((0, 1), outcomes)]) };
        assert_eq!(ledger.attempted(), outcomes.all().count() as u64);
        let damage = damage(&ledger, &BTreeMap::new(), &BTreeMap::from([((0, 1), found)]), &BTreeMap::new());
        (damage.lost, damage.duplicates)
    }

    #[test]
    fn a_table_has_to_be_there_as_it_was_left() {
        let old = FoundTable { is_by_old_name: true, ..FoundTable::default() };
        let new = FoundTable { is_by_new_name: true, ..FoundTable::default() };
        let (gone, both) = (FoundTable::default(), FoundTable { is_by_new_name: true, ..old });
        let created = |outcome| TableOutcomes { created: Some(outcome), ..TableOutcomes::default() };
        let lost = |outcomes, cases: &[FoundTable]| -> Vec<u64> {
            cases.iter().map(|found| of_table(outcomes, *found).0).collect()
        };
        assert_eq!(lost(created(A), &[old, gone]), [0, 1]);
        assert_eq!(lost(created(U), &[old, gone]), [0, 0]);
        let renamed = |outcome| TableOutcomes { renamed: Some(outcome), ..created(A) };
        assert_eq!(lost(renamed(A), &[new, old, gone, both]), [0, 1, 1, 1]);
        assert_eq!(lost(renamed(U), &[new, old, gone]), [0, 0, 1]);
        let dropped = |outcome| TableOutcomes { dropped: Some(outcome), ..renamed(A) };
        assert_eq!(lost(dropped(A), &[gone, new]), [0, 1]);
        assert_eq!(lost(dropped(U), &[gone, new, old]), [0, 0, 1]);
        let emptied = |outcome| TableOutcomes { emptied: Some(outcome), ..renamed(A) };
        let full = FoundTable { rows: 1, ..new };
        assert_eq!((lost(emptied(A), &[new, full]), lost(emptied(U), &[new, full])), (vec![0, 1], vec![0, 0]));
        assert_eq!(of_table(renamed(U), both).1, 1);
    }

    #[test]
    fn an_earlier_fault_has_what_was_acknowledged_by_then_and_nothing_that_was_begun_later() {
        let record = |kind, number, device_seq| WitnessRecord {
            kind,
            object: WitnessObject::Row,
            client: 0,
            number,
            device_seq,
            mono_ns: 0,
        };
        // The changes 1 and 2 are those of the first commit, 3 and 4 those of the second.
        let records = vec![
            record(WitnessKind::Attempt, 1, 0),
            record(WitnessKind::Acknowledged, 1, 2),
            record(WitnessKind::Attempt, 2, 2),
            record(WitnessKind::Acknowledged, 2, 4),
            record(WitnessKind::Attempt, 3, 4),
        ];
        let witness = Witness { text: String::new(), records };
        let at = |change| Ledger::at(&witness, change).rows.into_values().collect::<Vec<Outcome>>();
        assert_eq!([at(1), at(2), at(3), at(4)], [vec![U], vec![A], vec![A, U], vec![A, A]]);
        assert_eq!(Ledger::of(&witness).rows.into_values().collect::<Vec<Outcome>>(), [A, A, U]);
    }
}

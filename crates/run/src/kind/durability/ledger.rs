//! The ledger: rows that several clients commit, each with a number of its own, and what of them is there afterwards.
//!
//! A commit writes a row with a key, the same number into a table without one, where a commit that was applied twice shows, and
//! raises the counter of its client.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use engine::{Column, ColumnType, Dialect, Durability, Node, OwnCheck, Session, Statement, Table, Value};
use model::durability::{FoundRow, FoundTable, Ledger, WitnessKind, WitnessObject};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::witness_file::WitnessFile;
use crate::Result;

/// The table with a key.
const ROWS: &str = "dbdyno_ledger";
/// The table without one.
const COPIES: &str = "dbdyno_ledger_copy";
/// The counters of clients.
const COUNTERS: &str = "dbdyno_ledger_counter";

/// Clients that commit.
pub(super) const CLIENTS: u32 = 4;

/// Tables that a client creates and changes, at most.
const TABLES_MAX: u64 = 12;

/// Characters of most payloads, and of one in `LONG_EVERY`.
const PAYLOAD: (u64, u64) = (200, 4_000);
const PAYLOAD_LONG: u64 = 50_000;
const LONG_EVERY: u64 = 32;

/// How long an answer may take that a fault leaves open.
pub(super) const ANSWER_MAX: Duration = Duration::from_secs(30);

/// Characters of a complaint of the engine that are kept.
const COMPLAINT_CHARACTERS_MAX: usize = 300;

/// Complaints that are kept.
const COMPLAINTS_MAX: usize = 5;

fn table(name: &str, columns: &[(&str, ColumnType)], key: &[&str]) -> Table {
    Table {
        name: name.to_owned(),
        columns: columns.iter().map(|(name, kind)| Column::new(*name, *kind)).collect(),
        key: key.iter().map(|name| (*name).to_owned()).collect(),
        indexes: Vec::new(),
        compressed: false,
        partitions: None,
        is_updated: false,
    }
}

fn tables() -> [Table; 3] {
    let (client, number) = (("client_id", ColumnType::Int), ("commit_number", ColumnType::Int));
    let payload = ("payload", ColumnType::Text { size: PAYLOAD_LONG as u32 });
    [
        // Keys of several columns are made with the table on some engines and by what ends a load on others.
        table(ROWS, &[client, number, payload], &["client_id", "commit_number"]),
        table(COPIES, &[client, number], &[]),
        table(COUNTERS, &[client, ("commits", ColumnType::Int)], &["client_id"]),
    ]
}

fn new_table(number: u64) -> Table {
    table(&format!("dbdyno_ledger_new_{number}"), &[("client_id", ColumnType::Int)], &[])
}

/// The name that such a table may get.
fn new_name(number: u64) -> String {
    format!("dbdyno_ledger_renamed_{number}")
}

/// What client `client` writes with its commit `number` of the crash with `seed`.
fn payload(seed: u64, client: u32, number: u64) -> String {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed ^ u64::from(client) << 48 ^ number);
    let length = match random.next_u64() % LONG_EVERY {
        0 => PAYLOAD_LONG,
        drawn => PAYLOAD.0 + drawn.wrapping_mul(random.next_u64()) % (PAYLOAD.1 - PAYLOAD.0),
    };
    let mut text = format!("{client}/{number} ");
    while (text.len() as u64) < length {
        text.push_str(&format!("{:016x}", random.next_u64()));
    }
    text.truncate(length as usize);
    text
}

/// Makes the tables anew, empty.
pub(super) fn reset(session: &mut dyn Session, dialect: &Dialect) -> Result<()> {
    for number in 1..=TABLES_MAX {
        batch(session, (dialect.drop)(&new_table(number).name))?;
        batch(session, (dialect.drop)(&new_name(number)))?;
    }
    for table in tables() {
        batch(session, (dialect.drop)(&table.name))?;
        batch(session, (dialect.create)(&table))?;
        batch(session, (dialect.finish)(&table))?;
    }
    let quoted = dialect.quoted;
    for client in 0..CLIENTS {
        let counters = quoted(COUNTERS);
        session.batch(&format!(
            "insert into {counters} ({}, {}) values ({client}, 0)",
            quoted("client_id"),
            quoted("commits")
        ))?;
    }
    Ok(())
}

fn batch(session: &mut dyn Session, statements: Vec<String>) -> Result<()> {
    Ok(statements.iter().try_for_each(|statement| session.batch(statement))?)
}

/// What a client does.
pub(super) struct Client<'a> {
    pub(super) session: Box<dyn Session>,
    /// Those of a commit, prepared before the load: the fault may come with its first moment.
    pub(super) statements: Vec<Statement>,
    pub(super) dialect: &'static Dialect,
    pub(super) client: u32,
    /// Seed of the crash.
    pub(super) seed: u64,
    pub(super) witness: &'a WitnessFile,
    /// How long it waits after the commit with this number.
    pub(super) pause: fn(u64) -> Duration,
    pub(super) stop: &'a AtomicBool,
}

/// Prepares the statements of a commit, in the order in which it executes them.
pub(super) fn prepare(session: &mut dyn Session, dialect: &Dialect) -> Result<Vec<Statement>> {
    let quoted = dialect.quoted;
    let at = |position| dialect.placeholder.at(position);
    let (client_id, number, commits) = (quoted("client_id"), quoted("commit_number"), quoted("commits"));
    let texts = [
        format!(
            "insert into {} ({client_id}, {number}, {}) values ({}, {}, {})",
            quoted(ROWS),
            quoted("payload"),
            at(1),
            at(2),
            at(3)
        ),
        format!("insert into {} ({client_id}, {number}) values ({}, {})", quoted(COPIES), at(1), at(2)),
        format!("update {} set {commits} = {commits} + 1 where {client_id} = {}", quoted(COUNTERS), at(1)),
    ];
    texts.iter().map(|text| Ok(session.prepare(text)?)).collect()
}

/// How a commit ended.
enum Ended {
    Acknowledged,
    RolledBack,
    Unknown(engine::Error),
}

impl Client<'_> {
    /// Commits rows until it is stopped, or a commit has no answer: that is the last one. Returns why it has none.
    pub(super) fn commit_rows(mut self) -> Result<Option<engine::Error>> {
        let object = WitnessObject::Row;
        for number in 1.. {
            if self.stop.load(Ordering::Relaxed) {
                break;
            }
            self.session.limit_waits(Some(ANSWER_MAX));
            self.witness.say(WitnessKind::Attempt, object, self.client, number)?;
            let ended = self.commit(number);
            let kind = match ended {
                Ended::Acknowledged => WitnessKind::Acknowledged,
                Ended::RolledBack => WitnessKind::RolledBack,
                Ended::Unknown(_) => WitnessKind::Unknown,
            };
            self.witness.say(kind, object, self.client, number)?;
            if let Ended::Unknown(error) = ended {
                return Ok(Some(error));
            }
            thread::sleep((self.pause)(number));
        }
        Ok(None)
    }

    fn commit(&mut self, number: u64) -> Ended {
        let (client, signed) = (Value::Int(self.client.into()), Value::Int(number as i64));
        let text = payload(self.seed, self.client, number);
        let binds: [Vec<Value<'_>>; 3] = [
            vec![client.clone(), signed.clone(), Value::Text(text.into())],
            vec![client.clone(), signed],
            vec![client],
        ];
        let (session, statements) = (self.session.as_mut(), &self.statements);
        let written = begin(session, self.dialect).and_then(|()| {
            statements
                .iter()
                .zip(&binds)
                .try_for_each(|(statement, binds)| session.execute(*statement, binds).map(drop))
        });
        match written {
            Ok(()) => session.commit().map_or_else(Ended::Unknown, |()| Ended::Acknowledged),
            // What was not asked to be committed is not there, if the session lives to say so.
            Err(error) if error.failure().is_some() && session.rollback().is_ok() => Ended::RolledBack,
            Err(error) => Ended::Unknown(error),
        }
    }

    /// Creates tables until it is stopped; of four one stays, one gets another name, one is emptied, and one gets another name and
    /// is dropped.
    pub(super) fn change_tables(mut self) -> Result<()> {
        let (dialect, quoted) = (self.dialect, self.dialect.quoted);
        for number in 1..=TABLES_MAX {
            let created = new_table(number);
            let (name, other) = (quoted(&created.name), quoted(&new_name(number)));
            let rename = (WitnessObject::Renamed, vec![format!("alter table {name} rename to {other}")]);
            let insert = format!("insert into {name} ({}) values (1)", quoted("client_id"));
            let empty = [vec![insert], (dialect.truncate)(&created.name)].concat();
            let mut steps = vec![(WitnessObject::Table, (dialect.create)(&created))];
            steps.extend(match number % 4 {
                1 => vec![],
                2 => vec![rename],
                3 => vec![(WitnessObject::Emptied, empty)],
                _ => vec![rename, (WitnessObject::Dropped, (dialect.drop)(&new_name(number)))],
            });
            for (object, statements) in steps {
                if self.stop.load(Ordering::Relaxed) {
                    return Ok(());
                }
                self.witness.say(WitnessKind::Attempt, object, self.client, number)?;
                let is_done = batch(self.session.as_mut(), statements).is_ok();
                let kind = if is_done { WitnessKind::Acknowledged } else { WitnessKind::Unknown };
                self.witness.say(kind, object, self.client, number)?;
                if !is_done {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

fn begin(session: &mut dyn Session, dialect: &Dialect) -> engine::Result<()> {
    match dialect.begin_writing {
        Some(statement) => session.batch(statement),
        None => session.begin(),
    }
}

/// What is there after a crash.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// By client and number; absent where the rows cannot be read.
    pub(super) rows: Option<BTreeMap<(u32, u64), FoundRow>>,
    pub(super) tables: BTreeMap<(u32, u64), FoundTable>,
    pub(super) counters: BTreeMap<u32, u64>,
    /// What the engine complains about.
    pub(super) complaints: Vec<String>,
    /// The error with which the session ended before all was read.
    pub(super) ended_with: Option<String>,
}

/// Reads what is there of `ledger`, all of it, and has the engine check what it has stored.
pub(super) fn find(
    node: &dyn Node,
    dialect: &Dialect,
    durability: &Durability,
    ledger: &Ledger,
    seed: u64,
) -> Result<Found> {
    find_by(node, dialect, durability.checks.iter(), ledger, seed)
}

/// The same with `checks` alone.
pub(super) fn find_by<'c>(
    node: &dyn Node,
    dialect: &Dialect,
    checks: impl Iterator<Item = &'c OwnCheck>,
    ledger: &Ledger,
    seed: u64,
) -> Result<Found> {
    let mut session = node.connect()?;
    let session = session.as_mut();
    let mut found = Found::default();
    match rows(session, dialect, seed) {
        Ok(rows) => found.rows = Some(rows),
        Err(error) => found.complain_of(&error),
    }
    match counters(session, dialect) {
        Ok(counters) => found.counters = counters,
        Err(error) => found.complain_of(&error),
    }
    for commit in ledger.tables.keys() {
        let [old, new] =
            [new_table(commit.1).name, new_name(commit.1)].map(|name| rows_of(session, &(dialect.quoted)(&name)));
        let there = FoundTable {
            is_by_old_name: old.is_some(),
            is_by_new_name: new.is_some(),
            rows: old.into_iter().chain(new).sum(),
        };
        found.tables.insert(*commit, there);
    }
    if found.rows.is_some() {
        for check in checks {
            if check.prepare.is_some_and(|statement| session.batch(statement).is_err()) {
                continue;
            }
            match session.query_text(&(check.statement)(ROWS)) {
                Ok(answer) => {
                    for row in answer.iter().filter(|row| !(check.is_fine)(row)) {
                        let said: Vec<String> = row.iter().map(ToString::to_string).collect();
                        found.complain(&said.join(" "));
                    }
                }
                Err(error) => found.complain_of(&error),
            }
        }
    }
    Ok(found)
}

impl Found {
    fn complain_of(&mut self, error: &engine::Error) {
        if error.kind == engine::Kind::Lost {
            self.ended_with.get_or_insert_with(|| kept(&error.message));
        }
        self.complain(&error.message);
    }

    fn complain(&mut self, said: &str) {
        if self.complaints.len() < COMPLAINTS_MAX {
            self.complaints.push(kept(said));
        }
    }
}

/// What is kept of a text of the engine.
pub(super) fn kept(said: &str) -> String {
    said.chars().take(COMPLAINT_CHARACTERS_MAX).collect()
}

/// Rows of a table; none where it is not there.
fn rows_of(session: &mut dyn Session, quoted: &str) -> Option<u64> {
    let answer = query(session, &format!("select count(*) from {quoted}")).ok()?;
    match answer.first()?.first()? {
        Value::Int(count) => u64::try_from(*count).ok(),
        _ => None,
    }
}

fn query(session: &mut dyn Session, text: &str) -> engine::Result<Vec<Vec<Value<'static>>>> {
    let statement = session.prepare(text)?;
    session.query(statement, &[])
}

fn rows(session: &mut dyn Session, dialect: &Dialect, seed: u64) -> engine::Result<BTreeMap<(u32, u64), FoundRow>> {
    let quoted = dialect.quoted;
    let (client_id, number) = (quoted("client_id"), quoted("commit_number"));
    let mut found: BTreeMap<(u32, u64), FoundRow> = BTreeMap::new();
    let with_text = format!("select {client_id}, {number}, {} from {}", quoted("payload"), quoted(ROWS));
    for row in query(session, &with_text)? {
        let Some(commit) = commit(&row) else { continue };
        let row_found = found.entry(commit).or_default();
        row_found.rows += 1;
        let expected = payload(seed, commit.0, commit.1);
        row_found.is_intact = matches!(row.get(2), Some(Value::Text(text)) if *text == expected);
    }
    for row in query(session, &format!("select {client_id}, {number} from {}", quoted(COPIES)))? {
        if let Some(commit) = commit(&row) {
            found.entry(commit).or_default().copies += 1;
        }
    }
    Ok(found)
}

fn counters(session: &mut dyn Session, dialect: &Dialect) -> engine::Result<BTreeMap<u32, u64>> {
    let quoted = dialect.quoted;
    let text = format!("select {}, {} from {}", quoted("client_id"), quoted("commits"), quoted(COUNTERS));
    Ok(query(session, &text)?.iter().filter_map(|row| commit(row)).collect())
}

/// The first two columns of a row.
fn commit(row: &[Value<'_>]) -> Option<(u32, u64)> {
    match row {
        [Value::Int(client), Value::Int(number), ..] => {
            Some((u32::try_from(*client).ok()?, u64::try_from(*number).ok()?))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_commit_has_a_text_of_its_own_that_can_be_made_again() {
        let texts: Vec<String> = (0..40).map(|number| payload(7, 1, number)).collect();
        assert_eq!(texts[3], payload(7, 1, 3));
        assert!(texts.iter().enumerate().all(|(at, text)| !texts[..at].contains(text)));
        assert!(texts.iter().all(|text| (PAYLOAD.0 as usize..=PAYLOAD_LONG as usize).contains(&text.len())));
    }
}

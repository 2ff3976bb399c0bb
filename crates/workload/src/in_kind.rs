//! A load in kind as a test: a mix whose roles have the rates of a production load.
//!
//! It is the text of a test file, so that it is planned, carried out by the agents of a fleet, resumed and shown as any other
//! test. Nothing of it but numbers comes from the load.

use std::fmt::Write;

use record::{LoadInKind, RoleInKind, StepInKind};

use crate::data::{letters, mix};
use crate::test::{Test, TestError};

/// The code of the test that a load in kind is.
pub const IN_KIND_CODE: &str = "K100";

/// The table into which commits insert.
const TABLE: &str = "kind_rows";
/// Keys of one job: its rows are beside each other, and those of two jobs are not.
const KEYS_OF_JOB: u64 = 1_000_000_000;
/// Parts of a row that is changed in some transactions.
const PARTS: f64 = 1_000.0;

/// What every such test has in common.
const HEAD: &str = r#"code    = "K100"
layer   = "database"
summary = "a production load in kind"
answers = "Whether the platform carries the rates of a production load, and how long its steps take at them."
not     = "The statements of that load: its reads are of rows by key, its commits insert and change single rows, and what else it computes is comparisons of rows."
cost    = "Changes the column touched of the large table, and inserts rows into a table that is dropped after each run."
limits  = """
An operation is a step of a role: a row read at random, rows read from the cache, rows read in order, rows compared with each
other, or a transaction.
Steps arrive at the rate of each role, and response times begin when a step was due. What a load asks in blocks is asked
in rows: how many of them reach the device depends on the cache, and is counted beside."""
unit       = "transaction"
operations = 1
sweep      = "jobs"
tries_max  = 20
"#;

impl Test {
    /// `load` as one test.
    ///
    /// # Errors
    /// Where its numbers make no test: what is wrong.
    pub fn of_load_in_kind(load: &LoadInKind) -> Result<Test, TestError> {
        Test::parse(&in_kind_text(load), IN_KIND_CODE)
    }
}

/// The test file of `load`.
pub fn in_kind_text(load: &LoadInKind) -> String {
    let mut text = HEAD.to_owned();
    let is = |of: fn(StepInKind) -> bool| load.roles.iter().any(|role| of(role.step));
    let has_large = is(|step| match step {
        StepInKind::RandomRead | StepInKind::Scan { .. } => true,
        StepInKind::Commit { changed_rows, .. } => changed_rows > 0.0,
        StepInKind::CachedRead { .. } | StepInKind::Compute { .. } => false,
    });
    let has_small = is(|step| matches!(step, StepInKind::CachedRead { .. } | StepInKind::Compute { .. }));
    let tables = [("small", has_small), ("large", has_large)];
    let tables: Vec<&str> = tables.iter().filter(|(_, is_used)| *is_used).map(|(name, _)| *name).collect();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "tables = {tables:?}");
    if is(|step| matches!(step, StepInKind::RandomRead | StepInKind::Scan { .. })) {
        text.push_str("cache = \"outside\"\n");
    }
    let commit = load.roles.iter().find_map(|role| match role.step {
        StepInKind::Commit { rows, row_bytes, .. } => Some((rows, row_bytes.0.max(1))),
        _ => None,
    });
    if let Some((rows, letters)) = commit {
        // How a commit is made up is among the parameters of its run; the first one is the number of rows so far.
        let _ = write!(text, "\n[param]\ninserted = 0\ninserted_each = {rows}\nletters_each = {letters}\n");
        let _ = write!(text, "\n[[table]]\nname = \"{TABLE}\"\ncolumns = [\"id int\", \"note text({letters})\"]\n");
        let _ = writeln!(text, "key = \"id\"");
    }
    for (index, role) in load.roles.iter().enumerate() {
        let RoleInKind { step, jobs, steps_per_second, .. } = role;
        let name = step.name();
        let _ = write!(text, "\n[[role]]\nname = \"{name}\"\n");
        // The last one has the jobs that the others leave.
        if index + 1 < load.roles.len() {
            let _ = writeln!(text, "jobs = {jobs}");
        }
        let _ = writeln!(text, "rate = {steps_per_second:?}");
        let _ = write!(text, "\n[[mix]]\nname = \"{name}\"\nrole = \"{name}\"\nscript = '''\n{}'''\n", script(*step));
    }
    text
}

fn script(step: StepInKind) -> String {
    match step {
        StepInKind::RandomRead => {
            "\\set row random(1, :large_rows)\nselect value from large where id = :row;\n".to_owned()
        }
        StepInKind::CachedRead { rows: 1 } => {
            "\\set row random(1, :small_rows)\nselect value from small where id = :row;\n".to_owned()
        }
        StepInKind::CachedRead { .. } => {
            "\\set group random(1, :small_groups)\nselect count(*), sum(value) from small \
                                          where scatter = :group;\n"
                .to_owned()
        }
        StepInKind::Scan { rows } => format!(
            "\\set first random(1, greatest(1, :large_rows - {rows}))\n\\set last :first + {rows} - 1\nselect count(*), \
             sum(value) from large where id between :first and :last;\n"
        ),
        StepInKind::Compute { rows } => compute(rows),
        StepInKind::Commit { rows, row_bytes, changed_rows } => commit(rows, row_bytes.0, changed_rows),
    }
}

/// Rows in order, so that few blocks are asked for, each held against each. Without `distinct` engines read the rows of one side
/// again for each row of the other.
fn compute(rows: u32) -> String {
    let side = "(select distinct id from small where id between :first and :last)";
    format!(
        "\\set first random(1, greatest(1, :small_rows - {rows}))\n\\set last :first + {rows} - 1\nselect count(*), max(a.id - b.id) \
         from {side} a, {side} b where a.id <> b.id;\n"
    )
}

fn commit(rows: u32, row_bytes: u64, changed_rows: f64) -> String {
    let mut text = "begin;\n".to_owned();
    let whole = changed_rows.floor();
    let change = "\\set row random(1, :large_rows)\nupdate large set touched = touched + 1 where id = :row;\n";
    (0..whole as u32).for_each(|_| text.push_str(change));
    let parts = ((changed_rows - whole) * PARTS).round() as u32;
    if parts > 0 {
        let _ = write!(text, "\\if random(1, {PARTS}) <= {parts}\n{change}\\endif\n");
    }
    let note = note(row_bytes);
    for _ in 0..rows {
        let _ = write!(
            text,
            "\\set inserted :inserted + 1\n\\set key :client_id * {KEYS_OF_JOB} + :inserted\ninsert into {TABLE} (id, \
             note) values (:key, '{note}');\n"
        );
    }
    text + "end;\n"
}

/// A text of so many letters, which no device makes much shorter.
fn note(count: u64) -> String {
    (0..count.div_ceil(8)).flat_map(|number| letters(mix(number))).take(count as usize).map(char::from).collect()
}

#[cfg(test)]
mod tests {
    use record::load_profile::LoadQuantity;
    use record::{Bytes, LoadLevel};

    use super::*;

    fn role(step: StepInKind, jobs: u32, steps_per_second: f64) -> RoleInKind {
        let quantity = LoadQuantity::CommitsPerSecond;
        RoleInKind { step, jobs, steps_per_second, quantity, asked_per_second: steps_per_second }
    }

    fn load(roles: Vec<RoleInKind>) -> LoadInKind {
        LoadInKind {
            level: LoadLevel::Peak,
            times: 1.0,
            sessions_told: None,
            sessions: roles.iter().map(|role| role.jobs).sum(),
            asked: Vec::new(),
            roles,
            left_out: Vec::new(),
            expected: Vec::new(),
        }
    }

    #[test]
    fn every_kind_of_step_is_a_role_with_its_rate() {
        let commit = StepInKind::Commit { rows: 2, row_bytes: Bytes(300), changed_rows: 1.25 };
        let steps = [
            StepInKind::RandomRead,
            StepInKind::CachedRead { rows: 320 },
            StepInKind::Scan { rows: 40 },
            StepInKind::Compute { rows: 100 },
            commit,
        ];
        let of = load(steps.iter().map(|step| role(*step, 2, 12.5)).collect());
        let test = Test::of_load_in_kind(&of).expect("a test");
        assert_eq!((test.code.as_str(), test.jobs_min(), test.changes()), (IN_KIND_CODE, 9, true));
        let scripts = test.any_scripts().expect("a mix");
        let rates: Vec<Option<f64>> = scripts.roles.iter().map(|role| role.rate).collect();
        assert_eq!(rates, [Some(12.5); 5]);
        let jobs: Vec<Option<u32>> = scripts.roles.iter().map(|role| role.jobs).collect();
        assert_eq!(jobs, [Some(2), Some(2), Some(2), Some(2), None]);
        let text = &scripts.scripts[4].text;
        assert_eq!((text.matches("insert into").count(), text.matches("update large").count()), (2, 2));
        assert!(text.contains("\\if random(1, 1000) <= 250"), "{text}");
    }

    #[test]
    fn a_load_that_only_reads_makes_no_table() {
        let test =
            Test::of_load_in_kind(&load(vec![role(StepInKind::CachedRead { rows: 1 }, 3, 5.0)])).expect("a test");
        assert!(!test.changes() && test.tables.len() == 1);
    }

    #[test]
    fn numbers_that_make_no_test_are_refused() {
        for rate in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Test::of_load_in_kind(&load(vec![role(StepInKind::RandomRead, 1, rate)])).is_err(), "{rate}");
        }
    }
}

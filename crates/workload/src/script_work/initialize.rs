//! The tables of pgbench's built-in scripts, made in the schema of dbdyno: branches, ten tellers and 100,000 accounts of each,
//! and an empty history, with the columns of pgbench's documentation ("Initialization").

use engine::{Error, Result, Session, Table};

use crate::test_context::TestContext;

/// The largest scale factor: the numbers of accounts fit a column of 32 bits.
pub const SCALE_MAX: u32 = 20_000;

const TABLES: [(&str, &str); 4] = [
    ("pgbench_branches", "bid int not null primary key, bbalance int, filler char(88)"),
    ("pgbench_tellers", "tid int not null primary key, bid int, tbalance int, filler char(84)"),
    ("pgbench_accounts", "aid int not null primary key, bid int, abalance int, filler char(84)"),
    ("pgbench_history", "tid int, bid int, aid int, delta int, mtime timestamp, filler char(22)"),
];

/// Makes the tables anew, with `scale` branches.
pub(crate) fn initialize(context: &TestContext<'_>, scale: u32) -> Result<()> {
    let mut session = context.node.connect()?;
    let dialect = context.engine.dialect();
    for (name, columns) in TABLES {
        (dialect.drop)(name).iter().try_for_each(|statement| session.batch(statement))?;
        let created = session.batch(&format!("create table {name} ({columns})"));
        created.map_err(|error| of_table(error, name))?;
    }
    (1..=scale)
        .try_for_each(|branch| fill(session.as_mut(), branch).map_err(|error| of_table(error, "pgbench_accounts")))?;
    for (name, _) in TABLES {
        let table = Table {
            name: name.to_owned(),
            columns: Vec::new(),
            key: Vec::new(),
            indexes: Vec::new(),
            compressed: false,
            partitions: None,
            is_updated: true,
        };
        (dialect.finish)(&table).iter().try_for_each(|statement| session.batch(statement))?;
    }
    Ok(())
}

fn of_table(error: Error, name: &str) -> Error {
    Error { message: format!("table {name} of pgbench: {}", error.message), ..error }
}

/// One branch, with what belongs to it, in one transaction.
fn fill(session: &mut dyn Session, branch: u32) -> Result<()> {
    let statements = statements(branch);
    session.begin()?;
    let filled = statements.iter().try_for_each(|statement| session.batch(statement));
    match filled {
        Ok(()) => session.commit(),
        Err(error) => {
            // The first error is the one to report.
            let _ = session.rollback();
            Err(error)
        }
    }
}

/// The statements that fill in a branch. Their numbers are made of digits, because no function that counts is known to every
/// engine.
fn statements(branch: u32) -> [String; 3] {
    let before = i64::from(branch) - 1;
    let each: Vec<String> = (0..10).map(|digit| format!("select {digit} as d")).collect();
    let digits = each.join(" union all ");
    let of = |place: char| format!("({digits}) {place}");
    let places: Vec<String> = "abcef".chars().map(of).collect();
    [
        format!("insert into pgbench_branches (bid, bbalance) values ({branch}, 0)"),
        format!(
            "insert into pgbench_tellers (tid, bid, tbalance) select {} + a.d, {branch}, 0 from {} order by 1",
            before * 10 + 1,
            of('a')
        ),
        format!(
            "insert into pgbench_accounts (aid, bid, abalance, filler) \
             select {} + a.d + 10 * b.d + 100 * c.d + 1000 * e.d + 10000 * f.d, {branch}, 0, '' from {} order by 1",
            before * 100_000 + 1,
            places.join(" cross join ")
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_a_branch_follow_those_of_the_one_before() {
        let [branch, tellers, accounts] = statements(3);
        assert!(branch.contains("values (3, 0)"));
        assert!(tellers.contains("select 21 + a.d, 3, 0"));
        assert!(accounts.contains("select 200001 + a.d"));
        assert!(statements(SCALE_MAX)[2].contains("select 1999900001 + a.d"));
    }
}

//! Plans of statements.

use dbdyno_engine_postgres::POSTGRES;
use engine::{Engine, Session, Value};

use engine_kit::Fixture;
use engine_kit::session::{Rows, ask, make};

pub fn parallel_plans_get_the_requested_threads(fixture: &Fixture) {
    let mut session = fixture.session();
    make(fixture, &mut *session, "wide");
    session.bulk("wide", &mut Rows::new(20_000, |id, sink| sink.decimal(id, 2))).expect("bulk");
    session.batch("analyze wide").expect("analyze");
    for (threads, expected) in [(1, 0), (2, 1), (5, 4), (1, 0)] {
        for sql in (POSTGRES.dialect().threads)(threads) {
            session.batch(&sql).unwrap_or_else(|error| panic!("{sql}: {error:?}"));
        }
        let plan = plan(&mut *session, "select count(*), sum(\"order\") from wide");
        let planned = plan.lines().find_map(|line| line.trim().strip_prefix("Workers Planned: "));
        assert_eq!(planned.map_or(0, |workers| workers.parse().expect("a number")), expected, "{plan}");
    }
}

pub fn single_blocks_are_read_by_the_index(fixture: &Fixture) {
    let mut session = fixture.session();
    session.batch("create index wide_id on wide (id)").expect("create index");
    let sql = "select \"order\" from wide where id between 5 and 15000";
    for statement in POSTGRES.dialect().single_block_reads {
        session.batch(statement).expect(statement);
    }
    let plan = plan(&mut *session, sql);
    assert!(plan.trim_start().starts_with("Index Scan using wide_id"), "{plan}");
}

fn plan(session: &mut dyn Session, sql: &str) -> String {
    let lines = ask(session, &format!("explain {sql}"));
    lines.iter().flatten().fold(String::new(), |plan, line| match line {
        Value::Text(line) => plan + line + "\n",
        other => panic!("{other:?}"),
    })
}

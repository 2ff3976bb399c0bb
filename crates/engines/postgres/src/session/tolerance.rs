//! What PostgreSQL's relatives say otherwise: words of the dialect that they need not know, and what is said instead.

use std::borrow::Cow;

use engine::Error;

/// What is said instead of `sql`, which the server refused with `error`; nothing where it may be left out. None where
/// the refusal stands.
pub(super) fn instead<'a>(sql: &'a str, error: &Error) -> Option<Cow<'a, str>> {
    match error.code.as_deref()? {
        // A setting that is not there, or that cannot be changed here.
        "42704" | "55P02" | "42501" | "0A000" | "22023" if is_setting(sql) => Some(Cow::Borrowed("")),
        "42601" | "0A000" | "22023" | "42704" => without_care(sql),
        _ => None,
    }
}

fn is_setting(sql: &str) -> bool {
    sql.starts_with("set ") || sql.starts_with("select set_config(")
}

/// Tables that are not vacuumed, or that know no number of workers of their own.
fn without_care(sql: &str) -> Option<Cow<'_, str>> {
    if let Some(table) = sql.strip_prefix("vacuum (freeze, analyze) ") {
        return Some(Cow::Owned(format!("analyze {table}")));
    }
    let (table, _) = sql.rsplit_once(" with (parallel_workers = ")?;
    table.starts_with("create table ").then_some(Cow::Borrowed(table))
}

#[cfg(test)]
mod tests {
    use engine::Kind;
    use engine_kit::sample;

    use super::*;
    use crate::dialect::DIALECT;

    fn refused(code: &str) -> Error {
        Error::new(Kind::Statement, "no").code(code)
    }

    #[test]
    fn every_word_of_the_dialect_that_a_relative_may_lack_has_another_or_is_left_out() {
        for table in [sample::table("item"), sample::table_in_parts("item")] {
            for sql in (DIALECT.create)(&table).iter().filter(|sql| sql.contains("parallel_workers")) {
                let plain = instead(sql, &refused("22023")).expect("another way");
                assert!(sql.starts_with(&*plain) && !plain.contains("parallel_workers"), "{plain}");
            }
            let finish = (DIALECT.finish)(&table);
            let vacuum = finish.last().expect("a vacuum");
            assert_eq!(instead(vacuum, &refused("42601")).expect("another way"), "analyze \"item\"");
        }
        let settings = (DIALECT.threads)(4);
        let single = DIALECT.single_block_reads.iter().map(|sql| (*sql).to_owned());
        for sql in settings.into_iter().chain(single) {
            assert_eq!(instead(&sql, &refused("42704")).expect(&sql), "", "{sql}");
        }
    }

    #[test]
    fn every_other_refusal_stands() {
        let (create, vacuum) = ("create table a (b int8) with (parallel_workers = 9)", "vacuum (freeze, analyze) a");
        for (sql, code) in
            [("select 1", "42601"), (create, "42P07"), (create, "42501"), (vacuum, "42P01"), ("set a = b", "57014")]
        {
            assert_eq!(instead(sql, &refused(code)), None, "{sql} {code}");
        }
        assert_eq!(instead("set a = b", &Error::new(Kind::Lost, "gone")), None);
    }
}

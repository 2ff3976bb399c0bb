//! Alternatives for statements of the dialect that a PostgreSQL-compatible server does not support.

use std::borrow::Cow;

use engine::Error;

/// The alternative for `sql`, which the server rejected with `error`; empty if it may be omitted. `None` if the error
/// stands.
pub(super) fn alternative<'a>(sql: &'a str, error: &Error) -> Option<Cow<'a, str>> {
    match error.code.as_deref()? {
        // A missing setting, or one that cannot be changed.
        "42704" | "55P02" | "42501" | "0A000" | "22023" if is_setting(sql) => Some(Cow::Borrowed("")),
        "42601" | "0A000" | "22023" | "42704" => without_maintenance(sql),
        _ => None,
    }
}

fn is_setting(sql: &str) -> bool {
    sql.starts_with("set ") || sql.starts_with("select set_config(")
}

/// For servers without vacuum, or without the storage parameter `parallel_workers`.
fn without_maintenance(sql: &str) -> Option<Cow<'_, str>> {
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

    fn rejected(code: &str) -> Error {
        Error::new(Kind::Statement, "no").code(code)
    }

    #[test]
    fn unsupported_statements_have_an_alternative_or_are_omitted() {
        for table in [sample::table("item"), sample::partitioned_table("item")] {
            for sql in (DIALECT.create)(&table).iter().filter(|sql| sql.contains("parallel_workers")) {
                let simple = alternative(sql, &rejected("22023")).expect("an alternative");
                assert!(sql.starts_with(&*simple) && !simple.contains("parallel_workers"), "{simple}");
            }
            let finish = (DIALECT.finish)(&table);
            let vacuum = finish.last().expect("a vacuum");
            assert_eq!(alternative(vacuum, &rejected("42601")).expect("an alternative"), "analyze \"item\"");
        }
        let settings = (DIALECT.threads)(4);
        let single = DIALECT.single_block_reads.iter().map(|sql| (*sql).to_owned());
        for sql in settings.into_iter().chain(single) {
            assert_eq!(alternative(&sql, &rejected("42704")).expect(&sql), "", "{sql}");
        }
    }

    #[test]
    fn every_other_error_stands() {
        let (create, vacuum) = ("create table a (b int8) with (parallel_workers = 9)", "vacuum (freeze, analyze) a");
        for (sql, code) in
            [("select 1", "42601"), (create, "42P07"), (create, "42501"), (vacuum, "42P01"), ("set a = b", "57014")]
        {
            assert_eq!(alternative(sql, &rejected(code)), None, "{sql} {code}");
        }
        assert_eq!(alternative("set a = b", &Error::new(Kind::Lost, "gone")), None);
    }
}

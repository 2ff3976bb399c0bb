//! The list of engines.

use base::similar;
use engine::{Engine, Target, shown};
use run::{Error, Result};

/// All engines, in the order of `dbdyno list engines`.
pub const ENGINES: &[&dyn Engine] = &[
    &sqlite::SQLITE,
    &duckdb::DUCKDB,
    &postgres::POSTGRES,
    &mysql::MARIADB,
    &mysql::MYSQL,
    #[cfg(feature = "oracle")]
    &oracle::ORACLE,
    &engine::null::NULL,
];

/// Names by which people call an engine, and the scheme that is meant.
const ALIASES: [(&str, &str); 9] = [
    ("pg", "postgres"),
    ("pgsql", "postgres"),
    ("psql", "postgres"),
    ("cockroachdb", "postgres"),
    ("yugabyte", "postgres"),
    ("timescaledb", "postgres"),
    ("galera", "mariadb"),
    ("percona", "mysql"),
    ("sqlite3", "sqlite"),
];

/// The engine of `target`.
///
/// # Errors
/// For a scheme that no engine has.
pub fn engine(target: &Target) -> Result<&'static dyn Engine> {
    find(&target.scheme)
        .ok_or_else(|| Error::user(format!("engine {} is not known", shown(&target.scheme))).hint(hint(target)))
}

/// Whether two engines speak to the same servers: a node that one of them opened may be joined by the other.
pub fn is_of_one_kind(one: &dyn Engine, other: &dyn Engine) -> bool {
    let is_either = |engine: &dyn Engine| [mysql::MARIADB.name(), mysql::MYSQL.name()].contains(&engine.name());
    one.name() == other.name() || (is_either(one) && is_either(other))
}

/// The name of an engine in the semantic conventions of OpenTelemetry (`db.system.name`).
pub fn system_name(engine: &dyn Engine) -> &'static str {
    match engine.name() {
        "postgres" => "postgresql",
        "oracle" => "oracle.db",
        other => other,
    }
}

/// The target in a string of an engine's own client, if `text` is one.
pub fn of_keywords(text: &str) -> Option<engine::Result<Target>> {
    postgres::keywords::of(text)
}

/// Whether an engine has this scheme.
pub fn is_scheme(scheme: &str) -> bool {
    find(scheme).is_some()
}

fn find(scheme: &str) -> Option<&'static dyn Engine> {
    ENGINES.iter().find(|engine| engine.about().schemes.contains(&scheme) || engine.name() == scheme).copied()
}

/// What may be meant by the unknown scheme of `target`.
fn hint(target: &Target) -> String {
    let scheme = target.scheme.to_ascii_lowercase();
    if let Some((before, driver)) = scheme.split_once('+').filter(|(before, _)| is_scheme(before)) {
        return format!("leave out +{driver}: {before}");
    }
    let known = ENGINES.iter().flat_map(|engine| engine.about().schemes.iter().copied().chain([engine.name()]));
    let near = similar(&scheme, known).first().copied();
    let alias = ALIASES.iter().find(|(name, _)| *name == scheme).map(|(_, meant)| *meant);
    let meant = alias.or(near).map(|meant| format!("did you mean {meant}? "));
    let names: Vec<&str> = ENGINES.iter().map(|engine| engine.name()).collect();
    format!("{}known engines are {}; a local server is local:NAME", meant.unwrap_or_default(), names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_meant_by_a_scheme_is_told() {
        for (target, word) in [
            ("postgresql+psycopg2://me@db1/shop", "leave out +psycopg2: postgresql"),
            ("mysql+pymysql://me@db1/shop", "leave out +pymysql: mysql"),
            ("postgre://me@db1/shop", "did you mean postgres?"),
            ("postgresq", "did you mean postgres"),
            ("pg://me@db1/shop", "did you mean postgres?"),
            ("maria", "did you mean mariadb?"),
            ("mongodb://db1", "known engines are"),
        ] {
            let Err(error) = engine(&target.parse().expect(target)) else { panic!("{target} is known") };
            assert!(error.hint.as_deref().is_some_and(|hint| hint.starts_with(word)), "{target}: {error:?}");
        }
    }
}

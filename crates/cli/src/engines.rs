//! The list of engines.

use engine::{Engine, Target};
use run::{Error, Result};

/// All engines, in the order of `dbdyno list engines`.
pub const ENGINES: &[&dyn Engine] = &[
    &sqlite::SQLITE,
    &duckdb::DUCKDB,
    &postgres::POSTGRES,
    &mysql::MARIADB,
    &mysql::MYSQL,
    &oracle::ORACLE,
    &engine::null::NULL,
];

/// The engine of `target`.
///
/// # Errors
/// For a scheme that no engine has.
pub fn engine(target: &Target) -> Result<&'static dyn Engine> {
    let known = |engine: &&&dyn Engine| {
        engine.schemes().contains(&target.scheme.as_str()) || engine.name() == target.scheme.as_str()
    };
    ENGINES.iter().find(known).copied().ok_or_else(|| {
        let names: Vec<&str> = ENGINES.iter().map(|engine| engine.name()).collect();
        Error::user(format!("engine {} is not known", target.scheme))
            .hint(format!("known engines are {}; a local server is local:NAME", names.join(", ")))
    })
}

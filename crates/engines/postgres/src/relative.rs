//! What speaks PostgreSQL's protocol, and is PostgreSQL or one of its relatives.
//!
//! A relative says so itself, each in its own way. What it can do is asked of it ([`crate::ability`]); here stands only
//! what it is called, and where its nodes are.
//!
//! Sources: CockroachDB, "Client Connection Parameters" and "crdb_internal"; YugabyteDB, "yb_servers()"; Citus,
//! "Metadata tables reference"; openGauss, "version()"; Amazon Aurora, "aurora_version".

use engine::{Result, Value};

use crate::session::PostgresSession;

/// Who answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Relative {
    /// PostgreSQL itself.
    #[default]
    None,
    Aurora,
    Citus,
    CockroachDb,
    OpenGauss,
    YugabyteDb,
}

/// A relative and its own version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Identified {
    pub(crate) relative: Relative,
    /// As the relative says it; none where it has none of its own.
    pub(crate) version: Option<String>,
}

impl Relative {
    /// Name as its makers write it.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Relative::None => "PostgreSQL",
            Relative::Aurora => "Amazon Aurora PostgreSQL",
            Relative::Citus => "PostgreSQL with Citus",
            Relative::CockroachDb => "CockroachDB",
            Relative::OpenGauss => "openGauss",
            Relative::YugabyteDb => "YugabyteDB",
        }
    }

    /// Whether it stores its tables and its log as PostgreSQL does, so that PostgreSQL's settings tell how.
    pub(crate) fn stores_alike(self) -> bool {
        matches!(self, Relative::None | Relative::Citus | Relative::OpenGauss)
    }

    /// Where its nodes are, as a statement with rows of a host and a port; either may be null. Standbys of PostgreSQL
    /// listen on the port of the one that was asked, as far as that knows.
    pub(crate) fn nodes(self) -> &'static str {
        match self {
            Relative::CockroachDb => {
                "select split_part(advertise_sql_address, ':', 1), split_part(advertise_sql_address, ':', 2)::int8 \
                 from crdb_internal.gossip_nodes where is_live order by node_id"
            }
            Relative::YugabyteDb => "select host::text, port::int8 from yb_servers() order by 1, 2",
            Relative::Citus => {
                "select nodename::text, nodeport::int8 from pg_catalog.pg_dist_node \
                 where isactive and noderole = 'primary' order by groupid"
            }
            Relative::None | Relative::Aurora | Relative::OpenGauss => {
                "select pg_catalog.host(client_addr), null::int8 from pg_catalog.pg_stat_replication \
                 where state = 'streaming' and application_name <> 'pg_basebackup' order by 1"
            }
        }
    }
}

/// What `version()` says, understood.
fn of_version(said: &str) -> Identified {
    let word = |mark: &str| {
        let rest = said.split_once(mark)?.1;
        rest.split([' ', ',', ')'])
            .find(|word| word.starts_with(|letter: char| letter == 'v' || letter.is_ascii_digit()))
    };
    let found = |relative, version: Option<&str>| Identified { relative, version: version.map(str::to_owned) };
    if said.contains("CockroachDB") {
        found(Relative::CockroachDb, word("CockroachDB"))
    } else if said.contains("-YB-") {
        found(Relative::YugabyteDb, word("-YB-"))
    } else if said.contains("openGauss") {
        found(Relative::OpenGauss, word("openGauss"))
    } else {
        Identified::default()
    }
}

/// Asks the server who it is.
///
/// # Errors
/// Where the session is lost.
pub(crate) fn identify(session: &mut PostgresSession) -> Result<Identified> {
    let mut said = session.server().crdb_version.clone().unwrap_or_default();
    if said.is_empty() {
        said = first_text(session, "select pg_catalog.version()")?.unwrap_or_default();
    }
    let found = of_version(&said);
    if found.relative != Relative::None {
        return Ok(found);
    }
    // The rest says that it is PostgreSQL, and has something beside it.
    let beside = session.ask_if_known(
        "select exists (select from pg_catalog.pg_proc where proname = 'aurora_version' \
         and pronamespace = 'pg_catalog'::pg_catalog.regnamespace), \
         (select extversion::text from pg_catalog.pg_extension where extname = 'citus')",
    )?;
    Ok(match beside.as_deref() {
        Some([row]) if row.first() == Some(&Value::Int(1)) => {
            let version = first_text(session, "select pg_catalog.aurora_version()::text")?;
            Identified { relative: Relative::Aurora, version }
        }
        Some([row]) => match row.get(1) {
            Some(Value::Text(version)) => {
                Identified { relative: Relative::Citus, version: Some(version.clone().into_owned()) }
            }
            _ => found,
        },
        _ => found,
    })
}

/// The first value of a statement that need not be known, where it is a text.
fn first_text(session: &mut PostgresSession, sql: &str) -> Result<Option<String>> {
    let rows = session.ask_if_known(sql)?.unwrap_or_default();
    Ok(match rows.first().and_then(|row| row.first()) {
        Some(Value::Text(text)) => Some(text.clone().into_owned()),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_relative_is_known_by_what_it_says() {
        let cases = [
            ("PostgreSQL 15.18 (Debian 15.18-0+deb12u1) on x86_64-pc-linux-gnu, compiled by gcc", Relative::None, None),
            (
                "CockroachDB CCL v23.1.11 (x86_64-pc-linux-gnu, built 2023/09/27)",
                Relative::CockroachDb,
                Some("v23.1.11"),
            ),
            ("PostgreSQL 11.2-YB-2.20.1.0-b0 on x86_64-pc-linux-gnu", Relative::YugabyteDb, Some("2.20.1.0-b0")),
            ("(openGauss 5.0.0 build a07d57c3) compiled at 2023-03-29", Relative::OpenGauss, Some("5.0.0")),
            ("(openGauss-lite 5.0.0 build a07d57c3) compiled at 2023-03-29", Relative::OpenGauss, Some("5.0.0")),
            ("CockroachDB", Relative::CockroachDb, None),
            ("", Relative::None, None),
        ];
        for (said, relative, version) in cases {
            assert_eq!(of_version(said), Identified { relative, version: version.map(str::to_owned) }, "{said}");
        }
    }

    proptest! {
        #[test]
        fn no_version_is_too_strange(said in "\\PC*", mark in "(CockroachDB|-YB-|openGauss)") {
            let _ = of_version(&format!("{said}{mark}{said}"));
        }
    }
}

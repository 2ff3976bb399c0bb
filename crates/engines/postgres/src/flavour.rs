//! PostgreSQL and PostgreSQL-compatible servers.
//!
//! Each flavour is detected in its own way. Capabilities are detected separately ([`crate::capability`]); this module
//! contains only the name, and how to list the nodes.
//!
//! Sources: CockroachDB, "Client Connection Parameters" and "crdb_internal"; YugabyteDB, "yb_servers()"; Citus,
//! "Metadata tables reference"; openGauss, "version()"; Amazon Aurora, "aurora_version".

use engine::{Result, Value};

use crate::session::PostgresSession;

/// Flavour of a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Flavour {
    /// PostgreSQL itself.
    #[default]
    None,
    Aurora,
    Citus,
    CockroachDb,
    OpenGauss,
    YugabyteDb,
}

/// A flavour and its version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Identified {
    pub(crate) flavour: Flavour,
    /// As the server reports it; `None` for PostgreSQL itself.
    pub(crate) version: Option<String>,
}

impl Flavour {
    /// Product name.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Flavour::None => "PostgreSQL",
            Flavour::Aurora => "Amazon Aurora PostgreSQL",
            Flavour::Citus => "PostgreSQL with Citus",
            Flavour::CockroachDb => "CockroachDB",
            Flavour::OpenGauss => "openGauss",
            Flavour::YugabyteDb => "YugabyteDB",
        }
    }

    /// Whether it stores tables and WAL like PostgreSQL, so that PostgreSQL's settings apply.
    pub(crate) fn has_postgres_storage(self) -> bool {
        matches!(self, Flavour::None | Flavour::Citus | Flavour::OpenGauss)
    }

    /// A statement that lists the nodes as rows of host and port; either may be null. Standbys of PostgreSQL are
    /// assumed to listen on the same port as the primary.
    pub(crate) fn nodes(self) -> &'static str {
        match self {
            Flavour::CockroachDb => {
                "select split_part(advertise_sql_address, ':', 1), split_part(advertise_sql_address, ':', 2)::int8 \
                 from crdb_internal.gossip_nodes where is_live order by node_id"
            }
            Flavour::YugabyteDb => "select host::text, port::int8 from yb_servers() order by 1, 2",
            Flavour::Citus => {
                "select nodename::text, nodeport::int8 from pg_catalog.pg_dist_node \
                 where isactive and noderole = 'primary' order by groupid"
            }
            Flavour::None | Flavour::Aurora | Flavour::OpenGauss => {
                "select pg_catalog.host(client_addr), null::int8 from pg_catalog.pg_stat_replication \
                 where state = 'streaming' and application_name <> 'pg_basebackup' order by 1"
            }
        }
    }
}

/// Parses the result of `version()`.
fn of_version(text: &str) -> Identified {
    let word = |mark: &str| {
        let rest = text.split_once(mark)?.1;
        rest.split([' ', ',', ')'])
            .find(|word| word.starts_with(|letter: char| letter == 'v' || letter.is_ascii_digit()))
    };
    let found = |flavour, version: Option<&str>| Identified { flavour, version: version.map(str::to_owned) };
    if text.contains("CockroachDB") {
        found(Flavour::CockroachDb, word("CockroachDB"))
    } else if text.contains("-YB-") {
        found(Flavour::YugabyteDb, word("-YB-"))
    } else if text.contains("openGauss") {
        found(Flavour::OpenGauss, word("openGauss"))
    } else {
        Identified::default()
    }
}

/// Detects the flavour of the server.
pub(crate) fn identify(session: &mut PostgresSession) -> Result<Identified> {
    let mut text = session.server().crdb_version.clone().unwrap_or_default();
    if text.is_empty() {
        text = first_text(session, "select pg_catalog.version()")?.unwrap_or_default();
    }
    let found = of_version(&text);
    if found.flavour != Flavour::None {
        return Ok(found);
    }
    // The others report the version of PostgreSQL, and have additional functions.
    let additional = session.query_if_supported(
        "select exists (select from pg_catalog.pg_proc where proname = 'aurora_version' \
         and pronamespace = 'pg_catalog'::pg_catalog.regnamespace), \
         (select extversion::text from pg_catalog.pg_extension where extname = 'citus')",
    )?;
    Ok(match additional.as_deref() {
        Some([row]) if row.first() == Some(&Value::Int(1)) => {
            let version = first_text(session, "select pg_catalog.aurora_version()::text")?;
            Identified { flavour: Flavour::Aurora, version }
        }
        Some([row]) => match row.get(1) {
            Some(Value::Text(version)) => {
                Identified { flavour: Flavour::Citus, version: Some(version.clone().into_owned()) }
            }
            _ => found,
        },
        _ => found,
    })
}

/// The first value of a query that need not be supported, if it is a text.
fn first_text(session: &mut PostgresSession, sql: &str) -> Result<Option<String>> {
    let rows = session.query_if_supported(sql)?.unwrap_or_default();
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
    fn a_flavour_is_detected_by_its_version_text() {
        let cases = [
            ("PostgreSQL 15.18 (Debian 15.18-0+deb12u1) on x86_64-pc-linux-gnu, compiled by gcc", Flavour::None, None),
            (
                "CockroachDB CCL v23.1.11 (x86_64-pc-linux-gnu, built 2023/09/27)",
                Flavour::CockroachDb,
                Some("v23.1.11"),
            ),
            ("PostgreSQL 11.2-YB-2.20.1.0-b0 on x86_64-pc-linux-gnu", Flavour::YugabyteDb, Some("2.20.1.0-b0")),
            ("(openGauss 5.0.0 build a07d57c3) compiled at 2023-03-29", Flavour::OpenGauss, Some("5.0.0")),
            ("(openGauss-lite 5.0.0 build a07d57c3) compiled at 2023-03-29", Flavour::OpenGauss, Some("5.0.0")),
            ("CockroachDB", Flavour::CockroachDb, None),
            ("", Flavour::None, None),
        ];
        for (text, flavour, version) in cases {
            assert_eq!(of_version(text), Identified { flavour, version: version.map(str::to_owned) }, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_version_text_panics(text in "\\PC*", mark in "(CockroachDB|-YB-|openGauss)") {
            let _ = of_version(&format!("{text}{mark}{text}"));
        }
    }
}

//! Targets that an agent is told by its coordinator: servers of the engine that was named when it was started, with the parameters
//! that were named. Addresses are those of the coordinator: the nodes of a cluster are not known before it is asked.

use engine::Target;
use run::{Error, Result};

use crate::engines::{engine, is_of_one_kind};

/// Parameters that say where a server is and which nodes it has, or what the engine without a database returns. Every
/// other one of a node is that of the target that was named: a library, an encryption, a password in clear text.
const PLACES: [&str; 7] = ["host", "hostaddr", "port", "socket", "nodes", "target_session_attrs", "rows"];

/// The target of a node in `text`, where `named` is the one that was named when the agent was started.
///
/// # Errors
/// For a target of another engine, and for one that asks for what was not named.
pub fn agent_target(text: &str, named: Option<&str>) -> Result<Target> {
    let parsed = |text: &str| text.parse::<Target>().map_err(|error| Error::environment(error.to_string()));
    let named = named.ok_or_else(|| Error::environment("no target was named when the agent was started"))?;
    let (target, named) = (parsed(text)?, parsed(named)?);
    if !is_of_one_kind(engine(&target)?, engine(&named)?) || target.local {
        let message = format!("{target} is no node of {named}, which was named when the agent was started");
        return Err(Error::environment(message));
    }
    // A temporary server is set up by parameters, which its nodes do not have.
    let of_named = if named.local { &[][..] } else { &named.parameters };
    let names = target.parameters.iter().chain(of_named).map(|(name, _)| name.as_str());
    match names.filter(|name| !PLACES.contains(name)).find(|name| values(&target, name) != values(&named, name)) {
        // A value may be a password.
        Some(name) => Err(Error::environment(format!(
            "parameter {name} of a node of {named} is not what was named when the agent was started"
        ))),
        None => Ok(target),
    }
}

/// The values of the parameter `name`.
fn values<'a>(target: &'a Target, name: &str) -> Vec<&'a str> {
    let of_name = target.parameters.iter().filter(|(known, _)| known == name);
    of_name.map(|(_, value)| value.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_of_the_named_target_is_taken() {
        for (text, named) in [
            ("null?rows=10", "null"),
            ("postgres://me@%2Ftmp%2Fx:5432/bench", "local:postgres?shared_buffers=1G"),
            ("mysql://me@/bench?socket=%2Ftmp%2Fx", "local:mysql"),
            ("mysql://me@/bench?socket=%2Ftmp%2Fx", "local:mariadb"),
            (
                "postgres://me@h2/shop?sslmode=require&hostaddr=10.0.0.2",
                "postgres://me@h1,h2/shop?nodes=all&sslmode=require",
            ),
            ("mariadb://me@h1/shop?enable_cleartext_plugin=1", "mariadb://me@h1/shop?enable_cleartext_plugin=1"),
        ] {
            let target = agent_target(text, Some(named));
            assert_eq!(target.expect(text).to_string(), text.parse::<Target>().expect(text).to_string());
        }
    }

    #[test]
    fn what_was_not_named_is_refused() {
        for (text, named) in [
            ("duckdb?library=/tmp/evil.so", Some("postgres://me@h1/shop")),
            ("duckdb?library=/tmp/evil.so", Some("duckdb")),
            ("duckdb?library=/tmp/evil.so", None),
            ("sqlite", Some("null")),
            ("null", None),
            ("local:postgres", Some("local:postgres")),
            ("mariadb://a/b?sslmode=require&enable_cleartext_plugin=1", Some("mariadb://a/b?sslmode=require")),
            ("postgres://h1/shop?sslmode=disable", Some("postgres://h1/shop?sslmode=verify-full")),
            ("postgres://h1/shop?sslmode=verify-full&sslmode=disable", Some("postgres://h1/shop?sslmode=verify-full")),
            ("postgres://h1/shop", Some("postgres://h1/shop?sslmode=verify-full")),
            ("oracle://h1/shop?wallet_location=/etc", Some("oracle://h1/shop")),
            ("@/etc/shadow", Some("postgres://h1/shop")),
            ("nothing://h1", Some("postgres://h1/shop")),
        ] {
            assert!(agent_target(text, named).is_err(), "{text}");
        }
    }
}

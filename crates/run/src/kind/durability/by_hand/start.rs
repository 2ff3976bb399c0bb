//! What a server says of its start.

use std::time::{SystemTime, UNIX_EPOCH};

use engine::{Durability, Node, Processes, Session, Value};
use model::durability::ServerStart;

use crate::Result;

/// Hexadecimal digits of an identifier that are kept as a number.
const DIGITS: usize = 16;

/// What the server of `node` says of its start, as far as it does; of a server on this host the start of the host is known.
pub(super) fn server_start(node: &dyn Node, durability: &Durability) -> Result<ServerStart> {
    let mut session = node.connect()?;
    let session = session.as_mut();
    let queries = &durability.start;
    let mut ask = |query: Option<&'static str>| query.and_then(|query| answer(session, query));
    let number = |answer: String| answer.parse::<u64>().ok();
    let is_here = matches!(node.processes(), Processes::Local(_));
    let here = is_here.then(host::boot_id).flatten();
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok(ServerStart {
        mark: ask(queries.mark).and_then(number),
        uptime_seconds: ask(queries.uptime).and_then(number).and_then(|seconds| u32::try_from(seconds).ok()),
        host_mark: here.or_else(|| ask(queries.host)).and_then(|identifier| digits(&identifier)),
        at_unix_ns: u64::try_from(since_1970.as_nanos()).unwrap_or(u64::MAX),
    })
}

/// The last column of the first row, as text; none where the server refuses.
fn answer(session: &mut dyn Session, query: &str) -> Option<String> {
    let statement = session.prepare(query).ok()?;
    let rows = session.query(statement, &[]).ok()?;
    match rows.first()?.last()? {
        Value::Int(number) => Some(number.to_string()),
        Value::Text(text) => Some(text.to_string()),
        _ => None,
    }
}

/// The first digits of an identifier such as 3f2a0c1e-...
fn digits(identifier: &str) -> Option<u64> {
    let digits: String = identifier.chars().filter(char::is_ascii_hexdigit).take(DIGITS).collect();
    u64::from_str_radix(&digits, 16).ok().filter(|number| *number != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identifier_is_a_number() {
        assert_eq!(digits("3f2a0c1e-0000-4c3d-8e9f-aabbccddeeff\n"), Some(0x3f2a_0c1e_0000_4c3d));
        assert_eq!((digits(""), digits("-")), (None, None));
    }
}

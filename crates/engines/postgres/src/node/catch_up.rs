//! Waiting until a standby has repeated what the primary did.

use std::time::{Duration, Instant};

use engine::{Error, Kind, Result, Session, Value};

use super::{PAUSE, TIMEOUT};

/// The headers of a page of the log, the short one and that of the first page of a segment.
const PAGE_HEADERS_BYTES: [u64; 2] = [24, 40];
/// A page of the log (`XLOG_BLCKSZ`).
const PAGE_BYTES: u64 = 8192;
/// How far readers of a relative are behind at most that shares its storage with them and tells no position.
const DELAY: Duration = Duration::from_secs(1);

/// Waits until `here` has replayed all that is in the log of `first` now.
///
/// # Errors
/// `Unreachable` where that takes longer than a minute.
pub(super) fn wait(here: &mut dyn Session, first: &mut dyn Session) -> Result<()> {
    let inserted = "select pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_current_wal_insert_lsn(), '0/0')::int8";
    let Some(inserted) = position(first, inserted)? else {
        std::thread::sleep(DELAY);
        return Ok(());
    };
    let end = end_of_records(inserted);
    let replayed = "select pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_last_wal_replay_lsn(), '0/0')::int8";
    let begun = Instant::now();
    loop {
        let reached = position(here, replayed)?.unwrap_or(0);
        if reached >= end {
            return Ok(());
        }
        if begun.elapsed() > TIMEOUT {
            let message = format!(
                "the replica is {} bytes of log behind the primary after {} s",
                end - reached,
                TIMEOUT.as_secs()
            );
            return Err(Error::new(Kind::Unreachable, message)
                .hint("check that it is connected and that nothing on it holds up the replay"));
        }
        std::thread::sleep(PAUSE);
    }
}

/// A position in the log; none where the server does not tell it.
fn position(session: &mut dyn Session, sql: &str) -> Result<Option<u64>> {
    let asked = session.prepare(sql).and_then(|statement| session.query(statement, &[]));
    match asked {
        Ok(rows) => Ok(match rows.concat().as_slice() {
            [Value::Int(position)] => u64::try_from(*position).ok(),
            _ => None,
        }),
        Err(error) if matches!(error.kind, Kind::Statement | Kind::Access | Kind::Step(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Where the last record ends: at the beginning of a page the next one is put behind the page's header, which nobody
/// replays before a record follows.
fn end_of_records(inserted: u64) -> u64 {
    let offset = inserted % PAGE_BYTES;
    if PAGE_HEADERS_BYTES.contains(&offset) { inserted - offset } else { inserted }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_of_a_page_is_not_waited_for() {
        assert_eq!(end_of_records(8192 + 24), 8192);
        assert_eq!(end_of_records(16 * 1024 * 1024 + 40), 16 * 1024 * 1024);
        assert_eq!(end_of_records(8192 + 64), 8192 + 64);
        assert_eq!(end_of_records(8192), 8192);
    }
}

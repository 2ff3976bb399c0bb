//! Waits until a standby has replayed the WAL of the primary.

use std::time::{Duration, Instant};

use engine::{Error, Kind, Result, Session, Value};

use super::{POLL_INTERVAL, TIMEOUT};

/// Sizes of WAL page headers: the short one, and that of the first page of a segment.
const PAGE_HEADERS_BYTES: [u64; 2] = [24, 40];
/// Size of a WAL page (`XLOG_BLCKSZ`).
const PAGE_BYTES: u64 = 8192;
/// Maximum delay of readers of a flavour with shared storage that reports no position.
const DELAY: Duration = Duration::from_secs(1);

/// Waits until `here` has replayed all current WAL of `first`.
pub(super) fn wait(here: &mut dyn Session, first: &mut dyn Session) -> Result<()> {
    let inserted = "select pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_current_wal_insert_lsn(), '0/0')::int8";
    let Some(inserted) = position(first, inserted)? else {
        std::thread::sleep(DELAY);
        return Ok(());
    };
    let end = end_of_records(inserted);
    let replayed = "select pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_last_wal_replay_lsn(), '0/0')::int8";
    let start = Instant::now();
    loop {
        let connected = position(here, replayed)?.unwrap_or(0);
        if connected >= end {
            return Ok(());
        }
        if start.elapsed() > TIMEOUT {
            let message = format!(
                "the replica is {} bytes of WAL behind the primary after {} s",
                end - connected,
                TIMEOUT.as_secs()
            );
            return Err(Error::new(Kind::Unreachable, message)
                .hint("check that it is connected and that nothing blocks the replay"));
        }
        std::thread::sleep(POLL_INTERVAL);
    }
}

/// A WAL position, if the server reports it.
fn position(session: &mut dyn Session, sql: &str) -> Result<Option<u64>> {
    let lookup = session.prepare(sql).and_then(|statement| session.query(statement, &[]));
    match lookup {
        Ok(rows) => Ok(match rows.concat().as_slice() {
            [Value::Int(position)] => u64::try_from(*position).ok(),
            _ => None,
        }),
        Err(error) if matches!(error.kind, Kind::Statement | Kind::Access | Kind::Step(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The end of the last record: at the start of a page the insert position is after the page header, which is not
/// replayed before a record follows.
fn end_of_records(inserted: u64) -> u64 {
    let offset = inserted % PAGE_BYTES;
    if PAGE_HEADERS_BYTES.contains(&offset) { inserted - offset } else { inserted }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_headers_are_not_waited_for() {
        assert_eq!(end_of_records(8192 + 24), 8192);
        assert_eq!(end_of_records(16 * 1024 * 1024 + 40), 16 * 1024 * 1024);
        assert_eq!(end_of_records(8192 + 64), 8192 + 64);
        assert_eq!(end_of_records(8192), 8192);
    }
}

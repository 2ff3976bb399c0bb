//! Failover of a lost synchronous replica: commits would wait for it forever. Like a cluster manager, the monitor
//! removes it from `synchronous_standby_names`; what was measured around that moment shows the cost.

use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use engine::{Result, Session};
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use crate::connect::Login;
use crate::session::PostgresSession;

/// Attempts to drop the slot of a lost replica, until the primary has noticed the loss.
const ATTEMPTS: u32 = 50;
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// How long a primary may take for an answer: whoever stops the monitor waits for it.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);

/// Monitors the replicas of one primary until it is dropped.
#[derive(Debug)]
pub(super) struct ReplicaMonitor {
    stop: Arc<OwnedFd>,
    thread: Option<JoinHandle<()>>,
}

impl ReplicaMonitor {
    /// Starts to monitor `replicas`, given by their numbers and postmaster processes; `None` if the system has no
    /// process descriptors.
    pub(super) fn start(login: Login, replicas: &[(u32, u32)]) -> Option<ReplicaMonitor> {
        let open = |(number, pid): &(u32, u32)| {
            let pid = Pid::from_raw(i32::try_from(*pid).ok()?)?;
            Some((*number, pidfd_open(pid, PidfdFlags::empty()).ok()?))
        };
        let check_connected: Vec<(u32, OwnedFd)> = replicas.iter().map(open).collect::<Option<_>>()?;
        let stop = Arc::new(eventfd(0, EventfdFlags::CLOEXEC).ok()?);
        let (stopped, login) = (stop.clone(), Arc::new(login));
        let thread = thread::Builder::new()
            .name("replicas".to_owned())
            .spawn(move || monitor_replicas(&login, check_connected, &stopped));
        Some(ReplicaMonitor { stop, thread: Some(thread.ok()?) })
    }
}

impl Drop for ReplicaMonitor {
    fn drop(&mut self) {
        // It cannot be full: this is the only writer.
        let _ = rustix::io::write(&*self.stop, &1_u64.to_ne_bytes());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Returns when it is stopped, or when no replica is left.
fn monitor_replicas(login: &Arc<Login>, mut check_connected: Vec<(u32, OwnedFd)>, stopped: &OwnedFd) {
    while !check_connected.is_empty() {
        let mut events: Vec<PollFd<'_>> =
            check_connected.iter().map(|(_, pidfd)| PollFd::new(pidfd, PollFlags::IN)).collect();
        events.push(PollFd::new(stopped, PollFlags::IN));
        // After an interruption by a signal, it polls again.
        let _ = poll(&mut events, None);
        let is_ready: Vec<bool> = events.iter().map(|event| !event.revents().is_empty()).collect();
        drop(events);
        // The last one is the request to stop.
        if is_ready.last() == Some(&true) {
            return;
        }
        let lost: Vec<u32> = check_connected
            .iter()
            .zip(&is_ready)
            .filter(|(_, ready)| **ready)
            .map(|((number, _), _)| *number)
            .collect();
        check_connected.retain(|(number, _)| !lost.contains(number));
        let left: Vec<u32> = check_connected.iter().map(|(number, _)| *number).collect();
        if !lost.is_empty() {
            // If the primary does not respond either, no commit waits.
            let _ = remove_replicas(login, &left, &lost, stopped);
        }
    }
}

/// Makes the replicas in `left` the only synchronous ones, and drops the slots of those in `lost`.
fn remove_replicas(login: &Arc<Login>, left: &[u32], lost: &[u32], stopped: &OwnedFd) -> Result<()> {
    let mut opened = login.open(None)?;
    opened.wire.messages.limit(Some(ANSWER_TIMEOUT));
    let mut session = PostgresSession::start(opened, login.clone())?;
    session.batch(&format!("alter system set synchronous_standby_names = '{}'", standby_names(left)))?;
    session.batch("select pg_catalog.pg_reload_conf()")?;
    for number in lost {
        let drop_slot = format!("select pg_catalog.pg_drop_replication_slot('{}')", slot(*number));
        let mut attempts = 0;
        loop {
            engine::Session::limit_waits(&mut session, Some(ANSWER_TIMEOUT));
            if session.query_if_supported(&drop_slot)?.is_some() || attempts == ATTEMPTS {
                break;
            }
            attempts += 1;
            if is_stopped_within(stopped, POLL_INTERVAL) {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Waits for `pause`, or until the monitor is stopped.
fn is_stopped_within(stopped: &OwnedFd, pause: Duration) -> bool {
    let limit = Timespec::try_from(pause).ok();
    // An interruption by a signal makes the pause shorter.
    poll(&mut [PollFd::new(stopped, PollFlags::IN)], limit.as_ref()).is_ok_and(|ready| ready > 0)
}

/// Name of a replica and of its slot on the primary.
pub(super) fn slot(number: u32) -> String {
    format!("replica{number}")
}

/// The value of `synchronous_standby_names` by which a commit waits for each of `replicas`.
pub(super) fn standby_names(replicas: &[u32]) -> String {
    let names: Vec<String> = replicas.iter().map(|number| slot(*number)).collect();
    if names.is_empty() { String::new() } else { format!("FIRST {} ({})", names.len(), names.join(", ")) }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::os::unix::net::UnixListener;
    use std::process::Command;
    use std::sync::mpsc::channel;
    use std::time::Instant;

    use super::*;

    #[test]
    fn a_monitor_that_tries_again_and_again_is_stopped_at_once() {
        let directory = tempfile::tempdir().unwrap();
        let listener = UnixListener::bind(directory.path().join(".s.PGSQL.5432")).unwrap();
        let (sender, receiver) = channel();
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let (accepted, ready) = (b"R\0\0\0\x08\0\0\0\0S\0\0\0\x18server_version\0" as &[u8], b"Z\0\0\0\x05I");
            let refused = b"E\0\0\0\x13SERROR\0C42704\0\0";
            let mut received = [0; 4096];
            assert!(stream.read(&mut received).unwrap() > 0, "a login");
            stream.write_all(&[accepted, b"15.1\0", ready].concat()).unwrap();
            // What a session begins with, and the two statements about the standby names, are answered; no slot is dropped.
            while let Ok(count @ 1..) = stream.read(&mut received) {
                if received[0] == b'X' {
                    return;
                }
                let text = String::from_utf8_lossy(&received[..count]).into_owned();
                let syncs = received[..count].windows(5).filter(|part| *part == b"S\0\0\0\x04").count().max(1);
                for _ in 0..syncs {
                    let asks = text.contains("pg_drop_replication_slot");
                    let _ = sender.send(asks);
                    let answer = if asks { [refused as &[u8], ready].concat() } else { ready.to_vec() };
                    if stream.write_all(&answer).is_err() {
                        return;
                    }
                }
            }
        });
        let mut replica = Command::new("sleep").arg("60").spawn().unwrap();
        let login = Login::of_socket(directory.path(), 5432, "ann", "shop");
        let monitor = ReplicaMonitor::start(login, &[(1, replica.id())]).expect("process descriptors");
        replica.kill().and_then(|()| replica.wait()).unwrap();
        while !receiver.recv_timeout(Duration::from_secs(20)).expect("it asks for the slot") {}
        let start = Instant::now();
        drop(monitor);
        assert!(start.elapsed() < POLL_INTERVAL * ATTEMPTS / 2, "{:?}", start.elapsed());
    }
}

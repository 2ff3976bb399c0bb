//! Failover of a lost synchronous replica: commits would wait for it forever. Like a cluster manager, the monitor
//! removes it from `synchronous_standby_names`; what was measured around that moment shows the cost.

use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use engine::{Result, Session};
use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use crate::connect::Login;
use crate::session::PostgresSession;

/// Attempts to drop the slot of a lost replica, until the primary has noticed the loss.
const ATTEMPTS: u32 = 50;
const POLL_INTERVAL: Duration = Duration::from_millis(100);

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
            let _ = remove_replicas(login, &left, &lost);
        }
    }
}

/// Makes the replicas in `left` the only synchronous ones, and drops the slots of those in `lost`.
fn remove_replicas(login: &Arc<Login>, left: &[u32], lost: &[u32]) -> Result<()> {
    let mut session = PostgresSession::start(login.open(None)?, login.clone())?;
    session.batch(&format!("alter system set synchronous_standby_names = '{}'", standby_names(left)))?;
    session.batch("select pg_catalog.pg_reload_conf()")?;
    for number in lost {
        let drop_slot = format!("select pg_catalog.pg_drop_replication_slot('{}')", slot(*number));
        let mut attempts = 0;
        while session.query_if_supported(&drop_slot)?.is_none() && attempts < ATTEMPTS {
            attempts += 1;
            thread::sleep(POLL_INTERVAL);
        }
    }
    Ok(())
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

//! What happens when a synchronous replica dies: commits would wait for it for ever. As managers of clusters do it, the
//! primary is told to wait for those that are left; what was measured around that moment shows what it cost.

use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use engine::{Result, Session};
use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::replica::standby_names;
use crate::connect::Login;
use crate::session::PostgresSession;

/// How often it is tried to forget how far a dead replica has read, until the primary has noticed that it is gone.
const ATTEMPTS: u32 = 50;
const PAUSE: Duration = Duration::from_millis(100);

/// Looks after the replicas of one primary until it is dropped.
#[derive(Debug)]
pub(super) struct Watch {
    end: Arc<OwnedFd>,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    /// Begins to look after `replicas`, by their numbers and first processes; none where the system cannot be told to
    /// say when a process ends.
    pub(super) fn begin(login: Login, replicas: &[(u32, u32)]) -> Option<Watch> {
        let open = |(number, pid): &(u32, u32)| {
            let pid = Pid::from_raw(i32::try_from(*pid).ok()?)?;
            Some((*number, pidfd_open(pid, PidfdFlags::empty()).ok()?))
        };
        let alive: Vec<(u32, OwnedFd)> = replicas.iter().map(open).collect::<Option<_>>()?;
        let end = Arc::new(eventfd(0, EventfdFlags::CLOEXEC).ok()?);
        let (ended, login) = (end.clone(), Arc::new(login));
        let thread =
            thread::Builder::new().name("replicas".to_owned()).spawn(move || look_after(&login, alive, &ended));
        Some(Watch { end, thread: Some(thread.ok()?) })
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // It cannot be full: nobody else writes.
        let _ = rustix::io::write(&*self.end, &1_u64.to_ne_bytes());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Returns when it is told to end, or when nobody is left.
fn look_after(login: &Arc<Login>, mut alive: Vec<(u32, OwnedFd)>, ended: &OwnedFd) {
    while !alive.is_empty() {
        let mut events: Vec<PollFd<'_>> = alive.iter().map(|(_, pidfd)| PollFd::new(pidfd, PollFlags::IN)).collect();
        events.push(PollFd::new(ended, PollFlags::IN));
        // A signal only makes it look again.
        let _ = poll(&mut events, None);
        let is_ready: Vec<bool> = events.iter().map(|event| !event.revents().is_empty()).collect();
        drop(events);
        // The last one is the order to end.
        if is_ready.last() == Some(&true) {
            return;
        }
        let gone: Vec<u32> =
            alive.iter().zip(&is_ready).filter(|(_, ready)| **ready).map(|((number, _), _)| *number).collect();
        alive.retain(|(number, _)| !gone.contains(number));
        let left: Vec<u32> = alive.iter().map(|(number, _)| *number).collect();
        if !gone.is_empty() {
            // A primary that does not answer is gone as well, and has nobody to wait.
            let _ = wait_for(login, &left, &gone);
        }
    }
}

/// Has the primary wait for the replicas in `left` only, and keep no log for those that are `gone`.
fn wait_for(login: &Arc<Login>, left: &[u32], gone: &[u32]) -> Result<()> {
    let mut session = PostgresSession::start(login.open(None)?, login.clone())?;
    session.batch(&format!("alter system set synchronous_standby_names = '{}'", standby_names(left)))?;
    session.batch("select pg_catalog.pg_reload_conf()")?;
    for number in gone {
        let forget = format!("select pg_catalog.pg_drop_replication_slot('replica{number}')");
        let mut attempts = 0;
        while session.ask_if_known(&forget)?.is_none() && attempts < ATTEMPTS {
            attempts += 1;
            thread::sleep(PAUSE);
        }
    }
    Ok(())
}

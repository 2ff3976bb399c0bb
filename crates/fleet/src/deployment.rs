//! A coordinator with its agents, as the one that carries out the jobs of runs.

use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use record::{AgentHost, Hello, Nanos, Part, PartKind, Permitted, Ticket};
use run::{Delivered, Fleet, FleetWatch};

use crate::agent_processes::AgentProcesses;
use crate::conversation::GREETING_PERIOD;
use crate::coordinator::{Coordinator, Ended, JoinedAgent, Started};
use crate::error::{Error, Result};
use crate::remote_host::RemoteHost;
use crate::ticket::check_size;

/// How long all agents may take to join.
const JOIN_TIMEOUT: Duration = Duration::from_secs(30);

/// How long agents may take to open their sessions, beside their warm-up.
const READY_TIMEOUT: Nanos = Nanos(120_000_000_000);

/// How long agents may take beside that to write the files that they measure; they are heard of meanwhile.
const FILES_TIMEOUT: Nanos = Nanos(4 * 3_600 * 1_000_000_000);

/// A fleet that is ready for runs. It ends when this is dropped.
pub struct Deployment {
    state: Arc<Mutex<State>>,
    /// Whether runs go on with the other agents where one was lost.
    goes_on: bool,
    /// Whether the agents are on other hosts.
    is_elsewhere: bool,
    greetings: Greetings,
}

/// The thread that greets the agents while nothing is asked of them. Without its sender it ends.
struct Greetings(Option<(Sender<()>, JoinHandle<()>)>);

impl Greetings {
    fn start(state: &Arc<Mutex<State>>) -> Result<Greetings> {
        let (sender, over) = channel();
        let greeted = Arc::downgrade(state);
        let greet = move || {
            while over.recv_timeout(GREETING_PERIOD) == Err(RecvTimeoutError::Timeout) {
                let Some(state) = greeted.upgrade() else { return };
                // While it is locked, it greets them itself.
                if let Ok(mut state) = state.try_lock() {
                    state.coordinator.greet();
                }
            }
        };
        let thread = std::thread::Builder::new().name("greeting".to_owned()).spawn(greet);
        let thread = thread.map_err(|error| Error::new(format!("no thread for greetings: {error}")))?;
        Ok(Greetings(Some((sender, thread))))
    }

    /// Ends it: it may hold the last reference to the state, which ends agents and server where it is dropped.
    fn end(&mut self) {
        if let Some((sender, thread)) = self.0.take() {
            drop(sender);
            // A panic of it has no one left to be told.
            let _ = thread.join();
        }
    }
}

struct State {
    coordinator: Coordinator,
    /// Dropped after the coordinator has dismissed them.
    agents: AgentProcesses,
    ended: Option<Ended>,
}

impl State {
    /// Agents that were lost end by themselves: they may be at work, and keep their parts.
    fn let_lost_go(&mut self) {
        let Self { coordinator, agents, .. } = self;
        coordinator.forget_lost().iter().for_each(|agent| agents.let_go(agent));
    }
}

/// A coordinator, and tickets for agents with these names that may do what is `permitted`.
fn start(names: &[String], permitted: &Permitted) -> Result<(Coordinator, Vec<Ticket>)> {
    let (coordinator, tickets) = Coordinator::start(names)?;
    let permitting = |ticket: Ticket| Ticket { permitted: permitted.clone(), ..ticket };
    let tickets: Vec<Ticket> = tickets.into_iter().map(permitting).collect();
    tickets.iter().try_for_each(check_size)?;
    Ok((coordinator, tickets))
}

impl Deployment {
    /// Starts `count` agents on this machine: `program` with `arguments`, where `own` is what each says of itself, and
    /// `permitted` what each may do.
    ///
    /// # Errors
    /// Where no message server or agent can be started, and where not all agents join.
    pub fn on_this_machine(
        count: u32,
        program: &Path,
        arguments: &[&str],
        own: &Hello,
        permitted: &Permitted,
        is_interrupted: &dyn Fn() -> bool,
    ) -> Result<Deployment> {
        let names: Vec<String> = (1..=count).map(|number| format!("agent-{number}")).collect();
        let (coordinator, tickets) = start(&names, permitted)?;
        let agents = AgentProcesses::on_this_machine(program, arguments, &tickets)?;
        Deployment::of(coordinator, agents, false, own, is_interrupted)
    }

    /// Starts an agent on each of `hosts`, where `own` is what each says of itself, and `permitted` what each may do. The
    /// messages go over the commands to them: nothing listens on a network.
    ///
    /// # Errors
    /// Where a host cannot be reached or used, and as [`Deployment::on_this_machine`].
    pub fn on_hosts(
        hosts: &[RemoteHost],
        own: &Hello,
        permitted: &Permitted,
        is_interrupted: &(dyn Fn() -> bool + Sync),
    ) -> Result<Deployment> {
        let names: Vec<String> = hosts.iter().map(|host| host.name.clone()).collect();
        let (coordinator, tickets) = start(&names, permitted)?;
        let agents = AgentProcesses::on_hosts(hosts, &tickets, coordinator.server_address(), is_interrupted)?;
        Deployment::of(coordinator, agents, true, own, is_interrupted)
    }

    fn of(
        coordinator: Coordinator,
        agents: AgentProcesses,
        is_elsewhere: bool,
        own: &Hello,
        is_interrupted: &dyn Fn() -> bool,
    ) -> Result<Deployment> {
        let state = Arc::new(Mutex::new(State { coordinator, agents, ended: None }));
        let greetings = Greetings::start(&state)?;
        let deployment = Deployment { state, goes_on: false, is_elsewhere, greetings };
        {
            let mut state = deployment.state();
            let State { coordinator, agents, .. } = &mut *state;
            coordinator.gather(own, JOIN_TIMEOUT, is_interrupted, &mut || agents.ended())?;
        }
        Ok(deployment)
    }

    /// The same, whose runs go on with the other agents where one was lost.
    pub fn going_on(mut self, goes_on: bool) -> Deployment {
        self.goes_on = goes_on;
        self
    }

    /// Has all agents start together once, without work. The start of each is against the agreed one, with the error of
    /// its clock.
    ///
    /// # Errors
    /// Where one is not ready, does not start, or does not answer.
    pub fn start_together(&self, is_interrupted: &dyn Fn() -> bool) -> Result<Vec<(JoinedAgent, Started)>> {
        let mut state = self.state();
        let started = state.coordinator.start_together(0, READY_TIMEOUT, is_interrupted)?;
        Ok(state.coordinator.agents().iter().cloned().zip(started).collect())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Deployment {
    fn drop(&mut self) {
        self.greetings.end();
        let mut state = self.state();
        state.let_lost_go();
        state.coordinator.dismiss();
    }
}

impl Fleet for Deployment {
    fn agents(&self) -> u32 {
        self.state().coordinator.agents().len() as u32
    }

    fn agent_hosts(&self) -> Vec<AgentHost> {
        if !self.is_elsewhere {
            return Vec::new();
        }
        let of = |agent: &JoinedAgent| AgentHost {
            agent: agent.name.clone(),
            boot_id: agent.hello.boot_id.clone(),
            host: agent.hello.host.clone(),
        };
        self.state().coordinator.agents().iter().map(of).collect()
    }

    fn local_processes(&self) -> Vec<u32> {
        self.state().agents.processes()
    }

    fn carry_out(&self, parts: &[Part], watch: &dyn FleetWatch) -> run::Result<()> {
        let Some(first) = parts.first() else { return Ok(()) };
        let files = if matches!(first.kind, PartKind::Io(_)) { FILES_TIMEOUT } else { Nanos(0) };
        let within = READY_TIMEOUT + first.plan.warm_up_ns + files;
        let mut state = self.state();
        let ended = state.coordinator.carry_out(first.planned.number, parts, within, watch);
        state.ended = Some(ended?);
        Ok(())
    }

    fn check(&self) -> run::Result<()> {
        let mut state = self.state();
        let lost = state.coordinator.lost().join(", ");
        if lost.is_empty() {
            return Ok(());
        }
        if !self.goes_on {
            return Err(run::Error::environment(format!("lost agents of the fleet: {lost}")));
        }
        state.let_lost_go();
        match state.coordinator.agents().len() {
            0 => Err(run::Error::environment("all agents of the fleet are lost")),
            _ => Ok(()),
        }
    }

    fn release(&self) {
        self.state().coordinator.release();
    }

    fn deliver(&self, is_interrupted: &dyn Fn() -> bool) -> run::Result<Vec<Delivered>> {
        let mut state = self.state();
        let Some(ended) = state.ended.take() else { return Ok(Vec::new()) };
        let results = state.coordinator.results(&ended, is_interrupted)?;
        Ok(results.into_iter().map(|(agent, start, result)| Delivered { agent, start, result }).collect())
    }
}

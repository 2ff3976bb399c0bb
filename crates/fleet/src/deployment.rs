//! A coordinator with its agents, as the one that carries out the jobs of runs.

use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use record::{Hello, Nanos, Part};
use run::{Delivered, Fleet, FleetWatch};

use crate::coordinator::{Coordinator, Ended, GREETING_PERIOD, JoinedAgent, Started};
use crate::error::{Error, Result};
use crate::local_agents::LocalAgents;

/// How long all agents may take to join.
const JOIN_TIMEOUT: Duration = Duration::from_secs(30);

/// How long agents may take to open their sessions, beside their warm-up.
const READY_TIMEOUT: Nanos = Nanos(120_000_000_000);

/// A fleet that is ready for runs. It ends when this is dropped.
pub struct Deployment {
    state: Arc<Mutex<State>>,
    agents: u32,
    /// Ends the thread of greetings when it is dropped.
    _greeting: Sender<()>,
}

struct State {
    coordinator: Coordinator,
    /// Dropped after the coordinator has dismissed them.
    agents: LocalAgents,
    ended: Option<Ended>,
}

impl Deployment {
    /// Starts `count` agents on this machine: `program` with `arguments`, where `own` is what each says of itself.
    ///
    /// # Errors
    /// Where no message server or agent can be started, and where not all agents join.
    pub fn on_this_machine(
        count: u32,
        program: &Path,
        arguments: &[&str],
        own: &Hello,
        is_interrupted: &dyn Fn() -> bool,
    ) -> Result<Deployment> {
        let names: Vec<String> = (1..=count).map(|number| format!("agent-{number}")).collect();
        let (coordinator, tickets) = Coordinator::start(&names)?;
        let agents = LocalAgents::start(program, arguments, &tickets)?;
        let state = Arc::new(Mutex::new(State { coordinator, agents, ended: None }));
        let (greeting, over) = channel();
        let greeted = Arc::downgrade(&state);
        let greet = move || {
            while over.recv_timeout(GREETING_PERIOD) == Err(RecvTimeoutError::Timeout) {
                let Some(state) = greeted.upgrade() else { return };
                // During a run it is locked, and greets them itself.
                if let Ok(state) = state.try_lock() {
                    state.coordinator.greet();
                }
            }
        };
        let thread = std::thread::Builder::new().name("greeting".to_owned()).spawn(greet);
        thread.map_err(|error| Error::new(format!("no thread for greetings: {error}")))?;
        let deployment = Deployment { state, agents: count, _greeting: greeting };
        deployment.state().coordinator.gather(own, JOIN_TIMEOUT, is_interrupted)?;
        Ok(deployment)
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
        self.state().coordinator.dismiss();
    }
}

impl Fleet for Deployment {
    fn agents(&self) -> u32 {
        self.agents
    }

    fn local_processes(&self) -> Vec<u32> {
        self.state().agents.processes()
    }

    fn carry_out(&self, parts: &[Part], watch: &dyn FleetWatch) -> run::Result<()> {
        let Some(first) = parts.first() else { return Ok(()) };
        let within = READY_TIMEOUT + first.plan.warm_up_ns;
        let mut state = self.state();
        let ended = state.coordinator.carry_out(first.planned.number, parts, within, watch);
        state.ended = Some(ended?);
        Ok(())
    }

    fn check(&self) -> run::Result<()> {
        let state = self.state();
        state
            .coordinator
            .lost()
            .map_or(Ok(()), |agent| Err(run::Error::environment(format!("agent {agent} of the fleet is lost"))))
    }

    fn deliver(&self) -> run::Result<Vec<Delivered>> {
        let mut state = self.state();
        let Some(ended) = state.ended.take() else { return Ok(Vec::new()) };
        let results = state.coordinator.results(&ended)?;
        Ok(results.into_iter().map(|(agent, start, result)| Delivered { agent, start, result }).collect())
    }
}

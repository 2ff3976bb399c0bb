//! A coordinator with its agents, as the one that carries out the jobs of runs.

use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use record::{Hello, Nanos, Part};
use run::{Delivered, Fleet, FleetWatch};

use crate::coordinator::{Coordinator, Ended, Follower};
use crate::error::{Error, Result};
use crate::local_agents::LocalAgents;

/// How long all agents may take to join.
const JOIN_TIMEOUT: Duration = Duration::from_secs(30);

/// How long agents may take to open their sessions, beside their warm-up.
const READY_TIMEOUT: Nanos = Nanos(120_000_000_000);

/// How often agents are greeted between runs, while data are loaded, for example.
const GREETING_PERIOD: Duration = Duration::from_secs(5);

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
        let (mut coordinator, tickets) = Coordinator::start(&names)?;
        let agents = LocalAgents::start(program, arguments, &tickets)?;
        coordinator.gather(own, JOIN_TIMEOUT, is_interrupted)?;
        let state = Arc::new(Mutex::new(State { coordinator, agents, ended: None }));
        let (greeting, over) = channel();
        let greeted = Arc::downgrade(&state);
        let greet = move || {
            while over.recv_timeout(GREETING_PERIOD) == Err(RecvTimeoutError::Timeout) {
                let Some(state) = greeted.upgrade() else { return };
                // During a run it is locked, and the agents are asked all the time.
                if let Ok(state) = state.try_lock() {
                    state.coordinator.greet();
                }
            }
        };
        let thread = std::thread::Builder::new().name("greeting".to_owned()).spawn(greet);
        thread.map_err(|error| Error::new(format!("no thread for greetings: {error}")))?;
        Ok(Deployment { state, agents: count, _greeting: greeting })
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
        let ended = state.coordinator.carry_out(first.planned.number, parts, within, &Watch(watch));
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

struct Watch<'a>(&'a dyn FleetWatch);

impl Follower for Watch<'_> {
    fn begin(&self) {
        self.0.begin();
    }

    fn progress(&self, operations: u64) {
        self.0.progress(operations);
    }

    fn is_interrupted(&self) -> bool {
        self.0.is_interrupted()
    }
}

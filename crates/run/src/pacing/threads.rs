//! Runs that use one hardware thread of each core and leave the others alone.

use engine::Processes;
use record::{Run, Variation};

use crate::Event;
use crate::bench::Bench;

/// Which hardware threads a run may use. A server of dbdyno's own is kept on them for as long as this lives, and may use
/// all that this program may afterwards.
pub(crate) struct Threads<'a> {
    bench: &'a Bench<'a>,
    /// Those that jobs may be placed on; all that the process may use, where the run is an ordinary one.
    pub cpus: Vec<u32>,
    is_narrowed: bool,
    /// The roots of the processes that were placed.
    servers: Vec<u32>,
}

impl<'a> Threads<'a> {
    /// Narrows what `run` may use, where it is to be narrowed.
    pub(crate) fn of(bench: &'a Bench<'a>, run: &Run) -> Threads<'a> {
        let of_run = matches!(run.variation, Some(Variation::Paced { one_thread_per_core: true, .. }));
        let mut threads = Threads { bench, cpus: bench.processors.clone(), is_narrowed: false, servers: Vec::new() };
        if !of_run && !bench.plan.one_thread_per_core {
            return threads;
        }
        let Some(cores) = host::cores() else {
            threads.note("which hardware threads share a core is not known: all of them are used");
            return threads;
        };
        threads.cpus = host::one_thread_per_core(&cores, &bench.processors);
        threads.is_narrowed = true;
        threads.narrow_server();
        threads
    }

    /// Whether fewer hardware threads are used than could be.
    pub(crate) fn is_narrowed(&self) -> bool {
        self.is_narrowed
    }

    fn note(&self, text: &str) {
        self.bench.listener.on_event(&Event::Note(text));
    }

    fn narrow_server(&mut self) {
        let Some(subject) = self.bench.subject else { return };
        match subject.nodes.processes() {
            // The jobs are the engine.
            Processes::InProcess => {}
            Processes::Local(roots) if subject.inventory.temporary => {
                self.servers = roots;
                self.place(&self.cpus);
            }
            Processes::Local(_) | Processes::Remote => {
                self.note("the server is not one that dbdyno started: it keeps all hardware threads, the jobs do not");
            }
        }
    }

    fn place(&self, cpus: &[u32]) {
        for root in &self.servers {
            // A refusal leaves the server where it was: worth a word, no reason to stop.
            if let Err(error) = host::keep_processes_on(*root, cpus) {
                self.note(&format!("the server could not be placed: {error}"));
            }
        }
    }
}

impl Drop for Threads<'_> {
    fn drop(&mut self) {
        self.place(&self.bench.processors);
    }
}

//! Runs on one hardware thread of each core.

use engine::Processes;
use record::{Run, Variation};

use crate::Event;
use crate::bench::Bench;

/// The hardware threads of a run. A temporary server is restricted to them until this is dropped, and may then use all
/// that this program may.
pub(crate) struct Threads<'a> {
    bench: &'a Bench<'a>,
    /// Those of the jobs; all that the process may use in a normal run.
    pub cpus: Vec<u32>,
    is_narrowed: bool,
    /// Root processes of the restricted servers.
    servers: Vec<u32>,
}

impl<'a> Threads<'a> {
    /// Restricts `run`, if it is to be restricted.
    pub(crate) fn of(bench: &'a Bench<'a>, run: &Run) -> Threads<'a> {
        let of_run = matches!(run.variation, Some(Variation::Paced { one_thread_per_core: true, .. }));
        let mut threads = Threads { bench, cpus: bench.processors.clone(), is_narrowed: false, servers: Vec::new() };
        if !of_run && !bench.plan.one_thread_per_core {
            return threads;
        }
        let Some(cores) = host::cores() else {
            threads.note("the cores of the hardware threads are unknown: all hardware threads are used");
            return threads;
        };
        threads.cpus = host::one_thread_per_core(&cores, &bench.processors);
        threads.is_narrowed = true;
        threads.narrow_server();
        threads
    }

    /// Whether the run is restricted.
    pub(crate) fn is_narrowed(&self) -> bool {
        self.is_narrowed
    }

    fn note(&self, text: &str) {
        self.bench.listener.on_event(&Event::Note(text));
    }

    fn narrow_server(&mut self) {
        let Some(subject) = self.bench.subject else { return };
        match subject.nodes.processes() {
            // The engine runs in the jobs.
            Processes::InProcess => {}
            Processes::Local(roots) if subject.inventory.temporary => {
                self.servers = roots;
                self.place(&self.cpus);
            }
            Processes::Local(_) | Processes::Remote => {
                self.note(
                    "dbdyno did not start the server: it keeps all hardware threads, and only the jobs are restricted",
                );
            }
        }
    }

    fn place(&self, cpus: &[u32]) {
        for root in &self.servers {
            // A failure leaves the server unrestricted: it is reported and does not end the run.
            if let Err(error) = host::pin_process_tree_to(*root, cpus) {
                self.note(&format!("the server could not be pinned: {error}"));
            }
        }
    }
}

impl Drop for Threads<'_> {
    fn drop(&mut self) {
        self.place(&self.bench.processors);
    }
}

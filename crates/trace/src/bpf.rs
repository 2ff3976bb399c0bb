//! The tracer BPF: programs count system calls and requests in the kernel, without transferring events.

use std::sync::{Mutex, PoisonError};

use record::{Bytes, LayerLatency, MeasuringPoint, MissingLayer, TracerKind};

use crate::call::{ASYNC_IO, CALLS, traced_calls};
use crate::counting::{Counted, Counting};
use crate::layout::arguments_at;
use crate::object::{Fault, Programs, is_forbidden, message};
use crate::privilege::Privilege;
use crate::refusal::{Refused, Unavailable};
use crate::{request, ring, tally};

/// BPF programs that count latencies; unloaded on drop.
pub(crate) struct BpfPrograms {
    programs: Mutex<Programs>,
    /// The processes whose system calls are counted.
    roots: Vec<u32>,
    /// The device whose requests are counted; 0 for none.
    device: u32,
    /// Error of starting or stopping.
    fault: Mutex<Option<Fault>>,
}

impl BpfPrograms {
    /// Loads the programs for system calls of the processes `roots` and their descendants, and requests of `device`,
    /// none if it is 0.
    pub(crate) fn start(privilege: &Privilege, roots: &[u32], device: u32) -> Result<BpfPrograms, Refused> {
        if let Some(refused) = privilege.forbids() {
            return Err(refused);
        }
        let calls = if roots.is_empty() { Vec::new() } else { traced_calls() };
        let programs = Programs::load(&calls, roots).map_err(|fault| refused(&fault, privilege))?;
        let programs =
            BpfPrograms { programs: Mutex::new(programs), roots: roots.to_owned(), device, fault: Mutex::new(None) };
        // The other settings are needed before counting.
        programs.configure(false);
        Ok(programs)
    }

    fn configure(&self, on: bool) {
        let [first, second, third, fourth] = arguments_at().unwrap_or_default();
        let words = [u32::from(on), self.device, first, second, third, fourth];
        let mut programs = self.programs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = programs.settings.set(0, words, 0) {
            *self.fault.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.into());
        }
    }
}

impl Counting for BpfPrograms {
    fn kind(&self) -> TracerKind {
        TracerKind::Bpf
    }

    fn begin(&self) {
        self.configure(true);
    }

    fn end(&self) {
        self.configure(false);
    }

    fn finish(self: Box<Self>) -> Result<Counted, Refused> {
        self.end();
        let programs = self.programs.into_inner().unwrap_or_else(PoisonError::into_inner);
        let fault = self.fault.into_inner().unwrap_or_else(PoisonError::into_inner);
        fault
            .map_or_else(|| read(&programs, &self.roots), Err)
            .map_err(|fault| refused(&fault, &Privilege::of_process()))
    }
}

fn refused(fault: &Fault, privilege: &Privilege) -> Refused {
    match is_forbidden(fault) {
        true => privilege.explain(),
        false => Refused::new(
            format!("the kernel does not load the BPF programs: {}", message(fault)),
            "only traced repeats need them; report the kernel version to the developers of dbdyno",
        ),
    }
}

/// All latencies in the order of the layers, and the number of lost events.
fn read(programs: &Programs, roots: &[u32]) -> Result<Counted, Fault> {
    let mut latencies = calls(programs)?;
    latencies.extend(request::rows(|index| programs.requests.get(&index, 0).map(|words| words.to_vec()))?);
    let io_uring = io_uring_unavailable(programs).filter(|_| ring::is_used_by(roots));
    let missing: Vec<MissingLayer> = request::unstamped(&latencies).into_iter().chain(io_uring).collect();
    let dropped: u64 = programs.lost.get(&0, 0)?.iter().sum();
    let lost_count = dropped.saturating_add(programs.missed_count());
    Ok(Counted { latencies, missing, lost_count })
}

/// System calls and asynchronous I/O.
fn calls(programs: &Programs) -> Result<Vec<LayerLatency>, Fault> {
    let calls = CALLS.iter().zip(0..).map(|(call, kind)| (kind, call.name, call.class, call.moves_bytes()));
    let async_io =
        ASYNC_IO.iter().map(|(kind, name, class)| (*kind, *name, *class, *class != record::OperationClass::Sync));
    let mut latencies = Vec::new();
    for (kind, name, class, moves_bytes) in calls.chain(async_io) {
        let words = programs.calls.get(&kind, 0)?;
        if let Some((latency, bytes)) = tally::latency(words.iter()) {
            let (point, bytes) = (MeasuringPoint::SystemCall, moves_bytes.then_some(Bytes(bytes)));
            latencies.push(LayerLatency { point, class, name: name.to_owned(), bytes, latency });
        }
    }
    Ok(latencies)
}

/// I/O through io_uring, if the kernel lacks its tracepoints.
fn io_uring_unavailable(programs: &Programs) -> Option<MissingLayer> {
    let reason = programs.without_ring.as_ref()?;
    let unavailable = Unavailable::new(
        format!("I/O through io_uring is not traced: {reason}"),
        "use a kernel with the tracepoints io_uring_submit_req and io_uring_complete of Linux 6.4 and later",
    );
    Some(unavailable.missing(MeasuringPoint::SystemCall))
}

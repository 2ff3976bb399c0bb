//! The first rung: programs of our own count in the kernel, system calls too. No event is ever handed over.

use std::sync::{Mutex, PoisonError};

use record::{Bytes, LayerLatency, MeasuringPoint, MissingLayer, Rung};

use crate::call::{CALLS, HANDED, wanted};
use crate::counting::{Counted, Counting};
use crate::layout::arguments_at;
use crate::object::{Fault, Programs, is_forbidden, told};
use crate::privilege::Privilege;
use crate::refusal::{Refused, Unseen};
use crate::{request, ring, tally};

/// Programs in the kernel that count latencies. They are gone when this is dropped.
pub(crate) struct BpfPrograms {
    programs: Mutex<Programs>,
    /// Whose system calls they count.
    roots: Vec<u32>,
    /// What the programs are told while they count.
    device: u32,
    /// What went wrong when counting was to begin or to end.
    fault: Mutex<Option<Fault>>,
}

impl BpfPrograms {
    /// Loads the programs: system calls of the processes `roots` and of what they started, none where there are none;
    /// requests of `device`, none where it is 0.
    ///
    /// # Errors
    /// Where the kernel does not permit it.
    pub(crate) fn start(privilege: &Privilege, roots: &[u32], device: u32) -> Result<BpfPrograms, Refused> {
        if let Some(refused) = privilege.forbids() {
            return Err(refused);
        }
        let calls = if roots.is_empty() { Vec::new() } else { wanted() };
        let programs = Programs::load(&calls, roots).map_err(|fault| refused(&fault, privilege))?;
        let programs =
            BpfPrograms { programs: Mutex::new(programs), roots: roots.to_owned(), device, fault: Mutex::new(None) };
        // What they are told besides is needed before they count.
        programs.tell(false);
        Ok(programs)
    }

    fn tell(&self, on: bool) {
        let [first, second, third, fourth] = arguments_at().unwrap_or_default();
        let words = [u32::from(on), self.device, first, second, third, fourth];
        let mut programs = self.programs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = programs.settings.set(0, words, 0) {
            *self.fault.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.into());
        }
    }
}

impl Counting for BpfPrograms {
    fn rung(&self) -> Rung {
        Rung::Bpf
    }

    fn begin(&self) {
        self.tell(true);
    }

    fn end(&self) {
        self.tell(false);
    }

    fn finish(self: Box<Self>) -> Result<Counted, Refused> {
        self.end();
        let programs = self.programs.into_inner().unwrap_or_else(PoisonError::into_inner);
        let fault = self.fault.into_inner().unwrap_or_else(PoisonError::into_inner);
        fault.map_or_else(|| read(&programs, &self.roots), Err).map_err(|fault| refused(&fault, &Privilege::look()))
    }
}

fn refused(fault: &Fault, privilege: &Privilege) -> Refused {
    match is_forbidden(fault) {
        true => privilege.explain(),
        false => Refused::new(
            format!("the kernel does not take the programs: {}", told(fault)),
            "the headline runs need none; tell the makers of dbdyno which kernel it is",
        ),
    }
}

/// Everything that was counted, in the order of the layers, and how many events found no room.
fn read(programs: &Programs, roots: &[u32]) -> Result<Counted, Fault> {
    let mut latencies = calls(programs)?;
    latencies.extend(request::rows(|place| programs.requests.get(&place, 0).map(|words| words.to_vec()))?);
    let unseen = without_ring(programs).filter(|_| ring::is_held_by(roots));
    let missing: Vec<MissingLayer> = request::unstamped(&latencies).into_iter().chain(unseen).collect();
    let dropped: u64 = programs.lost.get(&0, 0)?.iter().sum();
    let lost_count = dropped.saturating_add(programs.missed_count());
    Ok(Counted { latencies, missing, lost_count })
}

/// System calls, and what was handed over.
fn calls(programs: &Programs) -> Result<Vec<LayerLatency>, Fault> {
    let waited = CALLS.iter().zip(0..).map(|(call, place)| (place, call.name, call.class, call.moves_bytes()));
    let handed =
        HANDED.iter().map(|(place, name, class)| (*place, *name, *class, *class != record::OperationClass::Sync));
    let mut latencies = Vec::new();
    for (place, name, class, moves_bytes) in waited.chain(handed) {
        let words = programs.calls.get(&place, 0)?;
        if let Some((latency, bytes)) = tally::latency(words.iter()) {
            let (point, bytes) = (MeasuringPoint::SystemCall, moves_bytes.then_some(Bytes(bytes)));
            latencies.push(LayerLatency { point, class, name: name.to_owned(), bytes, latency });
        }
    }
    Ok(latencies)
}

/// That I/O through io_uring is not seen, where the kernel does not show it.
fn without_ring(programs: &Programs) -> Option<MissingLayer> {
    let why = programs.without_ring.as_ref()?;
    let unseen = Unseen::new(
        format!("I/O through io_uring is not among the system calls: {why}"),
        "use a kernel with the tracepoints io_uring_submit_req and io_uring_complete, as they are since Linux 6.4",
    );
    Some(unseen.missing(MeasuringPoint::SystemCall))
}

//! Traces one run.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use record::{Bytes, LayerLatency, MeasuringPoint, MissingLayer, OperationClass, Rung, Trace};

use crate::call::CALLS;
use crate::device;
use crate::layout::{OPERATIONS, descriptor_at};
use crate::object::{Fault, Programs, is_forbidden, told};
use crate::privilege::Privilege;
use crate::refusal::{Refused, Unseen};
use crate::tally;

/// What is traced.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// The processes whose system calls are traced, with all that they started, by process id; none where they are not
    /// on this host.
    pub roots: Vec<u32>,
    /// The kernel's name of the disk whose requests are traced (`vda`): those of everybody. None where the data lie on no
    /// disk of this host.
    pub device: Option<String>,
}

/// Programs in the kernel that count latencies. They are gone when this is dropped.
pub struct Tracer {
    programs: Mutex<Programs>,
    /// What the programs are told while they count.
    device: u32,
    missing: Vec<MissingLayer>,
    /// What went wrong when counting was to begin or to end.
    fault: Mutex<Option<Fault>>,
}

impl Tracer {
    /// Loads the programs. Nothing is counted before [`Tracer::begin`].
    ///
    /// # Errors
    /// Where nothing at all can be seen, or the kernel does not let itself be traced.
    pub fn start(scope: &Scope) -> Result<Tracer, Refused> {
        let privilege = Privilege::look();
        let is_here = !scope.roots.is_empty() || scope.device.is_some();
        if let Some(refused) = privilege.forbids().filter(|_| is_here) {
            return Err(refused);
        }
        let (calls, device) = (unseen_calls(scope, &privilege), device_of(scope));
        if let (Some(unseen), Err(_)) = (&calls, &device) {
            return Err(Refused { reason: unseen.reason.clone(), hint: unseen.hint.clone() });
        }
        let mut missing: Vec<MissingLayer> = Vec::new();
        missing.extend(calls.as_ref().map(|unseen| unseen.missing(MeasuringPoint::SystemCall)));
        if let Err(unseen) = &device {
            missing.extend([MeasuringPoint::Block, MeasuringPoint::Device].map(|point| unseen.missing(point)));
        }
        let roots = if calls.is_none() { scope.roots.as_slice() } else { &[] };
        let places = CALLS.iter().zip(0..).filter(|_| !roots.is_empty());
        let wanted: Vec<(u32, u32)> = places.map(|(call, place)| (call.number, call.wanted(place))).collect();
        let programs = Programs::load(&wanted, roots).map_err(|fault| refused(&fault, &privilege))?;
        Ok(Tracer { programs: Mutex::new(programs), device: device.unwrap_or(0), missing, fault: Mutex::new(None) })
    }

    /// Counts from now on: what begins from now on.
    pub fn begin(&self) {
        self.tell(true);
    }

    /// Counts no more: what ends from now on does not count.
    pub fn end(&self) {
        self.tell(false);
    }

    fn tell(&self, on: bool) {
        let words = [u32::from(on), self.device, descriptor_at().unwrap_or(0), 0];
        let mut programs = self.programs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = programs.settings.set(0, words, 0) {
            *self.fault.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.into());
        }
    }

    /// What was counted; the programs leave the kernel.
    pub fn finish(self) -> Trace {
        self.end();
        let programs = self.programs.into_inner().unwrap_or_else(PoisonError::into_inner);
        let fault = self.fault.into_inner().unwrap_or_else(PoisonError::into_inner);
        match fault.map_or_else(|| read(&programs), Err) {
            Ok((latencies, lost_count)) => {
                let mut missing = self.missing;
                missing.extend(unstamped(&latencies));
                Trace { rung: Rung::Bpf, missing, lost_count, latencies }
            }
            Err(fault) => refused(&fault, &Privilege::look()).trace(self.device != 0),
        }
    }
}

/// Why system calls cannot be seen.
fn unseen_calls(scope: &Scope, privilege: &Privilege) -> Option<Unseen> {
    if scope.roots.is_empty() {
        let hint = "run dbdyno on the host of the engine";
        return Some(Unseen::new("the processes of the engine are not on this host", hint));
    }
    if descriptor_at().is_none() {
        let reason = "registers of this processor are not known to dbdyno";
        return Some(Unseen::new(reason, "run on x86_64 or aarch64"));
    }
    (!privilege.processes_named).then(|| {
        let reason = "dbdyno sees processes by other numbers than the kernel (a container)";
        Unseen::new(reason, "run dbdyno on the host itself, or the container with its processes (--pid=host)")
    })
}

/// The number of the device, or why its requests cannot be seen.
fn device_of(scope: &Scope) -> Result<u32, Unseen> {
    let Some(name) = &scope.device else {
        let hint = "run dbdyno on the host of the data, on a file system of a disk";
        return Err(Unseen::new("the data lie on no disk of this host that is known", hint));
    };
    device::number(Path::new("/sys"), name)
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
fn read(programs: &Programs) -> Result<(Vec<LayerLatency>, u64), Fault> {
    let mut latencies = Vec::new();
    for (call, place) in CALLS.iter().zip(0..) {
        let words = programs.calls.get(&place, 0)?;
        if let Some((latency, bytes)) = tally::latency(words.iter()) {
            let bytes = call.moves_bytes().then_some(Bytes(bytes));
            let (point, name) = (MeasuringPoint::SystemCall, call.name.to_owned());
            latencies.push(LayerLatency { point, class: call.class, name, bytes, latency });
        }
    }
    for (point, first) in [(MeasuringPoint::Block, 0), (MeasuringPoint::Device, OPERATIONS)] {
        for (operation, (class, name)) in (0..OPERATIONS).zip(REQUESTS) {
            let words = programs.requests.get(&(first + operation), 0)?;
            if let Some((latency, bytes)) = tally::latency(words.iter()) {
                let bytes = (class != OperationClass::Flush).then_some(Bytes(bytes));
                latencies.push(LayerLatency { point, class, name: name.to_owned(), bytes, latency });
            }
        }
    }
    let lost = programs.lost.get(&0, 0)?;
    Ok((latencies, lost.iter().sum()))
}

/// Operations of the block layer, in the order of their numbers.
const REQUESTS: [(OperationClass, &str); OPERATIONS as usize] = [
    (OperationClass::Read, "READ"),
    (OperationClass::Write, "WRITE"),
    (OperationClass::Flush, "FLUSH"),
    (OperationClass::Discard, "DISCARD"),
];

/// That requests bear no time of their beginning, where those that the driver got show that there were some.
fn unstamped(latencies: &[LayerLatency]) -> Option<MissingLayer> {
    let at = |point| latencies.iter().any(|latency| latency.point == point);
    let unseen = Unseen::new(
        "the kernel notes no times of the requests of this disk",
        "write 1 to queue/iostats of the disk, below /sys/block",
    );
    (at(MeasuringPoint::Device) && !at(MeasuringPoint::Block)).then(|| unseen.missing(MeasuringPoint::Block))
}

//! Traces one run by the best available tracer.

use std::path::Path;

use record::{MeasuringPoint, MissingLayer, Trace, TracerKind, UnavailableTracer};

use crate::bpf::BpfPrograms;
use crate::counting::Counting;
use crate::device;
use crate::layout::arguments_at;
use crate::privilege::Privilege;
use crate::refusal::{Refused, Unavailable};
use crate::tracefs::{Tracefs, TracefsEvents};

/// The tracers, best first. There is none by `perf_event_open`: it requires the privileges of tracefs, whose
/// descriptions of tracepoints it needs, and on Linux 6.18 with idle processors it delivered 1 to 9 of 2000
/// completions, also to `perf record`.
const TRACERS: [TracerKind; 2] = [TracerKind::Bpf, TracerKind::Tracefs];

/// The traced processes and disk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// PIDs of the processes whose system calls are traced, with their descendants; none if they are not on this host.
    pub roots: Vec<u32>,
    /// Kernel name of the disk whose requests are traced (`vda`), of all processes. None if the data are not on a disk
    /// of this host.
    pub device: Option<String>,
}

/// A running trace; removed from the kernel on drop.
pub struct Tracer {
    counting: Box<dyn Counting>,
    has_device: bool,
    unavailable: Vec<UnavailableTracer>,
    missing: Vec<MissingLayer>,
}

/// What can be traced, and why the rest cannot.
struct Availability {
    privilege: Privilege,
    /// The processes that can be traced.
    roots: Vec<u32>,
    no_calls: Option<Unavailable>,
    device: Result<u32, Unavailable>,
}

impl Tracer {
    /// Sets up the best available tracer, or the one that is `wanted`. Nothing is counted before [`Tracer::begin`].
    ///
    /// # Errors
    /// If nothing can be traced, or none of the tracers is available.
    pub fn start(scope: &Scope, wanted: Option<TracerKind>) -> Result<Tracer, Refused> {
        let available = Availability::of(scope)?;
        let tracers: Vec<TracerKind> =
            TRACERS.into_iter().filter(|tracer| wanted.is_none_or(|wanted| wanted == *tracer)).collect();
        let mut unavailable = Vec::new();
        for tracer in tracers {
            match available.counting(tracer) {
                Ok(counting) => {
                    let missing = available.missing(tracer, &unavailable);
                    return Ok(Tracer { counting, has_device: available.device.is_ok(), unavailable, missing });
                }
                Err(Refused { reason, hint, .. }) => unavailable.push(UnavailableTracer { tracer, reason, hint }),
            }
        }
        Err(match unavailable.first() {
            Some(UnavailableTracer { reason, hint, .. }) => {
                Refused { reason: reason.clone(), hint: hint.clone(), unavailable }
            }
            None => Refused::new("the requested tracer traces nothing", "omit --tracer"),
        })
    }

    /// Starts counting: operations that started before do not count.
    pub fn begin(&self) {
        self.counting.begin();
    }

    /// Stops counting: operations that end later do not count.
    pub fn end(&self) {
        self.counting.end();
    }

    /// The tracer in use.
    pub fn kind(&self) -> TracerKind {
        self.counting.kind()
    }

    /// The trace; nothing is left in the kernel.
    pub fn finish(self) -> Trace {
        let Tracer { counting, has_device, unavailable, mut missing } = self;
        let tracer = counting.kind();
        match counting.finish() {
            Ok(counted) => {
                missing.extend(counted.missing);
                Trace { tracer, unavailable, missing, lost_count: counted.lost_count, latencies: counted.latencies }
            }
            Err(Refused { reason, hint, .. }) => {
                let own = UnavailableTracer { tracer, reason: reason.clone(), hint: hint.clone() };
                let unavailable = unavailable.into_iter().chain([own]).collect();
                Refused { reason, hint, unavailable }.trace(has_device)
            }
        }
    }
}

impl Availability {
    fn of(scope: &Scope) -> Result<Availability, Refused> {
        let privilege = Privilege::of_process();
        let (no_calls, device) = (no_calls(scope, &privilege), device_of(scope));
        // If the engine or the disk is on this host, a refusal of the kernel is the first reason.
        let is_here = !scope.roots.is_empty() || scope.device.is_some();
        if let (Some(unavailable), Err(_)) = (&no_calls, &device)
            && !(is_here && privilege.forbids().is_some())
        {
            return Err(Refused::new(unavailable.reason.clone(), &unavailable.hint));
        }
        let roots = if no_calls.is_none() { scope.roots.clone() } else { Vec::new() };
        Ok(Availability { privilege, roots, no_calls, device })
    }

    /// Sets up a tracer.
    fn counting(&self, tracer: TracerKind) -> Result<Box<dyn Counting>, Refused> {
        let device = || match &self.device {
            Ok(device) => Ok(*device),
            Err(unavailable) => Err(Refused::new(unavailable.reason.clone(), &unavailable.hint)),
        };
        Ok(match tracer {
            TracerKind::Bpf => {
                let device = self.device.as_ref().copied().unwrap_or(0);
                Box::new(BpfPrograms::start(&self.privilege, &self.roots, device)?)
            }
            TracerKind::Tracefs => {
                let device = device()?;
                Box::new(TracefsEvents::start(Tracefs::find()?, device)?)
            }
            TracerKind::Counters | TracerKind::Engine => {
                return Err(Refused::new("not a tracer", "request another one"));
            }
        })
    }

    /// The layers that `tracer` does not trace, after those in `unavailable` were not available.
    fn missing(&self, tracer: TracerKind, unavailable: &[UnavailableTracer]) -> Vec<MissingLayer> {
        let mut missing: Vec<MissingLayer> = Vec::new();
        missing.extend(match (&self.no_calls, tracer) {
            (Some(unavailable), _) => Some(unavailable.missing(MeasuringPoint::SystemCall)),
            (None, TracerKind::Bpf) => None,
            (None, _) => Some(no_calls_without_bpf(unavailable).missing(MeasuringPoint::SystemCall)),
        });
        if let Err(unavailable) = &self.device {
            missing.extend([MeasuringPoint::Block, MeasuringPoint::Device].map(|point| unavailable.missing(point)));
        }
        missing
    }
}

/// Why system calls are not traced by other tracers than BPF.
fn no_calls_without_bpf(unavailable: &[UnavailableTracer]) -> Unavailable {
    match unavailable.iter().find(|unavailable| unavailable.tracer == TracerKind::Bpf) {
        Some(UnavailableTracer { reason, hint, .. }) => {
            Unavailable::new(format!("system calls are traced by BPF only: {reason}"), hint)
        }
        None => {
            Unavailable::new("system calls are traced by BPF only, and another tracer was requested", "omit --tracer")
        }
    }
}

/// Why system calls cannot be traced.
fn no_calls(scope: &Scope, privilege: &Privilege) -> Option<Unavailable> {
    if scope.roots.is_empty() {
        let hint = "run dbdyno on the host of the engine";
        return Some(Unavailable::new("the processes of the engine are not on this host", hint));
    }
    if arguments_at().is_none() {
        let reason = "system calls are not traced on this processor architecture";
        return Some(Unavailable::new(reason, "run on x86_64 or aarch64"));
    }
    (!privilege.in_initial_namespace).then(|| {
        let reason = "dbdyno runs in another PID namespace than the initial one (a container)";
        Unavailable::new(reason, "run dbdyno on the host itself, or the container with --pid=host")
    })
}

/// The number of the device, or why its requests cannot be traced.
fn device_of(scope: &Scope) -> Result<u32, Unavailable> {
    let Some(name) = &scope.device else {
        let hint = "run dbdyno on the host of the data, on a file system of a disk";
        return Err(Unavailable::new("the data are not on a known disk of this host", hint));
    };
    device::number(Path::new("/sys"), name)
}

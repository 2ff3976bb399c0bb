//! Traces one run, on the best rung of the ladder that is to be had.

use std::path::Path;

use record::{MeasuringPoint, MissingLayer, PassedRung, Rung, Trace};

use crate::bpf::BpfPrograms;
use crate::counting::Counting;
use crate::device;
use crate::layout::arguments_at;
use crate::privilege::Privilege;
use crate::refusal::{Refused, Unseen};
use crate::tracefs::{Tracefs, TracefsEvents};

/// The rungs on which something is traced, best first. There is none by `perf_event_open`: it takes the privilege of
/// tracefs, whose descriptions of tracepoints it needs, and on Linux 6.18 with idle processors it handed over 1 to 9 of
/// 2000 completions, to Linux's own `perf record` too.
const LADDER: [Rung; 2] = [Rung::Bpf, Rung::Tracefs];

/// Which processes and which disk are traced.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// The processes whose system calls are traced, with all that they started, by process id; none where they are not
    /// on this host.
    pub roots: Vec<u32>,
    /// The kernel's name of the disk whose requests are traced (`vda`): those of everybody. None where the data lie on no
    /// disk of this host.
    pub device: Option<String>,
}

/// Whatever counts latencies in or by the kernel. It is gone when this is dropped.
pub struct Tracer {
    counting: Box<dyn Counting>,
    has_device: bool,
    passed: Vec<PassedRung>,
    missing: Vec<MissingLayer>,
}

/// What is there to be traced, and why not the rest.
struct Sight {
    privilege: Privilege,
    /// The processes that can be traced.
    roots: Vec<u32>,
    unseen_calls: Option<Unseen>,
    device: Result<u32, Unseen>,
}

impl Tracer {
    /// Gets ready on the best rung that is to be had, or on the one that is `wanted`. Nothing is counted before
    /// [`Tracer::begin`].
    ///
    /// # Errors
    /// Where nothing at all can be seen, or the kernel does not let itself be traced in any of these ways.
    pub fn start(scope: &Scope, wanted: Option<Rung>) -> Result<Tracer, Refused> {
        let sight = Sight::look(scope)?;
        let rungs: Vec<Rung> = LADDER.into_iter().filter(|rung| wanted.is_none_or(|wanted| wanted == *rung)).collect();
        let mut passed = Vec::new();
        for rung in rungs {
            match sight.counting(rung) {
                Ok(counting) => {
                    let missing = sight.missing(rung, &passed);
                    return Ok(Tracer { counting, has_device: sight.device.is_ok(), passed, missing });
                }
                Err(Refused { reason, hint, .. }) => passed.push(PassedRung { rung, reason, hint }),
            }
        }
        Err(match passed.first() {
            Some(PassedRung { reason, hint, .. }) => Refused { reason: reason.clone(), hint: hint.clone(), passed },
            None => Refused::new("nothing was to be traced", "leave the rung out"),
        })
    }

    /// Counts from now on: what begins from now on.
    pub fn begin(&self) {
        self.counting.begin();
    }

    /// Counts no more: what ends from now on does not count.
    pub fn end(&self) {
        self.counting.end();
    }

    /// The rung on which the trace is made.
    pub fn rung(&self) -> Rung {
        self.counting.rung()
    }

    /// What was counted; nothing is left in the kernel.
    pub fn finish(self) -> Trace {
        let Tracer { counting, has_device, passed, mut missing } = self;
        let rung = counting.rung();
        match counting.finish() {
            Ok(counted) => {
                missing.extend(counted.missing);
                Trace { rung, passed, missing, lost_count: counted.lost_count, latencies: counted.latencies }
            }
            Err(Refused { reason, hint, .. }) => {
                let own = PassedRung { rung, reason: reason.clone(), hint: hint.clone() };
                let passed = passed.into_iter().chain([own]).collect();
                Refused { reason, hint, passed }.trace(has_device)
            }
        }
    }
}

impl Sight {
    fn look(scope: &Scope) -> Result<Sight, Refused> {
        let privilege = Privilege::look();
        let (unseen_calls, device) = (unseen_calls(scope, &privilege), device_of(scope));
        // Where something is here, what the kernel says comes first.
        let is_here = !scope.roots.is_empty() || scope.device.is_some();
        if let (Some(unseen), Err(_)) = (&unseen_calls, &device)
            && !(is_here && privilege.forbids().is_some())
        {
            return Err(Refused::new(unseen.reason.clone(), &unseen.hint));
        }
        let roots = if unseen_calls.is_none() { scope.roots.clone() } else { Vec::new() };
        Ok(Sight { privilege, roots, unseen_calls, device })
    }

    /// Gets ready on `rung`.
    fn counting(&self, rung: Rung) -> Result<Box<dyn Counting>, Refused> {
        let device = || match &self.device {
            Ok(device) => Ok(*device),
            Err(unseen) => Err(Refused::new(unseen.reason.clone(), &unseen.hint)),
        };
        Ok(match rung {
            Rung::Bpf => {
                let device = self.device.as_ref().copied().unwrap_or(0);
                Box::new(BpfPrograms::start(&self.privilege, &self.roots, device)?)
            }
            Rung::Tracefs => {
                let device = device()?;
                Box::new(TracefsEvents::start(Tracefs::find()?, device)?)
            }
            Rung::Counters | Rung::Engine => {
                return Err(Refused::new("nothing is traced on this rung", "ask for another one"));
            }
        })
    }

    /// What is not seen on `rung`, after the rungs in `passed` were not to be had.
    fn missing(&self, rung: Rung, passed: &[PassedRung]) -> Vec<MissingLayer> {
        let mut missing: Vec<MissingLayer> = Vec::new();
        missing.extend(match (&self.unseen_calls, rung) {
            (Some(unseen), _) => Some(unseen.missing(MeasuringPoint::SystemCall)),
            (None, Rung::Bpf) => None,
            (None, _) => Some(unseen_without_programs(passed).missing(MeasuringPoint::SystemCall)),
        });
        if let Err(unseen) = &self.device {
            missing.extend([MeasuringPoint::Block, MeasuringPoint::Device].map(|point| unseen.missing(point)));
        }
        missing
    }
}

/// Why system calls are not seen on a lower rung.
fn unseen_without_programs(passed: &[PassedRung]) -> Unseen {
    match passed.iter().find(|passed| passed.rung == Rung::Bpf) {
        Some(PassedRung { reason, hint, .. }) => {
            Unseen::new(format!("only programs in the kernel (BPF) see system calls, and {reason}"), hint)
        }
        None => Unseen::new(
            "only programs in the kernel (BPF) see system calls, and another rung was asked for",
            "leave --trace-rung away",
        ),
    }
}

/// Why system calls cannot be seen.
fn unseen_calls(scope: &Scope, privilege: &Privilege) -> Option<Unseen> {
    if scope.roots.is_empty() {
        let hint = "run dbdyno on the host of the engine";
        return Some(Unseen::new("the processes of the engine are not on this host", hint));
    }
    if arguments_at().is_none() {
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

//! A temporary reduction of a resource for the engine and dbdyno.

use std::fmt;
use std::sync::PoisonError;

use engine::Processes;
use host::{IoLimit, Limit, Restriction};
use model::{IoPart, Perturbation, RULES};
use record::{Placement, UnprovedReason};

use crate::bench::Bench;

/// Why a resource could not be reduced, and how it could be.
#[derive(Debug)]
pub(super) struct Refusal(String);

impl Refusal {
    /// For this reason.
    pub(super) fn new(reason: impl fmt::Display) -> Refusal {
        Refusal(reason.to_string())
    }
}

impl From<Refusal> for UnprovedReason {
    fn from(Refusal(reason): Refusal) -> UnprovedReason {
        UnprovedReason::Refused { reason }
    }
}

/// I/O per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct IoRates {
    pub reads: f64,
    pub writes: f64,
    pub read_bytes: f64,
    pub write_bytes: f64,
}

/// A reduction. It is lifted when this is dropped.
pub(super) enum Reduction {
    /// Fewer arrivals: the plan of the run has the rate.
    Arrivals,
    /// A control group with a limit.
    Group(Restriction),
    /// One processor fewer.
    Processor(Affinity),
}

impl Reduction {
    /// Reduces the resource of `perturbation`; returns the remaining share. For I/O it is a share of what was
    /// `counted`.
    pub(super) fn apply(
        bench: &Bench<'_>,
        perturbation: &Perturbation,
        counted: Option<IoRates>,
    ) -> Result<(Reduction, f64), Refusal> {
        let share = RULES.proof_share;
        match perturbation {
            Perturbation::ArrivalRate => Ok((Reduction::Arrivals, share)),
            Perturbation::Processors { processors, by_affinity } => {
                let roots = roots(bench)?;
                match Restriction::impose(&Limit::Processors(*processors), &roots) {
                    Ok(restriction) => Ok((Reduction::Group(restriction), share)),
                    Err(error) if *by_affinity => {
                        let (affinity, share) = Affinity::reduce(bench, roots, &error.to_string())?;
                        Ok((Reduction::Processor(affinity), share))
                    }
                    Err(error) => Err(Refusal(error.to_string())),
                }
            }
            Perturbation::DeviceIo(part) => {
                let counted = counted.ok_or_else(|| Refusal::new("its I/O was not counted"))?;
                let limit = Limit::DeviceIo(io_limit(device(bench)?, *part, &counted, share)?);
                let restriction =
                    Restriction::impose(&limit, &roots(bench)?).map_err(|error| Refusal(error.to_string()))?;
                Ok((Reduction::Group(restriction), share))
            }
        }
    }

    /// Restores the resource, and returns what failed.
    pub(super) fn restore(self) -> Result<(), Refusal> {
        match self {
            Reduction::Group(restriction) => restriction.lift().map_err(|error| Refusal(error.to_string())),
            Reduction::Processor(affinity) => affinity.restore(),
            Reduction::Arrivals => Ok(()),
        }
    }
}

/// The processes of a run: dbdyno and, if it is another process, the engine. An external server is not touched.
pub(super) fn roots(bench: &Bench<'_>) -> Result<Vec<u32>, Refusal> {
    let own = std::process::id();
    let Some(subject) = bench.subject else { return Ok(vec![own]) };
    match subject.nodes.processes() {
        Processes::InProcess => Ok(vec![own]),
        Processes::Local(servers) if subject.inventory.temporary => Ok([own].into_iter().chain(servers).collect()),
        Processes::Local(_) | Processes::Remote => Err(Refusal(
            "dbdyno does not limit a server that it did not start; measure a local: target, or limit it yourself"
                .to_owned(),
        )),
    }
}

/// The device whose counters the runs have.
pub(super) fn device(bench: &Bench<'_>) -> Result<(u32, u32), Refusal> {
    let counters = bench.sources.host.lock().unwrap_or_else(PoisonError::into_inner);
    let name = counters.device().map(|device| device.name.clone());
    let device = name.as_deref().and_then(host::device_number);
    device.ok_or_else(|| Refusal::new("the device of the data is unknown"))
}

/// The limit at `share` of what was counted, for one part of the I/O.
fn io_limit(device: (u32, u32), part: IoPart, counted: &IoRates, share: f64) -> Result<IoLimit, Refusal> {
    let none = IoLimit { device, ..IoLimit::default() };
    let had = match part {
        IoPart::Reads => counted.reads,
        IoPart::Writes => counted.writes,
        IoPart::ReadBytes => counted.read_bytes,
        IoPart::WriteBytes => counted.write_bytes,
    };
    if had <= 0.0 {
        return Err(Refusal::new("the I/O that fills the device is of other programs"));
    }
    let left = Some(had * share);
    Ok(match part {
        IoPart::Reads => IoLimit { reads: left, ..none },
        IoPart::Writes => IoLimit { writes: left, ..none },
        IoPart::ReadBytes => IoLimit { read_bytes: left, ..none },
        IoPart::WriteBytes => IoLimit { write_bytes: left, ..none },
    })
}

/// Processes that are restricted to one processor fewer.
pub(super) struct Affinity {
    /// All processors that the processes may use.
    processors: Vec<u32>,
    roots: Vec<u32>,
}

impl Affinity {
    /// Excludes `roots` from the last processor; `why` is the reason that there is no control group.
    fn reduce(bench: &Bench<'_>, roots: Vec<u32>, why: &str) -> Result<(Affinity, f64), Refusal> {
        let processors = &bench.processors;
        let is_placed = bench.plan.placement != Placement::Kernel || bench.plan.one_thread_per_core;
        let Some((_, fewer)) = processors.split_last().filter(|(_, fewer)| !fewer.is_empty() && !is_placed) else {
            let obstacle = if is_placed { "jobs are pinned to processors" } else { "there is only one processor" };
            return Err(Refusal(format!("{why}; and {obstacle}, so none can be removed")));
        };
        let share = fewer.len() as f64 / processors.len() as f64;
        // From here on a failure restores the affinity.
        let affinity = Affinity { processors: processors.clone(), roots };
        for root in &affinity.roots {
            host::pin_process_tree_to(*root, fewer).map_err(|error| Refusal(format!("{why}; and {error}")))?;
        }
        Ok((affinity, share))
    }

    /// Restores the use of all processors.
    fn restore(&self) -> Result<(), Refusal> {
        let refused = |error: host::PlacementError| Refusal(error.to_string());
        self.roots.iter().try_for_each(|root| host::pin_process_tree_to(*root, &self.processors).map_err(refused))
    }
}

impl Drop for Affinity {
    fn drop(&mut self) {
        // No effect if it was restored before; errors are ignored.
        let _ = self.restore();
    }
}

//! A part of a resource, taken away from the engine and from dbdyno for a while.

use std::fmt;
use std::sync::PoisonError;

use engine::Processes;
use host::{IoLimit, Limit, Restriction};
use model::{IoPart, Perturbation, RULES};
use record::Placement;

use super::counting::IoRates;
use crate::bench::Bench;

/// Why nothing could be taken away, and how it could.
#[derive(Debug)]
pub(super) struct Refusal(String);

impl Refusal {
    /// For this reason.
    pub(super) fn new(reason: impl fmt::Display) -> Refusal {
        Refusal(reason.to_string())
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.0)
    }
}

/// Something that is taken away. It is given back when this is dropped.
pub(super) enum Taking {
    /// Fewer steps arrive: the plan of the run says so.
    Arrivals,
    /// A control group.
    Group(Restriction),
    /// One processor fewer.
    Processor(Affinity),
}

impl Taking {
    /// Takes away what `perturbation` says; what is left, as a share of what there was. Of I/O that is a share of what was
    /// `counted`.
    ///
    /// # Errors
    /// What is missing for it.
    pub(super) fn of(
        bench: &Bench<'_>,
        perturbation: &Perturbation,
        counted: Option<IoRates>,
    ) -> Result<(Taking, f64), Refusal> {
        let share = RULES.proof_share;
        match perturbation {
            Perturbation::ArrivalRate => Ok((Taking::Arrivals, share)),
            Perturbation::Processors { processors, by_affinity } => {
                let roots = roots(bench)?;
                match Restriction::impose(&Limit::Processors(*processors), &roots) {
                    Ok(restriction) => Ok((Taking::Group(restriction), share)),
                    Err(error) if *by_affinity => {
                        let (affinity, share) = Affinity::take(bench, roots, &error.to_string())?;
                        Ok((Taking::Processor(affinity), share))
                    }
                    Err(error) => Err(Refusal(error.to_string())),
                }
            }
            Perturbation::DeviceIo(part) => {
                let counted = counted.ok_or_else(|| Refusal::new("how much I/O it had was not counted"))?;
                let limit = Limit::DeviceIo(io_limit(device(bench)?, *part, &counted, share)?);
                let restriction =
                    Restriction::impose(&limit, &roots(bench)?).map_err(|error| Refusal(error.to_string()))?;
                Ok((Taking::Group(restriction), share))
            }
        }
    }

    /// Gives it back, and says what did not work.
    pub(super) fn give_back(self) -> Result<(), Refusal> {
        match self {
            Taking::Group(restriction) => restriction.lift().map_err(|error| Refusal(error.to_string())),
            Taking::Processor(affinity) => affinity.give_back(),
            Taking::Arrivals => Ok(()),
        }
    }
}

/// The processes that work in a run: dbdyno and, where it is another process, the engine. A server of somebody else's is
/// left alone.
pub(super) fn roots(bench: &Bench<'_>) -> Result<Vec<u32>, Refusal> {
    let own = std::process::id();
    let Some(subject) = bench.subject else { return Ok(vec![own]) };
    match subject.nodes.processes() {
        Processes::InProcess => Ok(vec![own]),
        Processes::Local(servers) if subject.inventory.temporary => {
            Ok([own].into_iter().chain(servers).collect())
        }
        Processes::Local(_) | Processes::Remote => Err(Refusal(
            "the server is not one that dbdyno started, and is left alone; measure a local: target, or limit it yourself"
                .to_owned(),
        )),
    }
}

/// The device whose counters the runs have.
pub(super) fn device(bench: &Bench<'_>) -> Result<(u32, u32), Refusal> {
    let counters = bench.sources.host.lock().unwrap_or_else(PoisonError::into_inner);
    let name = counters.device().map(|device| device.name.clone());
    let device = name.as_deref().and_then(host::device_number);
    device.ok_or_else(|| Refusal::new("the device below the data is not known"))
}

/// `share` of what was counted, of one part.
fn io_limit(device: (u32, u32), part: IoPart, counted: &IoRates, share: f64) -> Result<IoLimit, Refusal> {
    let none = IoLimit { device, ..IoLimit::default() };
    let had = match part {
        IoPart::Reads => counted.reads,
        IoPart::Writes => counted.writes,
        IoPart::ReadBytes => counted.read_bytes,
        IoPart::WriteBytes => counted.write_bytes,
    };
    if had <= 0.0 {
        return Err(Refusal::new("it had none of the I/O that fills the device: others did"));
    }
    let left = Some(had * share);
    Ok(match part {
        IoPart::Reads => IoLimit { reads: left, ..none },
        IoPart::Writes => IoLimit { writes: left, ..none },
        IoPart::ReadBytes => IoLimit { read_bytes: left, ..none },
        IoPart::WriteBytes => IoLimit { write_bytes: left, ..none },
    })
}

/// Processes that are kept on one processor fewer.
pub(super) struct Affinity {
    /// All that the process may use.
    processors: Vec<u32>,
    roots: Vec<u32>,
}

impl Affinity {
    /// Keeps `roots` away from the last processor; `why` a control group could not be had.
    fn take(bench: &Bench<'_>, roots: Vec<u32>, why: &str) -> Result<(Affinity, f64), Refusal> {
        let processors = &bench.processors;
        let is_placed = bench.plan.placement != Placement::Kernel || bench.plan.one_thread_per_core;
        let Some((_, fewer)) = processors.split_last().filter(|(_, fewer)| !fewer.is_empty() && !is_placed) else {
            let there = if is_placed { "jobs have processors of their own" } else { "there is only one processor" };
            return Err(Refusal(format!("{why}; and {there}, so that none can be taken away")));
        };
        let share = fewer.len() as f64 / processors.len() as f64;
        // From here on a failure gives back what was taken.
        let affinity = Affinity { processors: processors.clone(), roots };
        for root in &affinity.roots {
            host::keep_processes_on(*root, fewer).map_err(|error| Refusal(format!("{why}; and {error}")))?;
        }
        Ok((affinity, share))
    }

    /// Lets everybody use all processors again.
    fn give_back(&self) -> Result<(), Refusal> {
        let refused = |error: host::PlacementError| Refusal(error.to_string());
        self.roots.iter().try_for_each(|root| host::keep_processes_on(*root, &self.processors).map_err(refused))
    }
}

impl Drop for Affinity {
    fn drop(&mut self) {
        // Where it was given back before, this changes nothing; nobody is left to hear of an error.
        let _ = self.give_back();
    }
}

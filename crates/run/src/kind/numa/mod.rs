//! NUMA: processors of each node with the memory of each node, and with the measured device.
//!
//! A cell of the matrix is a run of a probe of memory by a thread that is bound to the processors of one node and to the
//! memory of another; the threads of its jobs inherit both. An engine that dbdyno starts is opened by such a thread anew for
//! each cell, so that its processes inherit both, too. Cells are measured in rounds, in random order.

mod bound;

use record::{
    Bytes, Dop, HostInventory, Nanos, NumaNode, Plan, PlannedRun, Preset, ProofLoad, ProofPart, ProofPlace,
    ProofSubject, RunKind,
};
use workload::blocks::{BlocksSettings, CODE};

use self::bound::bound;
use crate::directory::MeasuredDirectory;
use crate::invocation::{Kind, Measured, invoke};
use crate::item::Item;
use crate::kind::blocks::{self, BLOCK_USUAL, BlocksRequest, Loaded};
use crate::kind::catalogue::measure_one;
use crate::kind::io::{ProbeFiles, StorageSupport, add_jobs};
use crate::platform::{Context, OpenOptions, Platform};
use crate::recorder::Recorder;
use crate::run::keep;
use crate::{Error, Result, Setup};

/// Reads of memory.
const READS: &str = "M11";
/// Dependent reads of memory.
const LATENCY: &str = "M21";
/// Random reads of storage.
const DEVICE: &str = "S21";

/// Share of the free memory of a node that a run may use.
const FREE_SHARE: f64 = 0.5;

/// What the proof is asked for.
#[derive(Clone, Debug)]
pub struct NumaRequest {
    /// What every kind of run is asked for.
    pub setup: Setup,
    /// Length of each measurement.
    pub window: Nanos,
    /// How often each cell is measured.
    pub rounds: u32,
    /// Whether the engine is measured, too.
    pub engine: bool,
}

/// Buffer cache of the engine, and the part of it that the visited blocks take.
const ENGINE_CACHE: Bytes = Bytes::MIB.times(128);
const VISITED_SHARE: f64 = 0.5;

/// The nodes of this machine whose memory or processors this process may use.
fn nodes(host: &HostInventory) -> (Vec<(u32, Vec<u32>)>, Vec<u32>) {
    let allowed = host::cpus_allowed();
    let own = |node: &NumaNode| -> Vec<u32> {
        let listed = base::root::cpu_list(&node.cpus).unwrap_or_default();
        listed.into_iter().filter(|cpu| allowed.contains(cpu)).collect()
    };
    let all = &host.cpu.numa_nodes;
    let processors = all.iter().map(|node| (node.number, own(node))).filter(|(_, cpus)| !cpus.is_empty()).collect();
    let memories = all.iter().filter(|node| node.memory_bytes.is_some_and(|bytes| bytes > Bytes(0)));
    (processors, memories.map(|node| node.number).collect())
}

/// Whether this machine has several nodes, so that there is something to prove.
pub fn has_several_nodes() -> bool {
    host::inventory(std::path::Path::new("/")).cpu.numa_nodes.len() > 1
}

/// Measures the matrix of nodes.
///
/// # Errors
/// Only where there is no record yet; later errors are in [`Measured::error`] beside the record so far.
pub fn measure_numa(request: &NumaRequest, context: Context<'_>) -> Result<Measured> {
    Ok(invoke(&mut Numa { request }, [context], None)?.measured(&request.setup.record))
}

struct Numa<'r> {
    request: &'r NumaRequest,
}

impl Kind for Numa<'_> {
    fn setup(&self) -> Setup {
        self.request.setup.clone()
    }

    /// That of the loading sessions: those that read follow the processors.
    fn jobs_max(&self) -> u32 {
        if self.request.engine { BlocksSettings::default().load_jobs } else { 0 }
    }

    fn check(&self, [context]: &[Context<'_>; 1]) -> Result<()> {
        if self.request.engine { blocks::check(&self.reads(BLOCK_USUAL, 1), context) } else { Ok(()) }
    }

    fn needs_engine(&self) -> bool {
        self.request.engine
    }

    fn options(
        &self,
        directory: &MeasuredDirectory,
        _context: &Context<'_>,
        _opened: &[Platform<'_>],
    ) -> Result<OpenOptions> {
        Ok(OpenOptions { cache: Some(ENGINE_CACHE), keep: true, ..OpenOptions::of(directory) })
    }

    fn plan(&mut self, directory: &MeasuredDirectory, [platform]: &mut [Platform<'_>; 1]) -> Result<[Plan; 1]> {
        let (processors, memories) = nodes(&platform.host);
        if processors.len() < 2 && memories.len() < 2 {
            return Err(Error::user("there is nothing to prove: one NUMA node may be used").hint(
                "allow processors of several nodes, by taskset, the container or the control group that limits them",
            ));
        }
        if platform.engine.as_ref().is_some_and(|opened| !opened.inventory.temporary) {
            return Err(Error::user("dbdyno cannot bind a server that it did not start to a node")
                .hint("give a temporary server, such as local:NAME, or an embedded engine"));
        }
        let support = StorageSupport::detect(&directory.data(), Preset::Quick);
        let once = runs(&processors, &memories, device_node(&platform.host), self.request.engine);
        let target = match self.request.engine {
            true => platform.context.target.to_string(),
            false => "numa".to_owned(),
        };
        let mut plan = Plan {
            window_ns: self.request.window,
            warm_up_ns: Nanos(self.request.window.0 / 10),
            seed: self.request.setup.seed,
            repeats: self.request.rounds,
            runs: crate::order::in_rounds(&once, self.request.rounds, self.request.setup.seed),
            ..Plan::new(target, directory.path().display().to_string(), Preset::Quick)
        };
        add_jobs(&mut plan, &probes(), &support);
        plan.number();
        Ok([plan])
    }

    fn measure(&mut self, [platform]: &mut [Platform<'_>; 1], [record]: &mut [Recorder; 1]) -> Result<()> {
        let plan = record.plan.clone();
        platform.context.announce(&plan, self.request.window, &self.request.setup.record);
        let mut files = ProbeFiles::default();
        let last_of_engine = plan.runs.iter().rposition(is_of_engine);
        for (planned, index) in plan.runs.iter().zip(0..) {
            let Some(cell) = Cell::of(planned, &platform.host) else { continue };
            if is_of_engine(planned) {
                let options = OpenOptions { keep: Some(index) != last_of_engine, ..platform.options.clone() };
                self.measure_engine(platform, record, planned, &cell, options)?;
            } else {
                measure_probe(platform, record, planned, &cell, &mut files)?;
            }
        }
        Ok(())
    }
}

impl Numa<'_> {
    /// Reads of blocks that fit the buffer cache.
    fn reads(&self, block: Bytes, sessions: u32) -> BlocksRequest {
        let blocks = (ENGINE_CACHE.0 as f64 * VISITED_SHARE) as u64 / block.0.max(1);
        BlocksRequest::reads(self.setup(), blocks, self.request.window, sessions)
    }

    /// Opens the engine on the nodes of `cell`, with empty caches, and reads blocks from them.
    fn measure_engine(
        &self,
        platform: &mut Platform<'_>,
        record: &mut Recorder,
        planned: &PlannedRun,
        cell: &Cell,
        options: OpenOptions,
    ) -> Result<()> {
        let plan = record.plan.clone();
        let block = platform.opened()?.inventory.block_bytes.unwrap_or(BLOCK_USUAL);
        let request = self.reads(block, sessions(&cell.cpus));
        let failure = cell.bound(|| {
            platform.reopen(options)?;
            let loaded = Loaded::load(platform, &plan, record, &request)?;
            loaded.measure(platform, planned, record, &request)
        })??;
        failure.map_or(Ok(()), |message| Err(Error::environment(message)))
    }
}

fn measure_probe(
    platform: &Platform<'_>,
    record: &mut Recorder,
    planned: &PlannedRun,
    cell: &Cell,
    files: &mut ProbeFiles,
) -> Result<()> {
    let Some(probe) = probe::probe(&planned.test) else { return Ok(()) };
    let plan = record.plan.clone();
    platform.without_engine(&plan, |bench| {
        let host = limited(bench.host, cell.memory);
        let own = crate::bench::Bench { processors: cell.cpus.clone(), host: &host, ..bench.clone() };
        let run = cell.bound(|| measure_one(&own, planned, Item::Probe(probe), files))??;
        keep(bench, record, run).map(drop)
    })
}

/// The processors of a run, and the node of its memory.
struct Cell {
    node: u32,
    cpus: Vec<u32>,
    /// None where it is the kernel's choice.
    memory: Option<u32>,
}

impl Cell {
    fn of(planned: &PlannedRun, host: &HostInventory) -> Option<Cell> {
        let ProofPart { place: ProofPlace::Nodes { processors: node, memory }, load, .. } = planned.kind.proof()?
        else {
            return None;
        };
        let (processors, _) = nodes(host);
        let (_, cpus) = processors.into_iter().find(|(number, _)| number == node)?;
        // The memory of a device's run is the kernel's choice.
        Some(Cell { node: *node, cpus, memory: Some(*memory).filter(|_| *load != ProofLoad::SingleReads) })
    }

    fn bound<T: Send>(&self, body: impl FnOnce() -> T + Send) -> Result<T> {
        bound(&self.cpus, self.memory, body).map_err(|error| {
            Error::environment(format!("node {} cannot be measured: {error}", self.node))
                .hint("look at the processors and nodes that the container or control group allows")
        })
    }
}

fn is_of_engine(planned: &PlannedRun) -> bool {
    planned.kind.proof().is_some_and(|part| part.load == ProofLoad::BlockReads)
}

fn probes() -> Vec<Item<'static>> {
    [READS, LATENCY, DEVICE].iter().filter_map(|code| probe::probe(code)).map(Item::Probe).collect()
}

/// Each cell once: memory by all processors of a node and by one of them, and through an engine where it `is_engine_asked`;
/// the device by one of each node.
fn runs(
    processors: &[(u32, Vec<u32>)],
    memories: &[u32],
    device: Option<u32>,
    is_engine_asked: bool,
) -> Vec<PlannedRun> {
    let run = |code: &str, load, node: u32, memory: u32, jobs: u32| {
        let part =
            ProofPart { subject: ProofSubject::Numa, place: ProofPlace::Nodes { processors: node, memory }, load };
        PlannedRun::new(code, RunKind::Proof(part), Dop::jobs(jobs))
    };
    let mut runs = Vec::new();
    for (node, cpus) in processors {
        for memory in memories {
            runs.push(run(READS, ProofLoad::MemoryReads, *node, *memory, cpus.len() as u32));
            runs.push(run(LATENCY, ProofLoad::MemoryLatency, *node, *memory, 1));
            let sessions = sessions(cpus);
            runs.extend(is_engine_asked.then(|| run(CODE, ProofLoad::BlockReads, *node, *memory, sessions)));
        }
        runs.extend(device.map(|device| run(DEVICE, ProofLoad::SingleReads, *node, device, 1)));
    }
    runs
}

/// Sessions through an engine: they share the processors of the node with the processes of a server.
fn sessions(cpus: &[u32]) -> u32 {
    (cpus.len() as u32 / 2).max(1)
}

/// The node of the measured device; none where it is not known.
fn device_node(host: &HostInventory) -> Option<u32> {
    host.devices.iter().find_map(|device| device.numa_node)
}

/// `host` with as much available memory as `node` has to give.
fn limited(host: &HostInventory, node: Option<u32>) -> HostInventory {
    let mut limited = host.clone();
    if let Some(free) = node.and_then(host::node_free_bytes) {
        limited.memory.available_bytes = Some(Bytes((free.0 as f64 * FREE_SHARE) as u64));
    }
    limited
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_node_is_measured_with_each_memory_and_with_the_device() {
        let runs = runs(&[(0, vec![0, 2]), (1, vec![1, 3])], &[0, 1], Some(1), false);
        let cells: Vec<(&str, u32)> = runs.iter().map(|run| (run.test.as_str(), run.dop.jobs)).collect();
        let expected = [("M11", 2), ("M21", 1), ("M11", 2), ("M21", 1), ("S21", 1)];
        assert_eq!(cells, [expected, expected].concat());
    }

    #[test]
    fn an_engine_is_measured_with_each_memory_but_not_with_the_device() {
        let runs = runs(&[(0, vec![0, 1, 2, 3]), (1, vec![4])], &[0, 1], Some(0), true);
        let of_engine: Vec<u32> = runs.iter().filter(|run| is_of_engine(run)).map(|run| run.dop.jobs).collect();
        assert_eq!(of_engine, [2, 2, 1, 1]);
    }

    #[test]
    fn a_node_without_processors_is_measured_from_the_others() {
        let runs = runs(&[(0, vec![0])], &[0, 2], None, false);
        let memories: Vec<u32> = runs
            .iter()
            .filter_map(|run| match run.kind.proof()?.place {
                ProofPlace::Nodes { memory, .. } => Some(memory),
                _ => None,
            })
            .collect();
        assert_eq!(memories, [0, 0, 2, 2]);
    }
}

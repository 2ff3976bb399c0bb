//! Proofs of storage: the parts of a volume beside the volume, a device with a fabric beside the same device without.
//!
//! All parts are measured once in each round, in an order drawn from the seed, so that drift is spread over them and the
//! runs of a round can be held against each other. Devices are only read; what is written is a file of dbdyno's own.

use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use record::{
    Blocks, Bytes, Dop, IoJob, IoMix, IoOrder, IoPhase, IoPlan, Nanos, PlannedRun, ProofLoad, ProofPart, ProofPlace,
    ProofSubject, RunKind,
};

use super::phase::measure_phase;
use super::phase_context::{PhaseContext, PhaseRun};
use crate::Result;
use crate::bench::Bench;
use crate::recorder::Recorder;
use crate::run::keep;
use crate::steps_probe::measure_probe;

/// Block size of the large reads and writes.
const LARGE_BLOCK: Bytes = Bytes::MIB;
/// Large blocks in flight per device.
const LARGE_DEPTH: u32 = 4;
/// Name of the file that is written.
const FILE: &str = "proof";

/// How the parts of a proof are loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProofSizes {
    /// Size of small blocks: the block size of the database.
    pub block: Bytes,
    /// Small blocks in flight per device.
    pub depth: u32,
    /// Length of each measurement.
    pub window: Nanos,
    /// Size of the file that is written.
    pub file: Bytes,
}

/// The parts of a proof: a phase for each.
#[derive(Clone, Debug, PartialEq)]
pub struct ProofParts {
    /// The phases.
    pub plan: IoPlan,
    /// What each phase measures, in the same order.
    pub parts: Vec<ProofPart>,
}

impl ProofParts {
    /// A volume: reads of each of its `members` (device nodes) alone, of all of them at once, and of the `volume` (its
    /// device node); then writes of a file in the measured directory. Without members or volume their parts are left
    /// out.
    pub fn volume(volume: Option<&Path>, members: &[PathBuf], member_count: u32, sizes: ProofSizes) -> ProofParts {
        let mut parts = ProofParts::empty();
        for load in [ProofLoad::SmallReads, ProofLoad::LargeReads] {
            for member in members {
                let name = member.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let jobs = vec![job(&name, load, Some(member), 1, sizes)];
                parts.add(ProofSubject::Volume, ProofPlace::Member { name }, load, jobs);
            }
            let together = members.iter().zip(0..);
            let together: Vec<IoJob> = together
                .map(|(member, group)| IoJob {
                    report_group: group,
                    ..job(&member.file_name().unwrap_or_default().to_string_lossy(), load, Some(member), 1, sizes)
                })
                .collect();
            if !together.is_empty() {
                parts.add(ProofSubject::Volume, ProofPlace::Members, load, together);
            }
            if let Some(volume) = volume {
                let jobs = vec![job("volume", load, Some(volume), member_count, sizes)];
                parts.add(ProofSubject::Volume, ProofPlace::Volume, load, jobs);
            }
        }
        for load in [ProofLoad::SmallWrites, ProofLoad::LargeWrites] {
            let jobs = vec![job("volume", load, None, member_count, sizes)];
            parts.add(ProofSubject::Volume, ProofPlace::Volume, load, jobs);
        }
        parts
    }

    /// A cache device: single reads of each of its `parts` (device nodes of cache and origin) alone and of a file in the
    /// measured directory; then writes of the file.
    pub fn cache_device(parts: &[PathBuf], sizes: ProofSizes) -> ProofParts {
        let mut proof = ProofParts::empty();
        for part in parts {
            let name = part.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let jobs = vec![job(&name, ProofLoad::SingleReads, Some(part), 1, sizes)];
            proof.add(ProofSubject::Volume, ProofPlace::Member { name }, ProofLoad::SingleReads, jobs);
        }
        for load in [ProofLoad::SingleReads, ProofLoad::SmallWrites] {
            proof.add(ProofSubject::Volume, ProofPlace::Volume, load, vec![job("volume", load, None, 1, sizes)]);
        }
        proof
    }

    /// A fabric: the same reads of the device `local` and of the device `remote`.
    pub fn fabric(local: &Path, remote: &Path, sizes: ProofSizes) -> ProofParts {
        let mut parts = ProofParts::empty();
        for load in [ProofLoad::SingleReads, ProofLoad::SmallReads, ProofLoad::LargeReads] {
            for (place, name, device) in [(ProofPlace::Local, "local", local), (ProofPlace::Remote, "remote", remote)] {
                parts.add(ProofSubject::Fabric, place, load, vec![job(name, load, Some(device), 1, sizes)]);
            }
        }
        parts
    }

    /// An export, mounted with each number of `connections`: reads and writes of a file.
    pub fn nfs(connections: &[u32], sizes: ProofSizes) -> ProofParts {
        let mut parts = ProofParts::empty();
        for count in connections {
            for load in [ProofLoad::SmallReads, ProofLoad::LargeReads, ProofLoad::SmallWrites, ProofLoad::LargeWrites] {
                let name = format!("{count}-connection{}", if *count == 1 { "" } else { "s" });
                let place = ProofPlace::Connections { count: *count };
                parts.add(ProofSubject::Nfs, place, load, vec![job(&name, load, None, 1, sizes)]);
            }
        }
        parts
    }

    /// The runs of `rounds` rounds, without numbers, those of one mount one after the other.
    pub(in crate::kind) fn runs_of_mounts(&self, rounds: u32, seed: u64) -> Vec<PlannedRun> {
        let once = self.once();
        let mounts: Vec<PlannedRun> = once.chunk_by(same_place).filter_map(|runs| runs.first().cloned()).collect();
        let of_mount = |first: PlannedRun| {
            let of_place: Vec<PlannedRun> = once.iter().filter(|run| same_place(run, &first)).cloned().collect();
            of_place.into_iter().map(move |run| PlannedRun { repeat: first.repeat, ..run })
        };
        crate::order::in_rounds(&mounts, rounds, seed).into_iter().flat_map(of_mount).collect()
    }

    /// What is proved; none without parts.
    pub(super) fn subject(&self) -> Option<ProofSubject> {
        self.parts.first().map(|part| part.subject)
    }

    fn empty() -> ProofParts {
        ProofParts { plan: IoPlan::default(), parts: Vec::new() }
    }

    fn add(&mut self, subject: ProofSubject, place: ProofPlace, load: ProofLoad, jobs: Vec<IoJob>) {
        let what = match &place {
            ProofPlace::Member { name } => name.clone(),
            ProofPlace::Members => "members".to_owned(),
            _ => jobs.first().map_or_else(String::new, |job| job.name.clone()),
        };
        let name = format!("{what}-{}", load_word(load));
        self.plan.phases.push(IoPhase { name, jobs });
        self.parts.push(ProofPart { subject, place, load });
    }

    /// The runs of `rounds` rounds, without numbers.
    pub(super) fn runs(&self, rounds: u32, seed: u64) -> Vec<PlannedRun> {
        crate::order::in_rounds(&self.once(), rounds, seed)
    }

    /// Each part once.
    fn once(&self) -> Vec<PlannedRun> {
        self.plan
            .phases
            .iter()
            .zip(&self.parts)
            .map(|(phase, part)| {
                let clones = phase.jobs.iter().map(|job| job.clones).sum();
                PlannedRun::new(phase.name.clone(), RunKind::Proof(part.clone()), record::Dop::jobs(clones))
            })
            .collect()
    }
}

fn same_place(one: &PlannedRun, other: &PlannedRun) -> bool {
    let place = |run: &PlannedRun| run.kind.proof().map(|part| part.place.clone());
    place(one) == place(other)
}

fn load_word(load: ProofLoad) -> &'static str {
    match load {
        ProofLoad::SingleReads => "single-reads",
        ProofLoad::SmallReads => "reads",
        ProofLoad::LargeReads => "large-reads",
        ProofLoad::SmallWrites => "writes",
        ProofLoad::LargeWrites => "large-writes",
        ProofLoad::MemoryReads => "memory-reads",
        ProofLoad::MemoryLatency => "memory-latency",
        ProofLoad::BlockReads => "blocks",
        ProofLoad::Ledger => "commits",
    }
}

/// The job of `load` on a device, or on the file that is written; `devices` are kept busy by it.
fn job(name: &str, load: ProofLoad, device: Option<&Path>, devices: u32, sizes: ProofSizes) -> IoJob {
    let is_large = matches!(load, ProofLoad::LargeReads | ProofLoad::LargeWrites);
    let per_device = match load {
        ProofLoad::SingleReads => 1,
        _ if is_large => LARGE_DEPTH,
        _ => sizes.depth,
    };
    let blocks = Blocks::all(if is_large { LARGE_BLOCK } else { sizes.block });
    let file = device.map_or_else(|| FILE.to_owned(), |device| device.display().to_string());
    IoJob {
        name: name.to_owned(),
        order: if is_large { IoOrder::SEQUENTIAL } else { IoOrder::RANDOM },
        mix: if load.writes() { IoMix::WRITE } else { IoMix::READ },
        read_blocks: blocks.clone(),
        write_blocks: blocks,
        depth: per_device.saturating_mul(if load == ProofLoad::SingleReads { 1 } else { devices.max(1) }),
        files: vec![file],
        file_size: device.is_none().then_some(sizes.file),
        time_based: true,
        run_time: Some(sizes.window),
        ramp_time: Nanos(sizes.window.0 / 10),
        ..IoJob::default()
    }
}

/// The probes of the network that hold for a fabric: round trips of one connection, and bytes from the target.
const NETWORK_PROBES: [(&str, u32); 3] = [("N11", 1), ("N22", 1), ("N22", 4)];

/// The runs of the network probes beside a fabric.
pub(super) fn network_runs() -> impl Iterator<Item = PlannedRun> {
    NETWORK_PROBES.into_iter().map(|(code, jobs)| PlannedRun::new(code, RunKind::Probe, Dop::jobs(jobs)))
}

/// Measures the runs of the plan, which are those of `parts` and of the network.
pub(crate) fn prove(
    bench: &Bench<'_>,
    context: &mut PhaseContext<'_>,
    plan: &IoPlan,
    record: &mut Recorder,
) -> Result<()> {
    for planned in record.plan.runs.clone() {
        if planned.kind.is_probe()
            && let Some(probe) = probe::probe(&planned.test)
        {
            // A network that fails is recorded, and no reason against the parts.
            keep(bench, record, measure_probe(bench, &planned, probe)?)?;
            continue;
        }
        let Some(phase) = plan.phases.iter().find(|phase| phase.name == planned.test) else { continue };
        watch(bench, context, phase);
        let phase_run = PhaseRun { kind: planned.kind.clone(), ..PhaseRun::of(phase) };
        let run = measure_phase(bench, context, phase, planned.number, phase_run)?;
        if keep(bench, record, run)?.is_some() {
            // The next part would find the same device; the record keeps what was measured.
            return Ok(());
        }
    }
    Ok(())
}

/// Has the counters of the device below the first file of `phase` read.
fn watch(bench: &Bench<'_>, context: &PhaseContext<'_>, phase: &IoPhase) {
    let first = phase.jobs.iter().flat_map(|job| &job.files).find_map(|name| context.file_set.file(name));
    if let Some(file) = first {
        let path = if file.found { Some(file.path.as_path()) } else { file.path.parent() };
        let counters = host::Counters::new(path.unwrap_or(Path::new(".")));
        *bench.sources.host.lock().unwrap_or_else(PoisonError::into_inner) = counters;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: ProofSizes =
        ProofSizes { block: Bytes(8192), depth: 16, window: Nanos::SECOND, file: Bytes::MIB.times(64) };

    #[test]
    fn the_loads_of_a_mount_follow_each_other() {
        let runs = ProofParts::nfs(&[1, 4, 8], SIZES).runs_of_mounts(2, 7);
        assert_eq!(runs.len(), 24);
        for mount in runs.chunks(4) {
            assert!(mount.iter().all(|run| same_place(run, &mount[0]) && run.repeat == mount[0].repeat), "{mount:?}");
        }
        assert_eq!(runs.iter().map(|run| run.repeat).collect::<Vec<_>>(), [[1; 12], [2; 12]].concat());
    }

    #[test]
    fn a_volume_is_read_by_members_and_written_by_a_file_of_our_own() {
        let members = ["/dev/sda".into(), "/dev/sdb".into()];
        let proof = ProofParts::volume(Some(Path::new("/dev/md0")), &members, 2, SIZES);
        let names: Vec<&str> = proof.plan.phases.iter().map(|phase| phase.name.as_str()).collect();
        let expected = [
            "sda-reads",
            "sdb-reads",
            "members-reads",
            "volume-reads",
            "sda-large-reads",
            "sdb-large-reads",
            "members-large-reads",
            "volume-large-reads",
            "volume-writes",
            "volume-large-writes",
        ];
        assert_eq!(names, expected);
        let jobs = proof.plan.phases.iter().flat_map(|phase| &phase.jobs);
        for job in jobs {
            let is_device = job.files[0].starts_with("/dev/");
            assert_eq!(is_device, !job.mix.changes_data(), "{}", job.name);
        }
        assert_eq!(proof.plan.phases[3].jobs[0].depth, 32, "as many in flight as the members have together");
        assert_eq!(proof.runs(3, 1).len(), 30);
    }

    #[test]
    fn without_the_devices_only_the_file_is_measured() {
        let proof = ProofParts::volume(None, &[], 2, SIZES);
        let names: Vec<&str> = proof.plan.phases.iter().map(|phase| phase.name.as_str()).collect();
        assert_eq!(names, ["volume-writes", "volume-large-writes"]);
    }

    #[test]
    fn a_fabric_is_read_with_the_same_load_on_both_sides() {
        let proof = ProofParts::fabric(Path::new("/dev/a"), Path::new("/dev/b"), SIZES);
        assert_eq!(proof.parts.len(), 6);
        for pair in proof.plan.phases.chunks(2) {
            let [local, remote] = [&pair[0].jobs[0], &pair[1].jobs[0]];
            assert_eq!((local.depth, &local.read_blocks), (remote.depth, &remote.read_blocks));
            assert_ne!(local.files, remote.files);
        }
    }
}

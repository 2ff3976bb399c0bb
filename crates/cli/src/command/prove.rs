//! `dbdyno prove`: what a property of the platform gives or costs, its parts beside the whole.

use std::fs::File;
use std::path::{Path, PathBuf};

use record::{CacheDevice, Preset};
use run::{
    Error, Goal, IoRequest, Measured, NfsRequest, NumaRequest, Permission, ProofParts, Result, Setup, TiersRequest,
};

use crate::arguments::observe::ObserveStorageArguments;
use crate::arguments::output::OutputArguments;
use crate::arguments::prove::{
    FabricArguments, NfsArguments, NumaArguments, ProofLoadArguments, ProveArguments, ProveCommand, RoundsArguments,
    TiersArguments, VolumeArguments,
};
use crate::arguments::setup::setup;
use crate::new_record::record_path;
use crate::output::{note, print};
use crate::sheet::show;
use crate::storage::request::{NO_ENGINE, block_and_size, default_size, fresh_seed, judge, measure, measure_on};

/// Carries out `dbdyno prove`.
///
/// # Errors
/// The user's mistakes, the environment's refusals, Ctrl-C, and runs that are invalid.
pub fn prove(arguments: &ProveArguments) -> Result<()> {
    match &arguments.subject {
        ProveCommand::Volume(arguments) => volume(arguments),
        ProveCommand::Fabric(arguments) => fabric(arguments),
        ProveCommand::Numa(arguments) => numa(arguments),
        ProveCommand::Tiers(arguments) => tiers(arguments),
        ProveCommand::Nfs(arguments) => nfs(arguments),
    }
}

fn volume(arguments: &VolumeArguments) -> Result<()> {
    let directory = &arguments.dir;
    if !directory.is_dir() {
        return Err(Error::user(format!("{} is not a directory", directory.display())).hint("give another --dir"));
    }
    let devices = host::place(directory).map(|place| place.devices).unwrap_or_default();
    if let Some((_, cache)) = model::cache_device(&devices) {
        return cached_volume(arguments, cache);
    }
    if let Some(device) = devices.iter().find(|device| device.is_opaque) {
        note(&format!(
            "what {} does with its parts is shown to root alone: if it is a cache device (dm-cache), the sum of its parts is \
             nothing that it could give",
            device.name
        ));
    }
    let members = host::members(directory);
    if members.is_empty() {
        let place = host::place(directory).ok().and_then(|place| Some(place.top()?.name.clone()));
        let device = place.map_or_else(|| "no block device".to_owned(), |name| format!("the device {name}"));
        return Err(Error::user(format!(
            "there is nothing to prove: below {} is {device}, and no volume of several devices",
            directory.display()
        ))
        .hint("give a --dir on a software array, a logical volume or a file system of several devices"));
    }
    let size = arguments.size.as_deref().unwrap_or_else(|| default_size(Some(directory), 1));
    let (block, file) = block_and_size(&arguments.load.bs, size)?;
    let nodes: Vec<PathBuf> = members.iter().map(|name| node(name)).collect();
    let whole = host::place(directory).ok().and_then(|place| Some(node(&place.top()?.name)));
    let whole = whole.filter(|path| !nodes.contains(path) && is_readable(path));
    let readable: Vec<PathBuf> = nodes.into_iter().filter(|path| is_readable(path)).collect();
    let is_whole = readable.len() == members.len() && whole.is_some();
    if !is_whole {
        note(
            "members and volume cannot all be read as devices, which needs root, and a volume that is one: only what the \
             members do for the volume is measured",
        );
    }
    let (readable, whole) = if is_whole { (readable, whole) } else { (Vec::new(), None) };
    let count = members.len() as u32;
    let parts = ProofParts::volume(whole.as_deref(), &readable, count, arguments.load.sizes(block, file));
    let devices = readable.into_iter().chain(whole).collect();
    measure_parts(directory, parts, devices, &arguments.load)
}

/// A block is read from the cache or from the origin, so that their sum is nothing that a cache device could give: it is
/// held against what each of them takes, by the share of reads that each serves.
fn cached_volume(arguments: &VolumeArguments, cache: &CacheDevice) -> Result<()> {
    let directory = &arguments.dir;
    let size = arguments.size.as_deref().unwrap_or_else(|| default_size(Some(directory), 1));
    let (block, file) = block_and_size(&arguments.load.bs, size)?;
    let mut devices: Vec<PathBuf> = cache.caches.iter().chain(&cache.origin).map(|name| node(name)).collect();
    if !devices.iter().all(|path| is_readable(path)) {
        note(
            "cache and origin cannot be read as devices, which needs root: only what they do for the volume is measured",
        );
        devices.clear();
    }
    let parts = ProofParts::cache_device(&devices, arguments.load.sizes(block, file));
    measure_parts(directory, parts, devices, &arguments.load)
}

fn fabric(arguments: &FabricArguments) -> Result<()> {
    let (block, file) = block_and_size(&arguments.load.bs, "16M")?;
    for device in [&arguments.local, &arguments.remote] {
        if !device.exists() {
            return Err(Error::user(format!("device {} is not there", device.display()))
                .hint("give block devices such as /dev/nvme1n1; dbdyno inventory lists those below a directory"));
        }
    }
    let absolute = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let (local, remote) = (absolute(&arguments.local), absolute(&arguments.remote));
    if local == remote {
        note("both are the same device: the verdict should be EQUIVALENT or INCONCLUSIVE");
    }
    let parts = ProofParts::fabric(&local, &remote, arguments.load.sizes(block, file));
    let request = parts_request(&arguments.dir, parts, vec![local, remote], &arguments.load)?;
    prove_parts(&IoRequest { network: arguments.network.clone(), ..request }, &arguments.observe, &arguments.load)
}

fn numa(arguments: &NumaArguments) -> Result<()> {
    if !run::has_several_nodes() {
        return print("there is nothing to prove: this machine has one NUMA node\n");
    }
    let rounds = &arguments.rounds;
    let request = NumaRequest {
        setup: proof_setup(&arguments.dir, rounds)?,
        window: rounds.seconds,
        rounds: rounds.rounds,
        engine: arguments.target.is_some(),
    };
    let target = arguments.target.as_deref().unwrap_or(NO_ENGINE);
    let none_observed = ObserveStorageArguments::default();
    proved(
        measure_on(target, &none_observed, &rounds.output, |context| run::measure_numa(&request, context))?,
        &rounds.output,
    )
}

fn tiers(arguments: &TiersArguments) -> Result<()> {
    let rounds = &arguments.rounds;
    let request = TiersRequest {
        setup: proof_setup(&arguments.dir, rounds)?,
        cache: arguments.cache,
        window: rounds.seconds,
        rounds: rounds.rounds,
    };
    let measured = measure_on(&arguments.target, &ObserveStorageArguments::default(), &rounds.output, |context| {
        run::measure_tiers(&request, context)
    })?;
    proved(measured, &rounds.output)
}

fn nfs(arguments: &NfsArguments) -> Result<()> {
    if !arguments.export.contains(":/") {
        return Err(Error::user(format!("{} is not an export", arguments.export)).hint("give it as SERVER:/PATH"));
    }
    let (block, file) = block_and_size(&arguments.load.bs, &arguments.size)?;
    let rounds = &arguments.load.rounds;
    let mut connections = arguments.nconnect.clone();
    connections.sort_unstable();
    connections.dedup();
    let request = NfsRequest {
        setup: proof_setup(&arguments.dir, rounds)?,
        export: arguments.export.clone(),
        version: arguments.nfs_version.clone(),
        connections,
        sizes: arguments.load.sizes(block, file),
        rounds: rounds.rounds,
    };
    proved(measure(&arguments.observe, &rounds.output, |context| run::measure_nfs(&request, context))?, &rounds.output)
}

/// Measures the parts; `devices` are read.
fn measure_parts(directory: &Path, parts: ProofParts, devices: Vec<PathBuf>, load: &ProofLoadArguments) -> Result<()> {
    prove_parts(&parts_request(directory, parts, devices, load)?, &ObserveStorageArguments::default(), load)
}

fn parts_request(
    directory: &Path,
    parts: ProofParts,
    devices: Vec<PathBuf>,
    load: &ProofLoadArguments,
) -> Result<IoRequest> {
    let rounds = &load.rounds;
    Ok(IoRequest {
        setup: proof_setup(directory, rounds)?,
        plan: parts.plan.clone(),
        goal: Goal::Prove { parts, rounds: rounds.rounds },
        permission: Permission { devices, destroy: Vec::new() },
        precondition: None,
        network: None,
        log: None,
        sweeps_agents: false,
        repeats: 1,
    })
}

fn prove_parts(request: &IoRequest, observe: &ObserveStorageArguments, load: &ProofLoadArguments) -> Result<()> {
    let output = &load.rounds.output;
    proved(measure(observe, output, |context| run::measure_io(request, context))?, output)
}

fn proof_setup(directory: &Path, rounds: &RoundsArguments) -> Result<Setup> {
    let seed = rounds.seed.unwrap_or_else(fresh_seed);
    Ok(setup(directory.to_owned(), Preset::Quick, seed, record_path(rounds.record.as_deref())?))
}

/// Shows what was measured. Runs that are invalid are an error only where nothing is left to be proved by.
fn proved(measured: Measured, output: &OutputArguments) -> Result<()> {
    show(&measured, output)?;
    let is_proved = measured.error.is_none() && model::platform_proof(&measured.record).is_some();
    if is_proved { Ok(()) } else { judge(measured) }
}

/// The node of the device with a kernel name.
fn node(name: &str) -> PathBuf {
    Path::new("/dev").join(name.replace('!', "/"))
}

fn is_readable(path: &Path) -> bool {
    File::open(path).is_ok()
}

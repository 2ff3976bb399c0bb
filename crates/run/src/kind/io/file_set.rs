//! The files of an I/O plan: their names, sizes, and the preconditions for using them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use probe::storage::{Generations, Region, unit_bytes};
use record::{Bytes, IoJob, IoPlan, Layout, Verification};

use super::geometry::{
    BLOCK_KEYS, buffer_bytes, check_fits, names, null_regions, own_name, region, sizes, uses, wanted_size,
};
use super::permission::{Permission, check_writable, identity, is_foreign, not_found};
use crate::{Error, Result};

/// Share of the free space that is left to the file system and to others.
const FREE_SHARE_LEFT: f64 = 0.02;

/// Keys that name files and devices, the one that applies first.
const NAME_KEYS: &[&str] = &["filename", "filename_format", "directory"];
/// The most memory that the generations of verified files take, as a share: it is enough for 30 times the memory in units
/// of 4 KiB.
const GENERATIONS_SHARE: f64 = 1.0 / 16.0;

/// The most memory that buffers may take, as a share.
const MEMORY_SHARE: f64 = 0.5;

/// A file or device of a plan.
#[derive(Clone, Debug)]
pub(crate) struct FileSetEntry {
    pub path: PathBuf,
    pub size: Bytes,
    /// Whether it existed before and is not ours.
    pub found: bool,
    pub is_device: bool,
    /// Whether jobs may write to it.
    pub writable: bool,
    /// Its identity when it was surveyed: device, inode, and device number.
    pub identity: Option<(u64, u64, u64)>,
    /// The layout of a file of ours.
    pub layout: Layout,
    /// The unit of its content.
    pub unit: Option<Bytes>,
    /// Whether a file of ours has been laid out.
    pub made: bool,
    /// Which writes its units may hold; only where a job verifies it.
    pub generations: Option<Arc<Generations>>,
}

/// All files of a plan, by the names that jobs use.
#[derive(Clone, Debug, Default)]
pub(crate) struct FileSet {
    pub files: BTreeMap<String, FileSetEntry>,
    pub data: PathBuf,
}

impl FileSet {
    /// Determines what `plan` works on, and creates nothing. Files of our own will be in `data`.
    pub(crate) fn survey(plan: &IoPlan, data: &Path, permission: &Permission) -> Result<FileSet> {
        let mut file_set = FileSet { files: BTreeMap::new(), data: data.to_owned() };
        for job in plan.phases.iter().flat_map(|phase| &phase.jobs) {
            if job.mode == record::IoMode::Null {
                (0..job.clones).try_for_each(|clone| null_regions(job, clone).map(drop))?;
                continue;
            }
            for clone in 0..job.clones {
                for name in names(job, clone) {
                    file_set.add(job, clone, &name, permission)?;
                }
            }
        }
        file_set.set_units(plan);
        file_set.check_memory(plan)?;
        for job in plan.phases.iter().flat_map(|phase| &phase.jobs) {
            file_set.check_blocks(job)?;
        }
        file_set.check_space(1)?;
        Ok(file_set)
    }

    fn add(&mut self, job: &IoJob, clone: u32, name: &str, permission: &Permission) -> Result<()> {
        let path = Path::new(name);
        if is_foreign(path) {
            if job.verification == Verification::OnRead {
                return Err(Error::user(format!("job {}: the content of {name} was not written by dbdyno", job.name))
                    .hint("omit verify, or verify in a job that writes"));
            }
            if !self.files.contains_key(name) {
                let entry = foreign_entry(path, permission).map_err(|error| error.about(&job.name, NAME_KEYS))?;
                self.files.insert(name.to_owned(), entry);
            }
            if job.mix.changes_data() {
                check_writable(path, permission)?;
                self.files.entry(name.to_owned()).and_modify(|file| file.writable = true);
            }
            return Ok(());
        }
        let wanted = wanted_size(job, clone, name)?;
        let layout = job.layout;
        let own_path = self.unused_path(name, path);
        let own = self.files.entry(name.to_owned()).or_insert_with(|| FileSetEntry {
            path: own_path,
            size: Bytes(0),
            found: false,
            is_device: false,
            writable: true,
            identity: None,
            layout,
            unit: None,
            made: false,
            generations: None,
        });
        own.size = own.size.max(wanted);
        // A reader needs written data.
        if layout == Layout::Written || (own.layout != layout && own.layout != Layout::Written) {
            own.layout = layout;
        }
        Ok(())
    }

    /// Path of the file of `name`: one that no other name has.
    fn unused_path(&self, name: &str, path: &Path) -> PathBuf {
        let mut own_path = self.data.join(own_name(path));
        while self.files.iter().any(|(other, file)| other != name && file.path == own_path) {
            own_path.as_mut_os_string().push("~");
        }
        own_path
    }

    /// Sets the unit of the content of each file, the same for all phases. Content of a device or existing file is ours
    /// only where we wrote it.
    fn set_units(&mut self, plan: &IoPlan) {
        let verified: Vec<String> = self.files.keys().filter(|name| is_verified(plan, name)).cloned().collect();
        let room = Bytes((host::memory_total().0 as f64 * GENERATIONS_SHARE) as u64 / verified.len().max(1) as u64);
        for (name, file) in &mut self.files {
            let jobs = || plan.phases.iter().flat_map(|phase| &phase.jobs).filter(|job| uses(job, name));
            file.unit = unit_bytes(jobs()).filter(|_| !file.found || file.writable);
            let unit = file.unit.filter(|_| verified.contains(name));
            file.generations = unit.map(|unit| Arc::new(Generations::new(file.size, unit, room)));
        }
    }

    /// Other processes write to the files that were there before: what these hold is not known here.
    pub(crate) fn forget_generations_of_found(&mut self) {
        for file in self.files.values_mut().filter(|file| file.found) {
            let unknown = file.unit.map(|unit| Arc::new(Generations::new(Bytes(0), unit, Bytes(0))));
            file.generations = unknown.filter(|_| file.generations.is_some());
        }
    }

    /// Checks that the buffers of concurrent jobs fit in memory.
    fn check_memory(&self, plan: &IoPlan) -> Result<()> {
        let limit = (host::memory_total().0 as f64 * MEMORY_SHARE) as u64;
        for phase in &plan.phases {
            let bytes = phase.jobs.iter().map(buffer_bytes).fold(0, u64::saturating_add);
            if bytes > limit {
                return Err(Error::user(format!(
                    "phase {}: its buffers (jobs x depth x block size) take {bytes} bytes, more than {limit}",
                    phase.name
                ))
                .hint("use fewer jobs, a smaller depth (iodepth), or smaller blocks"));
            }
        }
        Ok(())
    }

    /// Checks that the blocks of `job` fit its regions, and their alignment for direct I/O.
    fn check_blocks(&self, job: &IoJob) -> Result<()> {
        for clone in 0..job.clones {
            for (name, file) in
                names(job, clone).into_iter().filter_map(|name| Some((name.clone(), self.files.get(&name)?)))
            {
                let region = region(job, clone, file.size)?;
                check_fits(job, &name, region)?;
                if job.direct {
                    check_alignment(job, file, region)?;
                }
            }
        }
        Ok(())
    }

    /// Bytes of files of ours that are still to be laid out.
    pub(crate) fn bytes_to_make(&self) -> Bytes {
        Bytes(self.files.values().filter(|file| !file.found && !file.made).map(|file| file.size.0).sum())
    }

    /// Checks that `sets` of these files fit into the file system.
    pub(crate) fn check_space(&self, sets: u32) -> Result<()> {
        let needed = self.bytes_to_make().times(sets.into());
        let Some(free) = host::free_bytes(&self.data) else { return Ok(()) };
        let usable = Bytes((free.0 as f64 * (1.0 - FREE_SHARE_LEFT)) as u64);
        match needed <= usable {
            true => Ok(()),
            false => Err(Error::environment(format!(
                "{} bytes are required in {} and {} are available",
                needed.0,
                self.data.display(),
                free.0
            ))
            .hint("give a smaller size (--size, --override filesize=1G), or another --dir")),
        }
    }

    /// Path whose block device is sampled: the device that is named, or `directory`.
    pub(crate) fn watched(&self, directory: &Path) -> PathBuf {
        let found = self.files.values().find(|file| file.found);
        found.map_or_else(|| directory.to_owned(), |file| file.path.clone())
    }

    /// The file of `name`.
    pub(crate) fn file(&self, name: &str) -> Option<&FileSetEntry> {
        self.files.get(name)
    }
}

/// Whether a job of `plan` verifies what it reads of the file `name`.
fn is_verified(plan: &IoPlan, name: &str) -> bool {
    let mut jobs = plan.phases.iter().flat_map(|phase| &phase.jobs);
    jobs.any(|job| job.verification != Verification::None && uses(job, name))
}

/// The entry of a device, or of an existing file.
fn foreign_entry(path: &Path, permission: &Permission) -> Result<FileSetEntry> {
    let shown = path.display();
    if let Err(error) = path.metadata()
        && error.kind() == std::io::ErrorKind::NotFound
    {
        return Err(not_found(path, &error));
    }
    if !permission.devices.iter().any(|named| named == path) {
        return Err(Error::user(format!("{shown} was not created by dbdyno"))
            .hint(format!("allow reads of it by --device {shown}, or give another filename")));
    }
    let refused = |error: std::io::Error| {
        Error::environment(format!("{shown} cannot be opened: {error}")).hint("name an existing device or file")
    };
    let (size, is_device) = match host::block_device(path).map_err(refused)? {
        Some(device) => (device.size_bytes, true),
        None => {
            let metadata = path.metadata().map_err(refused)?;
            if !metadata.is_file() {
                return Err(Error::user(format!("{shown} is neither a block device nor a file"))
                    .hint("name a block device such as /dev/nvme1n1, or a file"));
            }
            (Bytes(metadata.len()), false)
        }
    };
    if size.0 == 0 {
        return Err(Error::user(format!("{shown} is empty")).hint("name a device or file that is not empty"));
    }
    Ok(FileSetEntry {
        path: path.to_owned(),
        size,
        found: true,
        is_device,
        writable: false,
        identity: path.metadata().ok().as_ref().map(identity),
        layout: Layout::Written,
        unit: None,
        made: true,
        generations: None,
    })
}

/// Checks the alignment of blocks and offsets for direct I/O.
fn check_alignment(job: &IoJob, file: &FileSetEntry, region: Region) -> Result<()> {
    let location = host::place(&file.path).ok();
    let device = location.as_ref().and_then(|location| location.devices.first());
    let logical = device.and_then(|device| device.logical_block_bytes);
    let Some(unit) = logical.map(|bytes| bytes.0).filter(|unit| *unit > 0) else { return Ok(()) };
    let blocks = sizes(job).flat_map(|(small, large)| [(small, BLOCK_KEYS), (large, BLOCK_KEYS)]);
    let align = job.align_bytes.map(|bytes| (bytes.0, &["ba"] as &'static [&'static str]));
    let gap = (job.sequence.gap_bytes.unsigned_abs(), &["rw"] as &'static [&'static str]);
    if let Some((size, keys)) = blocks.chain(align).chain([gap]).find(|(size, _)| size % unit != 0) {
        return Err(Error::user(format!(
            "job {}: block size {size} is not a multiple of the device's {unit} bytes, which direct I/O needs",
            job.name
        ))
        .hint(format!("use a multiple of {unit}, or direct=0 (--buffered)"))
        .about(&job.name, keys));
    }
    match region.offset % unit {
        0 => Ok(()),
        _ => Err(Error::user(format!("job {}: offset {} is not a multiple of {unit} bytes", job.name, region.offset))
            .hint(format!("use a multiple of {unit}"))
            .about(&job.name, &["offset_increment", "offset"])),
    }
}

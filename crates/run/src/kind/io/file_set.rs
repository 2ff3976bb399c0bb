//! The files that a plan of I/O works on: which they are, how large, and what must be true before they are touched.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use probe::storage::{Region, unit_bytes};
use record::{Bytes, IoJob, IoPlan, Layout, Verification};

use super::geometry::{buffer_bytes, largest_block, names, own_name, region, sizes, uses, wanted_size};
use super::permission::{Permission, foreign, is_foreign, may_be_written};
use crate::{Error, Result};

/// A file system keeps this much for itself and for others.
const FREE_SHARE_LEFT: f64 = 0.02;

/// Buffers may take this share of the memory.
const MEMORY_SHARE: f64 = 0.5;

/// A file or device of a plan.
#[derive(Clone, Debug)]
pub(crate) struct FileSetEntry {
    pub path: PathBuf,
    pub size: Bytes,
    /// Whether it was there before and is not ours.
    pub found: bool,
    pub is_device: bool,
    /// Whether jobs may write to it.
    pub writable: bool,
    /// What it was when it was surveyed: device and inode, and the device that it is.
    pub identity: Option<(u64, u64, u64)>,
    /// In which state ours is made.
    pub layout: Layout,
    /// What its content is cut into.
    pub unit: Option<Bytes>,
    /// Whether ours has been made.
    pub made: bool,
}

/// All files of a plan, by the name that jobs know them by.
#[derive(Clone, Debug, Default)]
pub(crate) struct FileSet {
    pub files: BTreeMap<String, FileSetEntry>,
    pub data: PathBuf,
}

impl FileSet {
    /// Finds out what `plan` works on; makes nothing. Files of our own will lie in `data`.
    ///
    /// # Errors
    /// For names that are not permitted, sizes that cannot be, devices in use, and too little space.
    pub(crate) fn survey(plan: &IoPlan, data: &Path, permission: &Permission) -> Result<FileSet> {
        let mut file_set = FileSet { files: BTreeMap::new(), data: data.to_owned() };
        for job in plan.phases.iter().flat_map(|phase| &phase.jobs) {
            if job.mode == record::IoMode::Null {
                continue;
            }
            for clone in 0..job.clones {
                for name in names(job, clone) {
                    file_set.add(job, clone, &name, permission)?;
                }
            }
        }
        file_set.cut(plan);
        file_set.enough_memory(plan)?;
        for job in plan.phases.iter().flat_map(|phase| &phase.jobs) {
            file_set.fits(job)?;
        }
        file_set.has_space()?;
        Ok(file_set)
    }

    fn add(&mut self, job: &IoJob, clone: u32, name: &str, permission: &Permission) -> Result<()> {
        let path = Path::new(name);
        if is_foreign(path) {
            if job.verification == Verification::OnRead {
                return Err(Error::user(format!("job {}: what is on {name} was not written by dbdyno", job.name))
                    .hint("leave verify out, or let a writing job verify what it wrote"));
            }
            if !self.files.contains_key(name) {
                self.files.insert(name.to_owned(), foreign(path, permission)?);
            }
            if job.mix.changes_data() {
                may_be_written(path, permission)?;
                self.files.entry(name.to_owned()).and_modify(|file| file.writable = true);
            }
            return Ok(());
        }
        let wanted = wanted_size(job, clone, name)?;
        let layout = job.layout;
        let place = self.free_place(name, path);
        let own = self.files.entry(name.to_owned()).or_insert_with(|| FileSetEntry {
            path: place,
            size: Bytes(0),
            found: false,
            is_device: false,
            writable: true,
            identity: None,
            layout,
            unit: None,
            made: false,
        });
        own.size = own.size.max(wanted);
        // Who reads needs what was written.
        if layout == Layout::Written || (own.layout != layout && own.layout != Layout::Written) {
            own.layout = layout;
        }
        Ok(())
    }

    /// Where the file of `name` lies: a place that no other name has.
    fn free_place(&self, name: &str, path: &Path) -> PathBuf {
        let mut place = self.data.join(own_name(path));
        while self.files.iter().any(|(other, file)| other != name && file.path == place) {
            place.as_mut_os_string().push("~");
        }
        place
    }

    /// Decides how the content of each file is cut, for all phases alike. What is on a device or in a file that was
    /// there is ours only where it was written by us.
    fn cut(&mut self, plan: &IoPlan) {
        for (name, file) in &mut self.files {
            let jobs = || plan.phases.iter().flat_map(|phase| &phase.jobs).filter(|job| uses(job, name));
            file.unit = unit_bytes(jobs()).filter(|_| !file.found || file.writable);
        }
    }

    /// Whether the buffers of the jobs that run at the same time fit the memory.
    fn enough_memory(&self, plan: &IoPlan) -> Result<()> {
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

    /// Whether the blocks of `job` fit its regions and what direct I/O asks for.
    fn fits(&self, job: &IoJob) -> Result<()> {
        let largest = largest_block(job);
        for clone in 0..job.clones {
            for (name, file) in
                names(job, clone).into_iter().filter_map(|name| Some((name.clone(), self.files.get(&name)?)))
            {
                let region = region(job, clone, file.size)?;
                if region.length < largest {
                    return Err(Error::user(format!(
                        "job {}: block size {largest} is larger than the region of {} bytes in {name}",
                        job.name, region.length
                    ))
                    .hint("use a larger size, or smaller blocks"));
                }
                if job.direct {
                    aligned(job, file, region)?;
                }
            }
        }
        Ok(())
    }

    /// Bytes of files of our own that are still to be made.
    pub(crate) fn bytes_to_make(&self) -> Bytes {
        Bytes(self.files.values().filter(|file| !file.found && !file.made).map(|file| file.size.0).sum())
    }

    fn has_space(&self) -> Result<()> {
        let needed = self.bytes_to_make();
        let Some(free) = host::free_bytes(&self.data) else { return Ok(()) };
        let usable = Bytes((free.0 as f64 * (1.0 - FREE_SHARE_LEFT)) as u64);
        match needed <= usable {
            true => Ok(()),
            false => Err(Error::environment(format!(
                "{} bytes are needed in {} and {} are free",
                needed.0,
                self.data.display(),
                free.0
            ))
            .hint("give a smaller size (--size, --override filesize=1G), or another --dir")),
        }
    }

    /// The file of `name`.
    pub(crate) fn file(&self, name: &str) -> Option<&FileSetEntry> {
        self.files.get(name)
    }
}

/// What direct I/O asks of blocks and offsets.
fn aligned(job: &IoJob, file: &FileSetEntry, region: Region) -> Result<()> {
    let place = host::place(&file.path).ok();
    let device = place.as_ref().and_then(|place| place.devices.first());
    let logical = device.and_then(|device| device.logical_block_bytes);
    let Some(unit) = logical.map(|bytes| bytes.0).filter(|unit| *unit > 0) else { return Ok(()) };
    let steps = job.align_bytes.map(|bytes| bytes.0).into_iter().chain([job.sequence.gap_bytes.unsigned_abs()]);
    let odd = sizes(job).flat_map(|(small, large)| [small, large]).chain(steps).find(|size| size % unit != 0);
    if let Some(size) = odd {
        return Err(Error::user(format!(
            "job {}: block size {size} is not a multiple of the device's {unit} bytes, which direct I/O needs",
            job.name
        ))
        .hint(format!("use a multiple of {unit}, or direct=0 (--buffered)")));
    }
    match region.offset % unit {
        0 => Ok(()),
        _ => Err(Error::user(format!("job {}: offset {} is not a multiple of {unit} bytes", job.name, region.offset))
            .hint(format!("use a multiple of {unit}"))),
    }
}

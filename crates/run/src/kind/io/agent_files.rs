//! The files that an agent of a fleet uses, and its part of a phase on them.

use std::fs::File;
use std::path::{Path, PathBuf};

use record::{IoPart, Part, Run};

use super::file_set::FileSet;
use super::folder::Folder;
use super::permission::Permission;
use super::phase::measure_phase;
use super::phase_context::{FilesWanted, PhaseContext, PhaseRun};
use super::preparation::lock_devices;
use crate::bench::Bench;
use crate::{Error, Result};

/// The folder of the files, separate from those of engines.
pub(super) const FOLDER: &str = "io";

/// The files that an agent uses. Its own are made for the first run, kept for those after it that want the same, and
/// removed with this value.
#[derive(Default)]
pub(crate) struct AgentFiles(Option<Surveyed>);

struct Surveyed {
    wanted: FilesWanted,
    file_set: FileSet,
    /// Locks the devices.
    _locked: Vec<File>,
    /// Removed with its content.
    _folder: Folder,
}

impl AgentFiles {
    /// Finds out what `io` works on; its own files will be below `data`. Returns the path whose device is to be watched,
    /// `directory` if it names none.
    pub(crate) fn survey(&mut self, io: &IoPart, data: &Path, directory: &Path) -> Result<PathBuf> {
        let paths = |names: &[String]| names.iter().map(PathBuf::from).collect();
        let permission = Permission { devices: paths(&io.devices), destroy: paths(&io.destroy) };
        let wanted = FilesWanted { plan: io.plan.clone(), permission };
        let surveyed = match self.0.take().filter(|surveyed| surveyed.wanted == wanted) {
            Some(same) => self.0.insert(same),
            None => {
                let folder = Folder::make(data, FOLDER)?;
                let mut file_set = FileSet::survey(&wanted.plan, folder.path(), &wanted.permission)?;
                // Other agents may have the same device.
                file_set.forget_generations_of_found();
                let locked = lock_devices(&file_set)?;
                self.0.insert(Surveyed { wanted, file_set, _locked: locked, _folder: folder })
            }
        };
        Ok(surveyed.file_set.watched(directory))
    }

    /// Carries out `part`, which is `io`, after [`AgentFiles::survey`].
    pub(crate) fn measure(&mut self, bench: &Bench<'_>, part: &Part, io: &IoPart) -> Result<Run> {
        let surveyed = self.0.as_mut().ok_or_else(|| Error::environment("the files are not known"))?;
        let mut context = PhaseContext {
            file_set: std::mem::take(&mut surveyed.file_set),
            writer: io.writer,
            seed: io.seed,
            of_agents: None,
            log_room: 0,
            log: &|_: &Run, _, _| Ok(()),
        };
        let planned = &part.planned;
        let phase_run = PhaseRun { test: planned.test.clone(), kind: planned.kind.clone(), ..PhaseRun::default() };
        let run = measure_phase(bench, &mut context, &io.phase, planned.number, phase_run);
        surveyed.file_set = context.file_set;
        run
    }
}

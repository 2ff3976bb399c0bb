//! The files of an engine in this process: as a volume that loses what was not synced, or on a disk that loses its power.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use crash::{Change, ROOT, SharedVolume};
use engine::FileLayer;

/// Hands calls on files of one directory to a volume, once there is one.
#[derive(Default)]
pub(super) struct FileFace {
    volume: OnceLock<SharedVolume>,
}

impl FileFace {
    /// Calls are handed to `volume` from now on.
    pub(super) fn arm(&self, volume: SharedVolume) {
        // There is one volume for each time that the engine is opened.
        let _ = self.volume.set(volume);
    }

    /// Makes the change of the file at `path` that `change` says by its number, or by a new number where there is no such file;
    /// whether there is power.
    fn change(&self, path: &Path, change: impl FnOnce(Option<u64>, Vec<u8>) -> Option<Change>) -> bool {
        let Some(shared) = self.volume.get() else { return true };
        let name = path.file_name().map(|name| name.as_bytes().to_vec()).unwrap_or_default();
        let mut volume = shared.lock();
        let object = volume.live().lookup(ROOT, &name);
        match change(object, name) {
            Some(Change::CreateFile { parent, name, .. }) => {
                let object = volume.fresh();
                volume.change(Change::CreateFile { parent, name, object }).is_ok()
            }
            Some(change) => volume.change(change).is_ok(),
            None => !volume.is_frozen(),
        }
    }
}

/// Refuses calls on files once there is no power: what an engine in this process writes to a disk ends with that, too.
pub(super) struct PowerSwitch(pub(super) SharedVolume);

impl PowerSwitch {
    fn is_on(&self) -> bool {
        !self.0.lock().is_frozen()
    }
}

impl FileLayer for PowerSwitch {
    fn create(&self, _: &Path) -> bool {
        self.is_on()
    }

    fn write(&self, _: &Path, _: u64, _: &[u8]) -> bool {
        self.is_on()
    }

    fn truncate(&self, _: &Path, _: u64) -> bool {
        self.is_on()
    }

    fn sync(&self, _: &Path) -> bool {
        self.is_on()
    }

    fn remove(&self, _: &Path, _: bool) -> bool {
        self.is_on()
    }
}

impl FileLayer for FileFace {
    fn create(&self, path: &Path) -> bool {
        self.change(path, |object, name| match object {
            Some(_) => None,
            None => Some(Change::CreateFile { parent: ROOT, name, object: 0 }),
        })
    }

    fn write(&self, path: &Path, offset: u64, data: &[u8]) -> bool {
        self.change(path, |object, _| Some(Change::Write { object: object?, offset, data: Arc::from(data) }))
    }

    fn truncate(&self, path: &Path, size: u64) -> bool {
        self.change(path, |object, _| Some(Change::Truncate { object: object?, size }))
    }

    fn sync(&self, path: &Path) -> bool {
        self.change(path, |object, _| Some(Change::Sync { object: object? }))
    }

    fn remove(&self, path: &Path, is_synced: bool) -> bool {
        let is_removed = self.change(path, |object, name| object.map(|_| Change::Remove { parent: ROOT, name }));
        is_removed && (!is_synced || self.change(path, |_, _| Some(Change::Sync { object: ROOT })))
    }
}

#[cfg(test)]
mod tests {
    use crash::{Image, Policy, Syncs, Volume};

    use super::*;

    #[test]
    fn calls_become_changes_until_the_power_is_off() {
        let (face, path) = (FileFace::default(), Path::new("/d/a.db"));
        assert!(face.write(path, 0, b"before there is a volume"));
        let volume = SharedVolume::new(Volume::new(Image::empty(), Syncs::Honest));
        face.arm(volume.clone());
        assert!(face.create(path) && face.write(path, 0, b"one") && face.sync(path) && face.write(path, 3, b"two"));
        volume.freeze();
        assert!(!face.write(path, 6, b"late") && !face.sync(path) && !face.remove(path, true));
        let left = |policy| {
            let image = volume.lock().survivors(policy, 1);
            image.lookup(ROOT, b"a.db").and_then(|object| image.data(object).map(crash::Data::to_vec))
        };
        assert_eq!(left(Policy::AllLost).as_deref(), Some(&b"one"[..]));
        assert_eq!(left(Policy::All).as_deref(), Some(&b"onetwo"[..]));
    }
}

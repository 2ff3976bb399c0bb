//! The files of one backend: created, written where no run wrote them, compared, removed.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::{Node, ObjectSession};
use record::{Bytes, ComparedFile, Ratio, StreamDirection};
use workload::streams::{
    Comparing, Content, EngineBackend, FileBackend, FileSystemBackend, Progress, Signature, StreamJob, StreamShape,
    compare,
};

use super::request::StreamsRequest;
use super::stream_run::{Backend, StreamRun};
use crate::caches::drop_page_cache;
use crate::{Error, Event, Interrupt, Listener, Result};

/// Refuses requests larger than a form supports, before anything is written.
pub(super) fn refuse_requests(request: &StreamsRequest, backends: &[Backend], node: &dyn Node) -> Result<()> {
    for backend in backends {
        let Backend::Engine(form) = *backend else { continue };
        let most = node.object_session(form)?.request_bytes_max();
        if request.request_bytes > most {
            let (requested, name) = (request.request_bytes.0, backend.name());
            let message = format!("a request of {requested} bytes exceeds the limit of {name}, {} bytes", most.0);
            return Err(Error::user(message).hint("give a smaller --request"));
        }
    }
    Ok(())
}

/// Folder of the files on the file system, in the measured directory.
const FOLDER: &str = "file-streams";

/// The state of the file of a stream.
#[derive(Clone, Copy, Debug, Default)]
struct FileState {
    /// Committed requests; 0 if there is no file.
    requests: u64,
    generation: u32,
}

/// Whether two directories are on one device; directories of one file system in memory or of a network, which have no
/// device, count as such. None if one of them cannot be read.
fn on_same_device(one: &Path, other: &Path) -> Option<bool> {
    let file_system = |path: &Path| fs::metadata(path).ok().map(|metadata| metadata.dev());
    Some(file_system(one)? == file_system(other)? || host::is_same_device(one, other))
}

/// The files of one backend.
pub(super) struct StreamFiles<'a> {
    pub backend: Backend,
    /// Whether files on the file system use direct I/O.
    pub direct: bool,
    /// Whether files on the file system are on the device of the data of the engine; none if unknown.
    pub same_device: Option<bool>,
    request: &'a StreamsRequest,
    folder: PathBuf,
    /// One per stream, in order.
    files: Vec<FileState>,
    generation: u32,
}

impl<'a> StreamFiles<'a> {
    /// The files of `backend`, below `data` if it is the file system; those of the engine are in `engine_data` if they
    /// are on this host.
    pub(super) fn new(
        backend: Backend,
        request: &'a StreamsRequest,
        data: &Path,
        engine_data: Option<&Path>,
    ) -> Result<StreamFiles<'a>> {
        let (folder, files) = (data.join(FOLDER), Vec::new());
        let mut stream_files =
            StreamFiles { backend, direct: false, same_device: None, request, folder, files, generation: 0 };
        if backend == Backend::FileSystem {
            stream_files.make_folder()?;
            stream_files.direct = stream_files.uses_direct_io()?;
            stream_files.same_device =
                engine_data.and_then(|engine_data| on_same_device(engine_data, &stream_files.folder));
        }
        Ok(stream_files)
    }

    /// Whether direct I/O is used: as requested, otherwise where it is supported.
    fn uses_direct_io(&self) -> Result<bool> {
        let can = FileSystemBackend::takes_direct(&self.folder);
        match self.request.direct {
            Some(true) if !can => Err(Error::environment(format!(
                "the file system at {} does not support direct I/O",
                self.folder.display()
            ))
            .hint("omit --direct, or give another --dir")),
            requested => Ok(requested.unwrap_or(can)),
        }
    }

    fn make_folder(&self) -> Result<()> {
        let shown = self.folder.display();
        fs::create_dir_all(&self.folder)
            .map_err(|error| Error::environment(format!("{shown} cannot be created: {error}")))
    }

    /// A session of the engine; none for the file system.
    fn objects(&self, node: Option<&dyn Node>) -> Result<Option<Box<dyn ObjectSession>>> {
        match (self.backend, node) {
            (Backend::Engine(form), Some(node)) => Ok(Some(node.object_session(form)?)),
            (Backend::Engine(form), None) => Err(Error::user(format!("files as {} need an engine", form.name))),
            (Backend::FileSystem, _) => Ok(None),
        }
    }

    fn open_backend(&self, node: Option<&dyn Node>) -> Result<Box<dyn FileBackend>> {
        Ok(match self.objects(node)? {
            Some(objects) => Box::new(EngineBackend::new(objects)),
            None => Box::new(FileSystemBackend::new(&self.folder, self.direct)),
        })
    }

    /// Removes all files and prepares for new ones.
    pub(super) fn clear(&mut self, node: Option<&dyn Node>) -> Result<()> {
        self.remove(node)?;
        match self.objects(node)? {
            Some(mut objects) => objects.make()?,
            None => self.make_folder()?,
        }
        self.generation += 1;
        Ok(())
    }

    /// Removes all files.
    pub(super) fn remove(&mut self, node: Option<&dyn Node>) -> Result<()> {
        self.files.clear();
        if let Some(mut objects) = self.objects(node)? {
            return Ok(objects.remove()?);
        }
        let shown = self.folder.display();
        match fs::remove_dir_all(&self.folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(Error::environment(format!("{shown} cannot be removed: {error}")))
            }
            _ => Ok(()),
        }
    }

    /// The jobs of `stream_run`.
    pub(super) fn jobs(&self, node: Option<&dyn Node>, stream_run: &StreamRun) -> Result<Vec<StreamJob>> {
        (1..=stream_run.streams).map(|stream| self.job(node, stream, stream_run.direction)).collect()
    }

    fn job(&self, node: Option<&dyn Node>, stream: u32, direction: StreamDirection) -> Result<StreamJob> {
        let requests = match direction {
            StreamDirection::Write => self.request.requests(),
            StreamDirection::Read => self.file(stream).requests,
        };
        let requests_per_commit = self.request.per_commit();
        let shape = StreamShape { direction, request: self.request.request_bytes, requests, requests_per_commit };
        Ok(StreamJob::new(self.open_backend(node)?, self.content(stream, direction), shape, stream))
    }

    fn file(&self, stream: u32) -> FileState {
        self.files.get(stream as usize - 1).copied().unwrap_or_default()
    }

    fn content(&self, stream: u32, direction: StreamDirection) -> Content {
        let generation = match direction {
            StreamDirection::Write => self.generation,
            StreamDirection::Read => self.file(stream).generation,
        };
        let signature = Signature { seed: self.request.setup.seed, stream, generation };
        Content::new(signature, self.request.request_bytes.0 as usize)
    }

    /// Drops the files from the page cache, if they are read through it; returns the share that is still cached.
    pub(super) fn drop_page_cache(&self, node: Option<&dyn Node>) -> Option<Ratio> {
        match node {
            Some(node) => drop_page_cache(node.data_directory()?),
            None if self.direct => None,
            None => drop_page_cache(&self.folder),
        }
    }

    /// Stores what the streams of a run have committed.
    pub(super) fn record_progress(&mut self, progress: &[Arc<Progress>]) {
        let generation = self.generation;
        self.files = progress.iter().map(|one| FileState { requests: one.committed(), generation }).collect();
    }

    /// Makes sure that each of `streams` streams has a file: missing files are written, one after the other, as long as
    /// the shortest existing one.
    pub(super) fn fill(
        &mut self,
        node: Option<&dyn Node>,
        streams: u32,
        listener: &dyn Listener,
        interrupt: &Interrupt,
    ) -> Result<()> {
        let requests = self.files.iter().map(|state| state.requests).filter(|requests| *requests > 0).min();
        let requests = requests.unwrap_or(self.request.requests());
        self.files.resize(self.files.len().max(streams as usize), FileState::default());
        for stream in 1..=streams {
            if self.file(stream).requests > 0 {
                continue;
            }
            let mut backend = self.open_backend(node)?;
            let cancellers = backend.canceller().into_iter().collect();
            interrupt.during(cancellers, || self.write(backend.as_mut(), (stream, requests), listener, interrupt))?;
            let state = FileState { requests, generation: self.generation };
            self.files[stream as usize - 1] = state;
        }
        Ok(())
    }

    fn write(
        &self,
        backend: &mut dyn FileBackend,
        (stream, requests): (u32, u64),
        listener: &dyn Listener,
        interrupt: &Interrupt,
    ) -> Result<()> {
        let Bytes(each) = self.request.request_bytes;
        let size = self.request.request_bytes.times(requests);
        let mut content = self.content(stream, StreamDirection::Write);
        backend.begin()?;
        backend.create(stream, size)?;
        for at in (0..size.0).step_by(each as usize) {
            if interrupt.is_raised() {
                // The interruption is reported.
                let _ = backend.abort();
                return Err(Error::interrupted());
            }
            backend.write(at, content.at(at))?;
            let file = format!("file {stream}");
            listener.on_event(&Event::Writing { file: &file, done: Bytes(at + each), size });
        }
        Ok(backend.commit()?)
    }

    /// Reads each of `streams` files again, and compares it with what was written.
    pub(super) fn compare(
        &self,
        node: Option<&dyn Node>,
        streams: u32,
        interrupt: &Interrupt,
    ) -> Result<Vec<ComparedFile>> {
        let one = |stream: u32| {
            let mut backend = self.open_backend(node)?;
            let mut content = self.content(stream, StreamDirection::Read);
            let (request, requests) = (self.request.request_bytes, self.file(stream).requests);
            let comparing = Comparing { request, requests, stop: interrupt.flag() };
            let cancellers = backend.canceller().into_iter().collect();
            let compared = interrupt.during(cancellers, || compare(backend.as_mut(), &mut content, stream, &comparing));
            if interrupt.is_raised() { Err(Error::interrupted()) } else { Ok(compared?) }
        };
        (1..=streams).map(one).collect()
    }

    /// The files by our own count: all, complete ones, and bytes.
    pub(super) fn written(&self) -> (u64, u32, Bytes) {
        let files = self.files.iter().filter(|state| state.requests > 0);
        let whole = files.clone().filter(|state| state.requests == self.request.requests()).count();
        let requests = files.clone().map(|state| state.requests).sum();
        (files.count() as u64, whole as u32, self.request.request_bytes.times(requests))
    }

    /// The files as the engine counts them: number and bytes; none for the file system.
    pub(super) fn counted(&self, node: Option<&dyn Node>, interrupt: &Interrupt) -> Result<Option<(u64, Bytes)>> {
        let Some(mut objects) = self.objects(node)? else { return Ok(None) };
        // Some engines read all data to count the bytes.
        let cancellers = objects.session().canceller().into_iter().collect();
        let extent = interrupt.during(cancellers, || objects.extent());
        if interrupt.is_raised() {
            return Err(Error::interrupted());
        }
        let extent = extent?;
        Ok(Some((extent.count, extent.size_bytes)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_system_is_on_its_own_device_and_a_missing_one_is_unknown() {
        let one = tempfile::tempdir().unwrap();
        assert_eq!(on_same_device(one.path(), &one.path().join(".")), Some(true));
        assert_eq!(on_same_device(one.path(), &one.path().join("none")), None);
        assert_eq!(on_same_device(Path::new("/proc"), one.path()), Some(false));
    }
}

//! The files of one backend: made, written where no run wrote them, compared, removed.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::{Node, ObjectSession};
use record::{Bytes, ComparedFile, Ratio, StreamDirection};
use workload::streams::{
    Comparing, Content, EnginePlace, FilePlace, Place, Progress, Signature, StreamJob, StreamShape, compare,
};

use super::request::StreamsRequest;
use super::stream_run::{Backend, StreamRun};
use crate::caches::drop_page_cache;
use crate::kind::io::same_device;
use crate::{Error, Event, Interrupt, Listener, Result};

/// Refuses requests that are larger than one of the forms takes, before anything is written.
///
/// # Errors
/// `Usage` where one is; what the engine says.
pub(super) fn refuse_requests(request: &StreamsRequest, backends: &[Backend], node: &dyn Node) -> Result<()> {
    for backend in backends {
        let Backend::Engine(form) = *backend else { continue };
        let most = node.object_session(form)?.request_bytes_max();
        if request.request_bytes > most {
            let (asked, name) = (request.request_bytes.0, backend.name());
            let message = format!("a request of {asked} bytes is more than {name} takes here, {} bytes", most.0);
            return Err(Error::user(message).hint("give a smaller --request"));
        }
    }
    Ok(())
}

/// Where files on the file system lie, below the data of the measured directory.
const FOLDER: &str = "file-streams";

/// What is known of the file of a stream.
#[derive(Clone, Copy, Debug, Default)]
struct Kept {
    /// Requests that are committed; 0 where there is no file.
    requests: u64,
    generation: u32,
}

/// Whether two directories lie on one device: a file system in memory or of a network has none, and is one place all
/// the same. None where one of them cannot be looked at.
fn lie_together(one: &Path, other: &Path) -> Option<bool> {
    let file_system = |path: &Path| fs::metadata(path).ok().map(|metadata| metadata.dev());
    Some(file_system(one)? == file_system(other)? || same_device(one, other))
}

/// The files of one backend.
pub(super) struct StreamFiles<'a> {
    pub backend: Backend,
    /// Whether files on the file system pass the page cache by.
    pub direct: bool,
    /// Whether files on the file system lie on the device of the engine's data; none where that is not known.
    pub same_device: Option<bool>,
    request: &'a StreamsRequest,
    folder: PathBuf,
    /// Of each stream, in their order.
    kept: Vec<Kept>,
    generation: u32,
}

impl<'a> StreamFiles<'a> {
    /// Of `backend`, whose files lie below `data` where it is the file system; those of the engine lie in `engine_data`
    /// if they are on this host.
    ///
    /// # Errors
    /// Where direct I/O was asked for and is not to be had.
    pub(super) fn new(
        backend: Backend,
        request: &'a StreamsRequest,
        data: &Path,
        engine_data: Option<&Path>,
    ) -> Result<StreamFiles<'a>> {
        let (folder, kept) = (data.join(FOLDER), Vec::new());
        let mut stream_files =
            StreamFiles { backend, direct: false, same_device: None, request, folder, kept, generation: 0 };
        if backend == Backend::FileSystem {
            stream_files.make_folder()?;
            stream_files.direct = stream_files.passes_cache()?;
            stream_files.same_device =
                engine_data.and_then(|engine_data| lie_together(engine_data, &stream_files.folder));
        }
        Ok(stream_files)
    }

    /// Whether the page cache is passed by: as asked for, or else where it can be.
    fn passes_cache(&self) -> Result<bool> {
        let can = FilePlace::takes_direct(&self.folder);
        match self.request.direct {
            Some(true) if !can => {
                Err(Error::environment(format!("the file system at {} knows no direct I/O", self.folder.display()))
                    .hint("leave --direct away, or give another --dir"))
            }
            asked => Ok(asked.unwrap_or(can)),
        }
    }

    fn make_folder(&self) -> Result<()> {
        let shown = self.folder.display();
        fs::create_dir_all(&self.folder).map_err(|error| Error::environment(format!("{shown} cannot be made: {error}")))
    }

    /// A session of the engine; none where the backend is none.
    fn objects(&self, node: Option<&dyn Node>) -> Result<Option<Box<dyn ObjectSession>>> {
        match (self.backend, node) {
            (Backend::Engine(form), Some(node)) => Ok(Some(node.object_session(form)?)),
            (Backend::Engine(form), None) => Err(Error::user(format!("files as {} need an engine", form.name))),
            (Backend::FileSystem, _) => Ok(None),
        }
    }

    fn place(&self, node: Option<&dyn Node>) -> Result<Box<dyn Place>> {
        Ok(match self.objects(node)? {
            Some(objects) => Box::new(EnginePlace::new(objects)),
            None => Box::new(FilePlace::new(&self.folder, self.direct)),
        })
    }

    /// Removes all files and makes ready for others.
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
        self.kept.clear();
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

    /// The streams of `stream_run`, each with what it needs.
    pub(super) fn jobs(&self, node: Option<&dyn Node>, stream_run: &StreamRun) -> Result<Vec<StreamJob>> {
        (1..=stream_run.streams).map(|stream| self.job(node, stream, stream_run.direction)).collect()
    }

    fn job(&self, node: Option<&dyn Node>, stream: u32, direction: StreamDirection) -> Result<StreamJob> {
        let requests = match direction {
            StreamDirection::Write => self.request.requests(),
            StreamDirection::Read => self.kept(stream).requests,
        };
        let requests_per_commit = self.request.per_commit();
        let shape = StreamShape { direction, request: self.request.request_bytes, requests, requests_per_commit };
        Ok(StreamJob::new(self.place(node)?, self.content(stream, direction), shape, stream))
    }

    fn kept(&self, stream: u32) -> Kept {
        self.kept.get(stream as usize - 1).copied().unwrap_or_default()
    }

    fn content(&self, stream: u32, direction: StreamDirection) -> Content {
        let generation = match direction {
            StreamDirection::Write => self.generation,
            StreamDirection::Read => self.kept(stream).generation,
        };
        let signature = Signature { seed: self.request.seed, stream, generation };
        Content::new(signature, self.request.request_bytes.0 as usize)
    }

    /// Puts the files out of the page cache, where they are read through it; the share of their bytes that stays there.
    pub(super) fn drop_page_cache(&self, node: Option<&dyn Node>) -> Option<Ratio> {
        match node {
            Some(node) => drop_page_cache(node.data_directory()?),
            None if self.direct => None,
            None => drop_page_cache(&self.folder),
        }
    }

    /// Remembers what the streams of a run wrote.
    pub(super) fn remember(&mut self, progress: &[Arc<Progress>]) {
        let generation = self.generation;
        self.kept = progress.iter().map(|one| Kept { requests: one.committed(), generation }).collect();
    }

    /// Sees to it that each of `streams` streams has a file: those that no run wrote are written now, one after the other,
    /// as long as the shortest that one wrote.
    pub(super) fn fill(
        &mut self,
        node: Option<&dyn Node>,
        streams: u32,
        listener: &dyn Listener,
        interrupt: &Interrupt,
    ) -> Result<()> {
        let requests = self.kept.iter().map(|kept| kept.requests).filter(|requests| *requests > 0).min();
        let requests = requests.unwrap_or(self.request.requests());
        self.kept.resize(self.kept.len().max(streams as usize), Kept::default());
        for stream in 1..=streams {
            if self.kept(stream).requests > 0 {
                continue;
            }
            let mut place = self.place(node)?;
            let cancellers = place.canceller().into_iter().collect();
            interrupt.during(cancellers, || self.write(place.as_mut(), (stream, requests), listener, interrupt))?;
            let kept = Kept { requests, generation: self.generation };
            self.kept[stream as usize - 1] = kept;
        }
        Ok(())
    }

    fn write(
        &self,
        place: &mut dyn Place,
        (stream, requests): (u32, u64),
        listener: &dyn Listener,
        interrupt: &Interrupt,
    ) -> Result<()> {
        let Bytes(each) = self.request.request_bytes;
        let size = self.request.request_bytes.times(requests);
        let mut content = self.content(stream, StreamDirection::Write);
        place.begin()?;
        place.create(stream, size)?;
        for at in (0..size.0).step_by(each as usize) {
            if interrupt.is_raised() {
                // The user's wish is what is told.
                let _ = place.give_up();
                return Err(Error::interrupted());
            }
            place.write(at, content.at(at))?;
            let file = format!("file {stream}");
            listener.on_event(&Event::Writing { file: &file, done: Bytes(at + each), size });
        }
        Ok(place.commit()?)
    }

    /// Reads each of `streams` files once more, and compares it with what was written.
    pub(super) fn compare(
        &self,
        node: Option<&dyn Node>,
        streams: u32,
        interrupt: &Interrupt,
    ) -> Result<Vec<ComparedFile>> {
        let one = |stream: u32| {
            let mut place = self.place(node)?;
            let mut content = self.content(stream, StreamDirection::Read);
            let (request, requests) = (self.request.request_bytes, self.kept(stream).requests);
            let comparing = Comparing { request, requests, stop: interrupt.flag() };
            let cancellers = place.canceller().into_iter().collect();
            let compared = interrupt.during(cancellers, || compare(place.as_mut(), &mut content, stream, &comparing));
            if interrupt.is_raised() { Err(Error::interrupted()) } else { Ok(compared?) }
        };
        (1..=streams).map(one).collect()
    }

    /// What is kept by our own count: files, files that are whole, and bytes.
    pub(super) fn written(&self) -> (u64, u32, Bytes) {
        let files = self.kept.iter().filter(|kept| kept.requests > 0);
        let whole = files.clone().filter(|kept| kept.requests == self.request.requests()).count();
        let requests = files.clone().map(|kept| kept.requests).sum();
        (files.count() as u64, whole as u32, self.request.request_bytes.times(requests))
    }

    /// What is kept as the engine counts it: files and bytes; none of the file system.
    pub(super) fn counted(&self, node: Option<&dyn Node>, interrupt: &Interrupt) -> Result<Option<(u64, Bytes)>> {
        let Some(mut objects) = self.objects(node)? else { return Ok(None) };
        // Some engines read all of it to tell how much it is.
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
    fn a_file_system_lies_together_with_itself_and_a_missing_one_is_not_known() {
        let one = tempfile::tempdir().unwrap();
        assert_eq!(lie_together(one.path(), &one.path().join(".")), Some(true));
        assert_eq!(lie_together(one.path(), &one.path().join("none")), None);
        assert_eq!(lie_together(Path::new("/proc"), one.path()), Some(false));
    }
}

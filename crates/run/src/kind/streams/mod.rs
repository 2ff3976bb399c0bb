//! File streams: files in the engine in each of its forms, and on the file system; a run for each form, number of
//! streams and direction.

mod measurement;
mod request;
mod space;
mod stream_files;
mod stream_run;

use std::path::{Path, PathBuf};

use record::{Nanos, Plan, PlannedRun};

use self::measurement::measure_one;
use self::stream_files::{StreamFiles, refuse_requests};
use self::stream_run::{Backend, StreamRun, StreamRuns, backends};
use crate::directory::MeasuredDirectory;
use crate::invocation::{Kind, Measured, invoke};
use crate::platform::{Context, Platform};
use crate::recorder::Recorder;
use crate::run::keep;
use crate::{Error, Result, Setup};

pub use self::request::StreamsRequest;

/// Measures file streams.
///
/// # Errors
/// Only where there is no record yet; later errors are in [`Measured::error`] beside the record so far.
pub fn measure_streams(request: &StreamsRequest, context: Context<'_>) -> Result<Measured> {
    let engine = context.engine;
    let backends = backends(&request.forms, engine.about().object_forms, engine.title())?;
    let mut kind = Streams { request, backends, stream_runs: StreamRuns::default(), data: PathBuf::new() };
    Ok(invoke(&mut kind, [context], None)?.measured(&request.setup.record))
}

struct Streams<'r> {
    request: &'r StreamsRequest,
    backends: Vec<Backend>,
    stream_runs: StreamRuns,
    /// Directory of the files on the file system.
    data: PathBuf,
}

impl Kind for Streams<'_> {
    fn setup(&self) -> Setup {
        self.request.setup.clone()
    }

    fn jobs_max(&self) -> u32 {
        self.request.streams.iter().copied().max().unwrap_or(0)
    }

    fn plan(&mut self, directory: &MeasuredDirectory, [platform]: &mut [Platform<'_>; 1]) -> Result<[Plan; 1]> {
        self.data = directory.data();
        self.stream_runs = StreamRuns::of(self.request, &self.backends, platform.opened()?.nodes.first().caps());
        if let Some(skipped) = self.stream_runs.skipped.first().filter(|_| self.stream_runs.stream_runs.is_empty()) {
            return Err(Error::user(format!("there is nothing to measure: {}", skipped.reason))
                .hint("give a smaller --file, or another --form"));
        }
        Ok([self.stream_runs.plan(self.request, &platform.context.target.to_string(), directory.path())])
    }

    fn measure(&mut self, [platform]: &mut [Platform<'_>; 1], [record]: &mut [Recorder; 1]) -> Result<()> {
        let plan = record.plan.clone();
        let node = platform.opened()?.nodes.first();
        space::check(self.request, &self.stream_runs, Path::new(&plan.directory), node.data_directory())?;
        let mut backends: Vec<Backend> =
            self.stream_runs.stream_runs.iter().map(|stream_run| stream_run.backend).collect();
        backends.dedup();
        refuse_requests(self.request, &backends, node)?;
        platform.context.announce(&plan, self.request.window.unwrap_or(Nanos(0)), &self.request.setup.record);
        let mut stream_files: Option<StreamFiles<'_>> = None;
        let mut result = Ok(());
        for (stream_run, planned) in self.stream_runs.stream_runs.iter().zip(&plan.runs) {
            result = self.measure_run(platform, record, &plan, (stream_run, planned), &mut stream_files);
            if result.is_err() {
                break;
            }
        }
        // The first error is the one that is reported.
        let removed = stream_files.map_or(Ok(()), |mut stream_files| stream_files.remove(Some(node)));
        result.and(removed)
    }
}

impl Streams<'_> {
    /// One run, with the files of its backend: existing ones, or new ones after those of the previous backend are
    /// removed.
    fn measure_run<'a>(
        &'a self,
        platform: &Platform<'_>,
        record: &mut Recorder,
        plan: &Plan,
        (stream_run, planned): (&StreamRun, &PlannedRun),
        stream_files: &mut Option<StreamFiles<'a>>,
    ) -> Result<()> {
        // Only the node that takes writes is measured.
        let node = platform.opened()?.nodes.first();
        if let Some(mut before) = stream_files.take_if(|stream_files| stream_files.backend != stream_run.backend) {
            before.remove(Some(node))?;
        }
        let files = match stream_files {
            Some(files) => files,
            None => {
                let mut fresh = StreamFiles::new(stream_run.backend, self.request, &self.data, node.data_directory())?;
                fresh.clear(Some(node))?;
                stream_files.insert(fresh)
            }
        };
        let mut one = |bench: &crate::bench::Bench<'_>| {
            let run = measure_one(bench, planned, stream_run, self.request, files)?;
            keep(bench, record, run)
        };
        // Files on the file system do not involve the engine.
        let failure = match stream_run.backend {
            Backend::FileSystem => platform.without_engine(plan, &mut one)?,
            Backend::Engine(_) => platform.with_bench(plan, &mut one)?,
        };
        // A failure at one number of streams would repeat at the next.
        failure.map_or(Ok(()), |message| Err(Error::environment(message)))
    }
}

//! File streams: files kept in the engine in each of its forms, and on the file system beside it; a run for each form, number
//! of streams and direction.

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
use crate::invocation::{Context, Kind, Measured, invoke};
use crate::platform::{OpenEngine, Platform};
use crate::recorder::Recorder;
use crate::run::keep;
use crate::{Error, Event, Request, Result};

pub use self::request::StreamsRequest;

/// Measures file streams.
///
/// # Errors
/// Only where there is no record yet; later errors are in [`Measured::error`] beside the record so far.
pub fn measure_streams(request: &StreamsRequest, context: Context<'_>) -> Result<Measured> {
    let engine = context.engine;
    let backends = backends(&request.forms, engine.object_forms(), engine.title())?;
    let mut kind = Streams { request, backends, stream_runs: StreamRuns::default(), data: PathBuf::new() };
    Ok(invoke(&mut kind, [context], None)?.measured(&request.record))
}

struct Streams<'r> {
    request: &'r StreamsRequest,
    backends: Vec<Backend>,
    stream_runs: StreamRuns,
    /// Where files on the file system lie.
    data: PathBuf,
}

impl Kind for Streams<'_> {
    fn request(&self) -> Request {
        self.request.request()
    }

    fn records(&self) -> [PathBuf; 1] {
        [self.request.record.clone()]
    }

    fn plan(&mut self, directory: &MeasuredDirectory, [platform]: &mut [Platform<'_>; 1]) -> Result<[Plan; 1]> {
        self.data = directory.data();
        self.stream_runs = StreamRuns::of(self.request, &self.backends, open(platform)?.nodes.first().caps());
        if let Some(skipped) = self.stream_runs.skipped.first().filter(|_| self.stream_runs.stream_runs.is_empty()) {
            return Err(Error::user(format!("nothing is left to be measured: {}", skipped.reason))
                .hint("give a smaller --file, or another --form"));
        }
        Ok([self.request.plan(&platform.context.target.to_string(), directory.path(), &self.stream_runs)])
    }

    fn measure(&mut self, [platform]: &mut [Platform<'_>; 1], [record]: &mut [Recorder; 1]) -> Result<()> {
        let plan = record.plan.clone();
        let node = open(platform)?.nodes.first();
        space::check(self.request, &self.stream_runs, Path::new(&plan.directory), node.data_directory())?;
        let mut backends: Vec<Backend> =
            self.stream_runs.stream_runs.iter().map(|stream_run| stream_run.backend).collect();
        backends.dedup();
        refuse_requests(self.request, &backends, node)?;
        self.announce(platform, &plan);
        let mut stream_files: Option<StreamFiles<'_>> = None;
        let mut result = Ok(());
        for (stream_run, planned) in self.stream_runs.stream_runs.iter().zip(&plan.runs) {
            result = self.measure_leg(platform, record, &plan, (stream_run, planned), &mut stream_files);
            if result.is_err() {
                break;
            }
        }
        // The first error is the one to report.
        let removed = stream_files.map_or(Ok(()), |mut stream_files| stream_files.remove(Some(node)));
        result.and(removed)
    }
}

impl Streams<'_> {
    fn announce(&self, platform: &Platform<'_>, plan: &Plan) {
        let runs = plan.runs.len();
        let each = self.request.window.unwrap_or(Nanos(0));
        let expected = Nanos(each.0.saturating_mul(runs as u64));
        let records = [self.request.record.as_path()];
        let planned = Event::Planned { runs, expected, skipped: &plan.skipped, records: &records };
        platform.context.listener.on_event(&planned);
    }

    /// One run, with the files of its backend: those that are there, or others after those are removed.
    fn measure_leg<'a>(
        &'a self,
        platform: &Platform<'_>,
        record: &mut Recorder,
        plan: &Plan,
        (stream_run, planned): (&StreamRun, &PlannedRun),
        stream_files: &mut Option<StreamFiles<'a>>,
    ) -> Result<()> {
        // The node that takes writes is the only one that is measured.
        let node = open(platform)?.nodes.first();
        if let Some(mut before) = stream_files.take_if(|stream_files| stream_files.backend != stream_run.backend) {
            before.remove(Some(node))?;
        }
        let there = match stream_files {
            Some(there) => there,
            None => {
                let mut fresh = StreamFiles::new(stream_run.backend, self.request, &self.data, node.data_directory())?;
                fresh.clear(Some(node))?;
                stream_files.insert(fresh)
            }
        };
        let mut one = |bench: &crate::bench::Bench<'_>| {
            let run = measure_one(bench, planned, stream_run, self.request, there)?;
            keep(bench, record, run)
        };
        // Files on the file system are kept beside the engine.
        let failure = match stream_run.backend {
            Backend::FileSystem => platform.without_engine(plan, &mut one)?,
            Backend::Engine(_) => platform.with_bench(plan, &mut one)?,
        };
        // What fails at one number of streams would fail at the next.
        failure.map_or(Ok(()), |message| Err(Error::environment(message)))
    }
}

fn open<'p, 'a>(platform: &'p Platform<'a>) -> Result<&'p OpenEngine<'a>> {
    platform.engine.as_ref().ok_or_else(|| Error::user("file streams need an engine"))
}

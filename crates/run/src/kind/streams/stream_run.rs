//! The runs: each form, at each number of streams, written and then read.

use std::path::Path;

use engine::{Caps, ObjectForm};
use record::{Dop, Plan, PlannedRun, RunKind, Skipped, StreamDirection};
use workload::streams::{CODE, FILE_SYSTEM};

use super::request::StreamsRequest;
use crate::{Error, Result};

/// The backend of the files of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Backend {
    /// On the file system.
    FileSystem,
    /// In the engine.
    Engine(&'static ObjectForm),
}

impl Backend {
    /// Its name, as in codes.
    pub(super) fn name(self) -> &'static str {
        match self {
            Backend::FileSystem => FILE_SYSTEM,
            Backend::Engine(form) => form.name,
        }
    }
}

/// One run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StreamRun {
    pub backend: Backend,
    pub streams: u32,
    pub direction: StreamDirection,
}

impl StreamRun {
    fn kind(&self) -> RunKind {
        RunKind::Streams { form: self.backend.name().to_owned(), direction: self.direction }
    }

    fn code(&self) -> String {
        format!("{CODE}@{}-{}", self.backend.name(), self.direction.word())
    }
}

/// All runs, and what is skipped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct StreamRuns {
    pub stream_runs: Vec<StreamRun>,
    pub skipped: Vec<Skipped>,
}

impl StreamRuns {
    /// The runs of `request` with `backends` on an engine of `caps`.
    pub(super) fn of(request: &StreamsRequest, backends: &[Backend], caps: &Caps) -> StreamRuns {
        let mut stream_runs = StreamRuns::default();
        for backend in backends {
            if let Some(reason) = too_long(request, *backend) {
                let test = format!("{CODE}@{}", backend.name());
                stream_runs.skipped.push(Skipped { test, reason });
                continue;
            }
            for streams in &request.streams {
                let stream_run = |direction| StreamRun { backend: *backend, streams: *streams, direction };
                let (write, read) = (stream_run(StreamDirection::Write), stream_run(StreamDirection::Read));
                if *backend != Backend::FileSystem && *streams > 1 && !caps.concurrent_writers {
                    let reason = format!("at {streams} streams: this engine supports one writer at a time");
                    stream_runs.skipped.push(Skipped { test: write.code(), reason });
                } else {
                    stream_runs.stream_runs.push(write);
                }
                stream_runs.stream_runs.push(read);
            }
        }
        stream_runs
    }

    /// The planned runs.
    fn planned(&self) -> Vec<PlannedRun> {
        let planned = |(stream_run, number): (&StreamRun, u32)| PlannedRun {
            number,
            ..PlannedRun::new(stream_run.code(), stream_run.kind(), Dop::jobs(stream_run.streams))
        };
        self.stream_runs.iter().zip(1..).map(planned).collect()
    }

    /// The plan: a run for each.
    pub(super) fn plan(&self, request: &StreamsRequest, target: &str, directory: &Path) -> Plan {
        Plan {
            window_ns: request.window_max(),
            seed: request.setup.seed,
            placement: request.setup.placement,
            runs: self.planned(),
            skipped: self.skipped.clone(),
            ..Plan::new(target, directory.display().to_string(), request.setup.preset)
        }
    }
}

fn too_long(request: &StreamsRequest, backend: Backend) -> Option<String> {
    let Backend::Engine(form) = backend else { return None };
    let (requested, most) = (request.file_bytes.0, form.file_bytes_max.0);
    (requested > most).then(|| format!("a file of {requested} bytes exceeds the {most} bytes of this form"))
}

/// The requested backends: the file system first, then the forms of the engine in its order.
pub(super) fn backends(
    names: &[String],
    forms: std::result::Result<&'static [ObjectForm], &'static str>,
    title: &str,
) -> Result<Vec<Backend>> {
    let only_files = !names.is_empty() && names.iter().all(|name| name == FILE_SYSTEM);
    let forms = match forms {
        Ok(forms) => forms,
        Err(_) if only_files => &[],
        Err(reason) => {
            return Err(Error::user(format!("files cannot be stored in {title}: it {reason}"))
                .hint(format!("--form {FILE_SYSTEM} measures the file system alone")));
        }
    };
    let all = std::iter::once(Backend::FileSystem).chain(forms.iter().map(Backend::Engine));
    let known: Vec<&str> = all.clone().map(Backend::name).collect();
    if let Some(name) = names.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(Error::user(format!("{} is not a form of files in {title}", quoted(name)))
            .hint(format!("give all, or some of {}", known.join(", "))));
    }
    Ok(all.filter(|backend| names.is_empty() || names.iter().any(|name| name == backend.name())).collect())
}

/// `name` in an error message: an empty name is two quotes.
fn quoted(name: &str) -> String {
    if name.trim().is_empty() { "\"\"".to_owned() } else { name.escape_debug().to_string() }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use engine::Engine;
    use engine::null::NULL;
    use record::Bytes;

    use super::*;
    use crate::Setup;

    const FORMS: &[ObjectForm] = &[
        ObjectForm { name: "blob", means: "blobs", file_bytes_max: Bytes(1 << 20), is_allocated: true },
        ObjectForm { name: "rows", means: "rows", file_bytes_max: Bytes(1 << 40), is_allocated: false },
    ];

    fn request(streams: &[u32], file_bytes: u64) -> StreamsRequest {
        StreamsRequest {
            setup: Setup::smoke(),
            forms: Vec::new(),
            streams: streams.to_vec(),
            request_bytes: Bytes(4096),
            file_bytes: Bytes(file_bytes),
            requests_per_commit: None,
            direct: None,
            window: None,
        }
    }

    fn caps(concurrent_writers: bool) -> Caps {
        let workspace =
            engine::Workspace { directory: PathBuf::new(), keep: false, cache_bytes: None, sessions_max: 1 };
        let node = NULL.open(&"null".parse().expect("a target"), &workspace).expect("the null engine");
        Caps { concurrent_writers, ..*node.caps() }
    }

    fn codes(stream_runs: &StreamRuns) -> Vec<String> {
        stream_runs.planned().into_iter().map(|run| format!("{} J{}", run.test, run.dop.jobs)).collect()
    }

    #[test]
    fn each_form_is_written_and_read_at_each_number_of_streams() {
        let all = backends(&[], Ok(FORMS), "an engine").expect("backends");
        let stream_runs = StreamRuns::of(&request(&[1, 4], 1 << 20), &all, &caps(true));
        let one = |form: &str| [1, 4].map(|jobs| ["write", "read"].map(|way| format!("S100@{form}-{way} J{jobs}")));
        let expected: Vec<String> = ["file-system", "blob", "rows"].into_iter().flat_map(one).flatten().collect();
        assert_eq!(codes(&stream_runs), expected);
        assert!(stream_runs.skipped.is_empty());
        assert_eq!(stream_runs.planned()[3].number, 4);
    }

    #[test]
    fn concurrent_writes_and_long_files_are_skipped_with_a_reason() {
        let all = backends(&[], Ok(FORMS), "an engine").expect("backends");
        let stream_runs = StreamRuns::of(&request(&[1, 4], 2 << 20), &all, &caps(false));
        let skipped: Vec<(&str, bool)> = stream_runs
            .skipped
            .iter()
            .map(|skip| (skip.test.as_str(), skip.reason.contains("one writer at a time")))
            .collect();
        assert_eq!(skipped, [("S100@blob", false), ("S100@rows-write", true)]);
        assert!(stream_runs.skipped[0].reason.contains("2097152 bytes exceeds the 1048576"));
        assert_eq!(codes(&stream_runs).iter().filter(|code| code.contains("rows")).count(), 3, "both are read");
        assert_eq!(codes(&stream_runs).iter().filter(|code| code.contains("file-system")).count(), 4);
    }

    #[test]
    fn forms_are_asked_for_by_name() {
        let named = |words: &[&str]| -> Vec<String> { words.iter().map(|word| (*word).to_owned()).collect() };
        let some = backends(&named(&["rows"]), Ok(FORMS), "an engine").expect("one");
        assert_eq!(some, [Backend::Engine(&FORMS[1])]);
        for wrong in ["", "clob", "Rows"] {
            let error = backends(&named(&[wrong]), Ok(FORMS), "an engine").expect_err(wrong);
            assert!(error.message.contains("is not a form of files in an engine"), "{error}");
            assert!(error.hint.is_some_and(|hint| hint.contains("file-system, blob, rows")));
        }
        let none = backends(&[], Err("has no blobs"), "an engine").expect_err("no forms");
        assert!(none.message.contains("files cannot be stored in an engine: it has no blobs"), "{none}");
        let files = backends(&named(&["file-system"]), Err("has no blobs"), "an engine").expect("files");
        assert_eq!(files, [Backend::FileSystem]);
    }
}

//! Which runs there are: each form, at each number of streams, written and then read.

use engine::{Caps, ObjectForm};
use record::{Dop, PlannedRun, RunKind, Skipped, StreamDirection};
use workload::streams::{CODE, FILE_SYSTEM};

use super::request::StreamsRequest;
use crate::{Error, Result};

/// Where the files of a run are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keeper {
    /// On the file system.
    FileSystem,
    /// In the engine.
    Engine(&'static ObjectForm),
}

impl Keeper {
    /// Its name, as it stands in codes.
    pub(super) fn name(self) -> &'static str {
        match self {
            Keeper::FileSystem => FILE_SYSTEM,
            Keeper::Engine(form) => form.name,
        }
    }
}

/// One run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Leg {
    pub keeper: Keeper,
    pub streams: u32,
    pub direction: StreamDirection,
}

impl Leg {
    fn kind(&self) -> RunKind {
        RunKind::Streams { form: self.keeper.name().to_owned(), direction: self.direction }
    }

    fn code(&self) -> String {
        format!("{CODE}@{}-{}", self.keeper.name(), self.direction.word())
    }
}

/// All runs, and what is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Legs {
    pub legs: Vec<Leg>,
    pub skipped: Vec<Skipped>,
}

impl Legs {
    /// The runs of `request` with `keepers` on an engine of `caps`.
    pub(super) fn of(request: &StreamsRequest, keepers: &[Keeper], caps: &Caps) -> Legs {
        let mut legs = Legs::default();
        for keeper in keepers {
            if let Some(reason) = too_long(request, *keeper) {
                let test = format!("{CODE}@{}", keeper.name());
                legs.skipped.push(Skipped { test, reason });
                continue;
            }
            for streams in &request.streams {
                let leg = |direction| Leg { keeper: *keeper, streams: *streams, direction };
                let (write, read) = (leg(StreamDirection::Write), leg(StreamDirection::Read));
                if *keeper != Keeper::FileSystem && *streams > 1 && !caps.concurrent_writers {
                    let reason = format!(
                        "{streams} streams would write one after the other: this engine lets one session write at a time"
                    );
                    legs.skipped.push(Skipped { test: write.code(), reason });
                } else {
                    legs.legs.push(write);
                }
                legs.legs.push(read);
            }
        }
        legs
    }

    /// As lines of a plan.
    pub(super) fn planned(&self) -> Vec<PlannedRun> {
        let planned = |(leg, number): (&Leg, u32)| PlannedRun {
            number,
            ..PlannedRun::new(leg.code(), leg.kind(), Dop::jobs(leg.streams))
        };
        self.legs.iter().zip(1..).map(planned).collect()
    }
}

fn too_long(request: &StreamsRequest, keeper: Keeper) -> Option<String> {
    let Keeper::Engine(form) = keeper else { return None };
    let (asked, most) = (request.file_bytes.0, form.file_bytes_max.0);
    (asked > most).then(|| format!("a file of {asked} bytes is longer than the {most} that this form takes"))
}

/// The keepers that are asked for by name: the file system first, then the forms of the engine in its order.
///
/// # Errors
/// A name that is none, and an engine without forms.
pub(super) fn keepers(
    names: &[String],
    forms: std::result::Result<&'static [ObjectForm], &'static str>,
    title: &str,
) -> Result<Vec<Keeper>> {
    let only_files = !names.is_empty() && names.iter().all(|name| name == FILE_SYSTEM);
    let forms = match forms {
        Ok(forms) => forms,
        Err(_) if only_files => &[],
        Err(reason) => {
            return Err(Error::user(format!("files cannot be kept in {title}: it {reason}"))
                .hint(format!("--form {FILE_SYSTEM} measures the file system alone")));
        }
    };
    let all = std::iter::once(Keeper::FileSystem).chain(forms.iter().map(Keeper::Engine));
    let known: Vec<&str> = all.clone().map(Keeper::name).collect();
    if let Some(name) = names.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(Error::user(format!("{} is no form in which {title} keeps files", said(name)))
            .hint(format!("give all, or some of {}", known.join(", "))));
    }
    Ok(all.filter(|keeper| names.is_empty() || names.iter().any(|name| name == keeper.name())).collect())
}

/// `name` as an error says it: nothing at all is two quotes.
fn said(name: &str) -> String {
    if name.trim().is_empty() { "\"\"".to_owned() } else { name.escape_debug().to_string() }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use engine::Engine;
    use engine::null::NULL;
    use record::{Bytes, Placement, Preset};

    use super::*;

    const FORMS: &[ObjectForm] = &[
        ObjectForm { name: "blob", means: "blobs", file_bytes_max: Bytes(1 << 20), is_allocated: true },
        ObjectForm { name: "rows", means: "rows", file_bytes_max: Bytes(1 << 40), is_allocated: false },
    ];

    fn request(streams: &[u32], file_bytes: u64) -> StreamsRequest {
        StreamsRequest {
            forms: Vec::new(),
            streams: streams.to_vec(),
            request_bytes: Bytes(4096),
            file_bytes: Bytes(file_bytes),
            requests_per_commit: None,
            direct: None,
            window: None,
            preset: Preset::Smoke,
            directory: PathBuf::from("."),
            seed: 42,
            placement: Placement::Kernel,
            looks: false,
            record: PathBuf::from("r.json"),
            version: String::new(),
            build: None,
        }
    }

    fn caps(concurrent_writers: bool) -> Caps {
        let site = engine::Site { directory: PathBuf::new(), keep: false, cache_bytes: None, sessions_max: 1 };
        let node = NULL.open(&"null".parse().expect("a target"), &site).expect("the null engine");
        Caps { concurrent_writers, ..*node.caps() }
    }

    fn codes(legs: &Legs) -> Vec<String> {
        legs.planned().into_iter().map(|run| format!("{} J{}", run.test, run.dop.jobs)).collect()
    }

    #[test]
    fn each_form_is_written_and_read_at_each_number_of_streams() {
        let all = keepers(&[], Ok(FORMS), "an engine").expect("keepers");
        let legs = Legs::of(&request(&[1, 4], 1 << 20), &all, &caps(true));
        let one = |form: &str| [1, 4].map(|jobs| ["write", "read"].map(|way| format!("S100@{form}-{way} J{jobs}")));
        let expected: Vec<String> = ["file-system", "blob", "rows"].into_iter().flat_map(one).flatten().collect();
        assert_eq!(codes(&legs), expected);
        assert!(legs.skipped.is_empty());
        assert_eq!(legs.planned()[3].number, 4);
    }

    #[test]
    fn what_one_writer_cannot_do_and_what_is_too_long_is_skipped_and_said() {
        let all = keepers(&[], Ok(FORMS), "an engine").expect("keepers");
        let legs = Legs::of(&request(&[1, 4], 2 << 20), &all, &caps(false));
        let skipped: Vec<(&str, bool)> =
            legs.skipped.iter().map(|skip| (skip.test.as_str(), skip.reason.contains("one session write"))).collect();
        assert_eq!(skipped, [("S100@blob", false), ("S100@rows-write", true)]);
        assert!(legs.skipped[0].reason.contains("2097152 bytes is longer than the 1048576"));
        assert_eq!(codes(&legs).iter().filter(|code| code.contains("rows")).count(), 3, "both are read");
        assert_eq!(codes(&legs).iter().filter(|code| code.contains("file-system")).count(), 4);
    }

    #[test]
    fn forms_are_asked_for_by_name() {
        let named = |words: &[&str]| -> Vec<String> { words.iter().map(|word| (*word).to_owned()).collect() };
        let some = keepers(&named(&["rows"]), Ok(FORMS), "an engine").expect("one");
        assert_eq!(some, [Keeper::Engine(&FORMS[1])]);
        for wrong in ["", "clob", "Rows"] {
            let error = keepers(&named(&[wrong]), Ok(FORMS), "an engine").expect_err(wrong);
            assert!(error.message.contains("is no form in which an engine keeps files"), "{error}");
            assert!(error.hint.is_some_and(|hint| hint.contains("file-system, blob, rows")));
        }
        let none = keepers(&[], Err("has no blobs"), "an engine").expect_err("no forms");
        assert!(none.message.contains("files cannot be kept in an engine: it has no blobs"), "{none}");
        let files = keepers(&named(&["file-system"]), Err("has no blobs"), "an engine").expect("files");
        assert_eq!(files, [Keeper::FileSystem]);
    }
}

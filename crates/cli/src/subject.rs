//! Platforms on the command line: a record, or the name of a published system; and price books.

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};

use model::platform_plan::PlatformPlan;
use model::{Origin, PriceBook, System};
use record::{PlanSubject, Preset, Record, Run};
use run::{DurabilityProofFile, Error, Fault, Result};

/// The platform named by `words`: a record if such a file exists, otherwise a published system.
///
/// # Errors
/// Where the record cannot be read, and where neither exists.
pub fn system(words: &str) -> Result<Cow<'static, System>> {
    match measured(words)? {
        Some(record) => Ok(Cow::Owned(model::system(&record))),
        None => published(words).map(Cow::Borrowed),
    }
}

/// The record named by `words`; none where they can only name a published system.
fn measured(words: &str) -> Result<Option<Record>> {
    let path = Path::new(words);
    let is_record = path.exists() || is_path(words);
    is_record.then(|| store::read_with(path, &without_distributions).map_err(unreadable)).transpose()
}

/// The platforms named by `words`, with what the proofs at `paths` have shown of them: one per platform, `-` for none.
///
/// # Errors
/// As [`system`]; where the numbers differ, and where a proof says nothing of its platform.
pub fn proved(words: &[String], paths: &[PathBuf]) -> Result<Vec<System>> {
    if !paths.is_empty() && paths.len() != words.len() {
        let message = format!("--durability names {} proofs for {} systems", paths.len(), words.len());
        return Err(Error::user(message).hint("give one per system in the same order, - for none"));
    }
    let one = |(index, words): (usize, &String)| match paths.get(index) {
        Some(path) if path.as_os_str() != "-" => proved_system(words, path),
        _ => system(words).map(Cow::into_owned),
    };
    words.iter().enumerate().map(one).collect()
}

fn proved_system(words: &str, proof: &Path) -> Result<System> {
    let mut record = measured(words)?.ok_or_else(|| {
        Error::user(format!("a proof of durability says nothing of the published system {words}"))
            .hint("give - in its place")
    })?;
    DurabilityProofFile::read(proof)?.show(record.engine.as_mut())?;
    Ok(model::system(&record))
}

/// The platform named by `words`, under that name, beside whose rates those of a record are shown.
///
/// # Errors
/// As [`system`].
pub fn beside(words: &str) -> Result<System> {
    let system = system(words)?.into_owned();
    let name = if let Origin::Measured { .. } = system.origin { words.to_owned() } else { system.name.clone() };
    Ok(System { name, ..system })
}

/// The published system named by `words`.
///
/// # Errors
/// Where there is none or more than one of that name.
pub fn published(words: &str) -> Result<&'static System> {
    match reference::find(words) {
        Ok(system) => Ok(system),
        Err(reference::Lookup::Unknown { known, .. }) => {
            let message = format!("{words} is neither a file nor a published system");
            Err(Error::user(message).hint(format!("give the path of a record, or one of {}", known.join(", "))))
        }
        Err(ambiguous) => Err(Error::user(ambiguous.to_string())),
    }
}

/// What is published about files kept in databases, for a `record` of them: the streams of the first published system that has some.
pub fn published_streams(record: &Record) -> Option<String> {
    (record.plan.subject() == PlanSubject::Streams).then(first_published_streams).flatten()
}

fn first_published_streams() -> Option<String> {
    let fact = |system: &System, name: &str| {
        system.facts.iter().find(|fact| fact.name == name)?.value.text().map(str::to_owned)
    };
    reference::published().iter().find_map(|system| {
        let (setting, file) = (fact(system, "file streams")?, fact(system, "file streams, file of each")?);
        Some(format!("as in {}: {setting}, files of {file}; no rates are published", system.name))
    })
}

/// The error of a record that was named by path: the user's mistake.
pub fn unreadable(error: store::Error) -> Error {
    Error { fault: Fault::User, ..Error::from(error) }
}

/// Reasons not to trust the rates of `record`, which was read from `path`.
pub fn warnings(path: &str, record: &Record) -> Vec<String> {
    let slow = (!record.tool.optimised).then_some("was written by an unoptimised build of dbdyno");
    let small =
        (record.plan.preset == Preset::Smoke).then_some("is of preset smoke, which only checks that everything works");
    let all = [slow, small].into_iter().flatten();
    all.map(|why| format!("{path} {why}: results from its rates are meaningless")).collect()
}

/// Whether it can only be a file.
pub fn is_path(words: &str) -> bool {
    words.contains('/') || store::is_record_name(words)
}

/// Drops the histograms, which a system does not need and which are most of a record.
fn without_distributions(run: &mut Run) {
    run.slices = None;
    for latency in [&mut run.service, &mut run.response] {
        latency.histogram = String::new();
    }
}

/// The price books at `paths`, one per system, `-` for none; the default of a published system is its published price.
///
/// # Errors
/// Where their number differs from that of the systems, and where one cannot be read.
pub fn prices(paths: &[PathBuf], systems: &[System]) -> Result<Vec<Option<PriceBook>>> {
    if !paths.is_empty() && paths.len() != systems.len() {
        let message = format!("--prices names {} price books for {} systems", paths.len(), systems.len());
        return Err(Error::user(message).hint("give one per system in the same order, - for none"));
    }
    let book = |(index, system): (usize, &System)| match paths.get(index) {
        Some(path) if path.as_os_str() != "-" => price_book(path).map(Some),
        _ => Ok(system.price.clone()),
    };
    systems.iter().enumerate().map(book).collect()
}

/// The largest file of a planned platform that is read: it has some kilobytes.
const PLAN_BYTES_MAX: u64 = 1 << 20;

/// The planned platform in the file at `path`.
///
/// # Errors
/// Where it cannot be read or is invalid.
pub fn platform_plan(path: &Path) -> Result<PlatformPlan> {
    let shown = path.display().to_string();
    let unreadable = |why: String| {
        Error::user(format!("platform {shown} cannot be read: {why}")).hint("give a TOML file, or a record (.jsonl)")
    };
    let size = fs::metadata(path).map_err(|error| unreadable(error.to_string()))?.len();
    if size > PLAN_BYTES_MAX {
        return Err(unreadable(format!("it has {size} bytes, at most {PLAN_BYTES_MAX} are read")));
    }
    let text = fs::read_to_string(path).map_err(|error| unreadable(error.to_string()))?;
    reference::platform_plan(&text, &shown).map_err(|error| Error::user(error.to_string()).hint(error.hint))
}

/// The price book at `path`.
///
/// # Errors
/// Where it cannot be read or is invalid.
pub fn price_book(path: &Path) -> Result<PriceBook> {
    let shown = path.display().to_string();
    let text = fs::read_to_string(path).map_err(|error| {
        Error::user(format!("price book {shown} cannot be read: {error}")).hint("give the path of a TOML file")
    })?;
    reference::price_book(&text, &shown).map_err(|error| {
        let hint = error.hint.clone();
        let error = Error::user(reference::PriceError { hint: None, ..error }.to_string());
        hint.map_or(error.clone(), |hint| error.hint(hint))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_streams_are_cited() {
        let text = first_published_streams().expect("a publication");
        for words in ["as in ", "16 concurrent dd", "1 MB requests", "10 GB", "no rates"] {
            assert!(text.contains(words), "{text}");
        }
    }
}

//! What stands on the command line for a platform: a record, or the name of a published system.

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};

use model::{PriceBook, System};
use record::Run;
use run::{Error, Result};

use crate::command::places::unreadable;

/// The platform that `words` mean: a file of that name if there is one, otherwise a published system.
///
/// # Errors
/// Where a file cannot be read as a record, and where there is neither.
pub fn system(words: &str) -> Result<Cow<'static, System>> {
    let path = Path::new(words);
    if path.exists() || is_path(words) {
        let record = store::read_with(path, &without_distributions).map_err(unreadable)?;
        return Ok(Cow::Owned(model::system(&record)));
    }
    published(words).map(Cow::Borrowed)
}

/// The published system that `words` mean.
///
/// # Errors
/// Where there is none of that name, or more than one.
pub fn published(words: &str) -> Result<&'static System> {
    match reference::find(words) {
        Ok(system) => Ok(system),
        Err(reference::Lookup::Unknown { known, .. }) => {
            let message = format!("{words} is no file here, and no published system");
            Err(Error::user(message).hint(format!("give the path of a record, or one of {}", known.join(", "))))
        }
        Err(ambiguous) => Err(Error::user(ambiguous.to_string())),
    }
}

/// Whether only a file can be meant.
pub fn is_path(words: &str) -> bool {
    words.contains('/') || store::is_record_name(words)
}

/// What a system is not made of: it is most of a record.
fn without_distributions(run: &mut Run) {
    run.slices = None;
    for latency in [&mut run.service, &mut run.response] {
        latency.histogram = String::new();
    }
}

/// The price books at `paths`, one for each of `systems`, `-` for none; of a published system without one, the prices
/// that were published.
///
/// # Errors
/// Where there are not as many as systems, and where one cannot be read.
pub fn prices(paths: &[PathBuf], systems: &[System]) -> Result<Vec<Option<PriceBook>>> {
    if !paths.is_empty() && paths.len() != systems.len() {
        let message = format!("--prices names {} price books for {} systems", paths.len(), systems.len());
        return Err(Error::user(message).hint("give one for each system in their order, - for one without"));
    }
    let book = |(index, system): (usize, &System)| match paths.get(index) {
        Some(path) if path.as_os_str() != "-" => price_book(path).map(Some),
        _ => Ok(system.price.clone()),
    };
    systems.iter().enumerate().map(book).collect()
}

/// The price book at `path`.
///
/// # Errors
/// Where it cannot be read, and where it is none.
pub fn price_book(path: &Path) -> Result<PriceBook> {
    let place = path.display().to_string();
    let text = fs::read_to_string(path).map_err(|error| {
        Error::user(format!("price book {place} cannot be read: {error}")).hint("give the path of a TOML file")
    })?;
    reference::price_book(&text, &place).map_err(|error| {
        let hint = error.hint.clone();
        let error = Error::user(reference::PriceError { hint: None, ..error }.to_string());
        hint.map_or(error.clone(), |hint| error.hint(hint))
    })
}

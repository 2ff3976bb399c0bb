//! Regions of files and amounts of I/O: `size`, `filesize`, `offset`, `io_size`.

use record::{Amount, Bytes, Ratio};

use super::notes::Notes;
use crate::error::{Error, Result};
use crate::number::{self, Prefixes};
use crate::options::Options;

/// The lengths of a job.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Region {
    pub(crate) file_size: Option<Bytes>,
    pub(crate) offset: Amount,
    pub(crate) offset_increment: Amount,
    pub(crate) size: Option<Amount>,
    pub(crate) io_bytes: Option<Amount>,
}

/// The length of a region, if known.
pub(crate) fn length(size: Option<Amount>, file_size: Option<Bytes>, offset: Amount) -> Option<Bytes> {
    let share_of = |share: f64, file: Bytes| Bytes((file.0 as f64 * share) as u64);
    match (size, file_size, offset) {
        (Some(Amount::Bytes(size)), _, _) => Some(size),
        (Some(Amount::Share(share)), Some(file), _) => Some(share_of(share.0, file)),
        (None, Some(file), Amount::Bytes(offset)) => Some(Bytes(file.0.saturating_sub(offset.0))),
        (None, Some(file), Amount::Share(share)) => Some(share_of(1.0 - share.0, file)),
        _ => None,
    }
}

/// Inputs of the lengths.
pub(crate) struct Extent {
    /// Files of each clone.
    pub(crate) files: usize,
    /// Clones of the job (`numjobs`).
    pub(crate) clones: u32,
    /// Whether dbdyno creates them: not devices or existing files.
    pub(crate) own: bool,
    /// Whether all clones use the same files.
    pub(crate) shared: bool,
}

/// Parses the lengths of a job.
pub(crate) fn region(options: &Options, extent: &Extent, notes: &mut Notes) -> Result<Region> {
    let nothing = Amount::Bytes(Bytes(0));
    let mut region = Region {
        file_size: file_size(options, notes)?,
        offset: options.read("offset", amount)?.unwrap_or(nothing),
        offset_increment: options.read("offset_increment", amount)?.unwrap_or(nothing),
        size: options.read("size", amount)?,
        io_bytes: options.read("io_size", amount)?.filter(|amount| *amount != nothing),
    };
    if region.size == Some(Amount::Share(Ratio(0.0))) {
        return Err(options.error("size", Error::new("0% is not a region").hint("use 1% or more")));
    }
    if region.size == Some(nothing) {
        // All of a device, of an existing file, or of a file with a given length.
        region.size = None;
        if extent.own && region.file_size.is_none() {
            let error = Error::new("0 is not a region of files that do not exist yet");
            return Err(options.error("size", error.hint("use the size of the measured region, size=1g")));
        }
    }
    let files = extent.files.max(1) as u64;
    match (region.size, region.file_size) {
        // `filesize` is the length of each file, and `size` the amount of I/O.
        (Some(Amount::Bytes(size)), Some(file)) => {
            region.size = None;
            let less = size.0 < file.0.saturating_mul(files);
            region.io_bytes = region.io_bytes.or_else(|| less.then_some(Amount::Bytes(size)));
        }
        // `size` is the length of all files together.
        (Some(Amount::Bytes(size)), None) => {
            let each = Bytes(size.0 / files);
            if each.0 == 0 {
                let error = Error::new(format!("{} is less than a byte for each of {files} files", size.0));
                return Err(options.error("size", error.hint("use fewer files, or a larger size")));
            }
            region.size = Some(Amount::Bytes(each));
            region.file_size = shifted(&region, each, extent);
        }
        _ => {}
    }
    Ok(region)
}

/// The length of a file with a region per clone.
fn shifted(region: &Region, size: Bytes, extent: &Extent) -> Option<Bytes> {
    let (Amount::Bytes(offset), Amount::Bytes(step)) = (region.offset, region.offset_increment) else { return None };
    let shifts = step.0.saturating_mul(u64::from(extent.clones.saturating_sub(1)));
    let length = offset.0.saturating_add(shifts).saturating_add(size.0);
    (extent.shared && extent.own && step.0 > 0).then_some(Bytes(length))
}

/// `filesize`; of a range the maximum applies.
fn file_size(options: &Options, notes: &mut Notes) -> Result<Option<Bytes>> {
    options.read("filesize", |text, prefixes| {
        if text.ends_with('%') {
            return Err(Error::new(format!("{text} is a share, and the length of a file is in bytes"))
                .hint("write filesize=1g; size, offset and io_size can be shares"));
        }
        let larger = match text.split_once(['-', ',', ':']) {
            // One end of a range is the length itself.
            Some((one, "")) | Some(("", one)) => one,
            Some((_, larger)) if !text.starts_with('(') => {
                let at = options.at("filesize");
                notes.lint(format!("filesize={text}{at} is not supported: every file has {larger}"));
                larger
            }
            _ => text,
        };
        match number::integer(larger, prefixes)? {
            0 => Err(Error::new("0 is not a length of a file").hint("use 1m or more")),
            size => Ok(Bytes(size)),
        }
    })
}

/// Bytes, or a share: `1g`, `50%`.
fn amount(text: &str, prefixes: Prefixes) -> Result<Amount> {
    if !text.ends_with('%') {
        return number::integer(text, prefixes).map(|bytes| Amount::Bytes(Bytes(bytes)));
    }
    // Templated job files may have `%%`.
    let per_cent = text.trim_end_matches('%');
    match number::integer(per_cent, prefixes)? {
        share @ 0..=100 => Ok(Amount::Share(Ratio(share as f64 / 100.0))),
        share => Err(Error::new(format!("{share}% is more than 100%")).hint("use 100% or less")),
    }
}

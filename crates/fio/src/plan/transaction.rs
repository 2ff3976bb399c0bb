//! Keys of dbdyno only: commits as one operation, and bursts (`commit`, `burst`).

use record::{Nanos, OpenSync, Ratio, SyncEvery};

use crate::error::{Error, Result};
use crate::number::{self, Bare};
use crate::options::Options;

/// Whether a write and the sync after it are one operation.
pub(crate) fn commit(options: &Options, sync: Option<SyncEvery>, open: OpenSync, writes: bool) -> Result<bool> {
    if !options.is_on("commit") {
        return Ok(false);
    }
    let refuse = |what: String, hint: &str| Err(options.error("commit", Error::new(what).hint(hint)));
    match sync {
        _ if !writes => refuse("is set for a job that writes nothing".to_owned(), "use rw=write"),
        Some(SyncEvery { writes: 1, .. }) => Ok(true),
        Some(SyncEvery { writes, .. }) => {
            refuse(format!("is one write and one sync, and a sync follows {writes} writes"), "use fdatasync=1")
        }
        None if open != OpenSync::None => Ok(true),
        None => refuse("has no sync".to_owned(), "use fdatasync=1, fsync=1, sync=dsync or sync=rwf_dsync"),
    }
}

/// The active share of the time of a job, and the length of one cycle; none for always.
pub(crate) fn burst(options: &Options) -> Result<Option<(Ratio, Nanos)>> {
    let read = options.read("burst", |text, _| {
        let wrong = |what: String| Error::new(format!("{text} {what}")).hint("write burst=20%/30s");
        let (share, cycle) = text.split_once('/').ok_or_else(|| wrong("has no cycle".to_owned()))?;
        let share = share.trim().strip_suffix('%').ok_or_else(|| wrong("has no share in per cent".to_owned()))?;
        let per_cent = number::decimal(share.trim())?;
        if !(per_cent > 0.0 && per_cent <= 100.0) {
            return Err(wrong(format!("is active {per_cent} % of the time: above 0, at most 100")));
        }
        match number::time(cycle.trim(), Bare::Seconds)? {
            Nanos(0) => Err(wrong("has a cycle without length".to_owned())),
            cycle => Ok((Ratio(per_cent / 100.0), cycle)),
        }
    })?;
    // 100 % is always.
    Ok(read.filter(|(share, _)| share.0 < 1.0))
}

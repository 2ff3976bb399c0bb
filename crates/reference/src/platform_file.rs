//! The platform of a user that is not there yet, a TOML file.
//!
//! Every section and nearly every key is optional. A section may have `basis` (`"measured"`, `"rated"` or `"assumed"`, the
//! default) and `source`. Sizes, times and rates are text as on the command line (`"7.68TB"`, `"80us"`, `"7GB/s"`), or
//! numbers of bytes, seconds and per second. `docs/src/how-to/platform.md` has every key.
//!
//! ```toml
//! name = "two sockets, eight drives"
//!
//! [processor]
//! sockets = 2
//! cores   = 32                      # per socket
//!
//! [[link]]
//! name       = "switch"
//! generation = 4
//! lanes      = 16
//!
//! [[drive]]
//! name      = "data"
//! count     = 8
//! above     = "switch"              # the link between the drives and memory
//! read_rate = "7GB/s"
//! basis     = "rated"
//! source    = "data sheet"
//!
//! [volume]
//! level = "raid5"
//!
//! [required]
//! throughput = "12GB/s"
//! ```

mod equipment;
mod section;
mod wiring;
mod workload;

use std::fmt;

use model::platform_plan::PlatformPlan;

use section::File;

/// A platform file that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct PlatformError {
    /// The file, as named by the caller.
    pub path: String,
    /// The line, counted from 1, where known.
    pub line: Option<usize>,
    /// What is wrong: thing, value, limit.
    pub message: String,
    /// What the user can do about it, as a clause.
    pub hint: String,
}

impl fmt::Display for PlatformError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "platform {}", self.path)?;
        if let Some(line) = self.line {
            write!(formatter, " line {line}")?;
        }
        write!(formatter, ": {}", self.message)
    }
}

/// The platform in `text`; `path` is named in errors.
///
/// # Errors
/// With thing, value and limit: invalid TOML, unknown keys and sections, figures that are not finite or out of range,
/// names of links and drives that are not there, a circle of links, too few drives for their redundancy.
pub fn platform_plan(text: &str, path: &str) -> Result<PlatformPlan, PlatformError> {
    let mut file = File::read(text, path)?;
    let money = workload::money(&mut file)?;
    let plan = PlatformPlan {
        name: file.top.words("name")?,
        processor: equipment::processor(&mut file)?,
        memory: equipment::memory(&mut file)?,
        links: wiring::links(&mut file)?,
        drives: equipment::drives(&mut file)?,
        volume: None,
        network: wiring::network(&mut file, "network")?,
        fabric: wiring::network(&mut file, "fabric")?,
        commit: workload::commit(&mut file)?,
        cache: workload::cache(&mut file)?,
        licence: workload::licence(&mut file)?,
        money,
        book: None,
        cached: Vec::new(),
        required: workload::required(&mut file)?,
    };
    let volume = equipment::volume(&mut file, &plan.drives)?;
    wiring::check(&file, &plan)?;
    workload::check_prices(&file, &plan)?;
    file.finish()?;
    Ok(PlatformPlan { volume, ..plan })
}

#[cfg(test)]
mod tests;

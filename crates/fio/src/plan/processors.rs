//! `cpus_allowed`, `cpumask`, `cpus_allowed_policy`.

use crate::error::{Error, Result};
use crate::number;
use crate::options::Options;

/// Maximum number of a processor.
pub(crate) const PROCESSORS_MAX: u32 = 8191;

/// The allowed processors, empty for all; and whether each clone has one of its own.
pub(crate) fn processors(options: &Options) -> Result<(Vec<u32>, bool)> {
    let split = options.text("cpus_allowed_policy") == Some("split");
    let allowed = match options.later("cpus_allowed", "cpumask") {
        Some("cpumask") => {
            let mask = options.number("cpumask")?.unwrap_or_default();
            (0..64).filter(|bit| mask >> bit & 1 == 1).collect()
        }
        _ => options.read("cpus_allowed", |text, _| list(text))?.unwrap_or_default(),
    };
    Ok((allowed, split))
}

/// Parses a list of processors such as `0,5,8-15`.
fn list(text: &str) -> Result<Vec<u32>> {
    let mut processors = Vec::new();
    for part in text.split([',', ':']).map(str::trim) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let number = |text: &str| match number::integer(text, number::Prefixes::default())? {
            number if number > PROCESSORS_MAX.into() => {
                Err(Error::new(format!("{number} is not a processor")).hint(format!("use 0 to {PROCESSORS_MAX}")))
            }
            number => Ok(number as u32),
        };
        processors.extend(number(first)?..=number(last)?);
    }
    processors.sort_unstable();
    processors.dedup();
    match processors.is_empty() {
        true => Err(Error::new(format!("{text} has no processor")).hint("processors are 0,5,8-15")),
        false => Ok(processors),
    }
}

//! `cpus_allowed`, `cpumask`, `cpus_allowed_policy`.

use super::notes::Notes;
use crate::error::{Error, Result};
use crate::options::Options;
use crate::{list, number};

/// Maximum number of a processor.
pub(crate) const PROCESSORS_MAX: u32 = 8191;

/// The allowed processors, empty for all; and whether each clone has one of its own.
pub(crate) fn processors(options: &Options, notes: &mut Notes) -> Result<(Vec<u32>, bool)> {
    let split = options.text("cpus_allowed_policy") == Some("split");
    let allowed = match options.later("cpus_allowed", "cpumask") {
        Some("cpumask") => {
            let mask = options.number("cpumask")?.unwrap_or_default();
            (0..64).filter(|bit| mask >> bit & 1 == 1).collect()
        }
        _ => {
            let (allowed, is_cut) = options.read("cpus_allowed", |text, _| numbers(text))?.unwrap_or_default();
            if is_cut {
                let (text, at) = (options.text("cpus_allowed").unwrap_or_default(), options.at("cpus_allowed"));
                notes.lint(format!("cpus_allowed={text}{at}: {}", list::CUT));
            }
            allowed
        }
    };
    Ok((allowed, split))
}

/// Parses a list of processors such as `0,5,8-15`; and whether it is cut by an empty part.
fn numbers(text: &str) -> Result<(Vec<u32>, bool)> {
    let mut processors = Vec::new();
    let read = list::until_empty(text.split([',', ':']));
    for part in read.parts.into_iter().map(str::trim) {
        let (first, last) = match part.split_once('-') {
            // A range without an end is its first processor.
            Some((first, "")) => (first, first),
            Some(range) => range,
            None => (part, part),
        };
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
        true if read.is_cut => {
            let error = Error::new(format!("{text} begins with an empty part, and {}", list::CUT));
            Err(error.hint("processors are 0,5,8-15"))
        }
        true => Err(Error::new(format!("{text} has no processor")).hint("processors are 0,5,8-15")),
        false => Ok((processors, read.is_cut)),
    }
}

//! `rw` and related keys: directions, sequential or random.

use record::{IoMix, IoOrder, Ratio, SequenceStep};

use crate::error::{Error, Result};
use crate::number;
use crate::options::Options;

/// Directions and order of the I/O of a job.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Access {
    /// Shares of the directions.
    pub(crate) mix: IoMix,
    /// Whether `rw` is a random mode.
    pub(crate) random: bool,
    /// Random share of the I/Os per direction; the others are sequential.
    pub(crate) order: IoOrder,
    /// The argument of `rw=...:n`.
    pub(crate) sequence: SequenceStep,
}

const KINDS: &str = "one of read write trim rw randread randwrite randtrim randrw trimwrite randtrimwrite";

/// Parses `rw`, `rwmixread`, `rwmixwrite`, `percentage_random`.
pub(crate) fn access(options: &Options) -> Result<Access> {
    let text = options.text("rw").unwrap_or("read");
    let (word, argument) = match text.split_once(':') {
        Some((word, argument)) => (word, Some(argument)),
        None => (text, None),
    };
    let (random, kinds) = match word.strip_prefix("rand") {
        Some(kinds) => (true, kinds),
        None => (false, word),
    };
    let read = read_share(options)?;
    let mix = |read: f64, write: f64, trim: f64| IoMix { read: Ratio(read), write: Ratio(write), trim: Ratio(trim) };
    let mix = match kinds {
        "read" => mix(1.0, 0.0, 0.0),
        "write" => mix(0.0, 1.0, 0.0),
        "trim" => mix(0.0, 0.0, 1.0),
        "rw" => mix(read, 1.0 - read, 0.0),
        "readwrite" if !random => mix(read, 1.0 - read, 0.0),
        "trimwrite" => mix(0.0, 0.5, 0.5),
        _ => return Err(options.error("rw", Error::new(format!("{word} is not a kind of I/O")).hint(KINDS))),
    };
    // With verify_only everything is read.
    let mix = match options.is_on("verify_only") {
        true => IoMix { read: Ratio(1.0), write: Ratio(0.0), trim: Ratio(0.0) },
        false => mix,
    };
    Ok(Access { mix, random, order: order(options, random)?, sequence: sequence(options, random, argument)? })
}

/// The share of reads of a mix: the later of the two keys applies.
fn read_share(options: &Options) -> Result<f64> {
    let read = options.number_within("rwmixread", 0, 100)?;
    let write = options.number_within("rwmixwrite", 0, 100)?;
    let per_cent = match options.later("rwmixread", "rwmixwrite") {
        Some("rwmixwrite") => 100 - write.unwrap_or(50),
        _ => read.unwrap_or(50),
    };
    Ok(f64::from(per_cent) / 100.0)
}

fn order(options: &Options, random: bool) -> Result<IoOrder> {
    let share =
        options.directions("percentage_random", 100, |text, prefixes| match number::integer(text, prefixes)? {
            share @ 0..=100 => Ok(share),
            share => Err(Error::new(format!("{share} is more than 100")).hint("it is a percentage")),
        })?;
    let ratio = |per_cent: u64| Ratio(if random { per_cent as f64 / 100.0 } else { 0.0 });
    Ok(IoOrder { read_random: ratio(share.read), write_random: ratio(share.write), trim_random: ratio(share.trim) })
}

fn sequence(options: &Options, random: bool, argument: Option<&str>) -> Result<SequenceStep> {
    let step = |blocks_per_jump: u32, gap_bytes: i64| SequenceStep { blocks_per_jump, gap_bytes };
    let read =
        |text: &str| options.read("rw", |_, prefixes| number::signed(text, prefixes)).map(Option::unwrap_or_default);
    match argument {
        None => Ok(step(1, 0)),
        Some("") if random => Ok(step(1, 0)),
        Some(text) if random => match u32::try_from(read(text)?) {
            Ok(blocks) if blocks > 0 => Ok(step(blocks, 0)),
            _ => {
                let error = Error::new(format!("{text} is not a number of I/Os per jump"));
                Err(options.error("rw", error.hint("use 1 or more")))
            }
        },
        Some(text) => Ok(step(1, read(text)?)),
    }
}

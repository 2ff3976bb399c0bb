//! The pace of I/O: `rate`, `rate_iops`, `rate_process`, `thinktime`.

use record::{Blocks, IoMix, Nanos, Pace, Ratio};

use super::blocks;
use super::notes::Notes;
use crate::error::{Error, Result};
use crate::list::Directions;
use crate::number::{self, Bare};
use crate::options::Options;

/// The pace of all clones together, and the mix that results from rates per direction.
pub(crate) fn pace(
    options: &Options,
    mix: IoMix,
    blocks: &Directions<Blocks>,
    clones: u32,
    notes: &mut Notes,
) -> Result<(Pace, IoMix)> {
    let Some(rates) = rates(options, blocks)? else { return Ok((think(options, notes)?, mix)) };
    let kinds = [(mix.read.0, rates.read), (mix.write.0, rates.write), (mix.trim.0, rates.trim)];
    let used: Vec<(f64, f64)> = kinds.into_iter().filter(|(share, _)| *share > 0.0).collect();
    let limited = used.iter().filter(|(_, rate)| *rate > 0.0);
    let (shares, sum) = limited.fold((0.0, 0.0), |all, one| (all.0 + one.0, all.1 + one.1));
    if sum == 0.0 {
        return Ok((think(options, notes)?, mix));
    }
    // A direction without a rate keeps its share of the mix.
    let total = if shares < 0.999_999 { sum / shares } else { sum };
    let mix = match shares < 0.999_999 {
        true => mix,
        false => remix(options, mix, &rates, sum, notes),
    };
    let steps_per_second = total * f64::from(clones);
    if options.text("rate_process") == Some("poisson") {
        return Ok((Pace::Poisson { steps_per_second }, mix));
    }
    Ok((Pace::Rate { steps_per_second }, mix))
}

/// Rates in I/Os per second of one clone, 0 for none; `None` if the job has none.
fn rates(options: &Options, blocks: &Directions<Blocks>) -> Result<Option<Directions<f64>>> {
    let bytes = options.directions("rate", 0, number::integer)?;
    let operations = options.directions("rate_iops", 0, number::integer)?;
    let is_set = |rates: &Directions<u64>| *rates != Directions::all(0);
    match (is_set(&bytes), is_set(&operations)) {
        (false, false) => Ok(None),
        (true, true) => {
            let error = Error::new("is set together with rate").hint("remove one of them");
            Err(options.error("rate_iops", error))
        }
        (false, true) => operations.try_map(|rate| Ok(rate as f64)).map(Some),
        (true, false) => Ok(Some(Directions {
            read: bytes.read as f64 / blocks::mean_bytes(&blocks.read),
            write: bytes.write as f64 / blocks::mean_bytes(&blocks.write),
            trim: bytes.trim as f64 / blocks::mean_bytes(&blocks.trim),
        })),
    }
}

/// The mix by the rates, if every direction has one.
fn remix(options: &Options, mix: IoMix, rates: &Directions<f64>, sum: f64, notes: &mut Notes) -> IoMix {
    let share = |before: Ratio, rate: f64| Ratio(if before.0 > 0.0 { rate / sum } else { 0.0 });
    let made = IoMix {
        read: share(mix.read, rates.read),
        write: share(mix.write, rates.write),
        trim: share(mix.trim, rates.trim),
    };
    if let Some(key) = options.later("rwmixread", "rwmixwrite")
        && (made.read.0 - mix.read.0).abs() > 0.005
    {
        let (at, per_cent) = (options.at(key), made.read.0 * 100.0);
        notes.lint(format!("{key}{at} has no effect: the rates result in {per_cent:.0} % reads"));
    }
    made
}

fn think(options: &Options, notes: &mut Notes) -> Result<Pace> {
    let think = options.time("thinktime", Bare::Microseconds)?.filter(|think| think.0 > 0);
    let blocks = options.number_within("thinktime_blocks", 1, u32::MAX)?.unwrap_or(1);
    let Some(think) = think else { return Ok(Pace::Unthrottled) };
    if blocks > 1 {
        let at = options.at("thinktime_blocks");
        notes.ignored(format!("thinktime_blocks{at}: the think time is spread evenly over the {blocks} blocks"));
    }
    Ok(Pace::ThinkTime { think_ns: Nanos(think.0 / u64::from(blocks)) })
}

//! Block sizes: `bs`, `bsrange`, `bssplit`, `blockalign`.

use record::{BlockShare, Blocks, Bytes, Ratio};

use crate::error::{Error, Result};
use crate::list::Directions;
use crate::number::{self, Prefixes};
use crate::options::Options;

/// Maximum block size.
const BLOCK_BYTES_MAX: u64 = 1 << 30;
/// The default of fio.
const BLOCK_BYTES_DEFAULT: u64 = 4096;

/// Block sizes per direction. A split has precedence over a range, a range over a size, in any order.
pub(crate) fn blocks(options: &Options) -> Result<Directions<Blocks>> {
    let sizes = options.directions("bs", BLOCK_BYTES_DEFAULT, size)?;
    let ranges = options.directions("bsrange", None, |text, prefixes| range(text, prefixes).map(Some))?;
    let splits = options.read("bssplit", splits)?;
    let plain = |size: u64, range: Option<(u64, u64)>| match range {
        Some((min, max)) if min < max => Blocks::Range { min_bytes: Bytes(min), max_bytes: Bytes(max) },
        Some((size, _)) => one(size),
        None => one(size),
    };
    Ok(splits.unwrap_or_else(|| Directions {
        read: plain(sizes.read, ranges.read),
        write: plain(sizes.write, ranges.write),
        trim: plain(sizes.trim, ranges.trim),
    }))
}

/// Alignment of random offsets, if it is not the smallest block.
pub(crate) fn align(options: &Options) -> Result<Option<Directions<Bytes>>> {
    if options.last("ba").is_none() {
        return Ok(None);
    }
    let align = options.directions("ba", 0, size)?;
    Ok(Some(Directions { read: Bytes(align.read), write: Bytes(align.write), trim: Bytes(align.trim) }))
}

/// The smallest and the largest block.
pub(crate) fn bounds(blocks: &Blocks) -> (Bytes, Bytes) {
    match blocks {
        Blocks::Range { min_bytes, max_bytes } => (*min_bytes, *max_bytes),
        Blocks::Split(shares) => {
            let sizes = || shares.iter().map(|share| share.size_bytes);
            (sizes().min().unwrap_or_default(), sizes().max().unwrap_or_default())
        }
    }
}

/// The mean size of a block, in bytes.
pub(crate) fn mean_bytes(blocks: &Blocks) -> f64 {
    match blocks {
        // Uniform over the multiples: the mean of the first and the last of them.
        Blocks::Range { min_bytes, max_bytes } => {
            let last = max_bytes.0 / min_bytes.0.max(1) * min_bytes.0;
            (min_bytes.0 as f64 + last as f64) / 2.0
        }
        Blocks::Split(shares) => shares.iter().map(|share| share.size_bytes.0 as f64 * share.share.0).sum(),
    }
}

fn one(size: u64) -> Blocks {
    Blocks::Split(vec![BlockShare { size_bytes: Bytes(size), share: Ratio(1.0) }])
}

fn size(text: &str, prefixes: Prefixes) -> Result<u64> {
    match number::integer(text, prefixes)? {
        0 => Err(Error::new("0 is not a block size").hint("use 512 or more")),
        size if size > BLOCK_BYTES_MAX => {
            Err(Error::new(format!("{text} is more than 1 GiB")).hint("use smaller blocks, and more of them in flight"))
        }
        size => Ok(size),
    }
}

fn range(text: &str, prefixes: Prefixes) -> Result<(u64, u64)> {
    let both = text.split_once(['-', ':']);
    let (min, max) = both.ok_or_else(|| Error::new(format!("{text} is not a range")).hint("a range is 4k-64k"))?;
    let (min, max) = (size(min, prefixes)?, size(max, prefixes)?);
    match min <= max {
        true => Ok((min, max)),
        false => {
            Err(Error::new(format!("{text} has its minimum after its maximum")).hint("write the smaller one first"))
        }
    }
}

/// `8k/90:32k/10` for all directions, or with commas for reads, writes, trims; the last one applies to missing ones.
fn splits(text: &str, prefixes: Prefixes) -> Result<Directions<Blocks>> {
    let parts = text.split(',').map(|part| split(part, prefixes)).collect::<Result<Vec<Blocks>>>()?;
    match parts.as_slice() {
        [all] => Ok(Directions { read: all.clone(), write: all.clone(), trim: all.clone() }),
        [read, others] => Ok(Directions { read: read.clone(), write: others.clone(), trim: others.clone() }),
        [read, write, trim] => Ok(Directions { read: read.clone(), write: write.clone(), trim: trim.clone() }),
        _ => Err(Error::new(format!("{text} has {} parts", parts.len())).hint("at most three: read,write,trim")),
    }
}

fn split(text: &str, prefixes: Prefixes) -> Result<Blocks> {
    let mut entries = Vec::new();
    for entry in text.split(':') {
        let (block, share) = entry.split_once('/').unwrap_or((entry, ""));
        let share = match share.trim() {
            "" => None,
            share => Some(number::integer(share, prefixes)?),
        };
        entries.push((size(block, prefixes)?, share));
    }
    let shares = fill(&entries.iter().map(|(_, share)| *share).collect::<Vec<_>>(), text)?;
    let entries = entries.iter().zip(shares).filter(|(_, share)| *share > 0.0);
    let shares = entries.map(|((size, _), share)| BlockShare { size_bytes: Bytes(*size), share: Ratio(share) });
    Ok(Blocks::Split(shares.collect()))
}

/// Shares of a list: blank ones take equal parts of the rest; without blank ones and with a sum below 100, they are
/// scaled.
pub(crate) fn fill(per_cent: &[Option<u64>], text: &str) -> Result<Vec<f64>> {
    let sum = per_cent.iter().flatten().fold(0_u64, |sum, share| sum.saturating_add(*share));
    if sum > 100 {
        return Err(Error::new(format!("{text} adds up to {sum} %")).hint("shares add up to 100 %"));
    }
    let blank = per_cent.iter().filter(|share| share.is_none()).count();
    let rest = (100 - sum) as f64 / blank.max(1) as f64;
    let whole = if blank > 0 { 100.0 } else { sum as f64 };
    if whole == 0.0 {
        return Err(Error::new(format!("{text} adds up to 0 %")).hint("shares add up to 100 %"));
    }
    Ok(per_cent.iter().map(|share| share.map_or(rest, |share| share as f64) / whole).collect())
}

//! Block sizes: `bs`, `bsrange`, `bssplit`, `blockalign`.

use record::{BlockShare, Blocks, Bytes, Ratio};

use super::notes::Notes;
use crate::error::{Error, Result};
use crate::list::{self, Directions};
use crate::number::{self, Prefixes};
use crate::options::Options;

/// Maximum block size.
const BLOCK_BYTES_MAX: u64 = 1 << 30;
/// The default of fio.
const BLOCK_BYTES_DEFAULT: u64 = 4096;

/// Block sizes per direction. A split has precedence over a range, a range over a size, in any order.
pub(crate) fn blocks(options: &Options, notes: &mut Notes) -> Result<Directions<Blocks>> {
    let sizes = options.directions("bs", BLOCK_BYTES_DEFAULT, size)?;
    let ranges = options.directions("bsrange", None, |text, prefixes| range(text, prefixes).map(Some))?;
    let mut said = Vec::new();
    let splits = options.read("bssplit", |text, prefixes| splits(text, prefixes, &mut said))?.unwrap_or_default();
    for what in said {
        let (text, at) = (options.text("bssplit").unwrap_or_default(), options.at("bssplit"));
        notes.lint(format!("bssplit={text}{at}: {what}"));
    }
    let plain = |size: u64, range: Option<(u64, u64)>| match range {
        Some((min, max)) if min < max => Blocks::Range { min_bytes: Bytes(min), max_bytes: Bytes(max) },
        Some((size, _)) => one(size),
        None => one(size),
    };
    Ok(Directions {
        read: splits.read.unwrap_or_else(|| plain(sizes.read, ranges.read)),
        write: splits.write.unwrap_or_else(|| plain(sizes.write, ranges.write)),
        trim: splits.trim.unwrap_or_else(|| plain(sizes.trim, ranges.trim)),
    })
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

/// `8k/90:32k/10` for all directions, or with commas for reads, writes, trims; the last one applies to missing ones. A
/// direction whose part is empty has none.
fn splits(text: &str, prefixes: Prefixes, said: &mut Vec<String>) -> Result<Directions<Option<Blocks>>> {
    let parts = text.split(',').map(|part| split(part, prefixes, said)).collect::<Result<Vec<Option<Blocks>>>>()?;
    match parts.as_slice() {
        [all] => Ok(Directions { read: all.clone(), write: all.clone(), trim: all.clone() }),
        [read, others] => Ok(Directions { read: read.clone(), write: others.clone(), trim: others.clone() }),
        [read, write, trim] => Ok(Directions { read: read.clone(), write: write.clone(), trim: trim.clone() }),
        _ => Err(Error::new(format!("{text} has {} parts", parts.len())).hint("at most three: read,write,trim")),
    }
}

/// The blocks of one direction; none if the list is empty. A share of 0 is a blank one, and what is left of 100 % falls to
/// the largest share, to the last of equal ones: both as in fio.
fn split(text: &str, prefixes: Prefixes, said: &mut Vec<String>) -> Result<Option<Blocks>> {
    let list = list::until_empty(text.split(':'));
    if list.is_cut {
        said.push(list::CUT.to_owned());
    }
    if list.parts.is_empty() {
        return Ok(None);
    }
    let mut sizes = Vec::new();
    let mut per_cent = Vec::new();
    for entry in list.parts {
        let (block, share) = entry.split_once('/').unwrap_or((entry, ""));
        if block.trim().is_empty() {
            return Err(Error::new(format!("{entry} has no block size before its share")).hint("write 8k/90:32k/10"));
        }
        sizes.push(size(block, prefixes)?);
        per_cent.push(match share.trim() {
            "" => None,
            share => Some(number::integer(share, prefixes)?).filter(|share| *share > 0),
        });
    }
    let sum: u64 = per_cent.iter().flatten().fold(0, |sum, share| sum.saturating_add(*share));
    if sum < 100 && !per_cent.contains(&None) {
        let largest = (0..sizes.len()).max_by_key(|index| per_cent[*index]).unwrap_or(0);
        per_cent[largest] = per_cent[largest].map(|share| share + 100 - sum);
        if sizes.len() > 1 {
            let rest = 100 - sum;
            said.push(format!(
                "{text} adds up to {sum} %: blocks of {} bytes get the other {rest} %, as in fio",
                sizes[largest]
            ));
        }
    }
    let shares = fill(&per_cent, text)?;
    let entries = sizes.iter().zip(shares).filter(|(_, share)| *share > 0.0);
    let shares = entries.map(|(size, share)| BlockShare { size_bytes: Bytes(*size), share: Ratio(share) });
    Ok(Some(Blocks::Split(shares.collect())))
}

/// `4k:30,16k:60` with its shares after slashes, `4k/30:16k/60`, if they can be what the numbers without a unit are.
pub(crate) fn with_slashes(text: &str) -> Option<String> {
    let parts: Vec<&str> = text.split([':', ',']).map(str::trim).filter(|part| !part.is_empty()).collect();
    let is_share = |part: &str| part.parse::<u64>().is_ok_and(|share| (1..=100).contains(&share));
    let pairs: Vec<&[&str]> = parts.chunks(2).collect();
    let are_pairs = pairs.iter().all(|pair| matches!(pair, [size, share] if !is_share(size) && is_share(share)));
    are_pairs.then(|| pairs.iter().map(|pair| pair.join("/")).collect::<Vec<_>>().join(":"))
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

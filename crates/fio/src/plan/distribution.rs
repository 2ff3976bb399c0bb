//! `random_distribution`: distribution of random offsets, and whether every block is visited.

use record::{Blocks, Bytes, Coverage, Distribution, Ratio, Zone};

use super::access::Access;
use super::blocks;
use super::notes::Notes;
use crate::error::{Error, Result};
use crate::list::{self, Directions};
use crate::number::{self, Prefixes};
use crate::options::Options;

/// The defaults of fio.
const THETA_DEFAULT: f64 = 1.1;
const H_DEFAULT: f64 = 0.2;

/// Parses `random_distribution`; `region` is the length of the region, if known.
pub(crate) fn distribution(
    options: &Options,
    access: &Access,
    region: Option<Bytes>,
    notes: &mut Notes,
) -> Result<Distribution> {
    let mut is_cut = false;
    let read = options.read("random_distribution", |text, prefixes| {
        let (law, argument) = match text.split_once(':') {
            Some((law, argument)) => (law, Some(argument)),
            None => (text, None),
        };
        // The part after a second colon is the centre in newer versions of fio.
        let parameter = |default: f64| match argument.map(|argument| argument.split(':').next().unwrap_or_default()) {
            Some(argument) => number::decimal(argument),
            None => Ok(default),
        };
        match law {
            "random" => Ok(Distribution::Uniform),
            "zipf" => zipf(parameter(THETA_DEFAULT)?),
            "pareto" => pareto(parameter(H_DEFAULT)?),
            "normal" | "gauss" => normal(parameter(0.0)?),
            "zoned" => zoned(of_direction(argument.unwrap_or_default(), access), prefixes, None, &mut is_cut),
            "zoned_abs" => {
                zoned(of_direction(argument.unwrap_or_default(), access), prefixes, Some(region), &mut is_cut)
            }
            _ => {
                let error = Error::new(format!("{law} is not a distribution"));
                Err(error.hint("one of random zipf pareto normal zoned zoned_abs"))
            }
        }
    });
    let read = read?.unwrap_or(Distribution::Uniform);
    if is_cut {
        let (text, at) = (options.text("random_distribution").unwrap_or_default(), options.at("random_distribution"));
        notes.lint(format!("random_distribution={text}{at}: {}", list::CUT));
    }
    Ok(read)
}

/// Like fio, every block is visited once before one is repeated, unless the settings exclude it.
pub(crate) fn coverage(
    options: &Options,
    distribution: &Distribution,
    blocks: &Directions<Blocks>,
    access: &Access,
    align: Option<Bytes>,
) -> Coverage {
    let used = used(blocks, access);
    let (min, max) = used
        .iter()
        .map(|blocks| blocks::bounds(blocks))
        .fold((Bytes(u64::MAX), Bytes(0)), |all, one| (all.0.min(one.0), all.1.max(one.1)));
    let mapped = !options.is_on("norandommap") && *distribution == Distribution::Uniform;
    match mapped && min == max && align.is_none_or(|align| align == min) {
        true => Coverage::Full,
        false => Coverage::Free,
    }
}

/// The block sizes of the directions of the job.
pub(crate) fn used<'a>(blocks: &'a Directions<Blocks>, access: &Access) -> Vec<&'a Blocks> {
    let kinds = [(access.mix.read, &blocks.read), (access.mix.write, &blocks.write), (access.mix.trim, &blocks.trim)];
    kinds.into_iter().filter(|(share, _)| share.0 > 0.0).map(|(_, blocks)| blocks).collect()
}

/// The part of a `read,write,trim` list that applies to a job: that of its first direction.
fn of_direction<'a>(text: &'a str, access: &Access) -> &'a str {
    let parts: Vec<&str> = text.split(',').collect();
    let index = match access.mix {
        mix if mix.read.0 > 0.0 => 0,
        mix if mix.write.0 > 0.0 => 1,
        _ => 2,
    };
    parts[index.min(parts.len() - 1)]
}

fn zipf(theta: f64) -> Result<Distribution> {
    match theta > 0.0 && theta != 1.0 {
        true => Ok(Distribution::Zipf { theta }),
        false => {
            Err(Error::new(format!("zipf:{theta} is not a distribution")).hint("use an exponent above 0 that is not 1"))
        }
    }
}

fn pareto(h: f64) -> Result<Distribution> {
    match h > 0.0 && h < 1.0 {
        true => Ok(Distribution::Pareto { h }),
        false => Err(Error::new(format!("pareto:{h} is not a distribution")).hint("use a share between 0 and 1")),
    }
}

fn normal(per_cent: f64) -> Result<Distribution> {
    match (0.0..=100.0).contains(&per_cent) {
        true => Ok(Distribution::Normal { deviation: Ratio(per_cent / 100.0) }),
        false => {
            Err(Error::new(format!("normal:{per_cent} is not a distribution")).hint("use a deviation from 0 to 100 %"))
        }
    }
}

/// `60/10:30/20:10/70`: shares of the I/O and of the region, or bytes of the region with `absolute`.
/// Without zones, all of the region is one.
fn zoned(text: &str, prefixes: Prefixes, absolute: Option<Option<Bytes>>, is_cut: &mut bool) -> Result<Distribution> {
    let (mut io, mut size) = (Vec::new(), Vec::new());
    let list = list::until_empty(text.split(':'));
    *is_cut = list.is_cut;
    if list.parts.is_empty() {
        return Ok(Distribution::Uniform);
    }
    for entry in list.parts {
        let wrong = || Error::new(format!("{entry} is not a zone")).hint("a zone is IO/REGION: zoned:80/20:20/80");
        let (share, region) = entry.split_once('/').ok_or_else(wrong)?;
        let number = |text: &str| match text.trim() {
            "" => Ok(None),
            text => number::integer(text, prefixes).map(Some),
        };
        io.push(number(share)?);
        size.push(number(region)?);
    }
    if !io.contains(&None) && io.iter().flatten().fold(0_u64, |sum, share| sum.saturating_add(*share)) != 100 {
        return Err(
            Error::new(format!("the I/O shares of {text} do not add up to 100 %")).hint("write zones like 80/20:20/80")
        );
    }
    let mut io = blocks::fill(&io, text)?;
    let regions = match absolute {
        None => relative(&mut io, &size, text)?,
        Some(region) => shares_of(region, &size, text)?,
    };
    let zones = io.iter().zip(regions).map(|(io, region)| Zone { io: Ratio(*io), region: Ratio(region) });
    Ok(Distribution::Zoned(zones.collect()))
}

/// Shares of the region. What they leave of it gets no I/O, as in fio: a zone of its own, added to `io`.
fn relative(io: &mut Vec<f64>, sizes: &[Option<u64>], text: &str) -> Result<Vec<f64>> {
    let sum = sizes.iter().flatten().fold(0_u64, |sum, share| sum.saturating_add(*share));
    let mut sizes = sizes.to_vec();
    if sum < 100 && !sizes.contains(&None) {
        sizes.push(Some(100 - sum));
        io.push(0.0);
    }
    blocks::fill(&sizes, text)
}

fn shares_of(region: Option<Bytes>, sizes: &[Option<u64>], text: &str) -> Result<Vec<f64>> {
    let Some(region) = region.filter(|region| region.0 > 0) else {
        return Err(Error::new(format!("{text} is in bytes, but the length of the region is unknown"))
            .hint("give size in bytes, or use zoned"));
    };
    let known = sizes.iter().flatten().fold(0_u64, |sum, size| sum.saturating_add(*size));
    if known > region.0 {
        return Err(Error::new(format!("{text} is longer than the region of {} bytes", region.0)));
    }
    let blank = sizes.iter().filter(|size| size.is_none()).count().max(1) as u64;
    let rest = (region.0 - known) / blank;
    Ok(sizes.iter().map(|size| size.unwrap_or(rest) as f64 / region.0 as f64).collect())
}

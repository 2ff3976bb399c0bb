//! What the options of `dbdyno model load` say of rates, links, disks and processors.

use model::load_plan::{Cores, RateSource, Stage, StageCost, StageRate, Units};
use model::platform::ethernet_goodput;
use record::{LoadModel, Rate};
use run::{Error, Result};

use crate::arguments::model::load::{LoadPlanArguments, RateArguments};
use crate::quantity::{self, Each, NotOne, Several};

/// Frames of Ethernet, bytes: the least that IPv4 has to carry, and more than any jumbo frame.
const MTU_BYTES: std::ops::RangeInclusive<f64> = 576.0..=65_535.0;

/// Processors, copies and indexes are no more than this.
const COUNT_MAX: u32 = 1_000_000;

/// The mistake in `option`, whose value is `text`.
pub(super) fn wrong(option: &str, text: &str, why: impl std::fmt::Display) -> Error {
    let why = why.to_string();
    let (message, hint) = why.split_once("; ").unwrap_or((&why, "dbdyno model load --help has examples"));
    Error::user(format!("{option} {text} {message}")).hint(hint)
}

/// What the stages cost, as far as it is said.
pub(super) fn stages(arguments: &RateArguments) -> Result<Vec<StageCost>> {
    let indexes = arguments.indexes.as_ref().map(|text| count("--indexes", text, 1)).transpose()?.unwrap_or(1);
    let said = [
        (Stage::Read, "--read", &arguments.read),
        (Stage::Decompress, "--inflate", &arguments.inflate),
        (Stage::Parse, "--parse", &arguments.parse),
        (Stage::Convert, "--convert", &arguments.convert),
        (Stage::Send, "--send", &arguments.send),
        (Stage::Insert, "--insert", &arguments.insert),
        (Stage::Index, "--index", &arguments.index),
        (Stage::Verify, "--verify", &arguments.verify),
    ];
    let cost = |(stage, option, text): (Stage, &str, &Option<String>)| {
        let times = if stage == Stage::Index { indexes } else { 1 };
        text.as_ref().map(|text| cost(stage, option, text, times))
    };
    said.into_iter().filter_map(cost).collect()
}

/// `80MB/s`, `20MB/s@0.25`, `none`.
fn cost(stage: Stage, option: &str, text: &str, times: u32) -> Result<StageCost> {
    if text.trim() == "none" {
        return Ok(StageCost::Skipped(stage));
    }
    let (rate, worker_cores) = match text.split_once('@') {
        None => (text, 1.0),
        Some((rate, cores)) => {
            let cores = quantity::number(cores).filter(|cores| *cores <= f64::from(COUNT_MAX));
            let why = "has no number of cores behind the @; write it as in 20MB/s@0.25";
            (rate, cores.ok_or_else(|| wrong(option, text, why))?)
        }
    };
    let rate = quantity::speed(rate).map_err(|why| wrong(option, text, why))?.per_second();
    let per_worker = StageRate::per_core(stage, Rate(rate), RateSource::Given);
    Ok(StageCost::Rate(StageRate { worker_cores, times, ..per_worker }))
}

/// A whole number of at least `least`.
pub(super) fn count(option: &str, text: &str, least: u32) -> Result<u32> {
    let found = text.trim().parse().ok().filter(|count| (least..=COUNT_MAX).contains(count));
    found.ok_or_else(|| wrong(option, text, format!("is not a number from {least} to {COUNT_MAX}")))
}

/// A number above 0 and up to `most`.
pub(super) fn factor(option: &str, text: &str, most: f64) -> Result<f64> {
    let found = quantity::number(text).filter(|value| *value <= most);
    found.ok_or_else(|| wrong(option, text, format!("is not a number above 0 and up to {most}")))
}

pub(super) fn cores(arguments: &LoadPlanArguments) -> Result<Cores> {
    let of = |option: &str, text: &Option<String>| text.as_ref().map(|text| count(option, text, 1)).transpose();
    match (&arguments.client_cores, &arguments.server_cores) {
        (None, None) => Ok(Cores::Shared(of("--cores", &arguments.cores)?)),
        (client, server) => {
            Ok(Cores::Apart { client: of("--client-cores", client)?, server: of("--server-cores", server)? })
        }
    }
}

/// The links, with what TCP leaves of Ethernet where they are called by it.
pub(super) fn network(arguments: &LoadPlanArguments) -> Result<Option<Units>> {
    let mtu = quantity::number(&arguments.mtu).filter(|bytes| MTU_BYTES.contains(bytes)).ok_or_else(|| {
        let (least, most) = MTU_BYTES.into_inner();
        wrong("--mtu", &arguments.mtu, format!("is not a number of bytes from {least} to {most}"))
    })?;
    let Some(text) = &arguments.network else { return Ok(None) };
    let found = quantity::links(text).map_err(|why| wrong("--network", text, why))?;
    let units = match found.each {
        Each::Ethernet { gigabits } => Units {
            count: found.count,
            each: ethernet_goodput(gigabits, mtu),
            name: format!("{gigabits} GbE"),
            basis: Some(format!("what TCP leaves of them in frames of {mtu} bytes")),
        },
        Each::Data(_) => plain(&found, text),
    };
    Ok(Some(units))
}

pub(super) fn disks(arguments: &LoadPlanArguments) -> Result<Option<Units>> {
    let disks = |text: &String| {
        let found = quantity::disks(text).map_err(|why: NotOne| wrong("--disks", text, why))?;
        Ok(plain(&found, text))
    };
    arguments.disks.as_ref().map(disks).transpose()
}

/// Units that are called by what each of them gives, in the words in which that was said.
fn plain(found: &Several, text: &str) -> Units {
    let each = match found.each {
        Each::Data(speed) => speed.per_second(),
        Each::Ethernet { gigabits } => gigabits * 1e9 / 8.0,
    };
    let said = text.rsplit(['x', '×', '*', '@']).next().unwrap_or(text).trim();
    Units { count: found.count, each: Rate(each), name: said.to_owned(), basis: None }
}

/// `plain`, `partitioned`, `compressed`, or both with a comma or a plus between them.
pub(super) fn kind(text: &str) -> Result<LoadModel> {
    let mut model = LoadModel::default();
    for word in text.split([',', '+']).map(str::trim) {
        match word {
            "plain" if text.trim() == "plain" => {}
            "partitioned" => model.partitioned = true,
            "compressed" => model.compressed = true,
            _ => {
                let message = format!("--model {text} is no way of storing a table");
                return Err(Error::user(message).hint("use plain, partitioned, compressed, or partitioned,compressed"));
            }
        }
    }
    Ok(model)
}

/// A compression by its name, and the ratio that is said behind it.
pub(super) fn compression(text: &str) -> Result<(Option<String>, Option<f64>)> {
    let (name, ratio) = text.split_once(':').map_or((text, None), |(name, ratio)| (name, Some(ratio)));
    let name = name.trim().to_ascii_lowercase();
    if name.is_empty() || !name.chars().all(|letter| letter.is_ascii_alphanumeric()) {
        return Err(wrong("--compression", text, "has no name; write it as in gzip:2.1 or none"));
    }
    match (name.as_str(), ratio) {
        ("none", None) => Ok((None, None)),
        ("none", Some(_)) => Err(wrong("--compression", text, "has a ratio; write none alone, or gzip:2.1")),
        ("plain", _) => Err(wrong("--compression", text, "is a kind of table; write none where nothing is compressed")),
        (_, ratio) => {
            let ratio = ratio.map(|ratio| {
                let found = quantity::number(ratio).filter(|ratio| (0.1..=1e6).contains(ratio));
                let why = "has no ratio from 0.1 to 1000000 behind the colon; write it as in gzip:2.1";
                found.ok_or_else(|| wrong("--compression", text, why))
            });
            Ok((Some(name), ratio.transpose()?))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_of_table_is_said_in_any_order() {
        let both = LoadModel { partitioned: true, compressed: true };
        assert_eq!(kind("partitioned,compressed").ok(), Some(both));
        assert_eq!(kind("compressed+partitioned").ok(), Some(both));
        assert_eq!(kind("plain").ok(), Some(LoadModel::default()));
        assert!(kind("plain,compressed").is_err() && kind("").is_err() && kind("fast").is_err());
    }

    #[test]
    fn a_compression_may_have_a_ratio() {
        assert_eq!(compression("gzip:2.1").ok(), Some((Some("gzip".to_owned()), Some(2.1))));
        assert_eq!(compression("ZSTD").ok(), Some((Some("zstd".to_owned()), None)));
        assert_eq!(compression("none").ok(), Some((None, None)));
        for text in ["", ":2", "gzip:", "gzip:0", "gzip:-1", "none:2", "plain", "gzip:x", "g zip"] {
            assert!(compression(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_worker_may_be_a_part_of_a_core() {
        let Ok(StageCost::Rate(rate)) = cost(Stage::Decompress, "--inflate", "20MB/s@0.25", 1) else {
            panic!("a rate")
        };
        assert_eq!((rate.rate.estimate, rate.worker_cores), (20e6, 0.25));
        assert_eq!(cost(Stage::Parse, "--parse", "none", 1).ok(), Some(StageCost::Skipped(Stage::Parse)));
        for text in ["20MB/s@", "20MB/s@0", "@1", "20", "fast"] {
            assert!(cost(Stage::Parse, "--parse", text, 1).is_err(), "{text}");
        }
    }
}

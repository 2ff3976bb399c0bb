//! Values of the options of `dbdyno model`: rates, links, disks, processors, claims and ceilings.

use std::ops::RangeInclusive;

use base::data_rate::{self, Several, Speed, Volume};
use base::{Wrong, quantity};
use model::scalability::SharedCeiling;
use record::{LoadModel, Nanos};

use crate::load_points::{DEGREE_MAX, RATE_MAX, RATE_MIN};

type Read<T> = Result<T, Wrong>;

/// Maximum number of processors, copies and indexes.
pub const COUNT_MAX: u32 = 1_000_000;
/// Maximum write amplification.
pub const AMPLIFICATION_MAX: f64 = 1e6;
/// Limits of an Ethernet MTU, bytes: the minimum of IPv4, and more than any jumbo frame.
const MTU_BYTES: RangeInclusive<f64> = 576.0..=65_535.0;
/// Maximum time of a load: ten years.
const WITHIN_MAX: Nanos = Nanos(315_360_000 * Nanos::SECOND.0);
const CEILING_HINT: &str = "use 2M, switch=2M, or metadata=unknown";

/// A degree of parallelism.
pub fn at(text: &str) -> Read<f64> {
    let what = match quantity::number(text) {
        Some(n) if n > DEGREE_MAX => format!("is beyond {DEGREE_MAX}"),
        Some(n) if n >= 1.0 => return Ok(n),
        _ => "is not a degree of parallelism".to_owned(),
    };
    Err(Wrong::new("--at", text, &what, format!("use 1 to {DEGREE_MAX}")))
}

/// A claimed rate.
pub fn claim(text: &str) -> Read<f64> {
    rate("--claim", text, text, "use a number such as 7M or 165_000")
}

/// `2M`, `switch=2M`, `metadata=unknown`.
pub fn ceiling(text: &str) -> Read<SharedCeiling> {
    let (name, value) = text.split_once('=').unwrap_or(("shared resource", text));
    if name.trim().is_empty() {
        return Err(Wrong::new("--ceiling", text, "has no name before the =", CEILING_HINT));
    }
    let capacity = match value.trim() {
        "unknown" => None,
        value => Some(rate("--ceiling", text, value, CEILING_HINT)?),
    };
    Ok(SharedCeiling { name: name.trim().to_owned(), capacity })
}

/// The rate in `value`, a part of `text`.
fn rate(option: &str, text: &str, value: &str, hint: &'static str) -> Read<f64> {
    let what = match quantity::rate(value) {
        Some(rate) if rate > RATE_MAX => format!("is beyond {RATE_MAX:e}"),
        Some(rate) if rate >= RATE_MIN => return Ok(rate),
        Some(rate) if rate > 0.0 => format!("is below {RATE_MIN:e}"),
        _ => "is not a rate".to_owned(),
    };
    Err(Wrong::new(option, text, &what, hint))
}

/// A goal: bytes of flat file in a time.
pub fn goal(text: &str) -> Read<Speed> {
    data_rate::speed("--goal", text)
}

/// The volume of a load.
pub fn data(text: &str) -> Read<Volume> {
    data_rate::volume("--data", text)
}

/// The time limit of a load.
pub fn within(text: &str) -> Read<Nanos> {
    let time = quantity::time_ns(text).filter(|time_ns| (1_000_000..=WITHIN_MAX.0).contains(time_ns)).map(Nanos);
    time.ok_or_else(|| {
        let what = "is not a time from a millisecond to ten years";
        Wrong::new("--within", text, what, "write it as in 4h, 90min or 1h 30min")
    })
}

/// A whole number of at least `least`.
pub fn count(option: &'static str, least: u32) -> impl Fn(&str) -> Read<u32> + Clone {
    crate::arguments::value::count_32(option, least..=COUNT_MAX)
}

/// A number above 0 and up to `most`.
pub fn factor(option: &'static str, most: f64) -> impl Fn(&str) -> Read<f64> + Clone {
    move |text| {
        let found = quantity::number(text).filter(|value| *value > 0.0 && *value <= most);
        let hint = "dbdyno model load --help has examples";
        found.ok_or_else(|| Wrong::new(option, text, &format!("is not a number above 0 and up to {most}"), hint))
    }
}

/// An Ethernet MTU.
pub fn mtu(text: &str) -> Read<f64> {
    quantity::number(text).filter(|bytes| MTU_BYTES.contains(bytes)).ok_or_else(|| {
        let (least, most) = MTU_BYTES.into_inner();
        let what = format!("is not a number of bytes from {least} to {most}");
        Wrong::new("--mtu", text, &what, "1500 is the default, 9000 that of jumbo frames")
    })
}

/// The rate of a stage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CoreRate {
    /// The stage is skipped.
    Skipped,
    /// Bytes of flat file per second of a worker.
    Bytes {
        /// Per second.
        per_second: f64,
        /// Cores of the worker, which may be a fraction.
        worker_cores: f64,
    },
}

/// `80MB/s`, `20MB/s@0.25`, `none`.
pub fn core_rate(option: &'static str) -> impl Fn(&str) -> Read<CoreRate> + Clone {
    move |text| {
        if text.trim() == "none" {
            return Ok(CoreRate::Skipped);
        }
        let (rate, worker_cores) = match text.split_once('@') {
            None => (text, 1.0),
            Some((rate, cores)) => {
                let cores = quantity::number(cores).filter(|cores| *cores > 0.0 && *cores <= f64::from(COUNT_MAX));
                let wrong = || {
                    let what = "has no number of cores after the @";
                    Wrong::new(option, text, what, "write it as in 20MB/s@0.25")
                };
                (rate, cores.ok_or_else(wrong)?)
            }
        };
        Ok(CoreRate::Bytes { per_second: data_rate::speed(option, rate)?.per_second(), worker_cores })
    }
}

/// Links or disks, and the name of one of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    /// Number, and rate of each.
    pub several: Several,
    /// Name of one of them.
    pub name: String,
}

impl Named {
    fn of(several: Several, text: &str) -> Named {
        let name = text.rsplit(['x', '×', '*', '@']).next().unwrap_or(text).trim().to_owned();
        Named { several, name }
    }
}

/// Links.
pub fn network(text: &str) -> Read<Named> {
    Ok(Named::of(data_rate::links("--network", text)?, text))
}

/// Disks.
pub fn disks(text: &str) -> Read<Named> {
    Ok(Named::of(data_rate::disks("--disks", text)?, text))
}

/// `plain`, `partitioned`, `compressed`, or both with a comma or a plus between them.
pub fn kind(text: &str) -> Read<LoadModel> {
    let mut model = LoadModel::default();
    for word in text.split([',', '+']).map(str::trim) {
        match word {
            "plain" if text.trim() == "plain" => {}
            "partitioned" => model.partitioned = true,
            "compressed" => model.compressed = true,
            _ => {
                let hint = "use plain, partitioned, compressed, or partitioned,compressed";
                return Err(Wrong::new("--model", text, "is not a kind of table", hint));
            }
        }
    }
    Ok(model)
}

/// The compression of a flat file.
#[derive(Clone, Debug, PartialEq)]
pub struct Sent {
    /// Its name; none for uncompressed.
    pub name: Option<String>,
    /// The compression ratio, where given.
    pub ratio: Option<f64>,
}

/// The name of a compression, with an optional ratio.
pub fn compression(text: &str) -> Read<Sent> {
    let wrong = |what: &str, hint: &str| Err(Wrong::new("--compression", text, what, hint));
    let (name, ratio) = text.split_once(':').map_or((text, None), |(name, ratio)| (name, Some(ratio)));
    let name = name.trim().to_ascii_lowercase();
    if name.is_empty() || !name.chars().all(|letter| letter.is_ascii_alphanumeric()) {
        return wrong("has no name", "write it as in gzip:2.1 or none");
    }
    match (name.as_str(), ratio) {
        ("none", None) => Ok(Sent { name: None, ratio: None }),
        ("none", Some(_)) => wrong("has a ratio", "write none alone, or gzip:2.1"),
        ("plain", _) => wrong("is a kind of table", "write none for no compression"),
        (_, None) => Ok(Sent { name: Some(name), ratio: None }),
        (_, Some(ratio)) => match quantity::number(ratio).filter(|ratio| (0.1..=1e6).contains(ratio)) {
            Some(ratio) => Ok(Sent { name: Some(name), ratio: Some(ratio) }),
            None => wrong("has no ratio from 0.1 to 1000000 after the colon", "write it as in gzip:2.1"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_has_prefixes_and_separators() {
        assert_eq!([claim("7M"), claim("165_000"), claim("1.5 k"), claim("2e3")], [7e6, 165e3, 1.5e3, 2e3].map(Ok));
        for text in ["", "M", "-1", "0", "NaN", "inf", "µ", "1e-300", "1e300"] {
            assert!(claim(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_ceiling_has_a_name_and_may_be_unknown() {
        assert_eq!(ceiling("switch=2M"), Ok(SharedCeiling { name: "switch".to_owned(), capacity: Some(2e6) }));
        assert_eq!(ceiling("2M").unwrap().capacity, Some(2e6));
        assert_eq!(ceiling("metadata=unknown").unwrap().capacity, None);
        assert!(ceiling("switch=fast").is_err() && ceiling("=5").is_err() && ceiling("switch=1e300").is_err());
    }

    #[test]
    fn a_kind_of_table_may_be_in_any_order() {
        let both = LoadModel { partitioned: true, compressed: true };
        assert_eq!(kind("partitioned,compressed").ok(), Some(both));
        assert_eq!(kind("compressed+partitioned").ok(), Some(both));
        assert_eq!(kind("plain").ok(), Some(LoadModel::default()));
        assert!(kind("plain,compressed").is_err() && kind("").is_err() && kind("fast").is_err());
    }

    #[test]
    fn a_compression_may_have_a_ratio() {
        let sent = |name: Option<&str>, ratio| Some(Sent { name: name.map(str::to_owned), ratio });
        assert_eq!(compression("gzip:2.1").ok(), sent(Some("gzip"), Some(2.1)));
        assert_eq!(compression("ZSTD").ok(), sent(Some("zstd"), None));
        assert_eq!(compression("none").ok(), sent(None, None));
        for text in ["", ":2", "gzip:", "gzip:0", "gzip:-1", "none:2", "plain", "gzip:x", "g zip"] {
            assert!(compression(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_worker_may_be_a_part_of_a_core() {
        let rate = core_rate("--inflate");
        assert_eq!(rate("20MB/s@0.25"), Ok(CoreRate::Bytes { per_second: 20e6, worker_cores: 0.25 }));
        assert_eq!(rate("none"), Ok(CoreRate::Skipped));
        for text in ["20MB/s@", "20MB/s@0", "@1", "20", "fast"] {
            assert!(rate(text).is_err(), "{text}");
        }
    }
}

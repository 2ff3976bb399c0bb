//! Values of options: their types and limits. Numbers, sizes, times and rates have the grammar of [`base::quantity`];
//! an error names thing, value, limit and hint, and ends with exit code 2.

use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::str::FromStr;

use base::Wrong;
use base::quantity::{self, count_within, rate_within, size_within, time_ns_within};
use model::{Bound, BoundError, Gate, GateError};
use record::{Bytes, LoadModel, Nanos, Ratio};
use run::NetworkPeer;
use workload::blocks::BlocksSettings;

type Read<T> = Result<T, Wrong>;

/// Maximum number of jobs.
const DEGREE_MAX: u64 = 16_384;
/// Maximum number of statements in a pipeline: their requests fit into the buffers of a socket.
pub const PIPELINE_MAX: u32 = 1_000;
/// Maximum number of repeats or pairs.
const REPEATS_MAX: u64 = 1_000;
/// Maximum length of a window.
const WINDOW_MAX: Nanos = Nanos(7 * 86_400 * Nanos::SECOND.0);
/// Minimum length of a window.
const WINDOW_MIN: Nanos = Nanos(1_000_000);
/// Maximum think time.
const THINK_TIME_MAX: Nanos = Nanos(86_400 * Nanos::SECOND.0);
/// Maximum rate of all jobs together, per second.
const RATE_MAX: f64 = 1e7;
/// Minimum rate per second, and minimum percentage.
const RATE_MIN: f64 = 1e-6;
/// Maximum share of the capacity.
const SHARE_MAX: f64 = 2.0;
/// Maximum size: an exabyte.
pub const SIZE_BYTES_MAX: u64 = 1_000_000_000_000_000_000;
/// Maximum number of rows.
pub const ROWS_MAX: u64 = 100_000_000_000_000;

/// A count.
pub fn count(thing: &'static str, range: RangeInclusive<u64>) -> impl Fn(&str) -> Read<u64> + Clone {
    move |text| count_within(thing, text, range.clone())
}

/// A count that fits 32 bits.
pub fn count_32(thing: &'static str, range: RangeInclusive<u32>) -> impl Fn(&str) -> Read<u32> + Clone {
    let range = u64::from(*range.start())..=u64::from(*range.end());
    move |text| Ok(u32::try_from(count_within(thing, text, range.clone())?).unwrap_or(u32::MAX))
}

/// Threads that jobs share.
pub fn client_threads() -> impl Fn(&str) -> Read<u32> + Clone {
    count_32("client-threads", 1..=DEGREE_MAX as u32)
}

/// A size.
pub fn bytes(thing: &'static str, range: RangeInclusive<u64>) -> impl Fn(&str) -> Read<Bytes> + Clone {
    move |text| size_within(thing, text, range.clone()).map(Bytes)
}

/// The length of a window.
pub fn window(thing: &'static str) -> impl Fn(&str) -> Read<Nanos> + Clone {
    move |text| time_ns_within(thing, text, WINDOW_MIN.0..=WINDOW_MAX.0).map(Nanos)
}

/// The length of a warm-up, which may be 0.
pub fn warm_up(text: &str) -> Read<Nanos> {
    time_ns_within("warm-up", text, 0..=WINDOW_MAX.0).map(Nanos)
}

/// How long a server is waited for; it may be 0.
pub fn wait(text: &str) -> Read<Nanos> {
    time_ns_within("wait", text, 0..=WINDOW_MAX.0).map(Nanos)
}

/// A think time.
pub fn think_time(text: &str) -> Read<Nanos> {
    time_ns_within("think-time", text, 0..=THINK_TIME_MAX.0).map(Nanos)
}

/// The mean time between two bursts of a monitor.
pub fn probe_period(text: &str) -> Read<Nanos> {
    time_ns_within("every", text, 100_000_000..=3_600 * Nanos::SECOND.0).map(Nanos)
}

/// The time after which a monitor gives a statement up.
pub fn probe_timeout(text: &str) -> Read<Nanos> {
    time_ns_within("timeout", text, 50_000_000..=60 * Nanos::SECOND.0).map(Nanos)
}

/// The length of an interval in which a load is watched.
pub fn load_interval(text: &str) -> Read<Nanos> {
    time_ns_within("every", text, Nanos::SECOND.0..=7_200 * Nanos::SECOND.0).map(Nanos)
}

/// The growth of a load each year, `30%/y`, as a share.
pub fn growth(text: &str) -> Read<f64> {
    let percent = text.trim().trim_end_matches("/y").trim_end().strip_suffix('%');
    percent
        .and_then(|percent| percent.trim().parse().ok())
        .filter(|percent: &f64| *percent > -100.0 && *percent <= 1_000.0)
        .map(|percent| percent / 100.0)
        .ok_or_else(|| {
            Wrong::new("growth", text, "is not a growth above -100%/y and at most 1000%/y", "write it as 30%/y")
        })
}

/// Years that are planned for.
pub fn years(text: &str) -> Read<f64> {
    let years = quantity::number(text.trim()).filter(|years| *years > 0.0 && *years <= 50.0);
    years.ok_or_else(|| Wrong::new("years", text, "is not a number of years above 0 and at most 50", "write it as 3"))
}

/// Share of one processor.
pub fn processor_share(text: &str) -> Read<Ratio> {
    let share = quantity::share(text).filter(|share| (0.000_1..=1.0).contains(share));
    share
        .map(Ratio)
        .ok_or_else(|| Wrong::new("cpu", text, "is not a share of a processor from 0.01% to 100%", "write it as 0.5%"))
}

/// A degree of parallelism, of jobs, nodes, streams or threads.
pub fn degree(thing: &'static str) -> impl Fn(&str) -> Read<u32> + Clone {
    move |text| match quantity::count(text) {
        Some(0) => {
            let what = if thing == "nodes" { "number of nodes" } else { "degree of parallelism" };
            Err(Wrong::new(thing, text, &format!("is not a {what}"), "use 1 or more"))
        }
        Some(degree) if degree > DEGREE_MAX => {
            let what = format!("is more than {DEGREE_MAX}");
            Err(Wrong::new(thing, text, &what, "drive more sessions from several invocations"))
        }
        Some(degree) => Ok(degree as u32),
        None => Err(Wrong::new(thing, text, "is not a whole number", format!("give numbers such as --{thing} 1,2,4"))),
    }
}

/// A number of repeats.
pub fn repeats(thing: &'static str) -> impl Fn(&str) -> Read<u32> + Clone {
    move |text| {
        let found = quantity::count(text).filter(|count| (1..=REPEATS_MAX).contains(count));
        found.map(|count| count as u32).ok_or_else(|| {
            let hint = "six are the least from which a comparison can be significant";
            Wrong::new(thing, text, &format!("is not a number from 1 to {REPEATS_MAX}"), hint)
        })
    }
}

/// Rows of a table: `320k`, `1.5M`.
pub fn rows(thing: &'static str) -> impl Fn(&str) -> Read<u64> + Clone {
    let (least, most) = (3_200, 1_000_000_000_000);
    let hint = format!("use {least} to {most} rows; 320 of them share a secondary key");
    move |text| count_within(thing, text, least..=most).map_err(|wrong| Wrong { hint: hint.clone(), ..wrong })
}

/// Warehouses of an order mix.
pub fn warehouses(text: &str) -> Read<u64> {
    count_within("warehouses", text, 1..=1_000_000)
}

/// An arrival rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rate {
    /// Steps per second of all jobs together.
    StepsPerSecond(f64),
    /// A share of the closed-loop rate of the test; 1 is all of it.
    Share(f64),
}

/// Steps per second, or a share of the capacity.
pub fn rate_or_share(text: &str) -> Read<Rate> {
    let of_share = quantity::share(text).filter(|share| (RATE_MIN / 100.0..=SHARE_MAX).contains(share));
    let of_rate = quantity::rate(text).filter(|rate| (RATE_MIN..=RATE_MAX).contains(rate));
    of_share.map(Rate::Share).or(of_rate.map(Rate::StepsPerSecond)).ok_or_else(|| {
        let hint = format!(
            "use a number from {RATE_MIN} to {RATE_MAX}, 6000/min, or a share of the capacity, at most {}%",
            100.0 * SHARE_MAX
        );
        Wrong::new("rate", text, "is not a number of steps per second", hint)
    })
}

/// I/Os per second.
pub fn rate(text: &str) -> Read<f64> {
    rate_within("rate", text, RATE_MIN..=RATE_MAX)
}

/// A service level: `p99=5ms`.
pub fn bound(text: &str) -> Read<Bound> {
    let wrong = |error: BoundError| Wrong { message: error.to_string(), hint: BoundError::HINT.to_owned() };
    Bound::from_str(text).map_err(wrong)
}

/// A latency: milliseconds on average, or a service level.
pub fn latency(text: &str) -> Read<Bound> {
    match quantity::number(text) {
        Some(milliseconds) => bound(&format!("mean={milliseconds}ms")),
        None => bound(text),
    }
}

/// A peer of the network probes: a name or address, with a port or without; `[::1]:5250` for one of IPv6.
pub fn peer(text: &str) -> Read<NetworkPeer> {
    let wrong =
        |what: &str| Wrong::new("peer", text, what, "write it as db1, db1:5250, 192.0.2.1:5250 or [fd00::1]:5250");
    let bracketed = text.strip_prefix('[').map(|rest| rest.split_once(']').ok_or(()));
    let (host, port) = match bracketed {
        Some(Err(())) => return Err(wrong("has no ']'")),
        Some(Ok((host, ""))) => (host, None),
        Some(Ok((host, rest))) => (host, Some(rest.strip_prefix(':').unwrap_or_default())),
        // An address of IPv6 without brackets has no port.
        None if text.matches(':').count() > 1 => (text, None),
        None => text.split_once(':').map_or((text, None), |(host, port)| (host, Some(port))),
    };
    let port = port.map_or(Some(probe::peer::PORT), |port| port.parse().ok().filter(|port| *port > 0));
    let is_host = |letter: char| letter.is_ascii_alphanumeric() || ".-_:%".contains(letter);
    match port {
        None => Err(wrong("has no port from 1 to 65535")),
        Some(_) if host.is_empty() || !host.chars().all(is_host) => Err(wrong("is not a name or an address")),
        Some(port) => Ok(NetworkPeer::At { host: host.to_owned(), port }),
    }
}

/// An address to listen at.
pub fn listen(text: &str) -> Read<SocketAddr> {
    let hint = "write it as 127.0.0.1:5250, 0.0.0.0:5250 or [::]:5250; port 0 takes a free one";
    text.parse().map_err(|_| Wrong::new("listen", text, "is not an address with a port", hint))
}

/// The conditions of `--fail-if`.
pub fn gate(text: &str) -> Read<Gate> {
    text.parse().map_err(|error: GateError| hinted(&format!("--fail-if {error}"), "write it as in 'slower>2%'"))
}

/// The compression of generated files.
pub fn packing(text: &str) -> Read<flat::Packing> {
    text.parse().map_err(|error: flat::PackingError| hinted(&error.to_string(), "use gzip, zstd, lz4 or plain"))
}

/// An error with the hint in its text, or else `hint`.
fn hinted(text: &str, hint: &str) -> Wrong {
    let (message, hint) = text.split_once("; hint: ").or_else(|| text.split_once("\nhint: ")).unwrap_or((text, hint));
    Wrong { message: message.to_owned(), hint: hint.to_owned() }
}

/// The equivalence margin: percent, returned as a share.
pub fn margin(text: &str) -> Read<f64> {
    let percent = quantity::number(text.trim().trim_end_matches('%'));
    percent
        .filter(|percent| *percent > 0.0 && *percent < 100.0)
        .map(|percent| percent / 100.0)
        .ok_or_else(|| Wrong::new("--margin", text, "is not a percentage", "use a number above 0 and below 100"))
}

/// A selected number of jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtJobs {
    /// That with the highest throughput.
    Best,
    /// This one.
    Number(u32),
}

/// `best`, or a degree of parallelism.
pub fn at_jobs(text: &str) -> Read<AtJobs> {
    match text.parse() {
        _ if text == "best" => Ok(AtJobs::Best),
        Ok(jobs) if jobs > 0 => Ok(AtJobs::Number(jobs)),
        _ => {
            let hint = "use 1 or more, or `best` for the one with the highest throughput";
            Err(Wrong::new("jobs", text, "is not a degree of parallelism", hint))
        }
    }
}

/// Kinds of tables; `all` stands for several.
pub fn models(text: &str) -> Read<Vec<LoadModel>> {
    let word = text.trim();
    let named: Vec<LoadModel> =
        LoadModel::ALL.into_iter().filter(|model| word == "all" || model.word() == word).collect();
    match named.is_empty() {
        false => Ok(named),
        true => {
            let hint = "give plain, partitioned, compressed, partitioned+compressed, or all";
            Err(Wrong { message: format!("model {word:?} is not known"), hint: hint.to_owned() })
        }
    }
}

/// A setting of random blocks in the grammar of `slob.conf`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its name in a file.
    pub name: &'static str,
    /// The name of the option.
    pub option: &'static str,
    /// The valid value.
    pub value: String,
}

/// The setting `name` of the option `option`.
pub fn setting(name: &'static str, option: &'static str) -> impl Fn(&str) -> Read<Setting> + Clone {
    move |text| match BlocksSettings::default().set(name, option, text) {
        Ok(_) => Ok(Setting { name, option, value: text.to_owned() }),
        Err(wrong) => Err(Wrong { message: wrong.message, hint: wrong.hint }),
    }
}

/// The distinct values in their order.
pub fn once<T: Copy + PartialEq>(values: &[T]) -> Vec<T> {
    let mut found = Vec::with_capacity(values.len());
    for value in values {
        if !found.contains(value) {
            found.push(*value);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn zero_jobs_are_refused_with_a_hint() {
        let error = degree("jobs")("0").unwrap_err();
        assert_eq!(error.to_string(), "jobs 0 is not a degree of parallelism\nhint: use 1 or more");
        assert_eq!(degree("jobs")(" 64 "), Ok(64));
        for text in ["-3", "many", "1.5", "100000", ""] {
            assert!(degree("nodes")(text).is_err(), "{text}");
        }
    }

    #[test]
    fn negative_and_endless_windows_are_refused() {
        for text in ["-1", "nan", "inf", "1e99", "soon", "", "0", "8d"] {
            assert!(window("seconds")(text).is_err(), "{text}");
        }
        assert_eq!(window("seconds")("1.5"), Ok(Nanos(1_500_000_000)));
        assert_eq!(window("seconds")("200ms"), Ok(Nanos(200_000_000)));
        assert_eq!(warm_up("0"), Ok(Nanos(0)));
    }

    #[test]
    fn repetitions_are_counted_from_one_and_have_a_limit() {
        assert_eq!((repeats("pairs")("1"), repeats("pairs")("1000")), (Ok(1), Ok(1_000)));
        for text in ["0", "1001", "-1", "six"] {
            let error = repeats("repeats")(text).unwrap_err();
            assert_eq!(error.message, format!("repeats {text} is not a number from 1 to 1000"));
        }
    }

    #[test]
    fn rows_may_be_written_with_a_suffix() {
        let rows = rows("small-rows");
        assert_eq!([rows("320k"), rows("1_000_000"), rows("1.5M")], [Ok(320_000), Ok(1_000_000), Ok(1_500_000)]);
        assert!(rows("12").unwrap_err().hint.contains("secondary key"));
        assert!(rows("k").is_err() && rows("99999999999999999999G").is_err());
    }

    #[test]
    fn invalid_rates_and_times_are_refused() {
        for text in ["0", "0%", "-1", "nan", "inf", "1e9", "201%", "fast", "%", "1e-300", "9e-7", "2e7"] {
            let error = rate_or_share(text).unwrap_err();
            assert_eq!(error.message, format!("rate {text} is not a number of steps per second"));
            assert!(error.hint.contains("from 0.000001 to 10000000"), "{error}");
        }
        assert_eq!(rate_or_share("6000/min"), Ok(Rate::StepsPerSecond(100.0)));
        for text in ["-1", "long", "nan"] {
            assert_eq!(think_time(text).unwrap_err().message, format!("think-time {text} is not a length of time"));
        }
        assert_eq!(think_time("2d").unwrap_err().message, "think-time 2d is more than 1d");
    }

    #[test]
    fn a_latency_is_a_mean_in_milliseconds_or_a_level() {
        assert_eq!(latency("10").unwrap().to_string(), "mean=10ms");
        assert_eq!(latency("p99=500us").unwrap().to_string(), "p99=500us");
        assert!(latency("0").is_err() && latency("soon").is_err());
        let error = bound("p99").unwrap_err();
        assert_eq!(
            (error.message.as_str(), error.hint.as_str()),
            ("service level \"p99\": it has no limit", BoundError::HINT)
        );
    }

    #[test]
    fn a_peer_has_a_host_and_perhaps_a_port() {
        let at = |host: &str, port| Ok(NetworkPeer::At { host: host.to_owned(), port });
        let default = probe::peer::PORT;
        assert_eq!(peer("db1"), at("db1", default));
        assert_eq!(peer("db1.example.org:7"), at("db1.example.org", 7));
        assert_eq!((peer("192.0.2.1:65535"), peer("fd00::1")), (at("192.0.2.1", 65_535), at("fd00::1", default)));
        assert_eq!((peer("[fd00::1]:7"), peer("[fe80::1%eth0]")), (at("fd00::1", 7), at("fe80::1%eth0", default)));
        for text in
            ["", ":7", "db1:", "db1:0", "db1:65536", "db1:x", "[fd00::1", "[fd00::1]7", "[]:7", "tcp://db1", "a b"]
        {
            let error = peer(text).unwrap_err();
            assert!(error.message.starts_with("peer ") && error.hint.contains("db1:5250"), "{text}: {}", error.message);
        }
        assert_eq!(listen("[::]:0").map(|address| address.port()), Ok(0));
        assert!(listen("db1:7").is_err() && listen("7").is_err());
    }

    #[test]
    fn values_are_kept_in_order_and_once() {
        assert_eq!(once(&[4, 1, 4, 8]), [4, 1, 8]);
    }

    #[test]
    fn a_margin_is_a_share() {
        assert_eq!((margin("2"), margin("0.5 %")), (Ok(0.02), Ok(0.005)));
        for text in ["0", "-1", "100", "NaN", "x", ""] {
            assert!(margin(text).is_err(), "{text}");
        }
    }

    #[test]
    fn kinds_of_tables_have_names() {
        assert_eq!(models("all").map(|all| all.len()), Ok(4));
        let words = |text| models(text).map(|all| all.into_iter().map(LoadModel::word).collect::<Vec<_>>());
        assert_eq!(words("partitioned+compressed"), Ok(vec!["partitioned+compressed"]));
        assert!(words("row").unwrap_err().message.contains("model \"row\" is not known"));
    }

    #[test]
    fn a_setting_has_the_grammar_of_a_file() {
        let scale = setting("SCALE", "scale");
        assert_eq!(scale("80M").unwrap().value, "80M");
        assert_eq!(scale("10").unwrap_err().message, "scale 10 is out of range: 10 blocks");
    }

    proptest! {
        #[test]
        fn no_text_panics_and_no_rate_is_out_of_range(text in "\\PC{0,12}", number in any::<f64>()) {
            for text in [text, number.to_string(), format!("{number}%")] {
                match rate_or_share(&text) {
                    Ok(Rate::StepsPerSecond(rate)) => prop_assert!(rate > 0.0 && rate <= RATE_MAX),
                    Ok(Rate::Share(share)) => prop_assert!(share > 0.0 && share <= SHARE_MAX),
                    Err(_) => {}
                }
                let _ = (think_time(&text), margin(&text), latency(&text), at_jobs(&text), gate(&text), packing(&text));
                let _ = (peer(&text), listen(&text));
            }
        }

        #[test]
        fn values_in_range_are_accepted(rate in 0.001f64..1e7, percent in 0.001f64..200.0) {
            prop_assert_eq!(rate_or_share(&rate.to_string()), Ok(Rate::StepsPerSecond(rate)));
            prop_assert_eq!(rate_or_share(&format!("{percent}%")), Ok(Rate::Share(percent / 100.0)));
        }
    }
}

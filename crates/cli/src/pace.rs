//! The arrival rate of `dbdyno run` from its arguments: one pace for all runs, a sweep of paces or shares of the
//! capacity, a search, and the hardware threads to use.

use record::{Pace, Ratio, Until, Variation};
use run::{Error, Result};

use crate::arguments::pace::{PaceArguments, Smt};
use crate::arguments::value::{Rate, once};

/// Relative tolerance of a search.
const TOLERANCE: Ratio = Ratio(0.1);

/// The requested arrival rates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Load {
    /// Pace of plain runs.
    pub pace: Pace,
    /// Variations of the plain runs.
    pub variations: Vec<Variation>,
    /// The service level of a search.
    pub until: Option<Until>,
    /// Whether all runs use one hardware thread of each core only.
    pub one_thread_per_core: bool,
}

/// The load of `arguments`. `cores` are the hardware threads of each core, where known; `allowed` are those that may be
/// used.
///
/// # Errors
/// The user's mistakes: thing, value, limit, hint.
pub fn load(arguments: &PaceArguments, cores: Option<&[Vec<u32>]>, allowed: &[u32]) -> Result<Load> {
    let arrival = arguments.arrival;
    let mut load = paced(arguments, arrival)?;
    if let Some(bound) = arguments.until {
        load.until = Some(Until { level: bound.to_string(), arrival, tolerance: TOLERANCE });
    }
    match arguments.smt {
        None | Some(Smt::On) => {}
        Some(Smt::Off) => {
            check_smt("off", cores, allowed)?;
            load.one_thread_per_core = true;
        }
        Some(Smt::Both) if load.until.is_some() => {
            return Err(Error::user("smt both cannot be combined with a search")
                .hint("search with --smt on, then with --smt off"));
        }
        Some(Smt::Both) => {
            check_smt("both", cores, allowed)?;
            load.variations = on_both(load.pace, &load.variations)?;
        }
    }
    Ok(load)
}

/// Refuses `--smt WORD` where each core has only one usable hardware thread.
fn check_smt(word: &str, cores: Option<&[Vec<u32>]>, allowed: &[u32]) -> Result<()> {
    let cores = cores.ok_or_else(|| {
        Error::user("smt: the hardware threads of each core are not known")
            .hint("the kernel reports them in /sys/devices/system/cpu/cpu0/topology; leave --smt out")
    })?;
    if host::one_thread_per_core(cores, allowed).len() < allowed.len() {
        return Ok(());
    }
    let hint = match word {
        "both" => "there is nothing to compare; leave --smt out",
        _ => "there is nothing to turn off; leave --smt out",
    };
    Err(Error::user(format!("smt {word}: each core has only one usable hardware thread")).hint(hint))
}

/// The variations, and the same runs on one hardware thread per core.
fn on_both(plain: Pace, variations: &[Variation]) -> Result<Vec<Variation>> {
    let fewer = |pace: Pace| Variation::Paced { pace, one_thread_per_core: true };
    let mut both = variations.to_vec();
    both.push(fewer(plain));
    for variation in variations {
        match variation {
            Variation::Paced { pace, .. } => both.push(fewer(*pace)),
            _ => {
                return Err(Error::user("smt both cannot be combined with rates in percent of the capacity")
                    .hint("their capacities differ; give think times, or rates in steps per second"));
            }
        }
    }
    Ok(both)
}

/// Rates or think times: a single one is that of the plain runs; several are a sweep in addition to closed-loop plain
/// runs. A share of the capacity needs such a plain run too.
fn paced(arguments: &PaceArguments, arrival: record::Arrival) -> Result<Load> {
    let thinks = once(&arguments.think_time);
    if let [think_ns] = thinks.as_slice() {
        let pace = if think_ns.0 > 0 { Pace::ThinkTime { think_ns: *think_ns } } else { Pace::Unthrottled };
        return Ok(Load { pace, ..Load::default() });
    }
    let rates = once(&arguments.rate);
    if let [Rate::StepsPerSecond(rate)] = rates.as_slice() {
        return Ok(Load { pace: arrival.pace(*rate), ..Load::default() });
    }
    let is_share = |rate: &Rate| matches!(rate, Rate::Share(_));
    if arrival == record::Arrival::Fixed && rates.iter().any(is_share) {
        return Err(Error::user("arrival fixed cannot be combined with rates in percent of the capacity")
            .hint("leave --arrival out, or give rates in steps per second"));
    }
    let swept = |pace: Pace| Variation::Paced { pace, one_thread_per_core: false };
    // Plain runs have no think time.
    let of_thinks =
        thinks.iter().filter(|think| think.0 > 0).map(|think_ns| swept(Pace::ThinkTime { think_ns: *think_ns }));
    let of_rates = rates.iter().map(|rate| match rate {
        Rate::StepsPerSecond(rate) => swept(arrival.pace(*rate)),
        Rate::Share(share) => Variation::ShareOfCapacity { share: *share },
    });
    Ok(Load { variations: of_thinks.chain(of_rates).collect(), ..Load::default() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::{Arguments, Command};
    use clap::Parser;
    use record::Nanos;

    const CORES: [[u32; 2]; 2] = [[0, 2], [1, 3]];

    fn parsed(words: &[&str]) -> Result<Load> {
        let all = [&["dbdyno", "run"], words].concat();
        let Command::Run(arguments) = Arguments::try_parse_from(all).unwrap().command else { panic!("run") };
        load(&arguments.load, Some(&CORES.map(|core| core.to_vec())), &[0, 1, 2, 3])
    }

    fn paced(pace: Pace) -> Variation {
        Variation::Paced { pace, one_thread_per_core: false }
    }

    fn poisson(steps_per_second: f64) -> Pace {
        Pace::Poisson { steps_per_second }
    }

    fn think(milliseconds: u64) -> Pace {
        Pace::ThinkTime { think_ns: Nanos(milliseconds * 1_000_000) }
    }

    #[test]
    fn one_rate_or_think_time_is_that_of_all_runs() {
        let plain = |pace| Load { pace, ..Load::default() };
        assert_eq!(parsed(&[]).unwrap(), plain(Pace::Unthrottled));
        assert_eq!(parsed(&["--rate", "500"]).unwrap(), plain(poisson(500.0)));
        assert_eq!(parsed(&["--rate", "500", "--poisson"]).unwrap(), plain(poisson(500.0)));
        let fixed = parsed(&["--rate", "500", "--arrival", "fixed"]).unwrap();
        assert_eq!(fixed, plain(Pace::Rate { steps_per_second: 500.0 }));
        assert_eq!(parsed(&["--think", "10ms"]).unwrap(), plain(think(10)));
        assert_eq!(parsed(&["--think-time", "0"]).unwrap(), plain(Pace::Unthrottled));
    }

    #[test]
    fn several_are_a_sweep_beside_plain_runs() {
        let swept = |variations: Vec<Variation>| Load { variations, ..Load::default() };
        let rates = parsed(&["--rate", "100,200,100"]).unwrap();
        assert_eq!(rates, swept(vec![paced(poisson(100.0)), paced(poisson(200.0))]));
        let shares = parsed(&["--rate", "50%,90%"]).unwrap();
        assert_eq!(shares, swept([0.5, 0.9].map(|share| Variation::ShareOfCapacity { share }).to_vec()));
        assert_eq!(
            parsed(&["--rate", "50%"]).unwrap().variations.len(),
            1,
            "the capacity is measured by the plain run"
        );
        let thinks = parsed(&["--think-time", "0,10ms,20ms"]).unwrap();
        assert_eq!(thinks, swept(vec![paced(think(10)), paced(think(20))]));
    }

    #[test]
    fn a_level_is_searched_for_with_its_arrivals() {
        let until = parsed(&["--until", "p99=5000us", "--arrival", "fixed"]).unwrap().until.unwrap();
        assert_eq!(until.level, "p99=5ms");
        assert_eq!((until.arrival, until.tolerance), (record::Arrival::Fixed, Ratio(0.1)));
    }

    #[test]
    fn both_repeats_everything_on_one_thread_per_core() {
        let fewer = |pace| Variation::Paced { pace, one_thread_per_core: true };
        let both = parsed(&["--think-time", "0,10ms", "--smt", "both"]).unwrap();
        assert_eq!(both.variations, [paced(think(10)), fewer(Pace::Unthrottled), fewer(think(10))]);
        assert!(!both.one_thread_per_core);
        let off = parsed(&["--smt", "off"]).unwrap();
        assert_eq!((off.one_thread_per_core, off.variations.len()), (true, 0));
        assert_eq!(parsed(&["--smt", "on"]).unwrap(), Load::default());
        let error = parsed(&["--rate", "50%", "--smt", "both"]).unwrap_err();
        assert!(error.to_string().contains("percent of the capacity"), "{error}");
    }

    #[test]
    fn a_machine_with_one_thread_per_core_has_nothing_to_compare() {
        for word in ["both", "off"] {
            let arguments = Arguments::try_parse_from(["dbdyno", "run", "--smt", word]).unwrap();
            let Command::Run(arguments) = arguments.command else { panic!("run") };
            let error = load(&arguments.load, Some(&[vec![0], vec![1]]), &[0, 1]).unwrap_err();
            let message = format!("smt {word}: each core has only one usable hardware thread");
            assert_eq!(error.message, message);
            assert!(error.hint.is_some_and(|hint| hint.contains("leave --smt out")));
            assert!(load(&arguments.load, None, &[0, 1]).unwrap_err().message.contains("are not known"));
        }
    }

    #[test]
    fn fixed_arrivals_have_no_share_of_the_capacity() {
        assert!(parsed(&["--rate", "50%", "--arrival", "fixed"]).is_err());
    }
}

//! Additional loads of a plan: in words, and as options of the command that repeats it.

use record::{Arrival, Dop, Pace, Plan, Preset, Variation};

use crate::words::{list, variation};

/// Loads that are named; more are counted.
const LOADS_NAMED_MAX: usize = 12;

/// The shares of the preset publish.
const OF_PUBLISH: [f64; 4] = [0.5, 0.7, 0.8, 0.9];

/// The variations of additional runs, in words; nothing where there are none.
pub(crate) fn other_loads(plan: &Plan) -> Option<String> {
    if let Some(until) = &plan.until {
        return Some(format!("a search for the highest rate that meets {}", until.level));
    }
    let loads = loads(plan);
    let more = loads.len().saturating_sub(LOADS_NAMED_MAX);
    let named = list(loads.iter().take(LOADS_NAMED_MAX).map(|load| variation(*load)));
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!loads.is_empty()).then(|| format!("additional runs: {named}{more}"))
}

/// The options of `dbdyno run` for the same additional runs.
pub(crate) fn load_options(plan: &Plan) -> Vec<(&'static str, String)> {
    let mut options: Vec<(&'static str, String)> = Vec::new();
    let loads = loads(plan);
    let (mut rates, mut thinks): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let mut pipelines: Vec<String> = Vec::new();
    let mut is_fixed = plan.until.as_ref().is_some_and(|until| until.arrival == Arrival::Fixed);
    for load in &loads {
        match load {
            Variation::ShareOfCapacity { share } if !is_of_preset(plan) => rates.push(format!("{}%", share * 100.0)),
            Variation::Paced { one_thread_per_core: false, pace } => match pace {
                Pace::ThinkTime { think_ns } => thinks.push(format!("{}ns", think_ns.0)),
                _ => rates.extend(pace.rate().map(|rate| rate.to_string())),
            },
            Variation::Pipelined { statements } => pipelines.push(statements.to_string()),
            _ => {}
        }
        is_fixed |= matches!(load, Variation::Paced { pace: Pace::Rate { .. }, .. });
    }
    options.extend(plan.until.as_ref().map(|until| ("until", until.level.clone())));
    options.extend((!rates.is_empty()).then(|| ("rate", rates.join(","))));
    options.extend(is_fixed.then(|| ("arrival", "fixed".to_owned())));
    options.extend((!pipelines.is_empty()).then(|| ("pipeline", pipelines.join(","))));
    // A single think time would apply to all runs.
    options.extend((!thinks.is_empty()).then(|| ("think-time", format!("0,{}", thinks.join(",")))));
    let is_on_both = |load: &Variation| matches!(load, Variation::Paced { one_thread_per_core: true, .. });
    match loads.iter().any(is_on_both) {
        true => options.push(("smt", "both".to_owned())),
        false => options.extend(plan.one_thread_per_core.then(|| ("smt", "off".to_owned()))),
    }
    options
}

/// The load variations of `plan`, each once, in the order of its runs. Those of a search are left out: they follow from
/// its results.
fn loads(plan: &Plan) -> Vec<Variation> {
    let mut loads: Vec<Variation> = Vec::new();
    for found in plan.runs.iter().filter(|_| plan.until.is_none()).filter_map(|run| run.variation) {
        let is_load = !matches!(found, Variation::Traced | Variation::Perturbed { .. });
        if is_load && !loads.contains(&found) {
            loads.push(found);
        }
    }
    loads
}

/// Whether the shares of the capacity are those of the preset, which need no option.
fn is_of_preset(plan: &Plan) -> bool {
    let mut shares: Vec<f64> = Vec::new();
    let mut degrees: Vec<(&str, Dop)> = Vec::new();
    for run in &plan.runs {
        match run.variation {
            Some(Variation::ShareOfCapacity { share }) if !shares.contains(&share) => shares.push(share),
            Some(Variation::Paced { .. }) => return false,
            _ => {}
        }
        let degree = (run.test.as_str(), run.dop);
        if matches!(run.variation, Some(Variation::ShareOfCapacity { .. })) && !degrees.contains(&degree) {
            degrees.push(degree);
        }
    }
    let at_one_degree = |(test, _): &(&str, Dop)| degrees.iter().filter(|(other, _)| other == test).count() == 1;
    plan.preset == Preset::Publish && shares == OF_PUBLISH && degrees.iter().all(at_one_degree)
}

#[cfg(test)]
mod tests {
    use record::{Nanos, PlannedRun, Ratio, Until};

    use super::*;
    use crate::plan::tests::randomized;

    fn options(preset: Preset, pairs: &[(u32, Variation)]) -> String {
        let run = |(jobs, variation): &(u32, Variation)| PlannedRun {
            kind: record::RunKind::Test,
            number: 1,
            test: "T611".to_owned(),
            dop: Dop::jobs(*jobs),
            repeat: 1,
            variation: Some(*variation),
        };
        options_of(&Plan { preset, runs: pairs.iter().map(run).collect(), ..randomized() })
    }

    fn options_of(plan: &Plan) -> String {
        load_options(plan).iter().map(|(name, value)| format!("--{name} {value}")).collect::<Vec<_>>().join(" ")
    }

    fn share(share: f64) -> Variation {
        Variation::ShareOfCapacity { share }
    }

    fn paced(pace: Pace, one_thread_per_core: bool) -> Variation {
        Variation::Paced { pace, one_thread_per_core }
    }

    #[test]
    fn a_sweep_has_the_options_of_its_plan() {
        assert_eq!(options(Preset::Quick, &[]), "");
        assert_eq!(options(Preset::Quick, &[(1, share(0.5)), (2, share(0.5)), (2, share(0.9))]), "--rate 50%,90%");
        let rate = |steps_per_second| Pace::Rate { steps_per_second };
        let rates = [(1, paced(rate(100.0), false)), (1, paced(rate(250.5), false))];
        assert_eq!(options(Preset::Quick, &rates), "--rate 100,250.5 --arrival fixed");
        let think = |milliseconds: u64| Pace::ThinkTime { think_ns: Nanos(milliseconds * 1_000_000) };
        let thinks = [(1, paced(think(10), false)), (1, paced(Pace::Unthrottled, true)), (1, paced(think(10), true))];
        assert_eq!(options(Preset::Quick, &thinks), "--think-time 0,10000000ns --smt both");
        assert_eq!(options_of(&Plan { one_thread_per_core: true, ..randomized() }), "--smt off");
    }

    #[test]
    fn the_shares_of_a_preset_need_no_option() {
        let own = OF_PUBLISH.map(|of| (4, share(of)));
        assert_eq!(options(Preset::Publish, &own), "");
        assert_eq!(options(Preset::Standard, &own), "--rate 50%,70%,80%,90%");
        let everywhere = [own, OF_PUBLISH.map(|of| (1, share(of)))].concat();
        assert_eq!(options(Preset::Publish, &everywhere), "--rate 50%,70%,80%,90%");
    }

    #[test]
    fn a_search_has_the_option_of_its_level_and_no_rate() {
        let until = Until { level: "p99=5ms".to_owned(), arrival: Arrival::Fixed, tolerance: Ratio(0.05) };
        let run = PlannedRun { variation: Some(paced(Pace::Unthrottled, false)), ..randomized().runs[0].clone() };
        let plan = Plan { until: Some(until), runs: vec![run], ..randomized() };
        assert_eq!(options_of(&plan), "--until p99=5ms --arrival fixed");
        assert_eq!(other_loads(&plan).as_deref(), Some("a search for the highest rate that meets p99=5ms"));
        assert_eq!(other_loads(&randomized()), None);
    }
}

//! Why a verdict on steadiness is what it is.

use std::ops::Range;

use super::drift::Drift;
use super::{Steadiness, SteadyClass};
use crate::checks::{percent, plural};
use crate::rules::RULES;

/// Where the counted seconds have no rate.
pub(super) fn nothing(counted: Range<usize>) -> String {
    format!("nothing was done in the last {} of {} s", counted.len(), counted.end)
}

pub(super) fn too_short(count: usize) -> String {
    format!("{} of the window; steadiness needs {}", plural(count as u64, "whole second"), RULES.steadiness_seconds_min)
}

pub(super) fn not_steady(last: Range<usize>) -> String {
    format!(
        "the last level began after {} s and lasts {} s, less than half of the {} s",
        last.start,
        last.len(),
        last.end
    )
}

pub(super) fn drifting(drift: Drift, seconds: usize) -> String {
    let direction = if drift.rises { "rises" } else { "falls" };
    format!(
        "the rate {direction} by {} over {seconds} s, by at least {} with a chance of 0.975; up to {} is taken for steady",
        percent(drift.share),
        percent(drift.share - drift.half),
        percent(RULES.steadiness_margin)
    )
}

pub(super) fn wide(drift: Drift) -> String {
    format!(
        "a drift of up to {} cannot be excluded, limit {}: a longer run may tell",
        percent(drift.share + drift.half),
        percent(RULES.drift_max)
    )
}

pub(super) fn few_cycles(period: usize, seconds: usize) -> String {
    format!("the rate swings with a period of about {period} s, and {seconds} s hold fewer than {}", RULES.cycles_min)
}

pub(super) fn few_checkpoints(count: u64, counted: Range<usize>) -> String {
    let cut = match counted.start {
        0 => String::new(),
        begin => format!(" and its first {begin} of {} s are cut", counted.end),
    };
    let checkpoints = plural(count, "checkpoint");
    format!("the window holds {checkpoints} of the engine{cut}; {} bound three cycles", RULES.checkpoints_min)
}

pub(super) fn few_samples(effective_samples: f64, seconds: usize) -> String {
    format!(
        "each second depends on those before it: {seconds} s are worth {effective_samples:.0} independent ones, and {} \
         are needed",
        RULES.steadiness_effective_samples_min
    )
}

pub(super) fn steady(said: &Steadiness, drift: Drift) -> String {
    let begin = said.counted.start;
    let cut = match said.class {
        _ if begin == 0 => String::new(),
        SteadyClass::Flat => format!("a disturbance within the first {begin} s is cut; "),
        SteadyClass::Warmup => format!("the first {begin} s are cut, the rate was lower; "),
        SteadyClass::Slowdown => {
            format!("the first {begin} s are cut, the rate was higher: spent credits, a full cache or heat; ")
        }
    };
    let checkpoints = match said.checkpoints {
        Some(0) => "; there was no checkpoint within the window",
        _ => "",
    };
    format!(
        "{cut}no drift of more than {} over {} s{checkpoints}",
        percent(drift.share + drift.half),
        said.counted.len()
    )
}

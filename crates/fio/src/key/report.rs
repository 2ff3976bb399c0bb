//! Keys of fio's output.

use super::{Key, effect, no_effect};
use crate::key::Form::{Choice, Number, Switch, Text};

const QUANTILES: &str = "the quantiles of a record are fixed, and its histogram has all of them";
const LATENCY: &str = "the latency of every I/O is recorded";

pub(crate) const KEYS: &[Key] = &[
    effect("kb_base", &[], Choice(&["1000", "1024"])),
    no_effect("unit_base", Text, "rates are in bytes"),
    no_effect("clat_percentiles", Switch, QUANTILES),
    no_effect("lat_percentiles", Switch, QUANTILES),
    no_effect("slat_percentiles", Switch, QUANTILES),
    no_effect("percentile_list", Text, QUANTILES),
    no_effect("block_error_percentiles", Switch, QUANTILES),
    no_effect("significant_figures", Number, "digits follow the precision of the figures"),
    no_effect("gtod_reduce", Switch, LATENCY),
    no_effect("gtod_cpu", Number, "each job reads the clock itself"),
    no_effect("disable_lat", Switch, LATENCY),
    no_effect("disable_clat", Switch, LATENCY),
    no_effect("disable_slat", Switch, LATENCY),
    no_effect("disable_bw_measurement", Switch, "every second is recorded").also(&["disable_bw"]),
    no_effect("disk_util", Switch, "the block layer is always read"),
    no_effect("stats", Switch, "every job is recorded"),
    no_effect("unified_rw_reporting", Text, "each direction is reported separately"),
    no_effect("continue_on_error", Text, "failed I/Os are counted and the run goes on"),
    no_effect("ignore_error", Text, "failed I/Os are counted and the run goes on"),
    no_effect("error_dump", Switch, "the first failure is reported"),
    no_effect("clocksource", Text, "the monotonic clock of the system is read"),
    no_effect("job_start_clock_id", Number, "the record has calendar time"),
];

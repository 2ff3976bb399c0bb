//! Keys of fio's logs.

use super::{Key, no_effect};
use crate::key::Form::{Number, Optional, Switch, Text};

const SERIES: &str = "the record has a series per second; the log of I/Os is a separate option";

pub(crate) const KEYS: &[Key] = &[
    no_effect("write_bw_log", Optional, SERIES),
    no_effect("write_lat_log", Optional, SERIES),
    no_effect("write_iops_log", Optional, SERIES),
    no_effect("write_hist_log", Optional, SERIES),
    no_effect("bwavgtime", Number, SERIES),
    no_effect("iopsavgtime", Number, SERIES),
    no_effect("log_avg_msec", Number, SERIES),
    no_effect("log_window_value", Text, SERIES),
    no_effect("log_hist_msec", Number, SERIES),
    no_effect("log_hist_coarseness", Number, SERIES),
    no_effect("log_entries", Number, SERIES),
    no_effect("log_max_value", Switch, SERIES),
    no_effect("log_offset", Switch, SERIES),
    no_effect("log_prio", Switch, SERIES),
    no_effect("log_issue_time", Switch, SERIES),
    no_effect("log_compression", Number, SERIES),
    no_effect("log_compression_cpus", Text, SERIES),
    no_effect("log_store_compressed", Switch, SERIES),
    no_effect("log_unix_epoch", Switch, SERIES),
    no_effect("log_alternate_epoch", Switch, SERIES),
    no_effect("log_alternate_epoch_clock_id", Number, SERIES),
    no_effect("per_job_logs", Switch, SERIES),
];

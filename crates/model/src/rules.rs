//! Every threshold of the self-checks, of steadiness, intervals and comparisons, in one place and under one version.

/// Thresholds. Ratios lie in [0, 1] unless said otherwise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// Increases with every change of a value below, so that verdicts by the same rules can be recognised.
    pub version: u32,

    /// Little's law: a gap up to this passes; a larger one only where the edges of the window explain it.
    pub littles_gap_pass: f64,
    /// Little's law: a gap up to this is a warning, a larger one a failure.
    pub littles_gap_warn: f64,
    /// Share of the slots below which the mean number of I/Os in flight is shown beside the depth.
    pub in_flight_shown: f64,
    /// Storage: share of the slots of a queue that may be empty while the generator prepares the next batch.
    pub queue_empty_max: f64,
    /// Wake-up delay of a job on a busy machine, nanoseconds.
    pub wake_up_ns: f64,
    /// Error of a mean from a histogram with three significant digits, besides one nanosecond.
    pub histogram_error: f64,

    /// Difference between commits of the engine and ours, as a share of ours.
    pub commit_gap: f64,
    /// Surplus commits attributed to background work of the engine, however few ours are.
    pub commit_surplus_count: u64,

    /// CPU time in a shorter window is judged only where far within the limit, nanoseconds: 20 ticks at 100 Hz.
    pub client_share_window_ns_min: u64,
    /// Error in such a window by counter readings and two ticks, nanoseconds.
    pub client_share_error_ns: f64,
    /// CPU utilisation of the client per job.
    pub client_share_warn: f64,
    /// Above this the client is the bottleneck.
    pub client_share_fail: f64,
    /// Share of the service time that is overhead of dbdyno, with an embedded engine.
    pub own_share_warn: f64,
    /// Above this the result is invalid.
    pub own_share_fail: f64,

    /// Steal as a share of all CPU time.
    pub steal_warn: f64,
    /// Above this the result is invalid.
    pub steal_fail: f64,
    /// In a shorter window steal does not invalidate the result.
    pub steal_window_ns_min: u64,
    /// Limit of one interval between two readings.
    pub steal_interval: f64,
    /// Minimum number of intervals for their 0.99 quantile, which invalidates the result above `steal_interval`.
    pub steal_intervals_min: usize,
    /// Less is below timer resolution.
    pub steal_ns_min: u64,
    /// Shorter intervals are ignored, for the same reason.
    pub interval_ns_min: u64,

    /// Share of the processors that other programs may use while a run uses all of them.
    pub foreign_cpu_crowded_warn: f64,
    /// Above this the result is invalid.
    pub foreign_cpu_crowded_fail: f64,
    /// Share of the processors that other programs may use beside a run that leaves some of them idle.
    pub foreign_cpu_warn: f64,
    /// Above this the result is invalid.
    pub foreign_cpu_fail: f64,
    /// CPU utilisation from where on a run counts as using all processors.
    pub foreign_cpu_crowded: f64,
    /// Busy share of the processors that is not attributed to a process: less is below timer resolution.
    pub foreign_cpu_unseen_min: f64,
    /// Readings closer to each other say nothing of the CPU times of the host: ten clock ticks, each of which counts for
    /// all of the time of its processor since the one before.
    pub cpu_times_ns_min: u64,
    /// In a shorter window foreign load does not invalidate the result.
    pub foreign_window_ns_min: u64,
    /// Share of the device's bytes of other programs.
    pub foreign_io_warn: f64,
    /// Above this the result is invalid.
    pub foreign_io_fail: f64,
    /// Bytes per second of other programs below which they do not disturb.
    pub foreign_io_bytes_per_second_min: f64,
    /// Bytes of journal and metadata that a file system writes per flush.
    pub foreign_io_flush_bytes: f64,

    /// Throttled share of the window from where on the quota is the limit.
    pub throttled_share: f64,
    /// Pages swapped in per second from where on the result is invalid.
    pub swap_in_per_second_fail: f64,

    /// Minimum share of reads that reach the block layer.
    pub device_share_min: f64,
    /// Minimum share of buffered writes that reach the device within the window.
    pub buffered_share_min: f64,
    /// Minimum bytes read by an engine for a meaningful share.
    pub page_cache_bytes_min: u64,
    /// Maximum miss ratio of tables inside the cache.
    pub cache_miss_max: f64,
    /// Maximum rows over cache size of tables inside the cache, with room for overhead; in [0, 1].
    pub cache_fill_max: f64,
    /// Minimum rows over cache size of tables outside the cache; above 1.
    pub cache_multiple_min: f64,
    /// Rows below which misses of the cache are not judged.
    pub misses_rows_min: u64,
    /// Relative difference of misses: below those of uniform access, and between the thirds of a window.
    pub misses_difference_max: f64,

    /// Maximum commits per flush and job; at least 1.
    pub commits_per_flush_and_job: f64,

    /// Shortfall of the rate of an open loop below its target, beyond chance.
    pub rate_shortfall: f64,

    /// Maximum speedup per job or thread; above 1. More is not parallelism: the single job waited for something else.
    pub gain_per_worker_max: f64,
    /// Repeats of a row from which on a drift of their rates is looked for.
    pub repeat_drift_repeats_min: usize,
    /// Repeats drift where the fitted change from the first to the last is significant and at least this share.
    pub repeat_drift_min: f64,
    /// Difference between the states of the database in which runs of a test begin, or in which one begins and ends, that is
    /// accepted, as a share of the size of the tables.
    pub state_difference_max: f64,

    /// Minimum of a median service time over the round trips between idle processors in it, for wake-ups to be a part of
    /// it: the probe and the run are seconds apart.
    pub wake_up_step_min: f64,

    /// What wake-ups may add to a run over what the probe says, for a gain that they explain: what an engine does with cold
    /// caches after an idle time is more than what the probe does.
    pub wake_up_excess: f64,

    /// Minimum of whole seconds for two levels.
    pub level_seconds_min: usize,
    /// Minimum of seconds of a level.
    pub level_size_min: usize,
    /// Minimum of steps per second for a meaningful rate.
    pub level_steps_min: f64,
    /// Minimum distance of the levels, as a share of the lower one.
    pub level_jump: f64,
    /// Maximum standard deviation within a level, as a share of the distance of the levels. Linear drift has 0.29.
    pub level_spread_max: f64,
    /// Minimum gap between the levels, as a share of the distance of their means.
    pub level_gap_min: f64,

    /// Share of failed steps above which the result is invalid.
    pub failure_share_fail: f64,
    /// Share of steps not started above which the result is invalid.
    pub backlog_share_fail: f64,
    /// Minimum of steps for quantiles.
    pub steps_min: u64,
    /// Minimum window for steadiness.
    pub window_ns_min: u64,

    /// Unwritten share of the regions from where on a run that reads them is invalid.
    pub unwritten_fail: f64,
    /// Share of the regions in the page cache before a buffered run.
    pub cached_warn: f64,
    /// Above this the result is invalid.
    pub cached_fail: f64,
    /// Deflated size, as a share, below which data is compressible.
    pub compressed_min: f64,
    /// Maximum share of duplicate blocks.
    pub repeated_max: f64,
    /// Minimum sync time of a medium behind a volatile cache, nanoseconds.
    pub sync_ns_min: u64,
    /// Minimum fall of the rate during a run, as a share.
    pub step_down: f64,
    /// Minimum of whole seconds for it.
    pub step_seconds_min: usize,
    /// Limit of the correlation of neighbouring seconds for it; in [0, 1).
    pub step_correlation_max: f64,
    /// The last rounds, which the rule of SNIA uses.
    pub steady_rounds: usize,
    /// Maximum range of the rounds, as a share of their mean.
    pub steady_range_max: f64,
    /// Maximum change of the fitted line over these rounds, as a share of their mean.
    pub steady_rise_max: f64,
    /// Minimum commit time of an engine with one job, as a share of that of the commit probe.
    pub commit_over_probe_min: f64,
    /// Scheduling delay of the generator above which there is a warning, nanoseconds.
    pub stall_ns_warn: u64,
    /// Maximum utilisation of the generator.
    pub generator_share_max: f64,
    /// CPU utilisation of dbdyno on the processors that the clones can occupy.
    pub clones_share_warn: f64,

    /// Significance level of tests; the confidence of intervals is 1 less this.
    pub significance: f64,
    /// Power of a planned number of pairs.
    pub power: f64,
    /// Minimum of values beyond a printed quantile.
    pub samples_beyond_quantile: f64,
    /// Minimum effective sample size for an interval.
    pub interval_effective_samples_min: f64,
    /// Minimum of batches of a correlated series.
    pub batches_min: usize,
    /// Limit of the correlation of neighbouring batches; in [0, 1).
    pub correlation_max: f64,
    /// Minimum of sections for the interval of a quantile.
    pub sections_min: usize,
    /// Number of sections with enough values.
    pub sections_max: usize,
    /// Limit of the correlation of neighbouring sections; in [0, 1).
    pub section_correlation_max: f64,
    /// Minimum of pairs for a significant exact signed-rank test.
    pub pairs_min: u64,
    /// Significance level at which the runs of a degree of parallelism are told from those of the best one.
    pub rival_significance: f64,

    /// Minimum of whole seconds for steadiness.
    pub steadiness_seconds_min: usize,
    /// Approximate number of values that longer runs are averaged to for change points.
    pub steadiness_values_max: usize,
    /// Penalty of a change point, in long-run variances times the natural logarithm of the number of values.
    pub change_penalty: f64,
    /// Margin of equal levels, and of significant drift, as a share.
    pub steadiness_margin: f64,
    /// Critical squared difference of the means on both sides of a cut, in its variances: the maximum over all cuts
    /// exceeds it in 1 % of series without a change (Andrews 1993, one parameter, cuts from 15 %).
    pub cut_distance_max: f64,
    /// Minimum share of a run after the cut of its beginning.
    pub counted_share_min: f64,
    /// Batches of the regression line of the drift.
    pub drift_batches: usize,
    /// Maximum upper confidence limit of the drift over the counted seconds, as a share of the rate.
    pub drift_max: f64,
    /// Minimum autocorrelation of a period; in [0, 1].
    pub period_correlation_min: f64,
    /// Minimum period in seconds.
    pub period_seconds_min: usize,
    /// Minimum of cycles within the counted seconds, where there is a period.
    pub cycles_min: u64,
    /// Minimum of checkpoints within them, where there are any: they bound one cycle fewer.
    pub checkpoints_min: u64,
    /// Minimum effective sample size of the counted seconds.
    pub steadiness_effective_samples_min: f64,

    /// Minimum window in which burst credits of disks and processors show.
    pub credit_window_ns_min: u64,

    /// Equivalence margin of two systems, as a share.
    pub equivalence_margin: f64,
    /// Significance level of each of the two one-sided tests of equivalence.
    pub equivalence_significance: f64,
    /// Maximum difference in table size of comparable systems, as a share.
    pub comparable_size_gap: f64,
    /// Maximum control drift, as a share.
    pub control_probe_change_max: f64,
    /// Maximum change of the probe of the processor from before the first run to after the last, as a share.
    pub processor_change_max: f64,

    /// Minimum of values on each side of a change in the history of records.
    pub history_segment_min: usize,
    /// Significance level of a change in the history of records.
    pub history_significance: f64,

    /// Minimum of different N for an extrapolation.
    pub scale_distinct_min: usize,
    /// Minimum of repetitions at each N.
    pub scale_repeats_min: usize,
    /// Largest N with an estimate, as a multiple of the largest measured N; above 1.
    pub scale_horizon: f64,
    /// Maximum extent of the 95 % interval, as a multiple of the estimate, up or down; above 1.
    pub scale_interval_factor_max: f64,
    /// Maximum contribution of insignificant coherency to the divisor of the law at the target.
    pub scale_open_coherency_max: f64,
    /// Efficiencies that are all above this do not determine contention and coherency.
    pub scale_uninformative_efficiency: f64,
    /// A claim is supported where the data exclude rates below this share of it.
    pub scale_claim_share_min: f64,
    /// Significance level of the runs test along N.
    pub scale_runs_p_min: f64,
    /// Significance level of curvature, lack of fit, and outliers.
    pub scale_curve_p_min: f64,
    /// Minimum degrees of freedom for a noise estimate from a fit.
    pub scale_freedom_min: usize,
    /// Assumed coefficient of variation of a run.
    pub scale_noise_assumed: f64,
    /// Minimum coefficient of variation of a run.
    pub scale_noise_min: f64,
    /// Assumed error of an efficiency for the required N.
    pub scale_precision: f64,

    /// Tolerated excess of a layer of a latency table over the one above, as a share: the two are not read
    /// simultaneously.
    pub layer_excess_max: f64,

    /// Change of the discount for the sensitivity of a price, as a ratio.
    pub discount_step: f64,

    /// Utilisation from where on a resource is the limit.
    pub attribution_use_min: f64,
    /// More than so many times the I/Os in flight of a calibration's result have to be no faster before the device is called
    /// its limit.
    pub depth_beyond_min: f64,
    /// Minimum share of the response time of a dominant class.
    pub attribution_class_min: f64,
    /// Minimum number of session samples.
    pub attribution_samples_min: u64,
    /// Own share of the busy CPU time below which it is mostly foreign load.
    pub attribution_own_work_min: f64,
    /// Minimum share of the response time of a wait that outweighs foreign CPU load.
    pub attribution_waiting_min: f64,

    /// Elasticity from where on a resource is the limit; above `proof_not_because_max`.
    pub proof_because_min: f64,
    /// Elasticity up to which it is not the limit.
    pub proof_not_because_max: f64,
    /// Share of the resource that a reduced run has; in (0, 1).
    pub proof_share: f64,
    /// Minimum of pairs of a control and a run with less, and of rounds of a proof.
    pub proof_pairs_min: usize,

    /// Share of the sum of its members that a volume gives at least.
    pub volume_share_min: f64,
    /// A member of a volume is slow from so many times the time of the others on.
    pub slow_member_ratio: f64,
    /// Minimum of requests of a member for their mean time.
    pub member_requests_min: u64,

    /// How far a measured rate may be from that of the two-level model of caches.
    pub tiers_margin: f64,
    /// Share of misses below which nothing is said of where they were found.
    pub tiers_misses_min: f64,
    /// Requests of other programs, relative to those of the engine, above which the block layer's time of a request says
    /// nothing of the engine's.
    pub tiers_foreign_max: f64,
    /// Bytes of a read of the device, in blocks of the engine, above which blocks were read ahead.
    pub tiers_request_blocks_max: f64,
    /// Maximum difference of the bytes written by the members of a volume from those that its level predicts, as a share.
    pub amplification_gap_max: f64,

    /// Maximum spread of the starts of agents with the error of their clocks, nanoseconds.
    pub agent_spread_ns_max: u64,
    /// Maximum of the same as a share of the window.
    pub agent_spread_share_max: f64,
    /// Maximum difference of the rates of agents over their own windows and in their common seconds, as a share.
    pub agent_rate_gap_max: f64,
    /// Share of the response time in which sampled sessions are seen at least; below it the times of the device are used
    /// for the waits that they do not show.
    pub classes_explained_min: f64,
    /// Minimum rate per job of the slowest agent, as a share of the median of the others.
    pub slow_agent_share_min: f64,
    /// Maximum of the median time for which answers lie unseen, as a share of the median service time.
    pub unseen_share_max: f64,

    /// Warehouses of an order mix for each job.
    pub warehouses_per_job_min: u32,
}

/// The rules in force.
pub const RULES: Rules = Rules {
    version: 12,

    littles_gap_pass: 0.01,
    littles_gap_warn: 0.05,
    in_flight_shown: 0.95,
    queue_empty_max: 0.2,
    wake_up_ns: 20e6,
    histogram_error: 0.002,

    commit_gap: 0.005,
    commit_surplus_count: 5,

    client_share_window_ns_min: 200_000_000,
    client_share_error_ns: 20e6,
    client_share_warn: 0.6,
    client_share_fail: 0.8,
    own_share_warn: 0.05,
    own_share_fail: 0.5,

    steal_warn: 0.005,
    steal_fail: 0.02,
    steal_window_ns_min: 1_900_000_000,
    steal_interval: 0.1,
    steal_intervals_min: 100,
    steal_ns_min: 30_000_000,
    interval_ns_min: 900_000_000,

    foreign_cpu_crowded_warn: 0.02,
    foreign_cpu_crowded_fail: 0.1,
    foreign_cpu_warn: 0.05,
    foreign_cpu_fail: 0.25,
    foreign_cpu_crowded: 0.9,
    foreign_cpu_unseen_min: 0.1,
    cpu_times_ns_min: 100_000_000,
    foreign_window_ns_min: 1_900_000_000,
    foreign_io_warn: 0.05,
    foreign_io_fail: 0.2,
    foreign_io_bytes_per_second_min: 1e6,
    foreign_io_flush_bytes: 65_536.0,

    throttled_share: 0.01,
    swap_in_per_second_fail: 100.0,

    device_share_min: 0.9,
    buffered_share_min: 0.5,
    page_cache_bytes_min: 1 << 20,
    cache_miss_max: 0.01,
    cache_fill_max: 0.5,
    cache_multiple_min: 2.0,
    misses_rows_min: 1_000,
    misses_difference_max: 0.1,

    commits_per_flush_and_job: 2.0,

    rate_shortfall: 0.01,

    gain_per_worker_max: 1.25,
    repeat_drift_repeats_min: 6,
    repeat_drift_min: 0.03,
    state_difference_max: 0.05,

    wake_up_step_min: 0.75,
    wake_up_excess: 1.25,

    level_seconds_min: 6,
    level_size_min: 2,
    level_steps_min: 20.0,
    level_jump: 0.25,
    level_spread_max: 0.2,
    level_gap_min: 0.5,

    failure_share_fail: 0.1,
    backlog_share_fail: 0.01,
    steps_min: 20,
    window_ns_min: 30_000_000_000,

    unwritten_fail: 0.01,
    cached_warn: 0.05,
    cached_fail: 0.5,
    compressed_min: 0.9,
    repeated_max: 0.05,
    sync_ns_min: 20_000,
    step_down: 0.1,
    step_seconds_min: 10,
    step_correlation_max: 0.8,
    steady_rounds: 5,
    steady_range_max: 0.2,
    steady_rise_max: 0.1,
    commit_over_probe_min: 0.8,
    stall_ns_warn: 20_000_000,
    generator_share_max: 0.5,
    clones_share_warn: 0.9,

    significance: 0.05,
    power: 0.8,
    samples_beyond_quantile: record::SAMPLES_BEYOND_QUANTILE,
    interval_effective_samples_min: 10.0,
    batches_min: 10,
    correlation_max: 0.95,
    sections_min: 5,
    sections_max: 10,
    section_correlation_max: 0.9,
    pairs_min: 6,
    rival_significance: 0.01,

    steadiness_seconds_min: 60,
    steadiness_values_max: 360,
    change_penalty: 3.0,
    steadiness_margin: 0.02,
    cut_distance_max: 12.35,
    counted_share_min: 0.5,
    drift_batches: 20,
    drift_max: 0.1,
    period_correlation_min: 0.3,
    period_seconds_min: 10,
    cycles_min: 3,
    checkpoints_min: 4,
    credit_window_ns_min: 1_800_000_000_000,
    steadiness_effective_samples_min: 20.0,

    equivalence_margin: 0.02,
    equivalence_significance: 0.05,
    comparable_size_gap: 0.01,
    control_probe_change_max: 0.05,
    processor_change_max: 0.05,

    history_segment_min: 5,
    history_significance: 0.001,

    scale_distinct_min: 6,
    scale_repeats_min: 3,
    scale_horizon: 2.0,
    scale_interval_factor_max: 1.5,
    scale_open_coherency_max: 0.1,
    scale_uninformative_efficiency: 0.97,
    scale_claim_share_min: 0.9,
    scale_runs_p_min: 0.05,
    scale_curve_p_min: 0.01,
    scale_freedom_min: 3,
    scale_noise_assumed: 0.02,
    scale_noise_min: 0.005,
    scale_precision: 0.01,

    layer_excess_max: 0.1,

    discount_step: 0.2,

    attribution_use_min: 0.9,
    depth_beyond_min: 1.5,
    attribution_class_min: 0.3,
    attribution_samples_min: 10,
    attribution_own_work_min: 0.5,
    attribution_waiting_min: 0.5,

    proof_because_min: 0.5,
    proof_not_because_max: 0.2,
    proof_share: 0.8,
    proof_pairs_min: 3,

    volume_share_min: 0.9,
    slow_member_ratio: 1.5,
    member_requests_min: 100,

    tiers_margin: 0.15,
    tiers_misses_min: 0.01,
    tiers_foreign_max: 0.05,
    tiers_request_blocks_max: 1.5,
    amplification_gap_max: 0.05,
    agent_spread_ns_max: 100_000_000,
    agent_spread_share_max: 0.01,
    agent_rate_gap_max: 0.01,
    classes_explained_min: 0.8,
    slow_agent_share_min: 0.9,
    unseen_share_max: 0.01,
    warehouses_per_job_min: 5,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_comes_before_a_failure() {
        let rules = RULES;
        assert!(rules.littles_gap_pass < rules.littles_gap_warn);
        assert!(rules.client_share_warn < rules.client_share_fail && rules.client_share_fail < 1.0);
        assert!(rules.own_share_warn < rules.own_share_fail);
        assert!(rules.steal_warn < rules.steal_fail && rules.steal_fail < rules.steal_interval);
        assert!(rules.level_seconds_min >= 2 * rules.level_size_min);
        assert!(rules.cached_warn < rules.cached_fail);
        assert!(rules.cache_fill_max <= 1.0 && rules.cache_multiple_min > 1.0);
        assert!(rules.steadiness_margin < rules.drift_max && rules.sections_min < rules.sections_max);
        assert!(rules.interval_effective_samples_min <= rules.steadiness_effective_samples_min);
        assert!(rules.steadiness_seconds_min >= 2 * rules.drift_batches);
        assert!(rules.proof_not_because_max < rules.proof_because_min && rules.proof_pairs_min >= 3);
    }
}

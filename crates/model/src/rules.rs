//! Every threshold of the self-checks, of steadiness, intervals and comparisons, in one place and under one version.

/// Thresholds. Ratios lie in [0, 1] unless said otherwise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// Goes up with every change of a value below, so that two verdicts can be told to come from the same rules.
    pub version: u32,

    /// Little's law: a gap up to here passes; a larger one passes only where the edges of the window explain it.
    pub littles_gap_pass: f64,
    /// Little's law: a gap up to here is a warning, a larger one a failure.
    pub littles_gap_warn: f64,
    /// Storage: share of the slots of a queue that may be empty while the generator makes the next batch.
    pub queue_empty_max: f64,
    /// A job may begin so long after its release; the scheduler of a busy machine needs it.
    pub wake_up_ns: f64,
    /// A mean read from a histogram of three significant digits may be off by this, and by one nanosecond.
    pub histogram_error: f64,

    /// Commits of the engine that differ from ours by more than this share of ours are not ours.
    pub commit_gap: f64,
    /// So many commits more than ours are laid to the engine's own background work, however few ours are.
    pub commit_surplus_count: u64,

    /// Processor time over a shorter window is judged only where it is far within the limit, nanoseconds: 20 ticks of
    /// a clock of 100 Hz.
    pub client_share_window_ns_min: u64,
    /// In such a window so much may be added by the reading of the counters, or hidden by two ticks, nanoseconds.
    pub client_share_error_ns: f64,
    /// Share of a processor per job that the client side may use.
    pub client_share_warn: f64,
    /// Above this the figure is the client's and not the engine's.
    pub client_share_fail: f64,
    /// Share of the service time that is the loop's and the interpreter's own, where both run in one process.
    pub own_share_warn: f64,
    /// Above this the figure is dbdyno's and not the engine's.
    pub own_share_fail: f64,

    /// Share of all processor time taken by the hypervisor.
    pub steal_warn: f64,
    /// Above this the result is invalid.
    pub steal_fail: f64,
    /// In a shorter window nothing that the hypervisor took invalidates the result.
    pub steal_window_ns_min: u64,
    /// One interval between two readings may not exceed this.
    pub steal_interval: f64,
    /// With so many intervals their 0.99 quantile is known, and above `steal_interval` the result is invalid.
    pub steal_intervals_min: usize,
    /// Less than this is within the tick of the kernel's accounting.
    pub steal_ns_min: u64,
    /// Intervals shorter than this say nothing, for the same reason.
    pub interval_ns_min: u64,

    /// Share of the processors that other programs may use while a run uses all of them.
    pub foreign_cpu_crowded_warn: f64,
    /// Above this the result is invalid.
    pub foreign_cpu_crowded_fail: f64,
    /// Share of the processors that other programs may use beside a run that leaves some of them idle.
    pub foreign_cpu_warn: f64,
    /// Above this the result is invalid.
    pub foreign_cpu_fail: f64,
    /// Share of the processors that is used when a run is said to use all of them.
    pub foreign_cpu_crowded: f64,
    /// Share of the processors that the counters of the host show as used and that no process accounts for: below it is
    /// the error of ticks.
    pub foreign_cpu_unseen_min: f64,
    /// In a shorter window nothing that other programs do invalidates the result.
    pub foreign_window_ns_min: u64,
    /// Share of a device's bytes that may be those of other programs.
    pub foreign_io_warn: f64,
    /// Above this the result is invalid.
    pub foreign_io_fail: f64,
    /// Bytes per second of other programs, below which they disturb no device.
    pub foreign_io_bytes_per_second_min: f64,
    /// Bytes that a file system writes of its own accord for each flush: journal and metadata.
    pub foreign_io_flush_bytes: f64,

    /// Share of the window during which the quota held the group back, from where on the quota is the limit.
    pub throttled_share: f64,
    /// Pages swapped in per second from where on the result is invalid.
    pub swap_in_per_second_fail: f64,

    /// Share of what the engine read that must have come through the block layer.
    pub device_share_min: f64,
    /// Share of what was written through the page cache that must have come to the device within the window.
    pub buffered_share_min: f64,
    /// An engine that read less than this from outside its cache gives no share to speak of.
    pub page_cache_bytes_min: u64,
    /// Share of logical reads that may miss a cache in which the tables are said to lie.
    pub cache_miss_max: f64,
    /// A table with at most this share of the cache fits with what an engine adds to its rows; in [0, 1].
    pub cache_fill_max: f64,
    /// The rows of a table that is said not to fit the cache have at least so many times its size; above 1.
    pub cache_multiple_min: f64,

    /// Commits that share a flush may be so many times the jobs; at least 1.
    pub commits_per_flush_and_job: f64,

    /// Steps per second of an open loop may fall short of what was asked for by this share, beside chance.
    pub rate_shortfall: f64,

    /// The best point may be so many times the speed for each of its jobs or threads; above 1. More than that is no
    /// parallelism: the single job waited for something that is not work.
    pub gain_per_worker_max: f64,

    /// Whole seconds that a search for two levels needs.
    pub level_seconds_min: usize,
    /// Seconds that make a level.
    pub level_size_min: usize,
    /// Steps per second from where on a second is a rate and not a coincidence.
    pub level_steps_min: f64,
    /// The upper level lies above the lower one by more than this share of it.
    pub level_jump: f64,
    /// Standard deviation within a level, as a share of the distance of the levels, at most. A straight drift has
    /// 0.29.
    pub level_spread_max: f64,
    /// Gap between the levels, as a share of the distance of their means, at least.
    pub level_gap_min: f64,

    /// Share of steps that may fail before the result is invalid.
    pub failure_share_fail: f64,
    /// Share of due steps that may be left over before the result is invalid.
    pub backlog_share_fail: f64,
    /// Steps below which quantiles are hardly more than the values themselves.
    pub steps_min: u64,
    /// Window below which nothing is said about steadiness.
    pub window_ns_min: u64,

    /// Share of the regions that was never written, from where on a run that reads them is invalid.
    pub unwritten_fail: f64,
    /// Share of the regions that lies in the page cache before a buffered run reads them.
    pub cached_warn: f64,
    /// Above this the result is invalid.
    pub cached_fail: f64,
    /// Data that deflates to less than this share of its size is compressible.
    pub compressed_min: f64,
    /// Share of blocks that are equal to another one.
    pub repeated_max: f64,
    /// No medium behind a volatile cache makes data safe in less, nanoseconds.
    pub sync_ns_min: u64,
    /// Share by which the rate falls in mid-run.
    pub step_down: f64,
    /// Whole seconds that the search for it needs.
    pub step_seconds_min: usize,
    /// Neighbouring seconds are taken to correlate by at most this when it is searched for; in [0, 1).
    pub step_correlation_max: f64,
    /// Rounds that the rule of SNIA looks at: the last ones.
    pub steady_rounds: usize,
    /// Largest less smallest round, as a share of their mean.
    pub steady_range_max: f64,
    /// Rise or fall of the fitted line over these rounds, as a share of their mean.
    pub steady_rise_max: f64,
    /// A commit of one job of an engine takes at least this share of what the probe of commits took.
    pub commit_over_probe_min: f64,
    /// A sleeping thread that wakes so late tells of a generator that was held up, nanoseconds.
    pub stall_ns_warn: u64,
    /// Share of the generator's own ceiling, above which a rate is no limit of the device.
    pub generator_share_max: f64,
    /// Share of the processors that the clones can occupy, used by dbdyno.
    pub clones_share_warn: f64,

    /// Intervals hold the truth with a chance of 1 less this, and tests reject by it.
    pub significance: f64,
    /// Chance with which a planned number of pairs is to find the difference that it is planned for.
    pub power: f64,
    /// Values that have to lie beyond a quantile before it is printed.
    pub samples_beyond_quantile: f64,
    /// Independent values that a series is worth, below which it gets no interval.
    pub interval_effective_samples_min: f64,
    /// Batches of a series that are left when its neighbours still correlate, at least.
    pub batches_min: usize,
    /// Neighbouring batches are taken to correlate by at most this; in [0, 1).
    pub correlation_max: f64,
    /// Sections of a run from which the interval of a quantile is made, at least.
    pub sections_min: usize,
    /// Sections that a run is cut into for it, where it has enough values.
    pub sections_max: usize,
    /// Neighbouring sections are taken to correlate by at most this; in [0, 1).
    pub section_correlation_max: f64,
    /// Pairs from where on the exact signed-rank test can reject anything.
    pub pairs_min: u64,

    /// Whole seconds of a run below which nothing is said about its steadiness.
    pub steadiness_seconds_min: usize,
    /// Values that a longer run is taken together to, or a few more, before changes are looked for.
    pub steadiness_values_max: usize,
    /// Cost of a change point, in long-run variances and natural logarithms of the number of values.
    pub change_penalty: f64,
    /// Share by which levels may differ that are taken for the same, and that a significant drift may have.
    pub steadiness_margin: f64,
    /// Squared distance of the means on both sides of a cut, in variances of it, that is laid to chance: the most unlike
    /// of all cuts exceeds it in one of a hundred series without a change (Andrews 1993, one parameter, cuts from 15 %).
    pub cut_distance_max: f64,
    /// Share of a run that has to be left after its beginning is cut.
    pub counted_share_min: f64,
    /// Batches through which the line of the drift is drawn.
    pub drift_batches: usize,
    /// Drift over the counted seconds that must be excluded, as a share of the rate.
    pub drift_max: f64,
    /// Autocorrelation from where on a peak is a period; in [0, 1].
    pub period_correlation_min: f64,
    /// Seconds that a period has at least.
    pub period_seconds_min: usize,
    /// Cycles that the counted seconds have to hold, where there is a period.
    pub cycles_min: u64,
    /// Checkpoints that they have to hold, where the engine makes any: they bound one cycle fewer.
    pub checkpoints_min: u64,
    /// Independent values that the counted seconds have to be worth.
    pub steadiness_effective_samples_min: f64,
    /// Deviation of the rate of ten minutes from that of the counted seconds, at most, as TPC-E has it.
    pub ten_minutes_deviation_max: f64,
    /// The same of sixty minutes.
    pub sixty_minutes_deviation_max: f64,

    /// Share by which two systems may differ that are called equivalent.
    pub equivalence_margin: f64,
    /// Chance with which each of the two one-sided tests of equivalence may err.
    pub equivalence_significance: f64,
    /// Share by which the tables of two systems may differ in size that are compared.
    pub comparable_size_gap: f64,
    /// Share by which the machine itself may give more or less after the last pair than before the first.
    pub control_probe_change_max: f64,

    /// Values on each side of a change in the history of records, at least.
    pub history_segment_min: usize,
    /// Chance below which a change in the history of records is one.
    pub history_significance: f64,

    /// Different N that an extrapolation rests on, at least.
    pub scale_distinct_min: usize,
    /// Repetitions at each of them, at least.
    pub scale_repeats_min: usize,
    /// A number is given up to so many times the largest measured N; above 1.
    pub scale_horizon: f64,
    /// The 95 % interval of a number may reach so many times its estimate, up or down; above 1.
    pub scale_interval_factor_max: f64,
    /// Coherency that cannot be told from zero may add so much to the divisor of the law at the target.
    pub scale_open_coherency_max: f64,
    /// Efficiencies that are all above this say nothing of contention and coherency.
    pub scale_uninformative_efficiency: f64,
    /// A claim is supported where the data exclude less than this share of it.
    pub scale_claim_share_min: f64,
    /// A smaller chance of as few changes of sign along N says that the law does not fit.
    pub scale_runs_p_min: f64,
    /// The same for a curve in the linearised plot, for lack of fit, and for an outlier among all points.
    pub scale_curve_p_min: f64,
    /// Degrees of freedom that the scatter around a fit needs before anything is made of it.
    pub scale_freedom_min: usize,
    /// Coefficient of variation of a run, where the points do not tell.
    pub scale_noise_assumed: f64,
    /// No run repeats better than this.
    pub scale_noise_min: f64,
    /// Error of an efficiency, for which it is said how far has to be measured.
    pub scale_precision: f64,

    /// Share by which a layer of a latency table may take longer than the one above it waited for, and still count as
    /// part of it: the two are read one after the other.
    pub layer_excess_max: f64,

    /// Points of discount, as a ratio, by which the sensitivity of a price is taken.
    pub discount_step: f64,

    /// Use of a capacity from where on it is the limit.
    pub attribution_use_min: f64,
    /// Share of the response time that the largest class explains, at least.
    pub attribution_class_min: f64,
    /// Looks at what sessions do, below which their shares are chance.
    pub attribution_looks_min: u64,
    /// Share of the processors' work below which it is mostly that of others.
    pub attribution_own_work_min: f64,
    /// Share of the response time that a wait has which explains more than processors that others fill.
    pub attribution_waiting_min: f64,

    /// Elasticity of the rate to a resource from where on the resource is the cause; above `proof_not_because_max`.
    pub proof_because_min: f64,
    /// Elasticity up to which it is not.
    pub proof_not_because_max: f64,
    /// What a run is left with of the resource that is taken away, as a share of what it had; in (0, 1).
    pub proof_share: f64,
    /// Pairs of a control and a run with less, before a cause is told.
    pub proof_pairs_min: usize,
}

/// The rules in force.
pub const RULES: Rules = Rules {
    version: 7,

    littles_gap_pass: 0.01,
    littles_gap_warn: 0.05,
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

    commits_per_flush_and_job: 2.0,

    rate_shortfall: 0.01,

    gain_per_worker_max: 1.25,

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
    steadiness_effective_samples_min: 20.0,
    ten_minutes_deviation_max: 0.2,
    sixty_minutes_deviation_max: 0.02,

    equivalence_margin: 0.02,
    equivalence_significance: 0.05,
    comparable_size_gap: 0.01,
    control_probe_change_max: 0.05,

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
    attribution_class_min: 0.3,
    attribution_looks_min: 10,
    attribution_own_work_min: 0.5,
    attribution_waiting_min: 0.5,

    proof_because_min: 0.5,
    proof_not_because_max: 0.2,
    proof_share: 0.8,
    proof_pairs_min: 3,
};

#[cfg(test)]
mod tests;

//! Pure functions over records: rows, spec sheet, self-checks, service levels and the search for the highest load that
//! meets one, calibrations, statistics, comparison, scalability.
//!
//! A crate of its own so that the compiler enforces the direction of dependencies, and because it has several
//! consumers: `run` uses findings, `report` rows and sheet. It does no I/O, prints nothing and has no clock: results
//! are deterministic. A figure without a source is absent, never 0. All thresholds are in [`RULES`], under a version.

mod activity;
pub mod archive;
mod attribution;
mod bound;
mod calibration;
mod calibration_search;
mod changes;
mod checks;
mod claim;
#[cfg(test)]
mod closed_network;
mod comparison;
mod cpu;
mod decision;
mod degree;
mod delta;
mod derived;
mod distribution;
pub mod durability;
mod efficiency;
mod emulation;
mod estimate;
mod fitness;
#[cfg(test)]
mod fixture;
pub mod fleet;
mod foreign;
mod gauge;
mod group;
mod headline;
pub mod history;
mod in_kind;
mod kept_curve;
mod layers;
mod level;
pub mod load;
mod load_curve;
mod load_input;
pub mod load_plan;
mod machine_change;
mod node;
mod observed_side;
mod optimum;
mod pipeline;
pub mod platform;
pub mod platform_plan;
mod platform_proof;
mod price;
pub mod promise;
mod proof;
mod queries;
mod queue;
mod random_blocks;
mod rate_search;
mod recorded_search;
mod repeat_drift;
mod response_interval;
mod row;
mod rules;
pub mod scalability;
mod search;
mod segment;
mod settled_rate;
mod sheet;
#[cfg(test)]
mod simulated_server;
#[cfg(test)]
mod simulation;
pub mod sizing;
mod snia;
mod state_difference;
mod statistics;
mod steadiness;
mod streams;
mod summary;
mod system;
mod thin;
mod think_time;
mod times;
mod verdict;
mod wait_count;
mod wake_up;
mod warning;
mod windows;

pub use activity::{
    ActivityChoice, ActivityFigure, ActivityMethod, ActivitySection, Checkpoints, ClassLine, DatabaseActivity,
    DatabaseTime, EventLine, FigureName, FigureUnit, HistogramSubject, IoLine, IoObserver, LogActivity, MicroBucket,
    MicroHistogram, NoSource, NotKnown, ProfileLine, ProfileUnit, SampleCalibration, SessionLoad, activity_figures,
    activity_runs, database_activity, micro_buckets, own_activity,
};
pub use attribution::{
    Attribution, Capacities, ClosedSystem, Limiter, Resource, ResourceName, TimeClass, TimeClassName, Use, attribute,
    attribution,
};
pub use bound::{Bound, BoundError, Statistic};
pub use calibration::{Calibration, CurvePoint, MAX_IOPS, MAX_MBPS, calibration};
pub use calibration_search::{CalibrationSearch, LevelRun, result_level};
pub use checks::{Context, FoundByAgent, findings, findings_of_agents, level_finding, lost_node, warehouses_finding};
pub use claim::{ClaimBasis, FitVerdict};
pub use comparison::{
    CompareOptions, ComparedPoint, ComparedTest, Comparison, ComparisonOutcome, ComparisonWarning, Difference,
    Evidence, Gate, GateError, GeometricMean, PairPlan, Pilot, PointFigures, RankSum, Reason, Shift, SignedRank,
    TestComparison, TestSide, Unshared, VerdictBasis, VerdictReason, Violation, ViolationFound, compare, holm,
    rank_sum, shift_interval, shift_median, signed_rank, walsh_interval, walsh_median,
};
pub use cpu::{CpuShares, CpuUse};
pub use decision::ComparisonVerdict;
pub use degree::Degree;
pub use delta::{delta, rate};
pub use derived::Derived;
pub use distribution::{buckets, count_above, quantile, standard_deviation};
pub use efficiency::Limit;
pub use emulation::emulation;
pub use estimate::{Estimate, Method};
pub use fitness::{Doubt, Fitness, Obstacle, REPEATS_MIN, Undisclosed, fitness};
pub use foreign::{ForeignCpu, ForeignIo, cpu_ns_with_kernel, foreign_cpu, foreign_io, is_under_foreign_load};
pub use gauge::{GaugeFigures, gauge_figures};
pub use group::{Repeats, by_degree, degree};
pub use headline::{
    Headline, LatencyName, has_others, headline, headline_latency, io_jobs, is_paced, latency_name, sync_beside,
    synced_writes,
};
pub use in_kind::{
    CountedQuantity, IN_KIND_TEST, PredictedTimes, PredictionVerdict, RoleFigures, counted_quantities, is_in_kind,
    predicted_times, role_figures,
};
pub use kept_curve::{End, LevelLimit, Told, level_limit};
pub use layers::{
    LargestPart, LatencyLayer, LayerAbsence, LayerFigure, LayerLine, LayerMethod, LayerRow, LayerTable, LayerTables,
    MEASURING_POINTS, TracedRepeat, TracingCost, Unaccounted, database_time, layer_figure, layer_lines, layered_runs,
    layered_runs_of,
};
pub use level::{is_disturbed, meets_bound, meets_level, visit};
pub use load_curve::{Contrast, RateCurve, RatePoint, capacity, gives_capacity, rate_curves, steps_per_second};
pub use machine_change::MachineChange;
pub use node::{node_commits, node_rate};
pub use observed_side::{server_cpu_ratio, server_side};
pub use pipeline::{PipelinePoint, pipelines};
pub use platform_proof::{
    Amplification, CacheDeviceProof, CacheTier, DeviceCell, DurabilityCondition, DurabilityProof, Excluded, FabricLoad,
    FabricNetwork, FabricProof, GradedLie, MemberShare, NfsCell, NfsLoad, NfsProof, NotShown, NumaCell, NumaProof,
    OverRounds, PlatformProof, ProofVerdict, Protection, Stratum, TierDevice, TierPoint, TiersProof, VolumeLoad,
    VolumeProof, cache_device, cache_hits, durability_shown, platform_proof,
};
pub use price::{
    Cost, CostRatio, IncomparablePrices, PriceBook, PriceItem, PriceKind, cost_ratio, incomparable_prices,
};
pub use proof::{Cause, IoPart, Perturbation, Proof, elasticity, limit_basis, perturbation, proofs};
pub use queries::{queries_per_hour, query_geometric_mean};
pub use queue::{generator_share, has_idle_slots, in_flight};
pub use random_blocks::{PerOperation, Scans, only_visits, per_operation, reads_though_filled, scans, top_wait};
pub use rate_search::{ABOVE, Confirmation, Ending, Purpose, RateAnswer, RateSearch, SEARCH_RUNS_MAX, Visit};
pub use recorded_search::{Contradiction, RecordedSearch, SearchPoint, io_search};
pub use repeat_drift::RepeatDrift;
pub use response_interval::response_interval;
pub use row::{Io, Row, row, steady_verdict};
pub use rules::{RULES, Rules};
pub use search::{Answer, Search, Step};
pub use settled_rate::settled_rate;
pub use sheet::{Line, Optimum, Point, Sheet, sheet};
pub use snia::{Snia, snia};
pub use state_difference::{DifferingState, StateDifference, StateQuantity};
pub use statistics::{
    Correlation, Interval, MeanInterval, OrderRanks, Section, Trend, autocorrelation, batch_means, correlation,
    f_quantile, is_printable, lag1, mean, mean_interval, median, normal_quantile, order_interval, order_ranks,
    quantile_interval, samples_needed, student_quantile, trend, variance,
};
pub use steadiness::{Steadiness, mser5, steadiness, steadiness_of};
pub use streams::{StreamFigures, over_file_system, stream_figures};
pub use summary::{
    Beyond, FoundRate, Gain, MAIN_TESTS, MainLimit, MainResult, MostSerious, QUICK_TESTS, Remedy, SOAK_TESTS,
    StorageLimit, StorageLimiter, Summary, Validity, main_limits, summary,
};
pub use system::{
    Cell, Claim, Columns, Condition, ControlDrift, ControlProbe, DeviceFact, Durability, Fact, FactGroup, FactSize,
    FactTable, FactValue, InvalidReason, InvalidRun, MeasuredRate, Origin, Paired, Remark, System, SystemPoint,
    SystemTest, conditions, parameters, system,
};
pub use thin::thin;
pub use think_time::{CpuScope, ThinkPoint, ThinkStudy, think_studies};
pub use times::{QUANTILES, Quantile, Times, shown_quantiles, times};
pub use verdict::{has_failed, has_found_a_limit, is_answer, is_invalid, run_counts, run_verdict};
pub use wake_up::WakeUp;
pub use warning::{Instance, MergedWarning, Warning, merged_warnings, most_serious, warnings};
pub use windows::{Credits, Windows, credits, windows};

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

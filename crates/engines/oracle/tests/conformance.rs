//! The conformance kit, for who has a server: none can be had where these tests are run.
//!
//! `DBDYNO_TEST_ORACLE=oracle://user:password@host/service cargo test -p dbdyno-engine-oracle -- --ignored`

use dbdyno_engine_oracle::ORACLE;
use engine_kit::SharedFixture;

static STAND: SharedFixture = SharedFixture::new();

fn target() -> String {
    std::env::var("DBDYNO_TEST_ORACLE").expect("DBDYNO_TEST_ORACLE names a target")
}

macro_rules! kit {
    (points $($point:ident)+, lifetimes $($lifetime:ident)+) => {
        $(
            #[test]
            #[ignore = "needs an Oracle server: DBDYNO_TEST_ORACLE names a target"]
            fn $point() {
                engine_kit::on_shared_node(&STAND, &ORACLE, &target(), engine_kit::$point);
            }
        )+
        $(
            #[test]
            #[ignore = "needs an Oracle server: DBDYNO_TEST_ORACLE names a target"]
            fn $lifetime() {
                engine_kit::$lifetime(&ORACLE, &target());
            }
        )+
    };
}

kit! {
    points
        sessions_connect_and_reconnect
        claiming_twice_is_claiming_once
        inventory_is_filled
        a_node_settles
        values_of_all_types_come_back_exactly
        a_null_comes_back_and_equals_nothing
        execute_counts_rows_returned_and_changed
        a_commit_is_seen_and_a_rollback_is_not
        a_deferred_commit_is_seen_at_once
        twenty_three_commits_are_counted_as_twenty_three
        twenty_three_reads_are_counted_as_the_capability_says
        twenty_three_rollbacks_are_no_commits
        counters_are_named_and_never_go_back
        an_invalid_statement_is_not_a_failed_step
        a_violated_constraint_is_a_counted_step
        conflicting_writers_wait_or_fail_as_counted_steps
        a_session_that_waits_for_a_lock_is_seen
        commits_of_twenty_three_samples_are_reported
        a_long_statement_is_cancelled_and_the_session_remains_usable
        a_canceller_outlives_its_session
        a_bulk_load_gives_exactly_its_rows
        a_failed_bulk_load_leaves_nothing_and_the_session_usable
        dates_come_back_as_they_went_in
        an_append_is_part_of_its_transaction
        an_append_that_fails_leaves_nothing_after_the_rollback
        lines_are_loaded_exactly
        an_invalid_line_fails_its_batch_as_a_whole
        a_partitioned_table_stores_rows_on_every_side_of_its_bounds
        a_table_reports_its_size
        dialect_makes_fills_empties_and_drops_a_table
        threads_and_single_block_reads_are_accepted,
    lifetimes
        closing_removes_everything
        a_kept_database_is_found_again
        an_unknown_parameter_is_refused_and_leaves_nothing
}

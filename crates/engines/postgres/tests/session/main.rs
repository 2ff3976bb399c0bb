//! Tests of sessions that are specific to PostgreSQL.

mod counters;
mod load;
mod loss;
mod plan;
mod statement;

use dbdyno_engine_postgres::POSTGRES;
use engine_kit::Fixture;

/// A server with `parameters`.
fn new_fixture(parameters: &str) -> Fixture {
    Fixture::open(&POSTGRES, &format!("local:postgres?{parameters}"))
}

#[test]
fn a_session_does_what_it_promises() {
    // One server for all tests, because starting one takes longer than any of them.
    let fixture = new_fixture("autovacuum=off");
    statement::binds_go_where_they_fit(&fixture);
    statement::results_of_every_type_are_read(&fixture);
    statement::rows_longer_than_any_buffer_arrive(&fixture);
    statement::rows_returned_and_changed_are_distinguished(&fixture);
    statement::errors_leave_the_session_in_step(&fixture);
    statement::a_failed_transaction_cannot_be_committed(&fixture);
    load::a_load_that_fails_ends_early(&fixture);
    load::a_load_may_be_part_of_a_transaction(&fixture);
    load::one_transaction_is_deferred_and_the_next_is_not(&fixture);
    load::rows_that_do_not_match_their_columns_are_rejected(&fixture);
    load::an_append_that_fails_names_its_row(&fixture);
    load::notices_do_not_end_a_load(&fixture);
    plan::parallel_plans_get_the_requested_threads(&fixture);
    plan::single_blocks_are_read_by_the_index(&fixture);
    counters::sessions_are_processes_of_the_server(&fixture);
    counters::twenty_three_transactions_of_several_sessions_are_twenty_three(&fixture);
    counters::redo_and_physical_writes_are_counted(&fixture);
    counters::waits_are_counted_while_they_are_timed(&fixture);
    loss::a_session_that_the_server_ends_is_lost(&fixture);
}

#[test]
fn waits_that_are_not_timed_are_missing() {
    counters::waits_that_are_not_timed_are_missing();
}

#[test]
fn the_server_dying_loses_every_session() {
    loss::the_server_dying_loses_every_session();
}

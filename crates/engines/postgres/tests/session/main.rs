//! What a session of PostgreSQL does beyond what every engine does alike.

mod counters;
mod load;
mod loss;
mod plan;
mod statement;

use dbdyno_engine_postgres::POSTGRES;
use engine_kit::Stand;

/// A server with `parameters`.
fn new_stand(parameters: &str) -> Stand {
    Stand::open(&POSTGRES, &format!("local:postgres?{parameters}"))
}

#[test]
fn a_session_does_what_it_promises() {
    // One server for all of these: starting one costs more than any of them.
    let stand = new_stand("autovacuum=off");
    statement::binds_go_where_they_fit(&stand);
    statement::results_of_every_type_are_read(&stand);
    statement::rows_longer_than_any_buffer_arrive(&stand);
    statement::rows_returned_are_told_from_rows_changed(&stand);
    statement::errors_leave_the_session_in_step(&stand);
    statement::a_failed_transaction_cannot_be_committed(&stand);
    load::a_load_that_fails_ends_early(&stand);
    load::a_load_may_be_part_of_a_transaction(&stand);
    load::one_transaction_is_deferred_and_the_next_is_not(&stand);
    load::a_source_that_breaks_its_word_is_refused(&stand);
    load::an_append_that_fails_names_its_row(&stand);
    load::notices_do_not_end_a_load(&stand);
    plan::parallel_plans_get_the_threads_that_were_asked_for(&stand);
    plan::single_blocks_are_read_by_the_index(&stand);
    counters::sessions_are_processes_of_the_server(&stand);
    counters::twenty_three_transactions_of_several_sessions_are_twenty_three(&stand);
    counters::redo_and_physical_writes_are_counted(&stand);
    counters::waits_are_counted_while_they_are_timed(&stand);
    loss::a_session_that_the_server_ends_is_lost(&stand);
}

#[test]
fn waits_that_are_not_timed_are_missing() {
    counters::waits_that_are_not_timed_are_missing();
}

#[test]
fn the_server_dying_loses_every_session() {
    loss::the_server_dying_loses_every_session();
}

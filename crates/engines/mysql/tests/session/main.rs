//! What a session does beyond what every engine does alike.

mod counters;
mod load;
mod loss;
#[path = "../mysql/mod.rs"]
mod mysql;
mod statement;

use dbdyno_engine_mysql::{MARIADB, MYSQL};
use engine_kit::Fixture;

/// A server of MariaDB with `parameters`.
fn mariadb(parameters: &str) -> Fixture {
    Fixture::open(&MARIADB, &format!("local:mariadb?{parameters}"))
}

/// A server of MySQL with `parameters`.
fn mysql(parameters: &str) -> Fixture {
    Fixture::open(&MYSQL, &format!("local:mysql?bin={}&{parameters}", mysql::bin().display()))
}

/// A table `s` with the numbers from 1 to `count` in its column `seq`.
fn numbers(count: u32) -> String {
    format!(
        "(with recursive n (seq) as (select 1 union all select seq + 1 from n where seq < {count}) select seq from n) s"
    )
}

#[test]
fn a_session_on_mariadb_does_what_it_promises() {
    // One server for all of these: starting one costs more than any of them.
    let fixture = mariadb(SETTINGS);
    a_session_does_what_it_promises(&fixture);
    statement::rows_returned_by_a_change_are_told_from_rows_changed(&fixture);
    counters::what_mariadb_has_switched_off_is_missing(&fixture);
    loss::a_session_that_the_server_ends_is_lost(&fixture);
}

#[test]
fn a_session_on_mysql_does_what_it_promises() {
    let fixture = mysql(SETTINGS);
    a_session_does_what_it_promises(&fixture);
    counters::mysql_times_statements_and_waits(&fixture);
    counters::deadlocks_and_waits_for_locks_are_counted(&fixture);
    loss::a_session_that_the_server_ends_is_lost(&fixture);
}

/// What settling changes, and puts back.
const SETTINGS: &str = "innodb_max_dirty_pages_pct=50&innodb_max_dirty_pages_pct_lwm=7";

fn a_session_does_what_it_promises(fixture: &Fixture) {
    statement::results_of_every_type_are_read(fixture);
    statement::rows_longer_than_any_buffer_arrive(fixture);
    statement::rows_returned_are_told_from_rows_changed(fixture);
    statement::procedures_return_their_rows(fixture);
    statement::errors_leave_the_session_in_step(fixture);
    statement::a_table_that_changes_changes_its_rows(fixture);
    load::a_load_may_be_part_of_a_transaction(fixture);
    load::a_source_that_breaks_its_word_is_refused(fixture);
    load::an_append_that_fails_names_its_row(fixture);
    load::lines_and_tables_in_parts_are_taken(fixture);
    load::what_does_not_fit_is_no_load(fixture);
    counters::twenty_three_transactions_of_several_sessions_are_twenty_three(fixture);
    counters::a_load_is_one_commit_and_so_is_a_definition(fixture);
    counters::redo_and_physical_writes_are_counted(fixture);
    counters::settings_that_differ_are_shown_and_places_are_not(fixture);
}

#[test]
fn the_server_dying_loses_every_session() {
    loss::the_server_dying_loses_every_session(&mariadb(""));
}

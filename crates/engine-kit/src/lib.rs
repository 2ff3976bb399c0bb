//! The conformance kit: tests that every engine must pass, for one line in the engine's crate.
//!
//! ```text
//! #[cfg(test)]
//! mod tests {
//!     use super::*;
//!     engine_kit::conformance!(SOMEBASE, "somebase");               // a node of its own for each test
//!     engine_kit::conformance!(SOMEBASE, "local:somebase", shared); // one node for most tests: starting one is slow
//!     engine_kit::conformance!(SOMEBASE, "somebase", only [sessions_connect_and_reconnect]);
//!     engine_kit::conformance!(SOMEBASE, "local:somebase?nodes=3", nodes); // for targets of several nodes
//! }
//! ```
//!
//! The tests use portable SQL and the dialect. Where capabilities differ, a test checks what the capability promises.
//! What is specific to one engine (a foreign file, a wrong password) is tested in the crate of that engine.
//!
//! It also contains tools for tests of server engines: servers of other protocols ([`impostor`]), sessions and rows
//! ([`session`]), certificates and manually started servers ([`programs`]).
//!
//! A crate of its own so that it is a development dependency only. It is ordinary code, not test code, because tests of
//! other crates call it; it panics on failures.

mod activity;
mod append;
mod bulk;
mod cancel;
mod card;
mod counters;
mod dates;
mod dialect;
mod failure;
mod fixture;
pub mod impostor;
mod lifetime;
mod nodes;
mod nulls;
mod objects;
mod partitions;
mod pipeline;
pub mod programs;
pub mod sample;
pub mod session;
mod shared_thread;
mod statements;
mod transaction;
mod values;

pub use activity::{a_session_that_waits_for_a_lock_is_seen, commits_of_twenty_three_samples_are_reported};
pub use append::{
    an_append_is_part_of_its_transaction, an_append_that_fails_leaves_nothing_after_the_rollback,
    an_invalid_line_fails_its_batch_as_a_whole, lines_are_loaded_exactly,
};
pub use bulk::{a_bulk_load_gives_exactly_its_rows, a_failed_bulk_load_leaves_nothing_and_the_session_usable};
pub use cancel::{a_canceller_outlives_its_session, a_long_statement_is_cancelled_and_the_session_remains_usable};
pub use counters::{
    counters_are_named_and_never_go_back, twenty_three_commits_are_counted_as_twenty_three,
    twenty_three_reads_are_counted_as_the_capability_says, twenty_three_rollbacks_are_no_commits,
};
pub use dates::dates_come_back_as_they_went_in;
pub use dialect::{dialect_makes_fills_empties_and_drops_a_table, threads_and_single_block_reads_are_accepted};
pub use failure::{
    a_violated_constraint_is_a_counted_step, an_invalid_statement_is_not_a_failed_step,
    conflicting_writers_wait_or_fail_as_counted_steps,
};
pub use fixture::{Fixture, SharedFixture, on_fresh_node, on_shared_node};
pub use lifetime::{
    a_kept_database_is_found_again, a_node_settles, an_unknown_parameter_is_refused_and_leaves_nothing,
    claiming_twice_is_claiming_once, closing_removes_everything, inventory_is_filled,
    round_trips_are_counted_or_absent, sessions_connect_and_reconnect,
};
pub use nodes::{
    a_killed_node_is_lost_alone, every_node_reads_what_the_first_committed, every_node_takes_writes_or_refuses_them,
};
pub use nulls::what_may_be_null_is_null_until_it_is_set;
pub use objects::{a_file_that_was_not_committed_is_missing, files_come_back_byte_by_byte, removed_files_are_missing};
pub use partitions::{a_partitioned_table_stores_rows_on_every_side_of_its_bounds, a_table_reports_its_size};
pub use pipeline::statements_in_a_pipeline_run_in_their_order_and_alone;
pub use shared_thread::sessions_on_one_thread_let_each_other_go_on;
pub use statements::every_statement_file_is_listed_and_has_a_header;
pub use transaction::{
    a_commit_is_seen_and_a_rollback_is_not, a_deferred_commit_is_seen_at_once, execute_counts_rows_returned_and_changed,
};
pub use values::{
    a_null_comes_back_and_equals_nothing, columns_are_called_as_in_the_statement, values_of_all_types_come_back_exactly,
};

/// Expands to one test function per test of the kit, see the documentation of this crate.
#[macro_export]
macro_rules! conformance {
    ($engine:expr, $target:expr) => {
        $crate::conformance!(@every fresh, $engine, $target);
    };
    ($engine:expr, $target:expr, shared) => {
        $crate::conformance!(@every shared, $engine, $target);
    };
    ($engine:expr, $target:expr, only [$($point:ident),+ $(,)?]) => {
        $crate::conformance!(@points fresh, $engine, $target, [$($point),+]);
    };
    ($engine:expr, $target:expr, nodes) => {
        mod nodes {
            #[allow(unused_imports)]
            use super::*;
            $crate::conformance!(@points shared, $engine, $target, [
                every_node_reads_what_the_first_committed,
                every_node_takes_writes_or_refuses_them,
            ]);
            $crate::conformance!(@lifetimes $engine, $target, [a_killed_node_is_lost_alone]);
        }
    };
    (@every $node:ident, $engine:expr, $target:expr) => {
        $crate::conformance!(@points $node, $engine, $target, [
            sessions_connect_and_reconnect,
            claiming_twice_is_claiming_once,
            round_trips_are_counted_or_absent,
            inventory_is_filled,
            a_node_settles,
            values_of_all_types_come_back_exactly,
            a_null_comes_back_and_equals_nothing,
            execute_counts_rows_returned_and_changed,
            statements_in_a_pipeline_run_in_their_order_and_alone,
            sessions_on_one_thread_let_each_other_go_on,
            a_commit_is_seen_and_a_rollback_is_not,
            a_deferred_commit_is_seen_at_once,
            twenty_three_commits_are_counted_as_twenty_three,
            twenty_three_reads_are_counted_as_the_capability_says,
            twenty_three_rollbacks_are_no_commits,
            counters_are_named_and_never_go_back,
            an_invalid_statement_is_not_a_failed_step,
            a_violated_constraint_is_a_counted_step,
            conflicting_writers_wait_or_fail_as_counted_steps,
            a_session_that_waits_for_a_lock_is_seen,
            commits_of_twenty_three_samples_are_reported,
            a_long_statement_is_cancelled_and_the_session_remains_usable,
            a_canceller_outlives_its_session,
            a_bulk_load_gives_exactly_its_rows,
            a_failed_bulk_load_leaves_nothing_and_the_session_usable,
            dates_come_back_as_they_went_in,
            what_may_be_null_is_null_until_it_is_set,
            an_append_is_part_of_its_transaction,
            an_append_that_fails_leaves_nothing_after_the_rollback,
            lines_are_loaded_exactly,
            an_invalid_line_fails_its_batch_as_a_whole,
            a_partitioned_table_stores_rows_on_every_side_of_its_bounds,
            a_table_reports_its_size,
            dialect_makes_fills_empties_and_drops_a_table,
            threads_and_single_block_reads_are_accepted,
            columns_are_called_as_in_the_statement,
            files_come_back_byte_by_byte,
            a_file_that_was_not_committed_is_missing,
            removed_files_are_missing,
        ]);
        $crate::conformance!(@lifetimes $engine, $target, [
            closing_removes_everything,
            a_kept_database_is_found_again,
            an_unknown_parameter_is_refused_and_leaves_nothing,
        ]);
    };
    (@points fresh, $engine:expr, $target:expr, [$($point:ident),+ $(,)?]) => {
        mod conformance {
            #[allow(unused_imports)]
            use super::*;
            $(
                #[test]
                fn $point() {
                    $crate::on_fresh_node(&$engine, $target, $crate::$point);
                }
            )+
        }
    };
    (@points shared, $engine:expr, $target:expr, [$($point:ident),+ $(,)?]) => {
        mod conformance {
            #[allow(unused_imports)]
            use super::*;
            static FIXTURE: $crate::SharedFixture = $crate::SharedFixture::new();
            $(
                #[test]
                fn $point() {
                    $crate::on_shared_node(&FIXTURE, &$engine, $target, $crate::$point);
                }
            )+
        }
    };
    (@lifetimes $engine:expr, $target:expr, [$($point:ident),+ $(,)?]) => {
        mod conformance_of_lifetime {
            #[allow(unused_imports)]
            use super::*;
            $(
                #[test]
                fn $point() {
                    $crate::$point(&$engine, $target);
                }
            )+
        }
    };
}

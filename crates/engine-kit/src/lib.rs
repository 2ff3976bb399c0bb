//! The conformance kit: what every engine must do alike, one test per point, for one line in the engine's crate.
//!
//! ```text
//! #[cfg(test)]
//! mod tests {
//!     use super::*;
//!     engine_kit::conformance!(SOMEBASE, "somebase");               // a node of its own for each point
//!     engine_kit::conformance!(SOMEBASE, "local:somebase", shared); // one node for most points: starting one is slow
//!     engine_kit::conformance!(SOMEBASE, "somebase", only [sessions_connect_and_reconnect]);
//!     engine_kit::conformance!(SOMEBASE, "local:somebase?nodes=3", nodes); // where a target may have several nodes
//! }
//! ```
//!
//! The kit speaks portable SQL and the words of the dialect. Where capabilities differ, a point asks for what the
//! capability promises; no point passes because it was left out. What only one engine can get wrong (a file of
//! somebody else, a wrong password) is tested in the crate of that engine.
//!
//! Beside the points there is what engines that are servers are tried with: impostors in the place of a server
//! ([`impostor`]), sessions and rows ([`session`]), certificates and servers that are started by hand ([`programs`]).
//!
//! A crate of its own so that no build of the product compiles it: it is a development dependency of the engines. It is
//! ordinary code, not test code, because tests of other crates run it; it panics as tests do.

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
mod objects;
mod parts;
pub mod programs;
pub mod sample;
pub mod session;
mod statements;
mod transaction;
mod values;

pub use activity::{a_session_that_waits_for_a_lock_is_seen, twenty_three_looks_are_no_commits_of_ours};
pub use append::{
    a_bad_line_fails_its_piece_and_nothing_of_it_stays, an_append_is_part_of_its_transaction,
    an_append_that_fails_leaves_nothing_after_the_rollback, lines_become_the_rows_that_are_written_in_them,
};
pub use bulk::{a_bulk_load_gives_exactly_its_rows, a_failed_bulk_load_leaves_nothing_and_the_session_usable};
pub use cancel::{a_canceller_outlives_its_session, a_long_statement_is_cancelled_and_the_session_lives_on};
pub use counters::{
    counters_are_named_and_never_go_back, twenty_three_commits_are_counted_as_twenty_three,
    twenty_three_reads_are_counted_as_the_capability_says, twenty_three_rollbacks_are_no_commits,
};
pub use dates::dates_come_back_as_they_went_in;
pub use dialect::{dialect_makes_fills_empties_and_drops_a_table, threads_and_single_block_reads_are_accepted};
pub use failure::{
    a_violated_constraint_is_a_counted_step, a_wrong_statement_is_told_from_a_failed_step,
    conflicting_writers_wait_or_fail_as_counted_steps,
};
pub use fixture::{Fixture, SharedFixture, on_fresh_node, on_shared_node};
pub use lifetime::{
    a_kept_database_is_found_again, a_node_settles, an_unknown_parameter_is_refused_and_leaves_nothing,
    claiming_twice_is_claiming_once, closing_removes_everything, inventory_is_filled, sessions_connect_and_reconnect,
};
pub use nodes::{
    a_killed_node_is_lost_alone, every_node_reads_what_the_first_committed, every_node_takes_writes_or_refuses_them,
};
pub use objects::{
    files_come_back_byte_by_byte, what_was_not_committed_of_a_file_is_gone, what_was_removed_of_files_is_gone,
};
pub use parts::{a_table_in_parts_takes_rows_on_every_side_of_its_bounds, a_table_says_how_large_it_is};
pub use statements::every_statement_file_is_listed_and_says_what_it_is;
pub use transaction::{
    a_commit_is_seen_and_a_rollback_is_not, a_deferred_commit_is_seen_at_once, execute_counts_rows_returned_and_changed,
};
pub use values::{a_null_comes_back_and_equals_nothing, values_of_all_types_come_back_exactly};

/// Expands to one test per point of the kit, see the head of this crate.
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
            inventory_is_filled,
            a_node_settles,
            values_of_all_types_come_back_exactly,
            a_null_comes_back_and_equals_nothing,
            execute_counts_rows_returned_and_changed,
            a_commit_is_seen_and_a_rollback_is_not,
            a_deferred_commit_is_seen_at_once,
            twenty_three_commits_are_counted_as_twenty_three,
            twenty_three_reads_are_counted_as_the_capability_says,
            twenty_three_rollbacks_are_no_commits,
            counters_are_named_and_never_go_back,
            a_wrong_statement_is_told_from_a_failed_step,
            a_violated_constraint_is_a_counted_step,
            conflicting_writers_wait_or_fail_as_counted_steps,
            a_session_that_waits_for_a_lock_is_seen,
            twenty_three_looks_are_no_commits_of_ours,
            a_long_statement_is_cancelled_and_the_session_lives_on,
            a_canceller_outlives_its_session,
            a_bulk_load_gives_exactly_its_rows,
            a_failed_bulk_load_leaves_nothing_and_the_session_usable,
            dates_come_back_as_they_went_in,
            an_append_is_part_of_its_transaction,
            an_append_that_fails_leaves_nothing_after_the_rollback,
            lines_become_the_rows_that_are_written_in_them,
            a_bad_line_fails_its_piece_and_nothing_of_it_stays,
            a_table_in_parts_takes_rows_on_every_side_of_its_bounds,
            a_table_says_how_large_it_is,
            dialect_makes_fills_empties_and_drops_a_table,
            threads_and_single_block_reads_are_accepted,
            files_come_back_byte_by_byte,
            what_was_not_committed_of_a_file_is_gone,
            what_was_removed_of_files_is_gone,
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
            static STAND: $crate::SharedFixture = $crate::SharedFixture::new();
            $(
                #[test]
                fn $point() {
                    $crate::on_shared_node(&STAND, &$engine, $target, $crate::$point);
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

//! What several nodes do together, beyond what the nodes of every engine do alike.

mod cluster;
mod replica;

use dbdyno_engine_mysql::MARIADB;
use engine_kit::Fixture;

#[test]
fn three_nodes_are_one_database() {
    // One cluster for all of these: starting one costs more than any of them. What replication keeps is little, so that
    // a load is larger than that.
    let fixture = Fixture::open(&MARIADB, "local:mariadb?nodes=3&wsrep_provider_options=gcache.size%3D16M");
    cluster::names_and_inventory(&fixture);
    cluster::twenty_three_commits_of_three_nodes_are_twenty_three(&fixture);
    cluster::the_second_of_two_who_change_one_row_fails_as_a_counted_step(&fixture);
    cluster::a_load_larger_than_the_cache_of_replication_is_whole_on_every_node(&fixture);
}

#[test]
fn a_node_that_is_killed_costs_time_and_nothing_else() {
    cluster::a_node_that_is_killed_costs_time_and_nothing_else();
}

#[test]
fn a_primary_and_its_replica_are_two_nodes() {
    let (primary, replica) = (replica::Server::start(1), replica::Server::start(2));
    replica::a_primary_without_replicas_is_alone(&primary);
    replica.follow(&primary);
    replica::they_are_found_and_read_what_is_committed(&primary, &replica);
    replica::what_cannot_be_named_is_refused(&primary);
}

//! What a day of `dbdyno monitor` leaves in a database: 2,880 starts, without the time between them.

use std::path::PathBuf;
use std::time::Duration;

use engine::{Engine, Target, Workspace};
use monitor::{Budget, Cost, open_database};

use crate::bench::Bench;
use crate::mariadb_server::MariadbServer;
use crate::monitored::Server;

/// Starts of a day, 30 s apart.
const DAY_STARTS: u32 = 2_880;
/// Minutes of a day.
const DAY_MINUTES: f64 = 1_440.0;

/// Asks the database at `target` as on a day; calls `at_begin` when the table is made and warm.
fn day(engine: &'static dyn Engine, target: &str, at_begin: impl FnOnce()) -> Cost {
    let target: Target = target.parse().expect("a target");
    let workspace = Workspace { directory: PathBuf::from("/tmp"), keep: true, cache_bytes: None, sessions_max: 4 };
    let opened = open_database(engine, &target, &workspace, Duration::from_secs(20), 7);
    let [mut only] = <[_; 1]>::try_from(opened.unwrap_or_else(|error| panic!("{error:?}"))).ok().expect("one node");
    // Pages that a first update leaves room in, a login, statements that are planned.
    only.prober.rehearse(20).expect("good");
    at_begin();
    only.prober.rehearse(DAY_STARTS).expect("good")
}

/// Bytes a minute.
fn per_minute(log_bytes: u64) -> f64 {
    log_bytes as f64 / DAY_MINUTES
}

#[test]
fn a_day_on_postgresql_is_within_the_budget_and_its_table_does_not_grow() {
    let bench = Bench::new();
    let server = Server::start(&bench);
    let number = |query: &str| server.ask(query).parse::<u64>().unwrap();
    let log = || number("select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint");
    let size = || number("select pg_total_relation_size('dbdyno.monitor')");
    let mut begin = (0, 0);
    let cost = day(&postgres::POSTGRES, &server.target(), || begin = (log(), size()));
    let (log_bytes, growth) = (log() - begin.0, size().saturating_sub(begin.1));
    assert_eq!(u64::from(DAY_STARTS) * 42 + u64::from(DAY_STARTS) / 10, cost.statements);
    assert_eq!(u64::from(DAY_STARTS) + u64::from(DAY_STARTS) / 10, cost.commits);
    let most = Budget::default().log_bytes_per_minute_max;
    assert!(per_minute(log_bytes) < most / 20.0, "{} bytes of log a minute", per_minute(log_bytes));
    // The map of free room and that of what is visible are made within the day.
    assert!(growth <= 40 << 10, "it grew by {growth} bytes");
    let hot = "select (100 * n_tup_hot_upd / n_tup_upd)::int from pg_stat_all_tables where relname = 'monitor'";
    crate::fleet_hosts::wait_until("updates are not counted", || {
        number("select coalesce(n_tup_upd, 0) from pg_stat_all_tables where relname = 'monitor'") >= cost.commits
    });
    assert!(number(hot) > 95, "updates touch an index: {} %", number(hot));
    // What it says of itself is of that order: of a day with others beside it, it says what one commit takes at least.
    let said = cost.log_bytes().expect("PostgreSQL tells");
    assert!(said <= 2.0 * log_bytes as f64, "{said} said, {log_bytes} written");
    assert_eq!(server.ask("select count(*) from dbdyno.monitor"), "1000");
}

#[test]
fn a_day_on_mariadb_is_within_the_budget_and_its_table_does_not_grow() {
    let bench = Bench::new();
    let server = MariadbServer::start(&bench);
    server.ask("create database shop");
    let number = |query: &str| server.ask(query).parse::<u64>().unwrap();
    let log = || {
        number("select variable_value from information_schema.global_status where variable_name = 'innodb_lsn_current'")
    };
    let size =
        || number("select file_size from information_schema.innodb_sys_tablespaces where name = 'dbdyno/monitor'");
    let mut begin = (0, 0);
    let cost = day(&mysql::MYSQL, &server.target("shop"), || begin = (log(), size()));
    let log_bytes = log() - begin.0;
    assert_eq!(u64::from(DAY_STARTS) + u64::from(DAY_STARTS) / 10, cost.commits);
    let most = Budget::default().log_bytes_per_minute_max;
    assert!(per_minute(log_bytes) < most / 20.0, "{} bytes of log a minute", per_minute(log_bytes));
    assert_eq!(size(), begin.1, "it grew");
}

//! The conformance kit on temporary servers.

mod mysql;

use dbdyno_engine_mysql::{MARIADB, MYSQL};

engine_kit::conformance!(MARIADB, "local:mariadb", shared);
engine_kit::conformance!(MARIADB, "local:mariadb?nodes=3", nodes);

mod on_mysql {
    use super::*;

    engine_kit::conformance!(MYSQL, &format!("local:mysql?bin={}", mysql::bin().display()), shared);
}

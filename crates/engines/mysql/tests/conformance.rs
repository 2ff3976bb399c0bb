//! What every engine must do alike, on throwaway servers.

mod mysql;

use dbdyno_engine_mysql::{MARIADB, MYSQL};

engine::conformance!(MARIADB, "local:mariadb", shared);
engine::conformance!(MARIADB, "local:mariadb?nodes=3", nodes);

mod on_mysql {
    use super::*;

    engine::conformance!(MYSQL, &format!("local:mysql?bin={}", mysql::bin().display()), shared);
}

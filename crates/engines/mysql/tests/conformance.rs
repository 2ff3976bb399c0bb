//! What every engine must do alike, on a throwaway server.

use dbdyno_engine_mysql::MARIADB;

engine::conformance!(MARIADB, "local:mariadb", shared);
engine::conformance!(MARIADB, "local:mariadb?nodes=3", nodes);

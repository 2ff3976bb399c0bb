//! What every engine must do alike, on a temporary server.

use dbdyno_engine_postgres::POSTGRES;

engine_kit::conformance!(POSTGRES, "local:postgres", shared);
engine_kit::conformance!(POSTGRES, "local:postgres?replicas=2&synchronous=on", nodes);

//! What every engine must do alike, on a throwaway server.

use dbdyno_engine_postgres::POSTGRES;

engine::conformance!(POSTGRES, "local:postgres", shared);
engine::conformance!(POSTGRES, "local:postgres?replicas=2&synchronous=on", nodes);

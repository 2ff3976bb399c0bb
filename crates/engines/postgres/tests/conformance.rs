//! The conformance kit on temporary servers.

use dbdyno_engine_postgres::POSTGRES;

engine_kit::conformance!(POSTGRES, "local:postgres", shared);
engine_kit::conformance!(POSTGRES, "local:postgres?replicas=2&synchronous=on", nodes);

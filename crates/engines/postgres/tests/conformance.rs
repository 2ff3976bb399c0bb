//! The conformance kit on temporary servers.

use dbdyno_engine_postgres::POSTGRES;

engine_kit::conformance!(POSTGRES, "local:postgres", shared);
engine_kit::conformance!(POSTGRES, "local:postgres?replicas=2&synchronous=on", nodes);

/// The target of a version that `./test.sh` puts into place.
fn target(major: u32) -> String {
    let bin =
        format!("{}/../../../target/postgres/{major}/root/usr/lib/postgresql/{major}/bin", env!("CARGO_MANIFEST_DIR"));
    let there = std::path::Path::new(&bin).join("postgres").exists();
    assert!(there, "no PostgreSQL {major} in {bin}\nhint: run ./test.sh once, it installs one");
    format!("local:postgres?bin={bin}")
}

/// The oldest version that is measured: its sessions may publish counters twice a second only.
mod on_13 {
    use super::*;

    engine_kit::conformance!(POSTGRES, &target(13), shared);
}

mod on_17 {
    use super::*;

    engine_kit::conformance!(POSTGRES, &target(17), shared);
}

//! The MySQL server that `./test.sh` puts into place.

use std::path::Path;

/// Where its program lies.
pub fn bin() -> &'static Path {
    let bin = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../target/mysql/bin"));
    let there = bin.join("mysqld").exists();
    assert!(there, "no MySQL server in {}\nhint: run ./test.sh once, it installs one", bin.display());
    bin
}

//! What a request says where the user does not, and what a job file may ask of this machine.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use fio::Surroundings;
use record::Bytes;
use run::{Error, Result};

use crate::command::run::default_record;

/// What job files may ask of this machine.
pub fn surroundings<'a>(include: &'a dyn Fn(&Path) -> std::io::Result<String>) -> Surroundings<'a> {
    Surroundings {
        variable: &|name| std::env::var(name).ok(),
        include,
        page_bytes: Bytes(rustix::param::page_size() as u64),
        memory_bytes: host::memory_total(),
        processors: host::cpus_allowed().len() as u32,
    }
}

/// The size of a file where nobody says: large enough to be no toy, and no burden.
pub fn default_size(directory: Option<&Path>) -> &'static str {
    let free = host::free_bytes(directory.unwrap_or(Path::new("."))).unwrap_or(Bytes(u64::MAX));
    let sizes = [("4G", 4096), ("2G", 2048), ("1G", 1024), ("512M", 512), ("256M", 256), ("64M", 64)];
    let fits = |mebibytes: u64| Bytes::MIB.times(mebibytes).0 <= free.0 / 10;
    sizes.into_iter().find(|(_, mebibytes)| fits(*mebibytes)).map_or("16M", |(text, _)| text)
}

/// A seed that no other invocation has.
pub fn fresh_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    (now.as_nanos() as u64) ^ (u64::from(std::process::id()) << 48)
}

/// Where the record goes; one that is there is not overwritten.
///
/// # Errors
/// Where it is there.
pub fn record_path(wished: Option<&Path>) -> Result<PathBuf> {
    let path = wished.map_or_else(default_record, Path::to_owned);
    match path.exists() {
        false => Ok(path),
        true => Err(Error::user(format!("record {} exists", path.display())).hint("give another --record")),
    }
}

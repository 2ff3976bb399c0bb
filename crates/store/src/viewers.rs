//! The sign of a server that shows the records of a directory: whether somebody follows them live, which a run beside
//! them records.
//!
//! It is a hidden file that the server holds locked, so that one of a server that was killed is seen as such: nobody
//! holds it. It names the start of the machine, because only a server on the same one takes anything from a run.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// How signs begin; the number of the process follows.
const SIGN_PREFIX: &str = ".dbdyno-serve-";

/// Signs that are read, at most.
const SIGNS_MAX: usize = 64;

/// The longest sign in bytes.
const SIGN_BYTES_MAX: u64 = 256;

/// Who follows the records of a directory live.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Viewers {
    /// How many there are.
    pub now: u32,
    /// How many have come since the servers began.
    pub arrivals: u64,
}

impl Viewers {
    /// How many followed what was between `before` and these, as far as it is known: one who came and went is one.
    pub fn since(self, before: Viewers) -> u32 {
        let has_come = self.arrivals > before.arrivals;
        self.now.max(before.now).max(u32::from(has_come))
    }
}

/// The sign of this process, removed with the value.
#[derive(Debug)]
pub struct Sign {
    path: PathBuf,
    file: File,
    /// The start of the machine.
    boot_id: String,
    shown: Option<Viewers>,
}

impl Sign {
    /// Puts up a sign in `directory`, and removes those that nobody holds.
    ///
    /// # Errors
    /// Where the directory cannot be written, which is no reason not to serve it.
    pub fn put_up(directory: &Path) -> io::Result<Sign> {
        for path in signs(directory)? {
            if File::open(&path).is_ok_and(|file| is_stale(&file)) {
                // Another server may have removed it.
                let _ = fs::remove_file(path);
            }
        }
        let path = directory.join(format!("{SIGN_PREFIX}{}", std::process::id()));
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path)?;
        let mut sign = Sign { path, file, boot_id: boot_id(), shown: None };
        sign.file.lock()?;
        sign.show(Viewers::default())?;
        Ok(sign)
    }

    /// Shows `viewers`, where they are others than before.
    ///
    /// # Errors
    /// Where the file cannot be written.
    pub fn show(&mut self, viewers: Viewers) -> io::Result<()> {
        if self.shown == Some(viewers) {
            return Ok(());
        }
        self.shown = Some(viewers);
        // The length is the same, so that a reader finds the old line or the new one.
        let line = format!("{:>10} {:>20} {}\n", viewers.now, viewers.arrivals, self.boot_id);
        self.file.rewind()?;
        self.file.write_all(line.as_bytes())
    }
}

impl Drop for Sign {
    fn drop(&mut self) {
        // One that stays is seen as stale.
        let _ = fs::remove_file(&self.path);
    }
}

/// Who follows the records of `directory` live through servers on this machine; nobody where there is no server.
pub fn viewers(directory: &Path) -> Viewers {
    let own = boot_id();
    let mut all = Viewers::default();
    for path in signs(directory).unwrap_or_default() {
        let Ok(mut file) = File::open(path) else { continue };
        let mut text = String::new();
        if is_stale(&file) || Read::by_ref(&mut file).take(SIGN_BYTES_MAX).read_to_string(&mut text).is_err() {
            continue;
        }
        let mut words = text.split_whitespace();
        let (now, arrivals) = (words.next().and_then(|word| word.parse::<u32>().ok()), words.next());
        if let (Some(now), Some(arrivals)) = (now, arrivals.and_then(|word| word.parse::<u64>().ok()))
            && words.next().unwrap_or_default() == own
        {
            all.now = all.now.saturating_add(now);
            all.arrivals = all.arrivals.saturating_add(arrivals);
        }
    }
    all
}

/// The files of signs in `directory`.
fn signs(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let is_sign = |entry: &fs::DirEntry| {
        entry.file_name().to_str().is_some_and(|name| name.starts_with(SIGN_PREFIX))
            && entry.file_type().is_ok_and(|kind| kind.is_file())
    };
    let entries = fs::read_dir(directory)?.filter_map(Result::ok).filter(is_sign);
    Ok(entries.take(SIGNS_MAX).map(|entry| entry.path()).collect())
}

/// Whether nobody holds a sign.
fn is_stale(file: &File) -> bool {
    file.try_lock_shared().is_ok()
}

/// The identifier of the start of this machine; empty where the kernel gives none.
fn boot_id() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_seen_while_it_is_there_and_a_stale_sign_is_not() {
        let place = tempfile::tempdir().unwrap();
        assert_eq!(viewers(place.path()), Viewers::default());
        let mut sign = Sign::put_up(place.path()).unwrap();
        assert_eq!(viewers(place.path()).now, 0, "nobody follows");
        sign.show(Viewers { now: 2, arrivals: 3 }).unwrap();
        assert_eq!(viewers(place.path()), Viewers { now: 2, arrivals: 3 });
        sign.show(Viewers { now: 0, arrivals: 3 }).unwrap();
        assert_eq!(viewers(place.path()), Viewers { now: 0, arrivals: 3 });
        let text = fs::read_to_string(&sign.path).unwrap();
        drop(sign);
        assert_eq!(place.path().read_dir().unwrap().count(), 0, "it is taken down");
        let stale = place.path().join(format!("{SIGN_PREFIX}1"));
        fs::write(&stale, text.replacen('0', "7", 1)).unwrap();
        assert_eq!(viewers(place.path()), Viewers::default(), "nobody holds it");
        let _sign = Sign::put_up(place.path()).unwrap();
        assert!(!stale.exists());
    }

    #[test]
    fn one_who_came_and_went_is_counted() {
        let of = |now, arrivals| Viewers { now, arrivals };
        assert_eq!(of(0, 3).since(of(0, 2)), 1);
        assert_eq!(of(0, 3).since(of(2, 3)), 2);
        assert_eq!(of(0, 3).since(of(0, 3)), 0);
    }
}

//! Files in directories that another user may write.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use rustix::fs::{Mode, OFlags};

/// What servers note beside their data has a few lines.
const BYTES_MAX: u64 = 1 << 20;

/// The text of the file at `path` in a directory that another user may write, up to a megabyte. No link is followed, and only a file
/// is read: the content would be that of whatever the other user names.
///
/// # Errors
/// Those of the operating system, and where it is something else, too long, or no text.
pub fn read_foreign_text(path: &Path) -> io::Result<String> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NOFOLLOW;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    if !file.metadata()?.file_type().is_file() {
        return Err(io::Error::other("it is no file"));
    }
    let mut text = String::new();
    match file.take(BYTES_MAX + 1).read_to_string(&mut text)? as u64 {
        length if length > BYTES_MAX => Err(io::Error::other(format!("it has more than {BYTES_MAX} bytes"))),
        _ => Ok(text),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use rustix::fs::{CWD, FileType};

    use super::*;

    #[test]
    fn only_a_file_is_read_and_no_link_is_followed() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        fs::write(at("state"), "uuid: 7\n").unwrap();
        assert_eq!(read_foreign_text(&at("state")).unwrap(), "uuid: 7\n");
        std::os::unix::fs::symlink(at("state"), at("link")).unwrap();
        assert!(read_foreign_text(&at("link")).is_err());
        rustix::fs::mknodat(CWD, at("pipe"), FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
        assert_eq!(read_foreign_text(&at("pipe")).unwrap_err().to_string(), "it is no file");
        assert!(read_foreign_text(Path::new("/dev/zero")).is_err() && read_foreign_text(&at("none")).is_err());
        fs::write(at("long"), vec![b' '; 1 + BYTES_MAX as usize]).unwrap();
        assert!(read_foreign_text(&at("long")).unwrap_err().to_string().contains("more than 1048576 bytes"));
    }
}

//! Small files of text that are read as a whole: those of the user, and those in directories that another user may write.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use rustix::fs::{Mode, OFlags};

/// A list of hosts or nodes has a hundred bytes for each; what servers note beside their data has a few lines.
const BYTES_MAX: u64 = 1 << 20;

/// The text of the file at `path`: of a file or a pipe, such as `<(command)`, up to a megabyte. A device, which may have no end, is
/// not read, and a pipe that nobody writes is not waited for.
///
/// # Errors
/// Those of the operating system, and where it is something else, too long, or no text.
pub fn read_text(path: &Path) -> io::Result<String> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    let kind = file.metadata()?.file_type();
    if !kind.is_file() && !kind.is_fifo() {
        let what = match () {
            () if kind.is_dir() => "it is a directory",
            () if kind.is_socket() => "it is a socket, and no file",
            () => "it is a device, and no file",
        };
        return Err(io::Error::other(what));
    }
    // Who writes into a pipe may need a moment; where nobody does, it has ended.
    let flags = rustix::fs::fcntl_getfl(&file)?;
    rustix::fs::fcntl_setfl(&file, flags - OFlags::NONBLOCK)?;
    limited(file)
}

/// The same of a file in a directory that another user may write. No link is followed, and only a file is read: the content would be
/// that of whatever the other user names.
///
/// # Errors
/// Those of the operating system, and where it is something else, too long, or no text.
pub fn read_foreign_text(path: &Path) -> io::Result<String> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NOFOLLOW;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    match file.metadata()?.file_type().is_file() {
        true => limited(file),
        false => Err(io::Error::other("it is no file")),
    }
}

fn limited(file: File) -> io::Result<String> {
    let mut text = String::new();
    match file.take(BYTES_MAX + 1).read_to_string(&mut text)? as u64 {
        length if length > BYTES_MAX => Err(io::Error::other(format!("it has more than {BYTES_MAX} bytes"))),
        _ => Ok(text),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use super::*;

    #[test]
    fn of_others_only_a_file_is_read_and_no_link_is_followed() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        fs::write(at("state"), "uuid: 7\n").unwrap();
        assert_eq!(read_foreign_text(&at("state")).unwrap(), "uuid: 7\n");
        std::os::unix::fs::symlink(at("state"), at("link")).unwrap();
        assert!(read_foreign_text(&at("link")).is_err());
        rustix::fs::mknodat(rustix::fs::CWD, at("pipe"), rustix::fs::FileType::Fifo, Mode::from_raw_mode(0o600), 0)
            .unwrap();
        assert_eq!(read_foreign_text(&at("pipe")).unwrap_err().to_string(), "it is no file");
        assert!(read_foreign_text(Path::new("/dev/zero")).is_err() && read_foreign_text(&at("none")).is_err());
        fs::write(at("long"), vec![b' '; 1 + BYTES_MAX as usize]).unwrap();
        assert!(read_foreign_text(&at("long")).unwrap_err().to_string().contains("more than 1048576 bytes"));
    }

    #[test]
    fn files_and_pipes_are_read_and_what_has_no_end_is_not() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        fs::write(at("hosts"), "db1\n").unwrap();
        assert_eq!(read_text(&at("hosts")).unwrap(), "db1\n");
        fs::write(at("long"), vec![b' '; 1 + BYTES_MAX as usize]).unwrap();
        let refused = |path: &Path| read_text(path).unwrap_err().to_string();
        assert!(refused(&at("long")).contains("more than 1048576 bytes"));
        assert!(refused(Path::new("/dev/zero")).contains("a device"));
        assert!(refused(directory.path()).contains("a directory"));
        rustix::fs::mknodat(rustix::fs::CWD, at("pipe"), rustix::fs::FileType::Fifo, Mode::from_raw_mode(0o600), 0)
            .unwrap();
        assert_eq!(read_text(&at("pipe")).unwrap(), "", "nobody writes");
        let (reader, mut writer) = io::pipe().unwrap();
        let written = std::thread::spawn(move || writer.write_all(b"db1\n"));
        let path = format!("/dev/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&reader));
        assert_eq!(read_text(Path::new(&path)).unwrap(), "db1\n");
        written.join().unwrap().unwrap();
    }
}

//! A file of `/proc` or `/sys` that is read again and again.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

/// Longer than any file that is read so, but for `/proc/stat` of a very large machine, of which we need the first line.
const BYTES_MAX: usize = 1 << 20;

/// An open file and room for its contents. The kernel writes its text anew for each reading from the beginning.
#[derive(Debug)]
pub(super) struct Source {
    path: PathBuf,
    file: Option<File>,
    buffer: Vec<u8>,
}

impl Source {
    /// A source that is opened when it is first read.
    pub(super) fn new(path: PathBuf) -> Source {
        Source { path, file: None, buffer: vec![0; 4096] }
    }

    /// The contents now; none where there are none. A file that fails is opened anew the next time.
    pub(super) fn read(&mut self) -> Option<&str> {
        match self.fill() {
            Ok(length) => std::str::from_utf8(&self.buffer[..length]).ok(),
            Err(_) => {
                self.file = None;
                None
            }
        }
    }

    fn fill(&mut self) -> io::Result<usize> {
        let file = match self.file.take() {
            Some(file) => file,
            None => File::open(&self.path)?,
        };
        let mut length = 0;
        loop {
            let read = file.read_at(&mut self.buffer[length..], length as u64)?;
            length += read;
            if read == 0 || length == BYTES_MAX {
                break;
            }
            if length == self.buffer.len() {
                self.buffer.resize((2 * length).min(BYTES_MAX), 0);
            }
        }
        self.file = Some(file);
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn each_reading_is_of_the_whole_file_as_it_is_now() {
        let scratch = tempfile::tempdir().expect("temporary directory");
        let path = scratch.path().join("file");
        let mut source = Source::new(path.clone());
        assert_eq!(source.read(), None, "absent");
        for text in ["short\n".to_owned(), "x".repeat(10_000), String::new(), "again".to_owned()] {
            fs::write(&path, &text).expect("write");
            assert_eq!(source.read(), Some(text.as_str()));
        }
        fs::write(&path, [0xff, 0xfe]).expect("write");
        assert_eq!(source.read(), None, "not text");
    }

    #[test]
    fn the_kernel_writes_a_file_anew_for_each_reading() {
        let mut source = Source::new(PathBuf::from("/proc/self/stat"));
        let first = source.read().expect("stat").to_owned();
        assert!(source.read().expect("stat").starts_with(&first[..8]));
    }
}

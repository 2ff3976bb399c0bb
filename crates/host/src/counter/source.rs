//! A file of `/proc` or `/sys` that is read repeatedly.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

/// Longer than all files read here, except `/proc/stat` of a very large machine, of which only the first line is used.
const BYTES_MAX: usize = 1 << 20;

/// An open file and a buffer. The kernel generates the text for each read at offset 0.
#[derive(Debug)]
pub(super) struct Source {
    path: PathBuf,
    file: Option<File>,
    buffer: Vec<u8>,
}

impl Source {
    /// A source that is opened at the first read.
    pub(super) fn new(path: PathBuf) -> Source {
        Source { path, file: None, buffer: vec![0; 4096] }
    }

    /// The current contents. A file that fails is reopened at the next read.
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
    fn each_read_gives_the_current_file() {
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
    fn proc_files_are_generated_for_each_read() {
        let mut source = Source::new(PathBuf::from("/proc/self/stat"));
        let first = source.read().expect("stat").to_owned();
        assert!(source.read().expect("stat").starts_with(&first[..8]));
    }
}

//! The test files of the user.

use workload::Test;

use super::plan::is_file;
use crate::{Error, Result};

/// The test files among `words`.
pub(super) fn test_files(words: &[String]) -> Result<Vec<Test>> {
    let files = words.iter().filter(|word| is_file(word));
    files
        .map(|path| {
            let text = std::fs::read_to_string(path).map_err(|error| {
                Error::user(format!("test file {path} cannot be read: {error}"))
                    .hint("give the path of a file, or codes of the catalogue (`dbdyno list tests`)")
            })?;
            Test::parse(&text, path).map_err(|error| Error::user(error.to_string()))
        })
        .collect()
}

//! Entries of the fuzz targets: what others wrote, read as it is read in earnest.

use engine::{Result, Target};

use crate::connect::{self, Login};
use crate::failure;

/// Whether `heard` is what an Oracle listener answers to a knock.
pub fn is_listener(heard: &[u8]) -> bool {
    connect::is_listener(heard)
}

/// How many places the text of a `tnsnames.ora` leads to.
pub fn places(text: &str) -> usize {
    connect::named_places(text).iter().map(|(_, places)| places.len()).sum()
}

/// What a refusal of the server says, in dbdyno's words.
pub fn refusal(number: usize, message: &str) -> String {
    failure::refused(number, message, failure::kind(number)).to_string()
}

/// Completes `target` as a connection does.
///
/// # Errors
/// The user's mistakes.
pub fn complete(target: &Target) -> Result<()> {
    Login::of(target, &|_| None).map(drop)
}

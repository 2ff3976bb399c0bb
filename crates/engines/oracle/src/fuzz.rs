//! Entries of the fuzz targets: parsers of external input.

use engine::{Result, Target};

use crate::connect::{self, Login};
use crate::failure;

/// Whether `heard` is the response of an Oracle listener to a probe.
pub fn is_listener(heard: &[u8]) -> bool {
    connect::is_listener(heard)
}

/// Number of the addresses in the text of a `tnsnames.ora`.
pub fn places(text: &str) -> usize {
    connect::named_addresses(text).iter().map(|(_, places)| places.len()).sum()
}

/// The message for an error of the server.
pub fn refusal(number: usize, message: &str) -> String {
    failure::refused(number, message, failure::kind(number)).to_string()
}

/// Completes `target` as for a connection.
///
/// # Errors
/// `Usage` for an invalid target, `Access` where there is no password.
pub fn complete(target: &Target) -> Result<()> {
    Login::of(target, &|_| None).map(drop)
}

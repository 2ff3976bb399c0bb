//! Bytes as text.

use std::borrow::Cow;

use crate::error::{Error, Result};

/// The mark at the beginning of a text in UTF-8.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Bytes as text: UTF-8, or else ISO 8859-1, which has a character for every byte. The second value says that it was the latter.
pub(crate) fn text(bytes: &[u8]) -> (Cow<'_, str>, bool) {
    match std::str::from_utf8(bytes) {
        Ok(text) => (Cow::Borrowed(text), false),
        Err(_) => (Cow::Owned(bytes.iter().map(|byte| char::from(*byte)).collect()), true),
    }
}

/// Refuses a file whose `beginning` says that it is no text, or one of 16 bits.
pub(crate) fn check(beginning: &[u8]) -> Result<()> {
    let compressed: [(&[u8], &str); 4] =
        [(b"\x1f\x8b", "gzip"), (b"PK\x03\x04", "zip"), (b"\x28\xb5\x2f\xfd", "zstd"), (b"\xfd7zXZ", "xz")];
    if let Some((_, program)) = compressed.iter().find(|(magic, _)| beginning.starts_with(magic)) {
        return Err(Error::new(format!("the file is compressed by {program}"), "give it decompressed"));
    }
    if beginning.starts_with(b"\xff\xfe") || beginning.starts_with(b"\xfe\xff") {
        let hint = "convert it, such as by iconv -f UTF-16 -t UTF-8";
        return Err(Error::new("the file is a text of UTF-16", hint));
    }
    Ok(())
}

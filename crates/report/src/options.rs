//! What a view of a record shows beside it.

use model::PriceBook;

use crate::beside::Beside;

/// What a view of a record shows beside it.
#[derive(Clone, Copy, Debug, Default)]
pub struct SheetOptions<'a> {
    /// The path of the record.
    pub path: &'a str,
    /// The SHA-256 of the file in hexadecimal digits, where it was computed.
    pub record_sha256: Option<&'a str>,
    /// The price book of the platform.
    pub prices: Option<&'a PriceBook>,
    /// A note on published measurements, for a record of `dbdyno streams`.
    pub published: Option<&'a str>,
    /// Another platform beside whose rates those of the workloads are shown.
    pub beside: Option<&'a Beside>,
}

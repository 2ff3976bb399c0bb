//! Stored histograms: HdrHistogram V2, deflated, base64.
//!
//! A text is a cookie, a length, and zlib data with a checksum, which contain another cookie, a length, and the counts.
//! The counts are not decoded, which would need a table of 300 kB.

use std::io::Read;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::read::ZlibDecoder;

/// Cookie of a deflated histogram.
const DEFLATED: u32 = 0x1c84_9314;

/// Cookie of an inflated histogram.
const PLAIN: u32 = 0x1c84_9313;

/// Bytes before the counts.
const HEAD_BYTES: usize = 40;

/// Upper limit of the size of a histogram of three digits over 64 bits.
const PLAIN_BYTES_MAX: u64 = 1 << 20;

/// Checks all of `text`; an empty text is valid and means no histogram.
pub(super) fn whole(text: &str) -> Result<(), String> {
    if text.is_empty() {
        return Ok(());
    }
    let bytes = decoded(text)?;
    let mut plain = Vec::with_capacity(4 * bytes.len());
    let inflated = ZlibDecoder::new(&bytes[8..]).take(PLAIN_BYTES_MAX).read_to_end(&mut plain);
    inflated.map_err(|error| format!("its deflated part is damaged: {error}"))?;
    let length = word(&plain, 4).map(|length| length as usize + HEAD_BYTES);
    match word(&plain, 0) == Some(PLAIN) && length == Some(plain.len()) {
        true => Ok(()),
        false => Err(format!("its {} inflated bytes are not a histogram", plain.len())),
    }
}

/// Checks cookie and length of `text`, but not its counts.
pub(super) fn outline(text: &str) -> Result<(), String> {
    if text.is_empty() { Ok(()) } else { decoded(text).map(drop) }
}

/// The decoded bytes of `text`, with valid cookie and length.
fn decoded(text: &str) -> Result<Vec<u8>, String> {
    let bytes = BASE64_STANDARD.decode(text).map_err(|error| format!("it is not base64: {error}"))?;
    match word(&bytes, 0) {
        Some(DEFLATED) => {}
        Some(other) => return Err(format!("it begins with {other:#x}, not with {DEFLATED:#x}")),
        None => return Err(format!("it has {} bytes", bytes.len())),
    }
    let (length, found) = (word(&bytes, 4).map(|length| length as usize), bytes.len().saturating_sub(8));
    match length {
        Some(length) if length == found => Ok(bytes),
        Some(length) => Err(format!("its length is {length} bytes, but {found} follow")),
        None => Err(format!("it has {} bytes", bytes.len())),
    }
}

/// The big-endian 32-bit number at `at`.
fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at + 4)?;
    four.try_into().ok().map(u32::from_be_bytes)
}

#[cfg(test)]
mod tests {
    use hdrhistogram::Histogram;
    use hdrhistogram::serialization::{Deserializer, Serializer, V2DeflateSerializer};
    use proptest::prelude::*;

    use super::*;

    fn text(values: &[u64], digits: u8) -> String {
        let mut histogram: Histogram<u64> = Histogram::new_with_bounds(1, 86_400_000_000_000, digits).unwrap();
        values.iter().for_each(|value| histogram.saturating_record(*value));
        let mut bytes = Vec::new();
        V2DeflateSerializer::new().serialize(&histogram, &mut bytes).unwrap();
        BASE64_STANDARD.encode(bytes)
    }

    #[test]
    fn errors_of_a_text_are_specific() {
        let good = text(&[1, 5, 7_000_000], 3);
        assert_eq!((whole(&good), whole(""), outline("")), (Ok(()), Ok(()), Ok(())));
        let mut bytes = BASE64_STANDARD.decode(&good).unwrap();
        let error = |bytes: &[u8]| whole(&BASE64_STANDARD.encode(bytes)).unwrap_err();
        assert!(whole("not at all").unwrap_err().starts_with("it is not base64"));
        assert_eq!(error(&bytes[..3]), "it has 3 bytes");
        assert_eq!(error(b"another text"), "it begins with 0x616e6f74, not with 0x1c849314");
        let follow = bytes.len() - 8;
        assert_eq!(error(&bytes[..40]), format!("its length is {follow} bytes, but 32 follow"));
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        assert!(error(&bytes).starts_with("its deflated part is damaged: "));
        assert_eq!(outline(&BASE64_STANDARD.encode(&bytes)), Ok(()), "only cookie and length are checked");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn every_written_histogram_is_valid(
            values in prop::collection::vec(any::<u64>(), 0..200),
            digits in 1u8..=3,
        ) {
            let text = text(&values, digits);
            prop_assert_eq!(whole(&text), Ok(()));
            prop_assert_eq!(outline(&text), Ok(()));
        }

        #[test]
        fn a_valid_histogram_can_be_decoded(at in 0usize..400, octet in any::<u8>()) {
            let mut bytes = BASE64_STANDARD.decode(text(&[3, 1_000, 2_000, 900_000], 3)).unwrap();
            let at = at % bytes.len();
            bytes[at] = octet;
            let text = BASE64_STANDARD.encode(&bytes);
            let decodes = Deserializer::new().deserialize::<u64, _>(&mut bytes.as_slice()).is_ok();
            prop_assert!(whole(&text).is_err() || decodes, "{}", text);
        }
    }
}

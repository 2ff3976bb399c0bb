//! Histograms as they are stored: HdrHistogram V2, deflated, base64.
//!
//! A text is a word that says so, the length of what follows, and that, in the format of zlib, which carries a checksum;
//! in it are again a word and a length, and the counts. Nothing is counted here: that takes a table of 300 kB.

use std::io::Read;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::read::ZlibDecoder;

/// What a deflated histogram begins with.
const DEFLATED: u32 = 0x1c84_9314;

/// What a histogram begins with once it is inflated.
const PLAIN: u32 = 0x1c84_9313;

/// Bytes in front of the counts.
const HEAD_BYTES: usize = 40;

/// Bytes that a histogram of three digits over 64 bits cannot have.
const PLAIN_BYTES_MAX: u64 = 1 << 20;

/// Looks at all of `text`; no text is no histogram, and that may be.
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
        false => Err(format!("its {} inflated bytes are no histogram", plain.len())),
    }
}

/// Looks at what `text` begins with and whether it is all there, and not at its counts: there may be very many.
pub(super) fn outline(text: &str) -> Result<(), String> {
    if text.is_empty() { Ok(()) } else { decoded(text).map(drop) }
}

/// The bytes of `text`, which has a head and is as long as that says.
fn decoded(text: &str) -> Result<Vec<u8>, String> {
    let bytes = BASE64_STANDARD.decode(text).map_err(|error| format!("it is not base64: {error}"))?;
    match word(&bytes, 0) {
        Some(DEFLATED) => {}
        Some(other) => return Err(format!("it begins with {other:#x}, not with {DEFLATED:#x}")),
        None => return Err(format!("it has {} bytes", bytes.len())),
    }
    let (said, found) = (word(&bytes, 4).map(|length| length as usize), bytes.len().saturating_sub(8));
    match said {
        Some(said) if said == found => Ok(bytes),
        Some(said) => Err(format!("it says that {said} bytes follow, and {found} do")),
        None => Err(format!("it has {} bytes", bytes.len())),
    }
}

/// The four bytes of `bytes` from `at` on as a number, the highest octet first.
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
    fn what_is_wrong_with_a_text_is_told() {
        let good = text(&[1, 5, 7_000_000], 3);
        assert_eq!((whole(&good), whole(""), outline("")), (Ok(()), Ok(()), Ok(())));
        let mut bytes = BASE64_STANDARD.decode(&good).unwrap();
        let said = |bytes: &[u8]| whole(&BASE64_STANDARD.encode(bytes)).unwrap_err();
        assert!(whole("not at all").unwrap_err().starts_with("it is not base64"));
        assert_eq!(said(&bytes[..3]), "it has 3 bytes");
        assert_eq!(said(b"another text"), "it begins with 0x616e6f74, not with 0x1c849314");
        let follow = bytes.len() - 8;
        assert_eq!(said(&bytes[..40]), format!("it says that {follow} bytes follow, and 32 do"));
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        assert!(said(&bytes).starts_with("its deflated part is damaged: "));
        assert_eq!(outline(&BASE64_STANDARD.encode(&bytes)), Ok(()), "of many, only the outline is looked at");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn every_histogram_that_is_written_can_be_read(
            values in prop::collection::vec(any::<u64>(), 0..200),
            digits in 1u8..=3,
        ) {
            let text = text(&values, digits);
            prop_assert_eq!(whole(&text), Ok(()));
            prop_assert_eq!(outline(&text), Ok(()));
        }

        #[test]
        fn what_passes_is_what_a_reader_can_decode(at in 0usize..400, octet in any::<u8>()) {
            let mut bytes = BASE64_STANDARD.decode(text(&[3, 1_000, 2_000, 900_000], 3)).unwrap();
            let at = at % bytes.len();
            bytes[at] = octet;
            let text = BASE64_STANDARD.encode(&bytes);
            let decodes = Deserializer::new().deserialize::<u64, _>(&mut bytes.as_slice()).is_ok();
            prop_assert!(whole(&text).is_err() || decodes, "{}", text);
        }
    }
}

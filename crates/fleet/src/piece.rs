//! The results of a part as text in pieces, and the text that pieces make.

use std::fmt::Write as _;

use record::{Attempt, Piece};
use sha2::{Digest, Sha256};

/// The longest piece; a message of NATS has at most 1 MB, and quotes take two bytes in it.
const PIECE_BYTES_MAX: usize = 256 << 10;

/// A piece that is not the last one has no less: it ends before a character that it has no room for.
const PIECE_BYTES_MIN: usize = PIECE_BYTES_MAX - 3;

/// The longest result of a part, however it comes: in pieces, as a line of its host, or from a file.
pub(crate) const RESULT_BYTES_MAX: u64 = 256 << 20;

/// Results that wait until they are asked for.
#[derive(Clone, Debug)]
pub(crate) struct Held {
    attempt: Attempt,
    text: String,
    sha256: String,
}

impl Held {
    pub(crate) fn new(attempt: Attempt, text: String) -> Held {
        let sha256 = sha256(&text);
        Held { attempt, text, sha256 }
    }

    /// The attempt that they are of.
    pub(crate) fn attempt(&self) -> Attempt {
        self.attempt
    }

    /// The piece from `offset_bytes`; None where no character begins there.
    pub(crate) fn piece(&self, offset_bytes: u64) -> Option<Piece> {
        let rest = self.text.get(usize::try_from(offset_bytes).ok()?..)?;
        let text = rest[..rest.floor_char_boundary(PIECE_BYTES_MAX)].to_owned();
        let (attempt, sha256) = (self.attempt, self.sha256.clone());
        Some(Piece { attempt, offset_bytes, total_bytes: self.text.len() as u64, sha256, text })
    }
}

/// The pieces that have arrived.
#[derive(Clone, Debug, Default)]
pub(crate) struct Collected {
    text: String,
    /// Length and checksum of the whole, as the first piece says.
    whole: Option<(u64, String)>,
}

impl Collected {
    /// Where the next piece begins.
    pub(crate) fn offset_bytes(&self) -> u64 {
        self.text.len() as u64
    }

    /// Takes `piece`: the whole text if it was the last one. One that is not the next is passed over.
    pub(crate) fn take(&mut self, piece: &Piece) -> Result<Option<String>, &'static str> {
        if piece.offset_bytes != self.offset_bytes() {
            return Ok(None);
        }
        let (total_bytes, sha256_of_all) = self.whole.get_or_insert_with(|| (piece.total_bytes, piece.sha256.clone()));
        if *total_bytes > RESULT_BYTES_MAX || piece.text.len() > PIECE_BYTES_MAX {
            return Err("its results are too long");
        }
        if (piece.total_bytes, &piece.sha256) != (*total_bytes, sha256_of_all) {
            return Err("its results change while they are sent");
        }
        self.text.push_str(&piece.text);
        match (self.text.len() as u64).cmp(total_bytes) {
            // Without this, an agent could go on for ever, a letter at a time.
            std::cmp::Ordering::Less if piece.text.len() < PIECE_BYTES_MIN => Err("its results end too early"),
            std::cmp::Ordering::Less => Ok(None),
            std::cmp::Ordering::Equal if sha256(&self.text) == *sha256_of_all => {
                Ok(Some(std::mem::take(&mut self.text)))
            }
            _ => Err("its results arrived damaged"),
        }
    }
}

/// The SHA-256 of `content`, hexadecimal.
pub(crate) fn sha256(content: impl AsRef<[u8]>) -> String {
    Sha256::digest(content).iter().fold(String::new(), |mut hexadecimal, byte| {
        let _ = write!(hexadecimal, "{byte:02x}");
        hexadecimal
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ATTEMPT: Attempt = Attempt { epoch: 1, run: 2 };

    #[test]
    fn pieces_make_the_text_in_whatever_order_and_number_they_arrive() {
        let text = "Ä\"x".repeat(300_000);
        let held = Held::new(ATTEMPT, text.clone());
        let mut collected = Collected::default();
        let (mut pieces, mut whole) = (0, None);
        while whole.is_none() {
            let piece = held.piece(collected.offset_bytes()).unwrap();
            assert!(serde_json::to_string(&piece).unwrap().len() < 1_000_000);
            whole = collected.take(&piece).unwrap();
            // Twice, and one that is not the next.
            if whole.is_none() {
                assert_eq!(collected.take(&piece), Ok(None));
                assert_eq!(collected.take(&held.piece(text.len() as u64).unwrap()), Ok(None));
            }
            pieces += 1;
        }
        assert_eq!((whole, pieces), (Some(text), 5));
        assert!(held.piece(1).is_none() && held.piece(u64::MAX).is_none());
    }

    #[test]
    fn results_without_end_are_refused_with_the_first_piece() {
        let piece = |offset_bytes, total_bytes, text: &str| {
            let sha256 = sha256("any");
            Piece { attempt: ATTEMPT, offset_bytes, total_bytes, sha256, text: text.to_owned() }
        };
        let mut collected = Collected::default();
        assert_eq!(collected.take(&piece(0, u64::MAX, "x")), Err("its results are too long"));
        let mut collected = Collected::default();
        assert_eq!(collected.take(&piece(0, 1 << 20, &"x".repeat(1 << 20))), Err("its results are too long"));
        let mut collected = Collected::default();
        assert_eq!(collected.take(&piece(0, 1 << 20, "x")), Err("its results end too early"), "a letter at a time");
        let mut collected = Collected::default();
        let whole = "x".repeat(PIECE_BYTES_MAX);
        assert_eq!(collected.take(&piece(0, 1 << 20, &whole)), Ok(None));
        let next = piece(collected.offset_bytes(), 1 << 21, &whole);
        assert_eq!(collected.take(&next), Err("its results change while they are sent"));
    }

    #[test]
    fn a_damaged_text_is_refused() {
        let piece = Held::new(ATTEMPT, "results".to_owned()).piece(0).unwrap();
        let damaged = [
            Piece { text: "Results".to_owned(), ..piece.clone() },
            Piece { text: "results!".to_owned(), ..piece.clone() },
            Piece { text: String::new(), ..piece.clone() },
            Piece { sha256: String::new(), ..piece.clone() },
        ];
        for piece in damaged {
            assert!(Collected::default().take(&piece).is_err(), "{piece:?}");
        }
        assert_eq!(Collected::default().take(&piece), Ok(Some("results".to_owned())));
    }
}

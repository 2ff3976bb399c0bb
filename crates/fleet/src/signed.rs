//! Messages that only a coordinator and its agent can have made. Each has a number and a code (HMAC-SHA-256) before its
//! content. The code is over subject, place of the answer, number and content, with a key that both have from the ticket:
//! the message server, and whoever takes its place, can drop and delay messages, and neither make, change nor repeat one.

use hmac::{Hmac, KeyInit, Mac};
use record::Seed;
use sha2::Sha256;

/// Bytes of the number.
const NUMBER_BYTES: usize = 8;

/// Bytes of the code.
const CODE_BYTES: usize = 32;

/// Bytes before the content.
pub(crate) const HEAD_BYTES: usize = NUMBER_BYTES + CODE_BYTES;

/// Who made a message. A message of one direction says nothing in the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sender {
    Coordinator,
    Agent,
}

/// The code of messages, without a message.
#[derive(Clone)]
struct Code(Hmac<Sha256>);

impl Code {
    fn new(key: &Seed, sender: Sender) -> Code {
        let mut code = <Hmac<Sha256> as KeyInit>::new_from_slice(key.0.as_bytes()).expect("a key has any length");
        code.update(match sender {
            Sender::Coordinator => &b"from the coordinator"[..],
            Sender::Agent => b"from the agent",
        });
        Code(code)
    }

    fn over(&self, place: Place<'_>, number: u64, content: &[u8]) -> Hmac<Sha256> {
        let mut code = self.0.clone();
        for part in [Some(place.subject), place.reply] {
            // With its length before it, a part cannot pass for the beginning of the next one.
            let length = part.map_or(u64::MAX, |part| part.len() as u64);
            code.update(&length.to_be_bytes());
            code.update(part.unwrap_or_default().as_bytes());
        }
        code.update(&number.to_be_bytes());
        code.update(content);
        code
    }
}

/// Where a message goes, and its answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    pub subject: &'a str,
    pub reply: Option<&'a str>,
}

/// Makes messages of one sender.
pub(crate) struct Signer {
    code: Code,
    number: u64,
}

impl Signer {
    pub(crate) fn new(key: &Seed, sender: Sender) -> Signer {
        Signer { code: Code::new(key, sender), number: 0 }
    }

    /// `content` as the next message.
    pub(crate) fn sign(&mut self, place: Place<'_>, content: &[u8]) -> Vec<u8> {
        self.number += 1;
        let code = self.code.over(place, self.number, content).finalize().into_bytes();
        [&self.number.to_be_bytes()[..], &code, content].concat()
    }
}

/// Takes messages of one sender.
pub(crate) struct Verifier {
    code: Code,
    /// The number of the last message that was taken.
    last: u64,
}

impl Verifier {
    pub(crate) fn new(key: &Seed, sender: Sender) -> Verifier {
        Verifier { code: Code::new(key, sender), last: 0 }
    }

    /// Whether `payload` is of the sender, however late it is.
    pub(crate) fn is_genuine(&self, place: Place<'_>, payload: &[u8]) -> bool {
        self.read(place, payload).is_some()
    }

    /// The number and the content of `payload`; None where it is not of the sender, or was changed.
    fn read<'a>(&self, place: Place<'_>, payload: &'a [u8]) -> Option<(u64, &'a [u8])> {
        let (number, rest) = payload.split_first_chunk::<NUMBER_BYTES>()?;
        let (code, content) = rest.split_first_chunk::<CODE_BYTES>()?;
        let number = u64::from_be_bytes(*number);
        self.code.over(place, number, content).verify_slice(code).ok()?;
        Some((number, content))
    }

    /// The content of `payload`; None where it is not of the sender, was changed, or is not later than the one before.
    pub(crate) fn verify<'a>(&mut self, place: Place<'_>, payload: &'a [u8]) -> Option<&'a [u8]> {
        let (number, content) = self.read(place, payload)?;
        let is_later = number > self.last;
        self.last = self.last.max(number);
        is_later.then_some(content)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: Place<'static> = Place { subject: "dbd.f.a.h", reply: Some("dbd.f.r.h.7") };

    fn key(text: &str) -> Seed {
        Seed(text.to_owned())
    }

    fn verifier() -> Verifier {
        Verifier::new(&key("k"), Sender::Coordinator)
    }

    #[test]
    fn a_message_is_taken_once_and_none_before_it() {
        let (mut signer, mut verifier) = (Signer::new(&key("k"), Sender::Coordinator), verifier());
        let messages: Vec<Vec<u8>> =
            [b"one", b"two", b"six"].iter().map(|content| signer.sign(PLACE, *content)).collect();
        assert_eq!(verifier.verify(PLACE, &messages[0]), Some(&b"one"[..]));
        assert_eq!(verifier.verify(PLACE, &messages[0]), None, "doubled");
        assert_eq!(verifier.verify(PLACE, &messages[2]), Some(&b"six"[..]), "one is lost");
        assert_eq!(verifier.verify(PLACE, &messages[1]), None, "late");
        assert!(verifier.is_genuine(PLACE, &messages[1]), "it is of the sender all the same");
        let empty = signer.sign(PLACE, b"");
        assert_eq!((empty.len(), verifier.verify(PLACE, &empty)), (HEAD_BYTES, Some(&b""[..])));
    }

    #[test]
    fn what_was_changed_or_made_by_others_is_dropped() {
        let payload = Signer::new(&key("k"), Sender::Coordinator).sign(PLACE, b"order");
        for index in 0..payload.len() {
            let mut changed = payload.clone();
            changed[index] ^= 1;
            assert_eq!(verifier().verify(PLACE, &changed), None, "byte {index}");
            assert!(!verifier().is_genuine(PLACE, &changed), "byte {index}");
            assert_eq!(verifier().verify(PLACE, &payload[..index]), None, "{index} bytes");
        }
        let others = [
            Place { subject: "dbd.f.a.i", ..PLACE },
            Place { subject: "dbd.g.a.h", ..PLACE },
            Place { reply: None, ..PLACE },
            Place { reply: Some("dbd.f.r.h.8"), ..PLACE },
            Place { subject: "dbd.f.a.hdbd.f.r.h.7", reply: Some("") },
        ];
        for place in others {
            assert_eq!(verifier().verify(place, &payload), None, "{place:?}");
        }
        assert_eq!(Verifier::new(&key("l"), Sender::Coordinator).verify(PLACE, &payload), None, "another key");
        assert_eq!(Verifier::new(&key("k"), Sender::Agent).verify(PLACE, &payload), None, "the other direction");
        assert_eq!(verifier().verify(PLACE, b"{\"welcome\":null}"), None, "without a code");
        assert_eq!(verifier().verify(PLACE, &payload), Some(&b"order"[..]));
    }
}

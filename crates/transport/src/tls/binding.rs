//! The channel binding `tls-server-end-point` (RFC 5929): a hash of the server's certificate, so that a man in the
//! middle cannot relay a SCRAM exchange.

use ring::digest::{Algorithm, SHA256, SHA384, SHA512, digest};

/// The tag of a SEQUENCE in DER.
const SEQUENCE: u8 = 0x30;
/// The tag of an OBJECT IDENTIFIER.
const OBJECT: u8 = 0x06;

/// The binding for a certificate in DER; `None` if the hash of its signature algorithm is unknown.
pub(super) fn of_certificate(certificate: &[u8]) -> Option<Vec<u8>> {
    Some(digest(hash_of(certificate)?, certificate).as_ref().to_vec())
}

/// The hash of the signature algorithm; SHA-256 for MD5 and SHA-1 (RFC 5929, section 4.1).
fn hash_of(certificate: &[u8]) -> Option<&'static Algorithm> {
    let (content, _) = element(certificate, SEQUENCE)?;
    let (_, after_body) = element(content, SEQUENCE)?;
    let (algorithm, _) = element(after_body, SEQUENCE)?;
    let (object, _) = element(algorithm, OBJECT)?;
    match object {
        // PKCS #1 (RFC 8017): MD5, SHA-1, SHA-256, SHA-384, SHA-512 with RSA.
        [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, last] => match last {
            4 | 5 | 11 => Some(&SHA256),
            12 => Some(&SHA384),
            13 => Some(&SHA512),
            _ => None,
        },
        // ECDSA (RFC 5758): SHA-1, then SHA-256, SHA-384, SHA-512.
        [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x01] => Some(&SHA256),
        [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, last] => match last {
            2 => Some(&SHA256),
            3 => Some(&SHA384),
            4 => Some(&SHA512),
            _ => None,
        },
        _ => None,
    }
}

/// The content of the first element of `bytes`, which must have `tag`, and the rest.
fn element(bytes: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let (&found, rest) = bytes.split_first()?;
    let (&length, rest) = rest.split_first()?;
    let (length, rest) = match length {
        0..=0x7f => (usize::from(length), rest),
        0x81..=0x84 => {
            let (digits, rest) = rest.split_at_checked(usize::from(length & 0x7f))?;
            (digits.iter().fold(0_usize, |value, digit| value << 8 | usize::from(*digit)), rest)
        }
        _ => return None,
    };
    if found != tag {
        return None;
    }
    rest.split_at_checked(length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn wrap(tag: u8, content: &[u8]) -> Vec<u8> {
        [&[tag, 0x82, (content.len() >> 8) as u8, content.len() as u8][..], content].concat()
    }

    fn certificate(object: &[u8]) -> Vec<u8> {
        let body = wrap(SEQUENCE, &[7; 300]);
        let algorithm = wrap(SEQUENCE, &wrap(OBJECT, object));
        wrap(SEQUENCE, &[body, algorithm, wrap(0x03, &[0; 70])].concat())
    }

    #[test]
    fn the_hash_is_that_of_the_signature() {
        let rsa = |last| certificate(&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, last]);
        let elliptic = |last| certificate(&[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, last]);
        for (certificate, length) in [(rsa(5), 32), (rsa(11), 32), (rsa(12), 48), (rsa(13), 64), (elliptic(3), 48)] {
            assert_eq!(of_certificate(&certificate).unwrap().len(), length);
        }
        assert_eq!(of_certificate(&certificate(&[0x2b, 0x65, 0x70])), None, "Ed25519 has no such hash");
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
            let _ = of_certificate(&bytes);
        }
    }
}

//! Proofs that a password is known, as the server's authentication plugins want them.

use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY, SHA256, digest};

/// The plugin that knows only SHA-1; MariaDB's default.
pub(super) const NATIVE: &str = "mysql_native_password";
/// MySQL's default: SHA-256, and the password itself where the server has not kept the hash in memory.
pub(super) const CACHING: &str = "caching_sha2_password";
/// What MySQL had before: the password itself, over an encrypted connection.
pub(super) const UNCACHED: &str = "sha256_password";
/// The password as it is.
pub(super) const CLEAR: &str = "mysql_clear_password";

/// Length of what the server wants mixed in.
pub(super) const NONCE_BYTES: usize = 20;

/// The proof of `password` that `plugin` wants for `nonce`; none for a plugin that is not known.
pub(super) fn proof(plugin: &str, password: &[u8], nonce: &[u8]) -> Option<Vec<u8>> {
    match plugin {
        NATIVE | CACHING if password.is_empty() => Some(Vec::new()),
        NATIVE => {
            let sha1 = |bytes: &[u8]| digest(&SHA1_FOR_LEGACY_USE_ONLY, bytes).as_ref().to_vec();
            let once = sha1(password);
            let mixed = sha1(&[nonce, &sha1(&once)].concat());
            Some(xor(&once, &mixed))
        }
        CACHING => {
            let sha256 = |bytes: &[u8]| digest(&SHA256, bytes).as_ref().to_vec();
            let once = sha256(password);
            let mixed = sha256(&[&sha256(&once), nonce].concat());
            Some(xor(&once, &mixed))
        }
        _ => None,
    }
}

fn xor(left: &[u8], right: &[u8]) -> Vec<u8> {
    left.iter().zip(right).map(|(left, right)| left ^ right).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proof_is_what_the_server_can_check() {
        let nonce = *b"0123456789abcdefghij";
        // The server keeps SHA1(SHA1(password)) and finds SHA1(password) in the proof.
        let sha1 = |bytes: &[u8]| digest(&SHA1_FOR_LEGACY_USE_ONLY, bytes).as_ref().to_vec();
        let kept = sha1(&sha1(b"pass word"));
        let proof_of = |password: &[u8]| proof(NATIVE, password, &nonce).unwrap();
        let found = xor(&proof_of(b"pass word"), &sha1(&[&nonce[..], &kept].concat()));
        assert_eq!(sha1(&found), kept);
        let wrong = xor(&proof_of(b"passw0rd"), &sha1(&[&nonce[..], &kept].concat()));
        assert_ne!(sha1(&wrong), kept);
        let sha256 = |bytes: &[u8]| digest(&SHA256, bytes).as_ref().to_vec();
        let kept = sha256(&sha256(b"pass word"));
        let proof = proof(CACHING, b"pass word", &nonce).unwrap();
        assert_eq!(sha256(&xor(&proof, &sha256(&[&kept[..], &nonce].concat()))), kept);
    }

    #[test]
    fn no_password_has_an_empty_proof_and_no_plugin_is_guessed() {
        assert_eq!(proof(NATIVE, b"", b""), Some(Vec::new()));
        assert_eq!(proof(CACHING, b"", b""), Some(Vec::new()));
        assert_eq!(proof("dialog", b"secret", b""), None);
    }
}

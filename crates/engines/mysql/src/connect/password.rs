//! Password proofs for the server's authentication plugins.

use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY, SHA256, digest};

/// SHA-1; MariaDB's default.
pub(super) const NATIVE: &str = "mysql_native_password";
/// SHA-256, and the clear text password if the server has not cached the hash; MySQL's default.
pub(super) const CACHING: &str = "caching_sha2_password";
/// Its predecessor: the clear text password over an encrypted connection.
pub(super) const UNCACHED: &str = "sha256_password";
/// The clear text password.
pub(super) const CLEAR: &str = "mysql_clear_password";

/// Length of the server's nonce.
pub(super) const NONCE_BYTES: usize = 20;

/// The proof of `password` for `plugin` and `nonce`; `None` for an unsupported plugin.
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
    fn the_server_can_verify_a_proof() {
        let nonce = *b"0123456789abcdefghij";
        // The server stores SHA1(SHA1(password)) and gets SHA1(password) from the proof.
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

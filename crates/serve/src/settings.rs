//! What a server is started with, and its limits.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use crate::{Error, Result};

/// What a server is started with.
#[derive(Clone, Debug)]
pub struct ServeSettings {
    /// Where it listens; port 0 is a free one.
    pub listen: SocketAddr,
    /// Its certificate and key; absent for connections in clear, which only loopback may have.
    pub encryption: Option<Encryption>,
    /// What a reader has to know; absent where everybody who reaches it may read, which only loopback may have.
    pub token: Option<String>,
    /// Names by which readers may address it, beside addresses and `localhost`.
    pub names: Vec<String>,
    /// Whether notes may be written.
    pub allows_notes: bool,
}

/// Files with a chain of certificates and the key of the first, both in PEM.
#[derive(Clone, Debug)]
pub struct Encryption {
    /// The certificates.
    pub certificate: PathBuf,
    /// The key.
    pub key: PathBuf,
}

/// The shortest token: shorter ones can be guessed.
const TOKEN_LENGTH_MIN: usize = 16;

/// Connections at a time.
pub(crate) const CONNECTIONS_MAX: usize = 64;

/// Viewers of what goes on, at a time.
pub(crate) const VIEWERS_MAX: usize = 16;

/// Requests that are worked on at a time; others wait.
pub(crate) const RENDERED_MAX: usize = 2;

/// The largest head of a request.
pub(crate) const HEAD_BYTES_MAX: usize = 16 << 10;

/// Fields of the head of a request, at most.
pub(crate) const HEADERS_MAX: usize = 64;

/// How long a head may take, and the handshake of an encrypted connection.
pub(crate) const HEAD_TIME_MAX: Duration = Duration::from_secs(10);

/// How long the body of a form may take.
pub(crate) const BODY_TIME_MAX: Duration = Duration::from_secs(10);

/// How long an answer may take to be made.
pub(crate) const RENDER_TIME_MAX: Duration = Duration::from_secs(60);

/// How long a reader may take nothing of an answer.
pub(crate) const ANSWER_STALL_MAX: Duration = Duration::from_secs(20);

/// How long a connection may last, but that of a viewer of what goes on.
pub(crate) const CONNECTION_TIME_MAX: Duration = Duration::from_secs(180);

/// How long that of such a viewer may; its browser connects again.
pub(crate) const VIEWER_TIME_MAX: Duration = Duration::from_secs(3600);

/// How long such a viewer may take nothing of what it is sent.
pub(crate) const VIEWER_STALL_MAX: Duration = Duration::from_secs(10);

/// The largest body of a form.
pub(crate) const BODY_BYTES_MAX: usize = 32 << 10;

/// Larger records are not answered whole as JSON.
pub(crate) const JSON_BYTES_MAX: u64 = 64 << 20;

impl ServeSettings {
    /// Refuses what would let anybody on the network read in clear, or at all.
    ///
    /// # Errors
    /// Where it listens elsewhere than on loopback without a certificate or without a token, and for a short token.
    pub fn check(&self) -> Result<()> {
        if let Some(token) = &self.token
            && token.chars().count() < TOKEN_LENGTH_MIN
        {
            let message = format!("the token has {} characters, fewer than {TOKEN_LENGTH_MIN}", token.chars().count());
            return Err(Error::user(message, "write one with `openssl rand -hex 16` into the file"));
        }
        if self.listen.ip().is_loopback() {
            return Ok(());
        }
        let missing = match (&self.encryption, &self.token) {
            (None, _) => "certificate",
            (Some(_), None) => "token",
            (Some(_), Some(_)) => return Ok(()),
        };
        let message = format!("{} is no address of loopback, and there is no {missing}", self.listen);
        Err(Error::user(
            message,
            "give --tls-certificate, --tls-key and --token-file, or listen on 127.0.0.1 and reach it by \
             `ssh -L 7070:127.0.0.1:7070 HOST`",
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(listen: &str) -> ServeSettings {
        ServeSettings {
            listen: listen.parse().unwrap(),
            encryption: None,
            token: None,
            names: Vec::new(),
            allows_notes: false,
        }
    }

    #[test]
    fn other_addresses_than_loopback_want_encryption_and_a_token() {
        let encryption = Some(Encryption { certificate: "c.pem".into(), key: "k.pem".into() });
        let token = Some("0123456789abcdef".to_owned());
        assert_eq!(settings("127.0.0.1:7070").check(), Ok(()));
        assert_eq!(settings("[::1]:7070").check(), Ok(()));
        for listen in ["0.0.0.0:7070", "192.0.2.1:7070", "[::]:7070"] {
            let plain = settings(listen);
            let refused = plain.check().unwrap_err().to_string();
            assert!(refused.contains("there is no certificate") && refused.contains("hint: "), "{refused}");
            let encrypted = ServeSettings { encryption: encryption.clone(), ..plain.clone() };
            assert!(encrypted.check().unwrap_err().to_string().contains("there is no token"));
            assert!(ServeSettings { token: token.clone(), ..plain.clone() }.check().is_err());
            assert_eq!(ServeSettings { token: token.clone(), ..encrypted }.check(), Ok(()));
        }
    }

    #[test]
    fn a_short_token_is_refused() {
        let short = ServeSettings { token: Some("secret".to_owned()), ..settings("127.0.0.1:0") };
        assert!(short.check().unwrap_err().to_string().contains("6 characters"));
    }
}

//! Encryption of a connection by rustls, with libpq's meaning of `sslmode`.
//!
//! Two differences from libpq, both towards refusing: a certificate without a subject alternative name never fits
//! `verify-full`, and a certificate that says it is an authority is not taken for a server's by the `verify` modes.

mod binding;

use std::fmt;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::{Error, Kind, Result};
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, ClientConnection, DigitallySignedStruct, ProtocolVersion, RootCertStore,
    SignatureScheme, StreamOwned,
};

use crate::plain;

/// An encrypted connection as a stream of bytes.
pub type Stream = StreamOwned<ClientConnection, TcpStream>;

/// How much encryption is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// No encryption, even where the server offers it.
    Disable,
    /// Where the server offers it; nothing is checked.
    Prefer,
    /// Always; who the server is, is checked only where an authority is named.
    Require,
    /// Always, with a certificate of a known authority.
    VerifyCa,
    /// Always, with a certificate of a known authority for this very host.
    VerifyFull,
}

impl Mode {
    const NAMES: [(&str, Mode); 5] = [
        ("disable", Mode::Disable),
        ("prefer", Mode::Prefer),
        ("require", Mode::Require),
        ("verify-ca", Mode::VerifyCa),
        ("verify-full", Mode::VerifyFull),
    ];
}

impl fmt::Display for Mode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Mode::NAMES.iter().find(|(_, mode)| mode == self).map_or("?", |(name, _)| name);
        formatter.write_str(name)
    }
}

/// Whose signature on a certificate is believed.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Roots {
    /// Those of this host.
    System,
    /// Those in a file.
    File(PathBuf),
    /// Nobody's is asked for.
    None,
}

/// What is wanted of the encryption, and how to get it.
pub struct Tls {
    /// How much encryption and which checks of the server are asked for.
    pub mode: Mode,
    /// Absent where no connection is encrypted.
    config: Option<Arc<ClientConfig>>,
    /// Whether an authority has to vouch for the server.
    knows_server: bool,
}

impl fmt::Debug for Tls {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Tls").field(&self.mode).finish()
    }
}

/// A connection after the handshake of TLS.
pub struct Encrypted {
    /// What carries the bytes from now on.
    pub stream: Box<Stream>,
    /// Version and cipher in words, for the record.
    pub encryption: String,
    /// What binds an exchange of proofs to it (`tls-server-end-point`, RFC 5929).
    pub binding: Option<Vec<u8>>,
}

impl Tls {
    /// Settings for connections without encryption.
    pub fn disabled() -> Tls {
        Tls { mode: Mode::Disable, config: None, knows_server: false }
    }

    /// From `sslmode` and `sslrootcert`; `default_roots` is the file that is used if it is there. On a Unix socket
    /// nothing is encrypted and only the names are checked.
    ///
    /// # Errors
    /// `Usage` for a mode that is unknown, and for authorities that cannot be read.
    pub fn of(mode: Option<&str>, roots: Option<&str>, default_roots: Option<&Path>, tcp: bool) -> Result<Tls> {
        let name = mode.unwrap_or(if roots == Some("system") { "verify-full" } else { "prefer" });
        let Some((_, mode)) = Mode::NAMES.into_iter().find(|(known, _)| *known == name) else {
            let known = Mode::NAMES.map(|(name, _)| name).join(", ");
            return Err(Error::new(Kind::Usage, format!("sslmode {name} is unknown; known are {known}"))
                .hint("prefer encrypts where the server offers it; verify-full also checks who the server is"));
        };
        let roots = choose_roots(mode, roots, default_roots)?;
        let config = if tcp && mode != Mode::Disable { Some(Arc::new(config(mode, &roots)?)) } else { None };
        Ok(Tls { mode, config, knows_server: !matches!(roots, Roots::None) })
    }

    /// Whether a connection that was encrypted so leads to a server for which an authority has vouched, and not to
    /// whoever stands in between.
    pub fn knows_server(&self) -> bool {
        self.knows_server
    }

    /// Encrypts a connection on which the server, which is a `title`, has agreed to that.
    ///
    /// # Errors
    /// `Unreachable` where the handshake fails, with what the user may do about it.
    pub fn shake_hands(&self, mut stream: TcpStream, host: &str, title: &str) -> Result<Encrypted> {
        let refuse =
            |what: String| Error::new(Kind::Unreachable, format!("the TLS handshake with {host} failed: {what}"));
        let config = self.config.clone().ok_or_else(|| refuse("no encryption is set up".to_owned()))?;
        let name = ServerName::try_from(host.to_owned()).map_err(|_| refuse("this is no host name".to_owned()))?;
        let mut connection = ClientConnection::new(config, name).map_err(|error| refuse(error.to_string()))?;
        while connection.is_handshaking() {
            connection.complete_io(&mut stream).map_err(|error| {
                let broken = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
                let refused = refuse(broken.map_or_else(|| plain(&error), rustls::Error::to_string));
                match broken {
                    // Its greeting happened to begin with the letter of a yes.
                    Some(rustls::Error::InvalidMessage(_)) => {
                        let message = format!("what answers at {host} is not {title}: it does not speak TLS");
                        Error::new(Kind::Unreachable, message).hint("check host and port")
                    }
                    Some(rustls::Error::InvalidCertificate(error)) => refused.hint(advice(error)),
                    _ => refused.hint("see the log of the server"),
                }
            })?;
        }
        let encryption = describe(&connection);
        let binding = connection.peer_certificates().and_then(|chain| binding::of_certificate(chain.first()?));
        Ok(Encrypted { stream: Box::new(StreamOwned::new(connection, stream)), encryption, binding })
    }
}

/// What the user may do about a certificate that is refused.
fn advice(error: &CertificateError) -> &'static str {
    match error {
        CertificateError::UnknownIssuer => "name the authority's certificate: sslrootcert=FILE",
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "use the host name that the certificate says, or sslmode=verify-ca"
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => "renew the certificate of the server",
        _ => "give the server a certificate that an authority signed and that is none itself, or use sslmode=require",
    }
}

fn describe(connection: &ClientConnection) -> String {
    let version = match connection.protocol_version() {
        Some(ProtocolVersion::TLSv1_3) => "TLS 1.3",
        Some(ProtocolVersion::TLSv1_2) => "TLS 1.2",
        _ => "TLS",
    };
    let suite = connection.negotiated_cipher_suite().and_then(|suite| suite.suite().as_str().map(str::to_owned));
    // The standard's name of a suite of version 1.3 does not repeat the version.
    suite.map_or_else(|| version.to_owned(), |suite| format!("{version}, {}", suite.replacen("TLS13_", "TLS_", 1)))
}

fn choose_roots(mode: Mode, given: Option<&str>, default_roots: Option<&Path>) -> Result<Roots> {
    let usage = |message: &str, hint: &str| Err(Error::new(Kind::Usage, message).hint(hint));
    match (given, default_roots.filter(|path| path.exists())) {
        _ if matches!(mode, Mode::Disable | Mode::Prefer) => Ok(Roots::None),
        (Some("system"), _) if mode != Mode::VerifyFull => usage(
            "sslrootcert=system needs sslmode=verify-full: anybody can have a certificate of a public authority",
            "give sslmode=verify-full, or the file of one authority",
        ),
        (Some("system"), _) => Ok(Roots::System),
        (Some(file), _) => Ok(Roots::File(file.into())),
        (None, Some(file)) => Ok(Roots::File(file.to_owned())),
        (None, None) if mode == Mode::VerifyFull => Ok(Roots::System),
        (None, None) if mode == Mode::VerifyCa => {
            usage("sslmode=verify-ca needs to know the authority", "name its certificate: sslrootcert=FILE")
        }
        (None, None) => Ok(Roots::None),
    }
}

/// The provider is given explicitly, so that no other part of the program needs to have set a default.
fn config(mode: Mode, roots: &Roots) -> Result<ClientConfig> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let broken = |error: String| Error::new(Kind::Usage, format!("TLS cannot be set up: {error}"));
    let verifier: Arc<dyn ServerCertVerifier> = match roots {
        Roots::None => Arc::new(Lenient { provider: provider.clone(), authority: None }),
        known => {
            let store = Arc::new(load(known)?);
            let strict = WebPkiServerVerifier::builder_with_provider(store, provider.clone());
            let strict = strict.build().map_err(|error| broken(error.to_string()))?;
            match mode {
                Mode::VerifyFull => strict,
                _ => Arc::new(Lenient { provider: provider.clone(), authority: Some(strict) }),
            }
        }
    };
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.map_err(|error| broken(error.to_string()))?;
    Ok(builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth())
}

fn load(roots: &Roots) -> Result<RootCertStore> {
    let mut store = RootCertStore::empty();
    let Roots::File(path) = roots else {
        let found = rustls_native_certs::load_native_certs();
        store.add_parsable_certificates(found.certs);
        if store.is_empty() {
            return Err(Error::new(Kind::Usage, "this host has no certificates of authorities")
                .hint("install ca-certificates, or name the authority's certificate: sslrootcert=FILE"));
        }
        return Ok(store);
    };
    let refuse = |what: String| {
        Error::new(Kind::Usage, format!("sslrootcert {} {what}", path.display()))
            .hint("name a file with the authority's certificate as PEM")
    };
    let text = std::fs::read(path).map_err(|error| refuse(format!("cannot be read: {}", plain(&error))))?;
    for certificate in CertificateDer::pem_slice_iter(&text) {
        let certificate = certificate.map_err(|error| refuse(format!("is broken: {error}")))?;
        store.add(certificate).map_err(|error| refuse(format!("holds a certificate that cannot be used: {error}")))?;
    }
    if store.is_empty() { Err(refuse("holds no certificate".to_owned())) } else { Ok(store) }
}

/// What a check of the TLS library comes to.
type Checked<T> = std::result::Result<T, rustls::Error>;

/// Checks less than a browser would: not the name, and without an authority not the signature on the certificate.
#[derive(Debug)]
struct Lenient {
    provider: Arc<CryptoProvider>,
    /// Who must have signed the certificate, where that is asked for.
    authority: Option<Arc<WebPkiServerVerifier>>,
}

impl ServerCertVerifier for Lenient {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Checked<ServerCertVerified> {
        let Some(authority) = &self.authority else { return Ok(ServerCertVerified::assertion()) };
        match authority.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now) {
            // The name is looked at last, when everything else was found right.
            Err(rustls::Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            outcome => outcome,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Checked<HandshakeSignatureValid> {
        let known = &self.provider.signature_verification_algorithms;
        self.tolerate(rustls::crypto::verify_tls12_signature(message, cert, dss, known))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Checked<HandshakeSignatureValid> {
        let known = &self.provider.signature_verification_algorithms;
        self.tolerate(rustls::crypto::verify_tls13_signature(message, cert, dss, known))
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

impl Lenient {
    /// A wrong signature of the handshake is always refused: the binding of SCRAM to the certificate rests on it. A
    /// certificate that cannot be read at all (version 1, as old tools make it) passes where no authority is asked.
    fn tolerate(&self, outcome: Checked<HandshakeSignatureValid>) -> Checked<HandshakeSignatureValid> {
        match outcome {
            Err(rustls::Error::InvalidCertificate(error))
                if self.authority.is_none() && error != CertificateError::BadSignature =>
            {
                Ok(HandshakeSignatureValid::assertion())
            }
            outcome => outcome,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_chosen_as_libpq_does() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("root.crt");
        let choose = |mode, given| choose_roots(mode, given, Some(&file));
        assert_eq!(choose(Mode::Require, None).unwrap(), Roots::None);
        assert_eq!(choose(Mode::VerifyFull, None).unwrap(), Roots::System);
        assert_eq!(choose(Mode::VerifyCa, None).unwrap_err().kind, Kind::Usage);
        assert_eq!(choose(Mode::Require, Some("system")).unwrap_err().kind, Kind::Usage);
        std::fs::write(&file, "").unwrap();
        // With a root file there, `require` checks the authority too: libpq keeps that from the time before verify-ca.
        assert_eq!(choose(Mode::Require, None).unwrap(), Roots::File(file.clone()));
        assert_eq!(choose(Mode::Prefer, None).unwrap(), Roots::None);
        assert_eq!(choose(Mode::VerifyCa, Some("/other")).unwrap(), Roots::File("/other".into()));
    }

    #[test]
    fn a_root_file_that_is_none_is_the_users_mistake() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("root.crt");
        let refused = |file: &Path| Tls::of(Some("verify-ca"), file.to_str(), None, true).unwrap_err();
        assert!(refused(&file).message.contains("cannot be read"));
        std::fs::write(&file, "no certificate").unwrap();
        assert!(refused(&file).message.contains("holds no certificate"));
        assert_eq!(refused(&file).kind, Kind::Usage);
        Tls::of(Some("verify-ca"), file.to_str(), None, false).expect("a Unix socket needs no certificate");
    }
}

//! TLS by rustls, with libpq's semantics of `sslmode`.
//!
//! Two differences from libpq, both stricter: `verify-full` rejects a certificate without a subject alternative name,
//! and the `verify` modes reject a CA certificate as server certificate.

mod binding;
mod identity;

use std::fmt;
use std::io::{self, IoSlice, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::{Error, Kind, Result, shown};
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::version::{TLS12, TLS13};
use rustls::{
    CertificateError, ClientConfig, ClientConnection, DigitallySignedStruct, ProtocolVersion, RootCertStore,
    SignatureScheme, StreamOwned, SupportedProtocolVersion,
};

use self::identity::Identity;
use crate::socket::{receive_within, send_to, shut_down};
use crate::{Deadline, plain_message};

/// An encrypted byte stream.
pub type Stream = StreamOwned<ClientConnection, Socket>;

/// What is below the encryption: a socket whose thread goes on with other jobs, if it has some, while this one waits.
#[derive(Debug)]
pub struct Socket {
    pub(crate) stream: TcpStream,
    /// Until when it reads and writes, which is said before whatever is done with the encrypted bytes.
    pub(crate) deadline: Deadline,
}

impl Read for Socket {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        receive_within(&self.stream, into, self.deadline, false)
    }
}

impl Write for Socket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        send_to(&self.stream, bytes, self.deadline).map(|()| bytes.len())
    }

    fn write_vectored(&mut self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        match multiplex::is_shared() || !matches!(self.deadline.left(), Ok(None)) {
            // A statement is sent at once.
            true => self.write(&parts.iter().flat_map(|part| part.iter().copied()).collect::<Vec<u8>>()),
            false => loop {
                match self.stream.write_vectored(parts) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    // As where it is sent at once.
                    written => break written.inspect_err(|_| shut_down(&self.stream)),
                }
            },
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// The `sslmode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// No encryption, even where the server offers it.
    Disable,
    /// Encrypted if the server takes the login only so; nothing is verified.
    Allow,
    /// Encrypted if the server supports it; nothing is verified.
    Prefer,
    /// Always encrypted; the certificate is verified only if a root certificate is given.
    Require,
    /// Always encrypted, with a certificate of a trusted CA.
    VerifyCa,
    /// Always encrypted, with a certificate of a trusted CA for this host name.
    VerifyFull,
}

impl Mode {
    const NAMES: [(&str, Mode); 6] = [
        ("disable", Mode::Disable),
        ("allow", Mode::Allow),
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

/// Trusted root certificates.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Roots {
    /// Those of this host.
    System,
    /// Those in a file.
    File(PathBuf),
    /// None: certificates are not verified.
    None,
}

/// What a target says about encryption, in the words of libpq.
#[derive(Clone, Debug, Default)]
pub struct TlsSettings<'a> {
    /// `sslmode`.
    pub mode: Option<&'a str>,
    /// `sslrootcert`: a file, or `system`.
    pub roots: Option<&'a str>,
    /// The root certificates that are used if this file exists.
    pub default_roots: Option<PathBuf>,
    /// `sslcert`: the file of the client's certificate.
    pub certificate: Option<&'a str>,
    /// `sslkey`: the file of its key.
    pub key: Option<&'a str>,
    /// Certificate and key that are used if this certificate exists.
    pub default_identity: Option<(PathBuf, PathBuf)>,
    /// `ssl_min_protocol_version`, such as `TLSv1.3`.
    pub version_min: Option<&'a str>,
    /// `ssl_max_protocol_version`.
    pub version_max: Option<&'a str>,
    /// Whether the name of the server is not sent to it (`sslsni=0`).
    pub hides_server_name: bool,
}

/// TLS settings.
pub struct Tls {
    /// The requested encryption and verification.
    pub mode: Mode,
    /// Absent if no connection is encrypted.
    config: Option<Arc<ClientConfig>>,
    /// Whether the server certificate must be signed by a trusted CA.
    verifies_server: bool,
}

impl fmt::Debug for Tls {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Tls").field(&self.mode).finish()
    }
}

/// A connection after the TLS handshake.
pub struct Encrypted {
    /// The encrypted stream.
    pub stream: Box<Stream>,
    /// TLS version and cipher, for the record.
    pub encryption: String,
    /// Channel binding data (`tls-server-end-point`, RFC 5929).
    pub binding: Option<Vec<u8>>,
}

impl Tls {
    /// Settings for unencrypted connections.
    pub fn disabled() -> Tls {
        Tls { mode: Mode::Disable, config: None, verifies_server: false }
    }

    /// From `settings`. On a Unix socket (not `tcp`) nothing is encrypted and only the mode's name is checked.
    ///
    /// # Errors
    /// `Usage` for an unknown mode or version, and for certificates and keys that cannot be read.
    pub fn of(settings: &TlsSettings<'_>, tcp: bool) -> Result<Tls> {
        let name = settings.mode.unwrap_or(if settings.roots == Some("system") { "verify-full" } else { "prefer" });
        let Some((_, mode)) = Mode::NAMES.into_iter().find(|(known, _)| *known == name) else {
            let known = Mode::NAMES.map(|(name, _)| name).join(", ");
            return Err(Error::new(Kind::Usage, format!("sslmode {} is unknown; known are {known}", shown(name)))
                .hint("prefer encrypts if the server supports it; verify-full also verifies the server"));
        };
        let roots = choose_roots(mode, settings.roots, settings.default_roots.as_deref())?;
        let encrypts = tcp && mode != Mode::Disable;
        let config = if encrypts { Some(Arc::new(config(mode, &roots, settings)?)) } else { None };
        Ok(Tls { mode, config, verifies_server: !matches!(roots, Roots::None) })
    }

    /// Whether the server certificate is verified against a trusted CA, so that no man in the middle is possible.
    pub fn verifies_server(&self) -> bool {
        self.verifies_server
    }

    /// Encrypts a connection after the server, which is a `title`, has agreed to TLS, until `deadline`.
    ///
    /// # Errors
    /// `Unreachable` if the handshake fails, with a hint for the user.
    pub fn handshake(&self, stream: TcpStream, host: &str, title: &str, deadline: Deadline) -> Result<Encrypted> {
        let refuse =
            |what: String| Error::new(Kind::Unreachable, format!("the TLS handshake with {host} failed: {what}"));
        let config = self.config.clone().ok_or_else(|| refuse("TLS is disabled".to_owned()))?;
        let name = ServerName::try_from(host.to_owned()).map_err(|_| refuse("it is not a host name".to_owned()))?;
        let mut connection = ClientConnection::new(config, name).map_err(|error| refuse(error.to_string()))?;
        let mut socket = Socket { stream, deadline };
        while connection.is_handshaking() {
            connection.complete_io(&mut socket).map_err(|error| {
                let broken = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
                let refused = refuse(broken.map_or_else(|| plain_message(&error), rustls::Error::to_string));
                match broken {
                    // Its first byte happened to be that of an agreement.
                    Some(rustls::Error::InvalidMessage(_)) => {
                        let message = format!("the server at {host} is not {title}: it does not support TLS");
                        Error::new(Kind::Unreachable, message).hint("check host and port")
                    }
                    Some(rustls::Error::InvalidCertificate(error)) => refused.hint(hint_of(error)),
                    _ => refused.hint("see the log of the server"),
                }
            })?;
        }
        let encryption = describe(&connection);
        let binding = connection.peer_certificates().and_then(|chain| binding::of_certificate(chain.first()?));
        Ok(Encrypted { stream: Box::new(StreamOwned::new(connection, socket)), encryption, binding })
    }
}

/// Hint for the user for a rejected certificate.
fn hint_of(error: &CertificateError) -> &'static str {
    match error {
        CertificateError::UnknownIssuer => "give the CA certificate: sslrootcert=FILE",
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "use the host name of the certificate, or sslmode=verify-ca"
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => "renew the certificate of the server",
        _ => "use a server certificate that is signed by a CA and is not itself a CA certificate, or sslmode=require",
    }
}

fn describe(connection: &ClientConnection) -> String {
    let version = match connection.protocol_version() {
        Some(ProtocolVersion::TLSv1_3) => "TLS 1.3",
        Some(ProtocolVersion::TLSv1_2) => "TLS 1.2",
        _ => "TLS",
    };
    let suite = connection.negotiated_cipher_suite().and_then(|suite| suite.suite().as_str().map(str::to_owned));
    // Standard cipher suite names of TLS 1.3 do not contain the version.
    suite.map_or_else(|| version.to_owned(), |suite| format!("{version}, {}", suite.replacen("TLS13_", "TLS_", 1)))
}

fn choose_roots(mode: Mode, given: Option<&str>, default_roots: Option<&Path>) -> Result<Roots> {
    let usage = |message: &str, hint: &str| Err(Error::new(Kind::Usage, message).hint(hint));
    match (given, default_roots.filter(|path| path.exists())) {
        _ if matches!(mode, Mode::Disable | Mode::Allow | Mode::Prefer) => Ok(Roots::None),
        (Some("system"), _) if mode != Mode::VerifyFull => usage(
            "sslrootcert=system needs sslmode=verify-full: anybody can get a certificate of a public CA",
            "give sslmode=verify-full, or the certificate file of one CA",
        ),
        (Some("system"), _) => Ok(Roots::System),
        (Some(file), _) => Ok(Roots::File(file.into())),
        (None, Some(file)) => Ok(Roots::File(file.to_owned())),
        (None, None) if mode == Mode::VerifyFull => Ok(Roots::System),
        (None, None) if mode == Mode::VerifyCa => {
            usage("sslmode=verify-ca needs a CA certificate", "give it with sslrootcert=FILE")
        }
        (None, None) => Ok(Roots::None),
    }
}

/// The provider is explicit, so that it does not depend on a process-wide default.
fn config(mode: Mode, roots: &Roots, settings: &TlsSettings<'_>) -> Result<ClientConfig> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let broken = |error: String| Error::new(Kind::Usage, format!("TLS cannot be set up: {error}"));
    let verifier: Arc<dyn ServerCertVerifier> = match roots {
        Roots::None => Arc::new(PermissiveVerifier { provider: provider.clone(), authority: None }),
        known => {
            let store = Arc::new(load(known)?);
            let strict = WebPkiServerVerifier::builder_with_provider(store, provider.clone());
            let strict = strict.build().map_err(|error| broken(error.to_string()))?;
            match mode {
                Mode::VerifyFull => strict,
                _ => Arc::new(PermissiveVerifier { provider: provider.clone(), authority: Some(strict) }),
            }
        }
    };
    let versions = versions(settings)?;
    let builder = ClientConfig::builder_with_provider(provider).with_protocol_versions(&versions);
    let builder = builder.map_err(|error| broken(error.to_string()))?;
    let builder = builder.dangerous().with_custom_certificate_verifier(verifier);
    let mut config = match identity::files(settings) {
        None => builder.with_no_client_auth(),
        Some((certificate, key)) => {
            let Identity { chain, key: secret } = identity::load(&certificate, &key)?;
            builder.with_client_auth_cert(chain, secret).map_err(|error| {
                let message =
                    format!("sslkey {} does not fit sslcert {}: {error}", key.display(), certificate.display());
                Error::new(Kind::Usage, message).hint("give the key that the certificate was made with")
            })?
        }
    };
    config.enable_sni = !settings.hides_server_name;
    Ok(config)
}

/// The versions of the protocol within the limits of `settings`; older ones than TLS 1.2 are not supported.
fn versions(settings: &TlsSettings<'_>) -> Result<Vec<&'static SupportedProtocolVersion>> {
    const NAMES: [&str; 4] = ["tlsv1", "tlsv1.1", "tlsv1.2", "tlsv1.3"];
    let known: [(usize, &'static SupportedProtocolVersion); 2] = [(2, &TLS12), (3, &TLS13)];
    let place = |name: &str, given: Option<&str>, default: usize| match given.filter(|text| !text.is_empty()) {
        None => Ok(default),
        Some(text) => NAMES.iter().position(|known| text.eq_ignore_ascii_case(known)).ok_or_else(|| {
            Error::new(Kind::Usage, format!("{name} {} is unknown; known are TLSv1.2, TLSv1.3", shown(text)))
                .hint("give one of them")
        }),
    };
    let least = place("ssl_min_protocol_version", settings.version_min, 2)?;
    let most = place("ssl_max_protocol_version", settings.version_max, 3)?;
    let within: Vec<_> =
        known.into_iter().filter(|(at, _)| (least..=most).contains(at)).map(|(_, version)| version).collect();
    match within.is_empty() {
        false => Ok(within),
        true => Err(Error::new(
            Kind::Usage,
            "no version of TLS that is supported lies within ssl_min_protocol_version and \
             ssl_max_protocol_version",
        )
        .hint("supported are TLSv1.2 and TLSv1.3")),
    }
}

/// The alert by which a server ended an encrypted connection, if `error` is one: often it rejects the client's
/// certificate, and with TLS 1.3 that is known only after the handshake.
pub fn alert(error: &io::Error) -> Option<String> {
    match error.get_ref()?.downcast_ref::<rustls::Error>()? {
        rustls::Error::AlertReceived(alert) => Some(format!("{alert:?}")),
        _ => None,
    }
}

fn load(roots: &Roots) -> Result<RootCertStore> {
    let mut store = RootCertStore::empty();
    let Roots::File(path) = roots else {
        let found = rustls_native_certs::load_native_certs();
        store.add_parsable_certificates(found.certs);
        if store.is_empty() {
            return Err(Error::new(Kind::Usage, "this host has no CA certificates")
                .hint("install ca-certificates, or give the CA certificate: sslrootcert=FILE"));
        }
        return Ok(store);
    };
    let refuse = |what: String| {
        Error::new(Kind::Usage, format!("sslrootcert {} {what}", path.display()))
            .hint("give a PEM file with the CA certificate")
    };
    // A device would never end.
    if std::fs::metadata(path).is_ok_and(|about| !about.is_file()) {
        return Err(refuse("is not a file".to_owned()));
    }
    let text = std::fs::read(path).map_err(|error| refuse(format!("cannot be read: {}", plain_message(&error))))?;
    for certificate in CertificateDer::pem_slice_iter(&text) {
        let certificate = certificate.map_err(|error| refuse(format!("is invalid: {error}")))?;
        store.add(certificate).map_err(|error| refuse(format!("contains an unusable certificate: {error}")))?;
    }
    if store.is_empty() { Err(refuse("contains no certificate".to_owned())) } else { Ok(store) }
}

/// Result of a verification by the TLS library.
type Checked<T> = std::result::Result<T, rustls::Error>;

/// A weaker verification: not of the host name, and without a CA not of the certificate's signature.
#[derive(Debug)]
struct PermissiveVerifier {
    provider: Arc<CryptoProvider>,
    /// Verifier for the trusted CA, if required.
    authority: Option<Arc<WebPkiServerVerifier>>,
}

impl ServerCertVerifier for PermissiveVerifier {
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
            // The name is verified last, after everything else was accepted.
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
        self.permit(rustls::crypto::verify_tls12_signature(message, cert, dss, known))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Checked<HandshakeSignatureValid> {
        let known = &self.provider.signature_verification_algorithms;
        self.permit(rustls::crypto::verify_tls13_signature(message, cert, dss, known))
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

impl PermissiveVerifier {
    /// A wrong signature of the handshake is always rejected: the channel binding of SCRAM depends on it. A certificate
    /// that cannot be parsed (version 1, as old tools create it) is accepted without a CA.
    fn permit(&self, outcome: Checked<HandshakeSignatureValid>) -> Checked<HandshakeSignatureValid> {
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
        // With a root file, `require` verifies the CA too, as in libpq for compatibility with versions before
        // verify-ca.
        assert_eq!(choose(Mode::Require, None).unwrap(), Roots::File(file.clone()));
        assert_eq!(choose(Mode::Prefer, None).unwrap(), Roots::None);
        assert_eq!(choose(Mode::VerifyCa, Some("/other")).unwrap(), Roots::File("/other".into()));
    }

    #[test]
    fn an_invalid_root_file_is_a_usage_error() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("root.crt");
        fn of(file: &Path, tcp: bool) -> Result<Tls> {
            let (mode, roots) = (Some("verify-ca"), file.to_str());
            Tls::of(&TlsSettings { mode, roots, ..TlsSettings::default() }, tcp)
        }
        let refused = |file: &Path| of(file, true).unwrap_err();
        assert!(refused(&file).message.contains("cannot be read"));
        std::fs::write(&file, "no certificate").unwrap();
        assert!(refused(&file).message.contains("contains no certificate"));
        assert_eq!(refused(&file).kind, Kind::Usage);
        of(&file, false).expect("a Unix socket needs no certificate");
    }

    #[test]
    fn versions_have_limits() {
        fn within(least: Option<&str>, most: Option<&str>) -> Result<Vec<ProtocolVersion>> {
            let settings = TlsSettings { version_min: least, version_max: most, ..TlsSettings::default() };
            Ok(versions(&settings)?.iter().map(|version| version.version).collect())
        }
        let (two, three) = (ProtocolVersion::TLSv1_2, ProtocolVersion::TLSv1_3);
        assert_eq!(within(None, None).unwrap(), [two, three]);
        assert_eq!(within(Some("TLSv1"), Some("tlsv1.2")).unwrap(), [two], "never less than TLS 1.2");
        assert_eq!(within(Some("TLSv1.3"), None).unwrap(), [three]);
        for (least, most) in [(None, Some("TLSv1.1")), (Some("TLSv1.3"), Some("TLSv1.2")), (Some("SSLv3"), None)] {
            assert_eq!(within(least, most).unwrap_err().kind, Kind::Usage);
        }
    }
}

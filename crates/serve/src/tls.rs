//! Encrypted connections.

use std::path::Path;
use std::sync::Arc;

use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

use crate::settings::Encryption;
use crate::{Error, Result};

/// What encrypts connections with `files`.
///
/// # Errors
/// Where a file cannot be read or has no certificate or key, and where the key is not that of the certificate.
pub(crate) fn acceptor(files: &Encryption) -> Result<TlsAcceptor> {
    let hint = "give PEM files: the certificate with its chain, and its key";
    let wrong = |path: &Path, why: String| Error::user(format!("{} {why}", path.display()), hint);
    let certificates: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(&files.certificate)
        .and_then(Iterator::collect)
        .map_err(|error| wrong(&files.certificate, format!("has no certificate that can be read: {error}")))?;
    if certificates.is_empty() {
        return Err(wrong(&files.certificate, "has no certificate".to_owned()));
    }
    let key = PrivateKeyDer::from_pem_file(&files.key)
        .map_err(|error| wrong(&files.key, format!("has no key that can be read: {error}")))?;
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map(|builder| builder.with_no_client_auth())
        .and_then(|builder| builder.with_single_cert(certificates, key))
        .map_err(|error| wrong(&files.key, format!("is no key of {}: {error}", files.certificate.display())))?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}

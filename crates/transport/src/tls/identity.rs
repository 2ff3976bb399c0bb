//! The certificate by which a client proves who it is, and its key.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use engine::{Error, Kind, Result};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::TlsSettings;
use crate::plain_message;

/// A certificate with those of its intermediate authorities, and its key.
pub(super) struct Identity {
    pub(super) chain: Vec<CertificateDer<'static>>,
    pub(super) key: PrivateKeyDer<'static>,
}

/// The files of certificate and key: those that are given, or the default ones if that certificate exists.
pub(super) fn files(settings: &TlsSettings<'_>) -> Option<(PathBuf, PathBuf)> {
    let (certificate, key) = (settings.certificate.map(PathBuf::from), settings.key.map(PathBuf::from));
    let default = settings.default_identity.as_ref();
    let (certificate, is_given) = match certificate {
        Some(certificate) => (certificate, true),
        None => (default.map(|(certificate, _)| certificate.clone())?, false),
    };
    // A key alone says that a certificate is wanted.
    if !is_given && key.is_none() && !certificate.exists() {
        return None;
    }
    // A file may hold both, as clients of several products take it.
    let key = key.or_else(|| default.map(|(_, key)| key.clone())).unwrap_or_else(|| certificate.clone());
    Some((certificate, key))
}

/// Reads both files.
pub(super) fn load(certificate: &Path, key: &Path) -> Result<Identity> {
    let refuse =
        |name: &str, path: &Path, what: &str| Error::new(Kind::Usage, format!("{name} {} {what}", path.display()));
    let unreadable = |name: &str, path: &Path, error: &std::io::Error| {
        refuse(name, path, &format!("cannot be read: {}", plain_message(error)))
            .hint("give a PEM file that you may read")
    };
    if std::fs::metadata(certificate).is_ok_and(|about| !about.is_file()) {
        return Err(
            refuse("sslcert", certificate, "is not a file").hint("give a PEM file with the client's certificate")
        );
    }
    let text = std::fs::read(certificate).map_err(|error| unreadable("sslcert", certificate, &error))?;
    let chain = CertificateDer::pem_slice_iter(&text).collect::<std::result::Result<Vec<_>, _>>();
    let chain = chain.ok().filter(|chain| !chain.is_empty()).ok_or_else(|| {
        refuse("sslcert", certificate, "contains no certificate").hint("give a PEM file with the client's certificate")
    })?;
    let about = std::fs::metadata(key).map_err(|error| unreadable("sslkey", key, &error))?;
    if !about.is_file() {
        return Err(refuse("sslkey", key, "is not a file").hint("give a PEM file with the client's key"));
    }
    // As libpq: a key of root may be read by a group, any other by its owner alone.
    let forbidden = if about.uid() == 0 { 0o037 } else { 0o077 };
    if about.mode() & forbidden != 0 {
        let hint = format!("chmod 0600 {}", key.display());
        return Err(refuse("sslkey", key, "may be read by others than its owner").hint(hint));
    }
    let text = std::fs::read(key).map_err(|error| unreadable("sslkey", key, &error))?;
    let is_encrypted = text.windows(9).any(|part| part == b"ENCRYPTED");
    let key = PrivateKeyDer::from_pem_slice(&text).map_err(|_| match is_encrypted {
        true => refuse("sslkey", key, "is encrypted, which is not supported")
            .hint("decrypt it for its owner alone: openssl pkey -in KEY -out PLAIN, chmod 0600 PLAIN"),
        false => refuse("sslkey", key, "contains no key").hint("give a PEM file with the client's key"),
    })?;
    Ok(Identity { chain, key })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_key_that_others_may_read_and_what_is_none_are_refused() {
        let directory = tempfile::tempdir().unwrap();
        engine_kit::programs::make_certificates(directory.path());
        let at = |name: &str| directory.path().join(name);
        assert_eq!(load(&at("server.crt"), &at("server.key")).unwrap().chain.len(), 1);
        let refused = |certificate: &Path, key: &Path| load(certificate, key).err().expect("refused");
        assert!(refused(&at("none.crt"), &at("server.key")).message.contains("cannot be read"));
        assert!(refused(&at("server.key"), &at("server.key")).message.contains("contains no certificate"));
        assert!(refused(&at("server.crt"), directory.path()).message.contains("is not a file"));
        let loose = at("loose.key");
        std::fs::copy(at("server.key"), &loose).unwrap();
        std::fs::set_permissions(&loose, std::fs::Permissions::from_mode(0o644)).unwrap();
        let error = refused(&at("server.crt"), &loose);
        assert!(error.kind == Kind::Usage && error.hint.unwrap().starts_with("chmod 0600"), "{}", error.message);
        for (text, what) in [("x", "contains no key"), ("-----BEGIN ENCRYPTED PRIVATE KEY-----\n", "is encrypted")] {
            std::fs::write(&loose, text).unwrap();
            std::fs::set_permissions(&loose, std::fs::Permissions::from_mode(0o600)).unwrap();
            assert!(refused(&at("server.crt"), &loose).message.contains(what), "{text}");
        }
    }

    #[test]
    fn given_files_come_before_default_ones() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        let default = Some((at("client.crt"), at("client.key")));
        let settings = |certificate, key| TlsSettings {
            certificate,
            key,
            default_identity: default.clone(),
            ..TlsSettings::default()
        };
        assert_eq!(files(&settings(None, None)), None, "the default does not exist");
        assert_eq!(files(&settings(Some("/c"), None)), Some(("/c".into(), at("client.key"))));
        assert_eq!(files(&settings(Some("/c"), Some("/k"))), Some(("/c".into(), "/k".into())));
        std::fs::write(at("client.crt"), "").unwrap();
        assert_eq!(files(&settings(None, None)), default);
        let alone = TlsSettings { certificate: Some("/both"), ..TlsSettings::default() };
        assert_eq!(files(&alone), Some(("/both".into(), "/both".into())));
    }
}

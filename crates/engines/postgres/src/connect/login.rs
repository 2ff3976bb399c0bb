//! Startup of a session: login, password, and the parameters that the server reports.

use std::io::{self, Write};
use std::net::TcpStream;

use bytes::BytesMut;
use engine::{Error, Kind, Result};
use postgres_protocol::authentication::md5_hash;
use postgres_protocol::authentication::sasl::{ChannelBinding, SCRAM_SHA_256, SCRAM_SHA_256_PLUS, ScramSha256};
use postgres_protocol::message::frontend;

use super::authentication::ChannelBinding as RequestedBinding;
use super::{Connected, Login, Opened};
use crate::failure::ServerError;
use crate::message::Reader;
use crate::wire::Wire;
use transport::{Deadline, Transport, alert, malformed, plain_message, receive_byte};

/// Parameters that a server reports at login.
#[derive(Clone, Debug, Default)]
pub(crate) struct Server {
    /// `server_version`.
    pub(crate) version: String,
    /// Its first number.
    pub(crate) major: u32,
    /// `crdb_version`, reported by CockroachDB only.
    pub(crate) crdb_version: Option<String>,
    /// The backend process id, as the server reports it.
    pub(crate) process: u32,
    /// The secret key of a cancel request.
    pub(crate) secret: i32,
}

impl Login {
    /// Requests TLS; returns whether the server agrees. Exactly one byte is read: everything after it belongs to the
    /// handshake, where unencrypted bytes are an error.
    pub(super) fn offers_tls(&self, mut stream: &TcpStream, deadline: Deadline) -> Result<bool> {
        let mut request = BytesMut::new();
        frontend::ssl_request(&mut request);
        stream.write_all(&request).map_err(|error| self.unreachable(&error))?;
        match receive_byte(stream, deadline) {
            Ok(b'S') => Ok(true),
            Ok(b'N') => Ok(false),
            // An unencrypted error message must not be trusted or shown (CVE-2024-10977).
            Ok(b'E') => {
                let message = format!("the server at {} rejects every connection", self.address);
                Err(Error::new(Kind::Unreachable, message).hint("see the log of the server"))
            }
            Ok(other) => Err(self.not_postgres(&format!("its first byte is {other:#04x}"))),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                Err(self.not_postgres("it closes the connection at the first message"))
            }
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => {
                Err(self.not_postgres("it resets the connection at the first message"))
            }
            Err(error) => Err(self.unreachable(&error)),
        }
    }

    /// Logs in over a new connection.
    pub(super) fn log_in(&self, connected: Connected, schema: Option<&str>) -> Result<Opened> {
        let Connected { transport, route, binding, deadline } = connected;
        let confidential = !matches!(transport, Transport::Tcp(_));
        let mut wire = Wire::new(transport, deadline);
        let mut parameters = vec![
            ("user", self.user.as_str()),
            ("database", self.database.as_str()),
            ("application_name", self.application_name.as_str()),
            ("client_encoding", "UTF8"),
            // Dates are read and written as 2010-02-28.
            ("datestyle", "ISO, YMD"),
        ];
        // The server applies them before the parameters that follow.
        parameters.extend(self.options.iter().map(|options| ("options", options.as_str())));
        // A statement_timeout of the role would abort measured statements.
        parameters.extend(schema.iter().flat_map(|schema| [("search_path", *schema), ("statement_timeout", "0")]));
        frontend::startup_message(parameters, &mut wire.output).map_err(|_| {
            Error::new(Kind::Usage, "role, database, application name or options contain a zero byte").hint("remove it")
        })?;
        wire.send_output().map_err(|error| self.unreachable(&error))?;
        let mut exchange = Exchange { login: self, binding, confidential, ..Exchange::new(self) };
        let mut server = Server::default();
        while !exchange.next(&mut wire, &mut server)? {}
        wire.messages.enter_session();
        Ok(Opened { wire, server, route })
    }
}

/// A login in progress.
struct Exchange<'a> {
    login: &'a Login,
    binding: Option<Vec<u8>>,
    /// Whether the connection is private (encrypted or a Unix socket).
    confidential: bool,
    scram: Option<ScramSha256>,
    /// Whether the server has proven in a SCRAM exchange that it knows the password.
    server_verified: bool,
    /// Whether the password was bound to the connection.
    is_bound: bool,
    /// Whether the server has requested any authentication.
    is_asked: bool,
    /// Whether a valid message was received.
    has_received: bool,
}

impl<'a> Exchange<'a> {
    /// One over an unencrypted connection.
    fn new(login: &'a Login) -> Exchange<'a> {
        Exchange {
            login,
            binding: None,
            confidential: false,
            scram: None,
            server_verified: false,
            is_bound: false,
            is_asked: false,
            has_received: false,
        }
    }

    /// Handles the next message; true when the session is ready.
    fn next(&mut self, wire: &mut Wire, server: &mut Server) -> Result<bool> {
        let message = match wire.messages.receive() {
            Ok(message) => message,
            Err(error) => return Err(self.receive_error(&error)),
        };
        let body = message.body;
        match message.tag {
            b'R' => {
                let response = self.authenticate(body)?;
                if let Some(response) = response {
                    wire.output.unsplit(response);
                    wire.send_output().map_err(|error| self.receive_error(&error))?;
                }
            }
            b'E' => return Err(self.rejected(&ServerError::parse(body))),
            b'S' => note_version(body, server).map_err(|error| self.receive_error(&error))?,
            b'K' => {
                let mut reader = Reader::new(body);
                server.process = reader.oid().map_err(|error| self.receive_error(&error))?;
                server.secret = reader.int4().map_err(|error| self.receive_error(&error))?;
            }
            b'Z' => return Ok(true),
            // A notice; a negotiation of an older protocol version.
            b'N' | b'v' => {}
            other => return Err(self.login.not_postgres(&format!("it sends a message of type {other:#04x}"))),
        }
        self.has_received = true;
        Ok(false)
    }

    /// The error for an aborted connection or an invalid message.
    fn receive_error(&self, error: &io::Error) -> Error {
        match error.kind() {
            io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => self.login.unreachable(error),
            _ if let Some(alert) = alert(error) => {
                // The server looks at the client's certificate after the handshake.
                let message = format!("the server at {} ended the encrypted connection: {alert}", self.login.address);
                Error::new(Kind::Access, message)
                    .hint("check the client certificate (sslcert, sslkey): the server accepts those of its ssl_ca_file")
            }
            _ if self.has_received => {
                Error::new(Kind::Unreachable, format!("the login was aborted: {}", plain_message(error)))
                    .hint("see the log of the server")
            }
            _ => self.login.not_postgres(&plain_message(error)),
        }
    }

    fn rejected(&self, pending_error: &ServerError) -> Error {
        let error = pending_error.clone().into_login_error();
        match &self.login.password_file {
            Some(hint) if pending_error.code() == "28P01" => error.hint(hint.clone()),
            _ => error,
        }
    }

    /// The response to an authentication request, if it needs one.
    fn authenticate(&mut self, body: &[u8]) -> Result<Option<BytesMut>> {
        let mut reader = Reader::new(body);
        let request = reader.int4().map_err(|error| self.receive_error(&error))?;
        let mut response = BytesMut::new();
        self.check_demands(request)?;
        match request {
            0 if self.scram.is_some() && !self.server_verified => {
                let message = "the server accepted the login without proving that it knows the password";
                return Err(Error::new(Kind::Access, message).hint("check that this is the intended server"));
            }
            0 => return Ok(None),
            3 if !self.confidential => {
                let message = format!("the server at {} requests the password in clear text", self.login.address);
                return Err(Error::new(Kind::Access, message)
                    .hint("encrypt with sslmode=require, or use scram-sha-256 in pg_hba.conf of the server"));
            }
            3 => frontend::password_message(self.password()?, &mut response),
            5 => {
                let salt = reader.take(4).map_err(|error| self.receive_error(&error))?;
                let salt = salt.try_into().unwrap_or_default();
                let hash = md5_hash(self.login.user.as_bytes(), self.password()?, salt);
                frontend::password_message(hash.as_bytes(), &mut response)
            }
            10 => self.start_scram(reader.rest(), &mut response)?,
            11 => {
                let scram = self.scram.as_mut().ok_or_else(|| unexpected("a SCRAM challenge"))?;
                scram.update(reader.rest()).map_err(|error| scram_error(&error))?;
                frontend::sasl_response(scram.message(), &mut response)
            }
            12 => {
                let scram = self.scram.as_mut().ok_or_else(|| unexpected("the end of SCRAM"))?;
                scram.finish(reader.rest()).map_err(|error| scram_error(&error))?;
                self.server_verified = true;
                return Ok(None);
            }
            other => {
                let name = match other {
                    2 => "Kerberos",
                    7 | 8 => "GSSAPI",
                    9 => "SSPI",
                    _ => "an unknown kind of",
                };
                let message = format!("the server requests {name} authentication, which dbdyno does not support");
                return Err(Error::new(Kind::Access, message)
                    .hint("use scram-sha-256 for this role in pg_hba.conf of the server"));
            }
        }
        .map_err(|_| Error::new(Kind::Usage, "the password contains a zero byte").hint("change the password"))?;
        Ok(Some(response))
    }

    /// Whether a request of the server is what `require_auth` and `channel_binding` accept.
    fn check_demands(&mut self, request: i32) -> Result<()> {
        let method = match request {
            0 if !self.is_asked => "none",
            3 => "password",
            5 => "md5",
            7 | 8 => "gss",
            9 => "sspi",
            10..=12 => "scram-sha-256",
            _ => "",
        };
        self.login.accepted_methods.check(method)?;
        self.is_asked |= request != 0;
        let binds = if request == 0 { self.is_bound } else { (10..=12).contains(&request) };
        match self.login.channel_binding == RequestedBinding::Require && !binds {
            true => Err(self.unbound("the server does not request it")),
            false => Ok(()),
        }
    }

    /// The error for a login that would not be bound to its connection.
    fn unbound(&self, why: &str) -> Error {
        let message = format!("channel_binding is require, and {why}");
        Error::new(Kind::Access, message).hint(
            "channel binding needs TLS (sslmode=require) and scram-sha-256 for this role in pg_hba.conf of the server",
        )
    }

    fn password(&self) -> Result<&[u8]> {
        if let Some(password) = self.login.password() {
            return Ok(password.reveal().as_bytes());
        }
        let message = format!("the server requests the password of role {} and none is known", self.login.user);
        let hint = "put it into ~/.pgpass, PGPASSWORD or the target";
        let hint = self.login.password_file.clone().unwrap_or_else(|| hint.to_owned());
        Err(Error::new(Kind::Access, message).code("28P01").hint(hint))
    }

    /// Chooses the mechanism: with channel binding if both sides support it.
    fn start_scram(&mut self, offered: &[u8], response: &mut BytesMut) -> Result<io::Result<()>> {
        let offers = |mechanism: &str| offered.split(|byte| *byte == 0).any(|name| name == mechanism.as_bytes());
        let requested = self.login.channel_binding;
        if requested == RequestedBinding::Disable {
            self.binding = None;
        }
        if requested == RequestedBinding::Require && !(offers(SCRAM_SHA_256_PLUS) && self.binding.is_some()) {
            return Err(self.unbound(match (self.confidential, self.binding.is_some()) {
                (true, true) => "the server does not offer it",
                (true, false) => "the connection is not encrypted, or the server's certificate has no hash to bind to",
                (false, _) => "the connection is not encrypted",
            }));
        }
        let (mechanism, binding) = match (offers(SCRAM_SHA_256_PLUS), offers(SCRAM_SHA_256), self.binding.take()) {
            (true, _, Some(binding)) => (SCRAM_SHA_256_PLUS, ChannelBinding::tls_server_end_point(binding)),
            // The client supports channel binding: a server that offered it too detects a man in the middle by this
            // flag.
            (false, true, Some(_)) => (SCRAM_SHA_256, ChannelBinding::unrequested()),
            (_, true, None) => (SCRAM_SHA_256, ChannelBinding::unsupported()),
            _ => {
                let offered = String::from_utf8_lossy(offered).trim_matches('\0').replace('\0', ", ");
                let message =
                    format!("the server offers only {offered} for the password, which dbdyno does not support");
                return Err(Error::new(Kind::Access, message).hint("use scram-sha-256 in pg_hba.conf of the server"));
            }
        };
        self.is_bound = mechanism == SCRAM_SHA_256_PLUS;
        let scram = ScramSha256::new(self.password()?, binding);
        let written = frontend::sasl_initial_response(mechanism, scram.message(), response);
        self.scram = Some(scram);
        Ok(written)
    }
}

fn unexpected(what: &str) -> Error {
    Error::new(Kind::Unreachable, format!("the server sends {what} unexpectedly"))
        .hint("check that this is a PostgreSQL server")
}

/// The error for an invalid SCRAM challenge, or a server proof that does not match the password.
fn scram_error(error: &io::Error) -> Error {
    Error::new(Kind::Access, format!("the server's SCRAM message is invalid: {}", plain_message(error)))
        .hint("check that this is the intended server")
}

/// Keeps `server_version` and `crdb_version`; other parameters are ignored.
fn note_version(body: &[u8], server: &mut Server) -> io::Result<()> {
    let mut reader = Reader::new(body);
    let (name, value) = (reader.text()?, reader.text()?);
    if name == b"server_version" {
        server.version = String::from_utf8_lossy(value).into_owned();
        server.major = major(&server.version).ok_or_else(|| malformed("a server version without a number"))?;
    } else if name == b"crdb_version" {
        server.crdb_version = Some(String::from_utf8_lossy(value).into_owned());
    }
    Ok(())
}

/// `15.18 (Debian 15.18-0+deb12u1)` is 15, `18beta1` is 18.
fn major(version: &str) -> Option<u32> {
    let digits = version.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(version.len());
    version[..digits].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_number_of_a_version_is_the_major_one() {
        for (version, expected) in
            [("15.18 (Debian 15.18-0+deb12u1)", Some(15)), ("18beta1", Some(18)), ("9.6.1", Some(9)), ("x", None)]
        {
            assert_eq!(major(version), expected, "{version}");
        }
    }

    #[test]
    fn crdb_version_is_kept_and_a_version_without_a_number_is_rejected() {
        let mut server = Server::default();
        note_version(b"server_version\x0013.0.0\0", &mut server).unwrap();
        note_version(b"crdb_version\0CockroachDB CCL v23.1.11\0", &mut server).unwrap();
        note_version(b"TimeZone\0UTC\0", &mut server).unwrap();
        assert_eq!((server.major, server.crdb_version.as_deref()), (13, Some("CockroachDB CCL v23.1.11")));
        assert!(note_version(b"server_version\0none\0", &mut server).is_err());
        assert!(note_version(b"server_version", &mut server).is_err());
    }

    /// The chosen mechanism and channel binding flag, as the server reads them.
    fn chosen(offered: &[u8], binding: Option<Vec<u8>>) -> Result<String> {
        chosen_by(RequestedBinding::Prefer, offered, binding)
    }

    fn chosen_by(requested: RequestedBinding, offered: &[u8], binding: Option<Vec<u8>>) -> Result<String> {
        let socket = Login::of_socket(std::path::Path::new("/nowhere"), 5432, "ann", "shop");
        let login = Login { password: Some(engine::Secret::new("word")), channel_binding: requested, ..socket };
        let mut exchange = Exchange { binding, confidential: true, ..Exchange::new(&login) };
        let body = [&10_i32.to_be_bytes()[..], offered, &[0]].concat();
        let response = exchange.authenticate(&body)?.expect("an answer");
        let text = String::from_utf8_lossy(&response[5..]).into_owned();
        let (mechanism, rest) = text.split_once('\0').expect("a mechanism");
        let (binding, _) = rest[4..].split_once(',').expect("a binding");
        Ok(format!("{mechanism} {binding}"))
    }

    #[test]
    fn scram_uses_channel_binding_if_both_sides_support_it() {
        let (both, plain) = (&b"SCRAM-SHA-256-PLUS\0SCRAM-SHA-256\0"[..], &b"SCRAM-SHA-256\0"[..]);
        let binding = || Some(vec![1, 2, 3]);
        assert_eq!(chosen(both, binding()).unwrap(), "SCRAM-SHA-256-PLUS p=tls-server-end-point");
        assert_eq!(chosen(both, None).unwrap(), "SCRAM-SHA-256 n");
        assert_eq!(chosen(plain, binding()).unwrap(), "SCRAM-SHA-256 y");
        assert_eq!(chosen(plain, None).unwrap(), "SCRAM-SHA-256 n");
        let (disable, require) = (RequestedBinding::Disable, RequestedBinding::Require);
        assert_eq!(chosen_by(disable, both, binding()).unwrap(), "SCRAM-SHA-256 n");
        assert_eq!(chosen_by(require, both, binding()).unwrap(), "SCRAM-SHA-256-PLUS p=tls-server-end-point");
        for (offered, binding) in [(plain, binding()), (both, None), (plain, None)] {
            let error = chosen_by(require, offered, binding).unwrap_err();
            assert!(error.kind == Kind::Access && error.message.contains("channel_binding is require"), "{error:?}");
        }
        let error = chosen(b"OAUTHBEARER\0", None).unwrap_err();
        assert!(error.kind == Kind::Access && error.message.contains("OAUTHBEARER"), "{error:?}");
    }

    #[test]
    fn what_was_demanded_is_not_given_up() {
        let socket = || Login::of_socket(std::path::Path::new("/nowhere"), 5432, "ann", "shop");
        let refuses = |login: &Login, body: &[u8]| {
            let mut exchange = Exchange { confidential: true, ..Exchange::new(login) };
            exchange.authenticate(body).is_err_and(|error| error.kind == Kind::Access)
        };
        let bound = Login { channel_binding: RequestedBinding::Require, ..socket() };
        // Accepted without a question, by trust or a certificate; a password in clear text; MD5.
        for body in [&[0, 0, 0, 0][..], &[0, 0, 0, 3], &[0, 0, 0, 5, 1, 2, 3, 4]] {
            assert!(refuses(&bound, body), "{body:?}");
        }
        let methods = super::super::authentication::AcceptedMethods::of(Some("scram-sha-256")).unwrap();
        let demanding = Login { accepted_methods: methods, ..socket() };
        assert!(refuses(&demanding, &[0, 0, 0, 0]) && refuses(&demanding, &[0, 0, 0, 3]));
        assert!(!refuses(&socket(), &[0, 0, 0, 0]));
    }

    #[test]
    fn a_short_authentication_request_is_an_error() {
        let login = Login::of_socket(std::path::Path::new("/nowhere"), 5432, "ann", "shop");
        for body in [&[][..], &[0, 0, 0], &[0, 0, 0, 5, 1], &[0, 0, 0, 11], &[0, 0, 0, 12], &[0, 0, 0, 99]] {
            let mut exchange = Exchange { confidential: true, has_received: true, ..Exchange::new(&login) };
            assert!(exchange.authenticate(body).is_err(), "{body:?}");
        }
    }
}

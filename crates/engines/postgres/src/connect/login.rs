//! The start of a session: who we are, the password, and what the server says of itself.

use std::io::{self, Read, Write};
use std::net::TcpStream;

use bytes::BytesMut;
use engine::{Error, Kind, Result};
use postgres_protocol::authentication::md5_hash;
use postgres_protocol::authentication::sasl::{ChannelBinding, SCRAM_SHA_256, SCRAM_SHA_256_PLUS, ScramSha256};
use postgres_protocol::message::frontend;

use super::{Login, Opened, Reached};
use crate::failure::Refusal;
use crate::message::Reader;
use crate::wire::Wire;
use transport::{Transport, malformed, plain};

/// What a server says of itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Server {
    /// `server_version`, as it stands.
    pub(crate) version: String,
    /// Its first number.
    pub(crate) major: u32,
    /// `crdb_version`, which only CockroachDB says.
    pub(crate) crdb_version: Option<String>,
    /// The process that serves this session, in the server's own numbering.
    pub(crate) process: u32,
    /// What a cancel request must know.
    pub(crate) secret: i32,
}

impl Login {
    /// Asks whether the server encrypts. Exactly one byte is read: anything behind it belongs to the handshake, and
    /// something said in the clear would fail there.
    pub(super) fn offers_tls(&self, mut stream: &TcpStream) -> Result<bool> {
        let mut request = BytesMut::new();
        frontend::ssl_request(&mut request);
        stream.write_all(&request).map_err(|error| self.unreachable(&error))?;
        let mut answer = [0];
        // Begins again where a signal interrupts it.
        match stream.read_exact(&mut answer) {
            Ok(()) => match answer[0] {
                b'S' => Ok(true),
                b'N' => Ok(false),
                // What it says next is not to be believed before the encryption, nor shown (CVE-2024-10977).
                b'E' => {
                    let message = format!("the server at {} refuses every connection", self.place);
                    Err(Error::new(Kind::Unreachable, message).hint("see the log of the server"))
                }
                other => Err(self.foreign(&format!("its first byte is {other:#04x}"))),
            },
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                Err(self.foreign("it closes the connection at the first message"))
            }
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => {
                Err(self.foreign("it resets the connection at the first message"))
            }
            Err(error) => Err(self.unreachable(&error)),
        }
    }

    /// Logs in over a connection on which nothing was said yet.
    pub(super) fn log_in(&self, reached: Reached, schema: Option<&str>) -> Result<Opened> {
        let Reached { transport, way, binding } = reached;
        let confidential = !matches!(transport, Transport::Tcp(_));
        let mut wire = Wire::new(transport, self.timeout).map_err(|error| self.unreachable(&error))?;
        let mut parameters = vec![
            ("user", self.user.as_str()),
            ("database", self.database.as_str()),
            ("application_name", self.application_name.as_str()),
            ("client_encoding", "UTF8"),
            // Dates are read and written as 2010-02-28.
            ("datestyle", "ISO, YMD"),
        ];
        // A limit of the role's would cut off what is to be measured.
        parameters.extend(schema.iter().flat_map(|schema| [("search_path", *schema), ("statement_timeout", "0")]));
        frontend::startup_message(parameters, &mut wire.output).map_err(|_| {
            Error::new(Kind::Usage, "role, database or application name contains a zero byte").hint("leave it out")
        })?;
        wire.send_output().map_err(|error| self.unreachable(&error))?;
        let mut exchange = Exchange { login: self, binding, confidential, scram: None, proven: false, heard: false };
        let mut server = Server::default();
        while !exchange.next(&mut wire, &mut server)? {}
        wire.messages.trust().map_err(|error| self.unreachable(&error))?;
        Ok(Opened { wire, server, way })
    }
}

/// A login under way.
struct Exchange<'a> {
    login: &'a Login,
    binding: Option<Vec<u8>>,
    /// Whether nobody else can read along.
    confidential: bool,
    scram: Option<ScramSha256>,
    /// Whether the server has proven in a SCRAM exchange that it knows the password too.
    proven: bool,
    /// Whether anything of the protocol was heard.
    heard: bool,
}

impl Exchange<'_> {
    /// Deals with the next message; true when the session is ready.
    fn next(&mut self, wire: &mut Wire, server: &mut Server) -> Result<bool> {
        let message = match wire.messages.receive() {
            Ok(message) => message,
            Err(error) => return Err(self.silence(&error)),
        };
        let body = message.body;
        match message.tag {
            b'R' => {
                let answer = self.authenticate(body)?;
                if let Some(answer) = answer {
                    wire.output.unsplit(answer);
                    wire.send_output().map_err(|error| self.silence(&error))?;
                }
            }
            b'E' => return Err(self.refused(&Refusal::parse(body))),
            b'S' => note_version(body, server).map_err(|error| self.silence(&error))?,
            b'K' => {
                let mut reader = Reader::new(body);
                server.process = reader.oid().map_err(|error| self.silence(&error))?;
                server.secret = reader.int4().map_err(|error| self.silence(&error))?;
            }
            b'Z' => return Ok(true),
            // A notice; an older version of the protocol than was asked for.
            b'N' | b'v' => {}
            other => return Err(self.login.foreign(&format!("it sends a message of type {other:#04x}"))),
        }
        self.heard = true;
        Ok(false)
    }

    /// The connection broke off, or what came was no message.
    fn silence(&self, error: &io::Error) -> Error {
        match error.kind() {
            io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => self.login.unreachable(error),
            _ if self.heard => Error::new(Kind::Unreachable, format!("the login broke off: {}", plain(error)))
                .hint("see the log of the server"),
            _ => self.login.foreign(&plain(error)),
        }
    }

    fn refused(&self, refusal: &Refusal) -> Error {
        let error = refusal.clone().into_login_error();
        match &self.login.password_file {
            Some(hint) if refusal.code() == "28P01" => error.hint(hint.clone()),
            _ => error,
        }
    }

    /// The answer to an authentication request, if one is wanted.
    fn authenticate(&mut self, body: &[u8]) -> Result<Option<BytesMut>> {
        let mut reader = Reader::new(body);
        let request = reader.int4().map_err(|error| self.silence(&error))?;
        let mut answer = BytesMut::new();
        match request {
            0 if self.scram.is_some() && !self.proven => {
                let message = "the server let us in without proving that it knows the password";
                return Err(Error::new(Kind::Access, message).hint("check that this is the server it should be"));
            }
            0 => return Ok(None),
            3 if !self.confidential => {
                let message = format!("the server at {} wants the password in clear text", self.login.place);
                return Err(Error::new(Kind::Access, message)
                    .hint("encrypt with sslmode=require, or set scram-sha-256 in pg_hba.conf of the server"));
            }
            3 => frontend::password_message(self.password()?, &mut answer),
            5 => {
                let salt = reader.take(4).map_err(|error| self.silence(&error))?;
                let salt = salt.try_into().unwrap_or_default();
                let hash = md5_hash(self.login.user.as_bytes(), self.password()?, salt);
                frontend::password_message(hash.as_bytes(), &mut answer)
            }
            10 => self.begin_scram(reader.rest(), &mut answer)?,
            11 => {
                let scram = self.scram.as_mut().ok_or_else(|| unexpected("a SCRAM challenge"))?;
                scram.update(reader.rest()).map_err(|error| mistrust(&error))?;
                frontend::sasl_response(scram.message(), &mut answer)
            }
            12 => {
                let scram = self.scram.as_mut().ok_or_else(|| unexpected("the end of SCRAM"))?;
                scram.finish(reader.rest()).map_err(|error| mistrust(&error))?;
                self.proven = true;
                return Ok(None);
            }
            other => {
                let name = match other {
                    2 => "Kerberos",
                    7 | 8 => "GSSAPI",
                    9 => "SSPI",
                    _ => "an unknown kind of",
                };
                let message = format!("the server asks for {name} authentication, which dbdyno does not know");
                return Err(Error::new(Kind::Access, message)
                    .hint("let this role in with scram-sha-256 in pg_hba.conf of the server"));
            }
        }
        .map_err(|_| Error::new(Kind::Usage, "the password contains a zero byte").hint("change the password"))?;
        Ok(Some(answer))
    }

    fn password(&self) -> Result<&[u8]> {
        if let Some(password) = self.login.password() {
            return Ok(password.reveal().as_bytes());
        }
        let message = format!("the server asks for the password of role {} and none is known", self.login.user);
        let hint = "put it into ~/.pgpass, PGPASSWORD or the target";
        let hint = self.login.password_file.clone().unwrap_or_else(|| hint.to_owned());
        Err(Error::new(Kind::Access, message).code("28P01").hint(hint))
    }

    /// Chooses among the mechanisms: with the binding to the encrypted connection where both sides know it.
    fn begin_scram(&mut self, offered: &[u8], answer: &mut BytesMut) -> Result<io::Result<()>> {
        let offers = |mechanism: &str| offered.split(|byte| *byte == 0).any(|name| name == mechanism.as_bytes());
        let (mechanism, binding) = match (offers(SCRAM_SHA_256_PLUS), offers(SCRAM_SHA_256), self.binding.take()) {
            (true, _, Some(binding)) => (SCRAM_SHA_256_PLUS, ChannelBinding::tls_server_end_point(binding)),
            // We could bind; the server that hears it and offered it after all knows that somebody stands between.
            (false, true, Some(_)) => (SCRAM_SHA_256, ChannelBinding::unrequested()),
            (_, true, None) => (SCRAM_SHA_256, ChannelBinding::unsupported()),
            _ => {
                let offered = String::from_utf8_lossy(offered).trim_matches('\0').replace('\0', ", ");
                let message = format!("the server offers only {offered} for the password, which dbdyno does not know");
                return Err(Error::new(Kind::Access, message).hint("set scram-sha-256 in pg_hba.conf of the server"));
            }
        };
        let scram = ScramSha256::new(self.password()?, binding);
        let written = frontend::sasl_initial_response(mechanism, scram.message(), answer);
        self.scram = Some(scram);
        Ok(written)
    }
}

fn unexpected(what: &str) -> Error {
    Error::new(Kind::Unreachable, format!("the server sends {what} where none is due"))
        .hint("check that this is a PostgreSQL server")
}

/// The server's side of SCRAM is wrong: a challenge that is none, or a proof that does not fit the password.
fn mistrust(error: &io::Error) -> Error {
    Error::new(Kind::Access, format!("the server's part of the password exchange is wrong: {}", plain(error)))
        .hint("check that this is the server it should be")
}

/// Keeps `server_version` and what only a relative says; of every other parameter the server speaks in vain.
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
    fn a_relative_s_own_parameter_is_kept_and_a_version_without_a_number_refused() {
        let mut server = Server::default();
        note_version(b"server_version\x0013.0.0\0", &mut server).unwrap();
        note_version(b"crdb_version\0CockroachDB CCL v23.1.11\0", &mut server).unwrap();
        note_version(b"TimeZone\0UTC\0", &mut server).unwrap();
        assert_eq!((server.major, server.crdb_version.as_deref()), (13, Some("CockroachDB CCL v23.1.11")));
        assert!(note_version(b"server_version\0none\0", &mut server).is_err());
        assert!(note_version(b"server_version", &mut server).is_err());
    }

    /// The mechanism and the binding that are chosen, as the server will read them.
    fn chosen(offered: &[u8], binding: Option<Vec<u8>>) -> Result<String> {
        let socket = Login::of_socket(std::path::Path::new("/nowhere"), 5432, "ann", "shop");
        let login = Login { password: Some(engine::Secret::new("word")), ..socket };
        let mut exchange =
            Exchange { login: &login, binding, confidential: true, scram: None, proven: false, heard: false };
        let body = [&10_i32.to_be_bytes()[..], offered, &[0]].concat();
        let answer = exchange.authenticate(&body)?.expect("an answer");
        let text = String::from_utf8_lossy(&answer[5..]).into_owned();
        let (mechanism, rest) = text.split_once('\0').expect("a mechanism");
        let (binding, _) = rest[4..].split_once(',').expect("a binding");
        Ok(format!("{mechanism} {binding}"))
    }

    #[test]
    fn scram_is_bound_to_the_connection_where_both_sides_can() {
        let (both, plain) = (&b"SCRAM-SHA-256-PLUS\0SCRAM-SHA-256\0"[..], &b"SCRAM-SHA-256\0"[..]);
        let binding = || Some(vec![1, 2, 3]);
        assert_eq!(chosen(both, binding()).unwrap(), "SCRAM-SHA-256-PLUS p=tls-server-end-point");
        assert_eq!(chosen(both, None).unwrap(), "SCRAM-SHA-256 n");
        assert_eq!(chosen(plain, binding()).unwrap(), "SCRAM-SHA-256 y");
        assert_eq!(chosen(plain, None).unwrap(), "SCRAM-SHA-256 n");
        let error = chosen(b"OAUTHBEARER\0", None).unwrap_err();
        assert!(error.kind == Kind::Access && error.message.contains("OAUTHBEARER"), "{error:?}");
    }

    #[test]
    fn a_short_authentication_request_is_an_error() {
        let login = Login::of_socket(std::path::Path::new("/nowhere"), 5432, "ann", "shop");
        for body in [&[][..], &[0, 0, 0], &[0, 0, 0, 5, 1], &[0, 0, 0, 11], &[0, 0, 0, 12], &[0, 0, 0, 99]] {
            let mut exchange =
                Exchange { login: &login, binding: None, confidential: true, scram: None, proven: false, heard: true };
            assert!(exchange.authenticate(body).is_err(), "{body:?}");
        }
    }
}

//! The login: encryption, who we are, and the proof of the password.

use std::io;

use engine::{Error, Kind, Result};
use transport::{Mode, Transport, Way, plain};

use super::address::CLEARTEXT;
use super::greeting::{Greeting, Wish, capability, greeting};
use super::password::{CACHING, CLEAR, NATIVE, NONCE_BYTES, UNCACHED, proof};
use super::{Login, Opened, Place};
use crate::codec::encode_bytes;
use crate::failure::Refusal;
use crate::message::Reader;
use crate::wire::Wire;

impl Login {
    /// Logs in over a connection on which nothing was said yet.
    pub(super) fn log_in(&self, mut wire: Wire, mut way: Way, database: Option<&str>) -> Result<Opened> {
        let greeting = self.receive(&mut wire)?;
        let wants_tls = matches!(self.place, Place::Tcp { .. }) && self.tls.mode != Mode::Disable;
        let offers_tls = greeting.capabilities & capability::SSL != 0;
        if wants_tls && !offers_tls && self.tls.mode != Mode::Prefer {
            let message = format!("the server at {} offers no TLS and sslmode is {}", self.place, self.tls.mode);
            return Err(Error::new(Kind::Usage, message)
                .hint("give the server a certificate (ssl_cert, ssl_key), or give sslmode=prefer"));
        }
        let encrypted = wants_tls && offers_tls;
        let wish = Wish::of(&greeting, encrypted, database.is_some());
        if encrypted {
            wire = self.encrypt(wire, &mut way, &wish)?;
        }
        self.introduce(&mut wire, &greeting, &wish, database)?;
        self.prove(&mut wire, &greeting, &way)?;
        wire.messages.trust().map_err(|error| self.unreachable(&error))?;
        Ok(Opened { wire, server: greeting.server, way })
    }

    /// The server speaks first.
    fn receive(&self, wire: &mut Wire) -> Result<Greeting> {
        let body = wire.messages.receive().map_err(|error| self.silence(&error, false))?;
        if body.first() == Some(&0xff) {
            return Err(Refusal::parse(body).into_login_error());
        }
        let greeting = greeting(body).map_err(|error| self.foreign(&plain(&error)))?;
        let server = &greeting.server;
        let (version, least) = (&server.version, server.flavour.version_min());
        if server.release < least {
            let title = server.flavour.title();
            let (major, minor) = least;
            let message = format!(
                "{title} {version} at {} is older than {major}.{minor}, the oldest version that dbdyno measures",
                self.place
            );
            return Err(Error::new(Kind::Usage, message).hint("measure a newer server"));
        }
        if greeting.capabilities & capability::NEEDED != capability::NEEDED {
            let message = format!("what answers at {} as version {version} lacks parts of the protocol", self.place);
            return Err(Error::new(Kind::Usage, message).hint("connect to the server itself, without a proxy"));
        }
        Ok(greeting)
    }

    fn encrypt(&self, mut wire: Wire, way: &mut Way, wish: &Wish) -> Result<Wire> {
        wish.write(wire.begin());
        wire.send_answer().map_err(|error| self.unreachable(&error))?;
        // Something said in the clear behind the greeting would be taken for encrypted.
        if !wire.messages.input.buffer.unread().is_empty() {
            return Err(self.foreign("it goes on speaking in the clear where encryption begins"));
        }
        let (transport, sequence) = wire.into_transport();
        let (Transport::Tcp(stream), Place::Tcp { host, .. }) = (transport, &self.place) else {
            return Err(self.foreign("it is not reached over TCP"));
        };
        let encrypted = self.tls.shake_hands(stream, host, "MariaDB or MySQL")?;
        way.encryption = Some(encrypted.encryption);
        let wire = Wire::new(Transport::Tls(encrypted.stream), self.timeout);
        let mut wire = wire.map_err(|error| self.unreachable(&error))?;
        wire.resume(sequence);
        Ok(wire)
    }

    /// Says who we are, with a first proof in the way of the server's default plugin.
    fn introduce(&self, wire: &mut Wire, greeting: &Greeting, wish: &Wish, database: Option<&str>) -> Result<()> {
        let known = [NATIVE, CACHING].into_iter().find(|plugin| *plugin == greeting.plugin);
        let plugin = known.unwrap_or(NATIVE);
        let first = proof(plugin, self.password_bytes(), &greeting.nonce).unwrap_or_default();
        let zero = |text: &str| text.contains('\0');
        if zero(&self.user) || database.is_some_and(zero) {
            let message = "user or database contains a zero byte";
            return Err(Error::new(Kind::Usage, message).hint("leave it out"));
        }
        let out = wire.begin();
        wish.write(out);
        out.extend_from_slice(self.user.as_bytes());
        out.push(0);
        match wish.has(capability::PLUGIN_AUTH_LENENC) {
            true => encode_bytes(&first, out),
            false => {
                // A proof has 32 bytes at most.
                out.push(first.len() as u8);
                out.extend_from_slice(&first);
            }
        }
        if let Some(database) = database {
            out.extend_from_slice(database.as_bytes());
            out.push(0);
        }
        out.extend_from_slice(plugin.as_bytes());
        out.push(0);
        wire.send_answer().map_err(|error| self.silence(&error, true))
    }

    /// Answers what the server asks until it lets us in.
    fn prove(&self, wire: &mut Wire, greeting: &Greeting, way: &Way) -> Result<()> {
        let mut plugin = greeting.plugin.clone();
        loop {
            let body = wire.messages.receive().map_err(|error| self.silence(&error, true))?;
            let answer = match body.first() {
                Some(0x00) => return Ok(()),
                Some(0xff) => return Err(self.refused(&Refusal::parse(body))),
                // Another plugin is wanted, with a nonce of its own.
                Some(0xfe) if body.len() > 1 => {
                    let mut reader = Reader::new(&body[1..]);
                    plugin = String::from_utf8_lossy(reader.text()).into_owned();
                    let nonce = reader.rest().get(..NONCE_BYTES).unwrap_or(reader.rest());
                    self.answer(&plugin, nonce, way)?
                }
                Some(0x01) => match (plugin.as_str(), body.get(1)) {
                    // The server had the hash in memory, and the OK follows.
                    (CACHING, Some(3)) => continue,
                    (CACHING, Some(4)) => self.clear(&plugin, self.is_private(way))?,
                    _ => return Err(unknown(&plugin)),
                },
                _ => return Err(unknown("that of MySQL 4.0")),
            };
            wire.begin().extend_from_slice(&answer);
            wire.send_answer().map_err(|error| self.silence(&error, true))?;
        }
    }

    fn answer(&self, plugin: &str, nonce: &[u8], way: &Way) -> Result<Vec<u8>> {
        match plugin {
            CLEAR => self.clear(plugin, self.is_private(way)),
            // Here the server does not take a socket for private. A user that does not exist is asked by this plugin too.
            UNCACHED => self.clear(plugin, way.encryption.is_some() && self.is_private(way)),
            _ => proof(plugin, self.password_bytes(), nonce).ok_or_else(|| unknown(plugin)),
        }
    }

    /// Whether what is sent is read by the server alone: over its socket, or encrypted for who has shown its certificate.
    /// Encryption alone keeps out who listens, and not who stands in between with a certificate of his own: there the
    /// user has to wish it. No password is no secret.
    fn is_private(&self, way: &Way) -> bool {
        let is_nobodys = self.password_bytes().is_empty() || self.cleartext || self.tls.knows_server();
        matches!(self.place, Place::Unix(_)) || way.encryption.is_some() && is_nobodys
    }

    /// The password itself, where that is allowed.
    fn clear(&self, plugin: &str, allowed: bool) -> Result<Vec<u8>> {
        if !allowed {
            let message = format!(
                "the server at {} wants the password itself ({plugin}) in clear text, and has not shown who it is",
                self.place
            );
            let or = match plugin {
                UNCACHED => "",
                _ => ", or use the socket",
            };
            return Err(Error::new(Kind::Access, message).hint(format!(
                "verify it with sslmode=verify-full (and sslrootcert=FILE), send it all the same with sslmode=require and \
                 {CLEARTEXT}=1{or}"
            )));
        }
        Ok([self.password_bytes(), &[0]].concat())
    }

    fn password_bytes(&self) -> &[u8] {
        self.password.as_ref().map_or(&[], |password| password.reveal().as_bytes())
    }

    fn refused(&self, refusal: &Refusal) -> Error {
        let error = refusal.clone().into_login_error();
        match refusal.number {
            1045 if self.password.is_some() => error.hint("check user and password"),
            _ => error,
        }
    }

    /// The connection broke off, or what came was no packet.
    fn silence(&self, error: &io::Error, heard: bool) -> Error {
        match error.kind() {
            io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => self.unreachable(error),
            _ if heard => Error::new(Kind::Unreachable, format!("the login broke off: {}", plain(error)))
                .hint("see the log of the server"),
            io::ErrorKind::UnexpectedEof => self.foreign("it closes the connection without a word"),
            _ => self.foreign(&plain(error)),
        }
    }
}

fn unknown(plugin: &str) -> Error {
    let message = format!("the server asks for authentication by {plugin}, which dbdyno does not know");
    Error::new(Kind::Access, message)
        .hint(format!("measure as a user that is identified by {NATIVE} or {CACHING}, or by the operating system"))
}

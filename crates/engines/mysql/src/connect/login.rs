//! The login: encryption, user, and authentication.

use std::io;

use engine::{Error, Kind, Result};
use transport::{Deadline, Mode, Route, Transport, alert, plain_message};

use super::greeting::{ClientCapabilities, Greeting, capability, greeting};
use super::parameter::CLEARTEXT;
use super::password::{CACHING, CLEAR, NATIVE, NONCE_BYTES, UNCACHED, proof};
use super::{Login, Opened, ServerAddress};
use crate::codec::encode_bytes;
use crate::failure::ServerError;
use crate::message::Reader;
use crate::wire::Wire;

impl Login {
    /// Logs in over a new connection.
    pub(super) fn log_in(&self, transport: Transport, mut route: Route, database: Option<&str>) -> Result<Opened> {
        let deadline = Deadline::after(self.timeout);
        let mut wire = Wire::new(transport, deadline);
        let greeting = self.receive(&mut wire)?;
        let wants_tls = matches!(self.address, ServerAddress::Tcp { .. }) && self.tls.mode != Mode::Disable;
        let offers_tls = greeting.capabilities & capability::SSL != 0;
        // All sessions are encrypted or all are not, as the first one: the record says it of all.
        let first = self.is_encrypted.get().copied();
        let wants_tls = wants_tls && first != Some(false);
        if wants_tls && !offers_tls && (self.tls.mode != Mode::Prefer || first.is_some()) {
            let and = match first {
                Some(_) => "an earlier session was encrypted".to_owned(),
                None => format!("sslmode is {}", self.tls.mode),
            };
            let message = format!("the server at {} does not support TLS and {and}", self.address);
            return Err(Error::new(Kind::Usage, message)
                .hint("configure a certificate (ssl_cert, ssl_key) on the server, or give sslmode=prefer"));
        }
        let encrypted = wants_tls && offers_tls;
        let requested = ClientCapabilities::of(&greeting, encrypted, database.is_some());
        if encrypted {
            wire = self.encrypt(wire, &mut route, &requested, deadline)?;
        }
        self.send_login(&mut wire, &greeting, &requested, database)?;
        self.authenticate(&mut wire, &greeting, &route)?;
        wire.messages.enter_session();
        self.is_encrypted.get_or_init(|| encrypted);
        Ok(Opened { wire, server: greeting.server, route })
    }

    /// Receives the handshake packet of the server.
    fn receive(&self, wire: &mut Wire) -> Result<Greeting> {
        let body = wire.messages.receive().map_err(|error| self.receive_error(&error, false))?;
        if body.first() == Some(&0xff) {
            return Err(ServerError::parse(body).into_login_error());
        }
        let greeting = greeting(body).map_err(|error| self.not_mysql(&plain_message(&error)))?;
        let server = &greeting.server;
        let (version, least) = (&server.version, server.flavour.version_min());
        if server.release < least {
            let title = server.flavour.title();
            let (major, minor) = least;
            let message = format!(
                "{title} {version} at {} is older than {major}.{minor}, the oldest supported version",
                self.address
            );
            return Err(Error::new(Kind::Usage, message).hint("use a newer server"));
        }
        if greeting.capabilities & capability::NEEDED != capability::NEEDED {
            let message = format!("the server at {} with version {version} lacks parts of the protocol", self.address);
            return Err(Error::new(Kind::Usage, message).hint("connect to the server itself, without a proxy"));
        }
        Ok(greeting)
    }

    fn encrypt(
        &self,
        mut wire: Wire,
        route: &mut Route,
        requested: &ClientCapabilities,
        deadline: Deadline,
    ) -> Result<Wire> {
        requested.write(wire.begin());
        wire.send_response().map_err(|error| self.unreachable(&error))?;
        // Unencrypted bytes after the greeting would be accepted as encrypted.
        if !wire.messages.input.buffer.unread().is_empty() {
            return Err(self.not_mysql("it sends unencrypted data after the TLS request"));
        }
        let (transport, sequence) = wire.into_transport();
        let (Transport::Tcp(stream), ServerAddress::Tcp { host, .. }) = (transport, &self.address) else {
            return Err(self.not_mysql("it is not connected over TCP"));
        };
        let encrypted = self.tls.handshake(stream, host, "MariaDB or MySQL", deadline)?;
        route.encryption = Some(encrypted.encryption);
        let mut wire = Wire::new(Transport::Tls(encrypted.stream), deadline);
        wire.resume(sequence);
        Ok(wire)
    }

    /// Sends user and database, with a first proof for the server's default plugin.
    fn send_login(
        &self,
        wire: &mut Wire,
        greeting: &Greeting,
        requested: &ClientCapabilities,
        database: Option<&str>,
    ) -> Result<()> {
        let known = [NATIVE, CACHING].into_iter().find(|plugin| *plugin == greeting.plugin);
        let plugin = known.unwrap_or(NATIVE);
        let first = proof(plugin, self.password_bytes(), &greeting.nonce).unwrap_or_default();
        let zero = |text: &str| text.contains('\0');
        if zero(&self.user) || database.is_some_and(zero) {
            let message = "user or database contains a zero byte";
            return Err(Error::new(Kind::Usage, message).hint("remove it"));
        }
        let out = wire.begin();
        requested.write(out);
        out.extend_from_slice(self.user.as_bytes());
        out.push(0);
        match requested.has(capability::PLUGIN_AUTH_LENENC) {
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
        wire.send_response().map_err(|error| self.receive_error(&error, true))
    }

    /// Responds to authentication requests until the login is complete.
    fn authenticate(&self, wire: &mut Wire, greeting: &Greeting, route: &Route) -> Result<()> {
        let mut plugin = greeting.plugin.clone();
        loop {
            let body = wire.messages.receive().map_err(|error| self.receive_error(&error, true))?;
            let response = match body.first() {
                Some(0x00) => return Ok(()),
                Some(0xff) => return Err(self.to_error(&ServerError::parse(body))),
                // A switch to another plugin, with a new nonce.
                Some(0xfe) if body.len() > 1 => {
                    let mut reader = Reader::new(&body[1..]);
                    plugin = String::from_utf8_lossy(reader.text()).into_owned();
                    let nonce = reader.rest().get(..NONCE_BYTES).unwrap_or(reader.rest());
                    self.response(&plugin, nonce, route)?
                }
                Some(0x01) => match (plugin.as_str(), body.get(1)) {
                    // The server had the hash cached; the OK follows.
                    (CACHING, Some(3)) => continue,
                    (CACHING, Some(4)) => self.clear_password(&plugin, self.is_private(route))?,
                    _ => return Err(unknown(&plugin)),
                },
                _ => return Err(unknown("that of MySQL 4.0")),
            };
            wire.begin().extend_from_slice(&response);
            wire.send_response().map_err(|error| self.receive_error(&error, true))?;
        }
    }

    fn response(&self, plugin: &str, nonce: &[u8], route: &Route) -> Result<Vec<u8>> {
        match plugin {
            CLEAR => self.clear_password(plugin, self.is_private(route)),
            // This plugin does not accept a socket as private. It is also requested for unknown users.
            UNCACHED => self.clear_password(plugin, route.encryption.is_some() && self.is_private(route)),
            _ => proof(plugin, self.password_bytes(), nonce).ok_or_else(|| unknown(plugin)),
        }
    }

    /// Whether a clear text password may be sent: over a Unix socket, or encrypted to a verified server. Encryption
    /// alone does not protect against a man in the middle, therefore it needs an explicit option. An empty password is
    /// no secret.
    fn is_private(&self, route: &Route) -> bool {
        let is_trusted = self.password_bytes().is_empty() || self.cleartext || self.tls.verifies_server();
        matches!(self.address, ServerAddress::Unix(_)) || route.encryption.is_some() && is_trusted
    }

    /// The clear text password, if permitted.
    fn clear_password(&self, plugin: &str, allowed: bool) -> Result<Vec<u8>> {
        if !allowed {
            let message = format!(
                "the server at {} requests the password in clear text ({plugin}), and is not verified",
                self.address
            );
            let or = match plugin {
                UNCACHED => "",
                _ => ", or use the socket",
            };
            return Err(Error::new(Kind::Access, message).hint(format!(
                "verify it with sslmode=verify-full (and sslrootcert=FILE), send it anyway with sslmode=require and \
                {CLEARTEXT}=1{or}"
            )));
        }
        Ok([self.password_bytes(), &[0]].concat())
    }

    fn password_bytes(&self) -> &[u8] {
        self.password.as_ref().map_or(&[], |password| password.reveal().as_bytes())
    }

    fn to_error(&self, reason: &ServerError) -> Error {
        let error = reason.clone().into_login_error();
        match reason.number {
            1045 if self.password.is_some() => error.hint("check user and password"),
            _ => error,
        }
    }

    /// The error for an aborted connection or an invalid packet.
    fn receive_error(&self, error: &io::Error, has_received: bool) -> Error {
        match error.kind() {
            io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => self.unreachable(error),
            _ if let Some(alert) = alert(error) => {
                let message = format!("the server at {} ended the encrypted connection: {alert}", self.address);
                Error::new(Kind::Access, message)
                    .hint("check the client certificate (ssl-cert, ssl-key): the server accepts those of its ssl_ca")
            }
            _ if has_received => {
                Error::new(Kind::Unreachable, format!("the login was aborted: {}", plain_message(error)))
                    .hint("see the log of the server")
            }
            io::ErrorKind::UnexpectedEof => self.not_mysql("it closes the connection without a message"),
            _ => self.not_mysql(&plain_message(error)),
        }
    }
}

fn unknown(plugin: &str) -> Error {
    let message = format!("the server requests authentication by {plugin}, which dbdyno does not support");
    Error::new(Kind::Access, message)
        .hint(format!("use a user with {NATIVE}, {CACHING}, or operating system authentication"))
}

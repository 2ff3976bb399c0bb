//! The handshake packets: version and capabilities of the server, and the requested capabilities.

use std::io;

use super::password::NONCE_BYTES;
use crate::flavour::{self, Flavour};
use crate::message::Reader;
use transport::malformed;

/// Capabilities (`CLIENT_...` in the protocol's documentation).
pub(super) mod capability {
    /// In MariaDB: there are no extended capabilities.
    pub(crate) const MYSQL: u32 = 1;
    /// Affected rows are the rows found, even if they had the new value already.
    pub(crate) const FOUND_ROWS: u32 = 1 << 1;
    pub(crate) const LONG_FLAG: u32 = 1 << 2;
    pub(crate) const CONNECT_WITH_DB: u32 = 1 << 3;
    pub(crate) const LOCAL_FILES: u32 = 1 << 7;
    pub(crate) const PROTOCOL_41: u32 = 1 << 9;
    pub(crate) const SSL: u32 = 1 << 11;
    pub(crate) const TRANSACTIONS: u32 = 1 << 13;
    pub(crate) const SECURE_CONNECTION: u32 = 1 << 15;
    pub(crate) const MULTI_STATEMENTS: u32 = 1 << 16;
    pub(crate) const MULTI_RESULTS: u32 = 1 << 17;
    pub(crate) const PS_MULTI_RESULTS: u32 = 1 << 18;
    pub(crate) const PLUGIN_AUTH: u32 = 1 << 19;
    pub(crate) const PLUGIN_AUTH_LENENC: u32 = 1 << 21;
    pub(crate) const DEPRECATE_EOF: u32 = 1 << 24;
    /// Required capabilities; every supported version has them.
    pub(crate) const NEEDED: u32 = PROTOCOL_41 | SECURE_CONNECTION | PLUGIN_AUTH | DEPRECATE_EOF;
    /// Extended capability of MariaDB: the columns of a prepared statement are described once, not at each execution.
    pub(crate) const CACHE_METADATA: u32 = 1 << 4;
}

use capability::*;

/// `utf8mb4_general_ci`, which has this number in both products; the session sets its collation later.
const CHARSET: u8 = 45;

/// Properties of a server, from its handshake packet.
#[derive(Clone, Debug)]
pub(crate) struct Server {
    /// The version, without MariaDB's prefix.
    pub(crate) version: String,
    pub(crate) release: (u32, u32),
    pub(crate) flavour: Flavour,
    /// The connection id, for cancellation.
    pub(crate) connection: u32,
    /// Whether each result indicates if its columns are described.
    pub(crate) caches_columns: bool,
}

/// The server's first packet.
#[derive(Debug)]
pub(super) struct Greeting {
    pub(super) server: Server,
    pub(super) capabilities: u32,
    pub(super) nonce: Vec<u8>,
    pub(super) plugin: String,
}

/// Reads protocol version 10.
pub(super) fn greeting(body: &[u8]) -> io::Result<Greeting> {
    let mut reader = Reader::new(body);
    let protocol = reader.byte()?;
    if protocol != 10 {
        return Err(malformed(format!("its first packet starts with {protocol:#04x}")));
    }
    let text = String::from_utf8_lossy(reader.text()).into_owned();
    let release = flavour::release(&text).ok_or_else(|| malformed("a version without numbers"))?;
    let flavour = Flavour::of_version(&text);
    let connection = reader.int4()?;
    let mut nonce = reader.take(8)?.to_vec();
    reader.take(1)?;
    let low = reader.int2()?;
    // Character set and status.
    reader.take(3)?;
    let capabilities = u32::from(low) | u32::from(reader.int2()?) << 16;
    let nonce_bytes = usize::from(reader.byte()?);
    reader.take(6)?;
    let further = reader.int4()?;
    let rest = reader.take(13.max(nonce_bytes.saturating_sub(8)).min(reader.rest().len()))?;
    nonce.extend_from_slice(rest);
    nonce.truncate(NONCE_BYTES);
    let plugin = String::from_utf8_lossy(reader.text()).into_owned();
    // Other servers send zeros.
    let further = if flavour == Flavour::MariaDb && capabilities & MYSQL == 0 { further } else { 0 };
    let server = Server {
        version: flavour::release_text(&text).to_owned(),
        release,
        flavour,
        connection,
        caches_columns: further & CACHE_METADATA != 0,
    };
    Ok(Greeting { server, capabilities, nonce, plugin })
}

/// The requested capabilities, at the start of both client packets.
pub(super) struct ClientCapabilities {
    capabilities: u32,
    further: u32,
}

impl ClientCapabilities {
    pub(super) fn of(greeting: &Greeting, encrypted: bool, database: bool) -> ClientCapabilities {
        let mut wanted = NEEDED | FOUND_ROWS | LONG_FLAG | LOCAL_FILES | TRANSACTIONS;
        wanted |= MULTI_STATEMENTS | MULTI_RESULTS | PS_MULTI_RESULTS | PLUGIN_AUTH_LENENC;
        for (flag, is_wanted) in [(SSL, encrypted), (CONNECT_WITH_DB, database)] {
            wanted |= if is_wanted { flag } else { 0 };
        }
        // If set, it disables the extended capabilities.
        let further = if greeting.server.caches_columns { CACHE_METADATA } else { 0 };
        wanted |= if further == 0 { MYSQL } else { 0 };
        ClientCapabilities { capabilities: (greeting.capabilities | MYSQL) & wanted, further }
    }

    /// Writes a TLS request, which is also the start of the handshake response.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.capabilities.to_le_bytes());
        // Maximum packet size: no limit.
        out.extend_from_slice(&(1_u32 << 30).to_le_bytes());
        out.push(CHARSET);
        out.extend_from_slice(&[0; 19]);
        out.extend_from_slice(&self.further.to_le_bytes());
    }

    pub(super) fn has(&self, capability: u32) -> bool {
        self.capabilities & capability != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A handshake packet of a server.
    fn text(version: &str, capabilities: u32, further: u32, plugin: &str) -> Vec<u8> {
        let mut body = vec![10];
        body.extend_from_slice(version.as_bytes());
        body.extend_from_slice(b"\0\x07\0\0\0abcdefgh\0");
        body.extend_from_slice(&(capabilities as u16).to_le_bytes());
        body.extend_from_slice(&[45, 2, 0]);
        body.extend_from_slice(&((capabilities >> 16) as u16).to_le_bytes());
        body.push(21);
        body.extend_from_slice(&[0; 6]);
        body.extend_from_slice(&further.to_le_bytes());
        body.extend_from_slice(b"ijklmnopqrst\0");
        body.extend_from_slice(plugin.as_bytes());
        body.push(0);
        body
    }

    #[test]
    fn a_greeting_has_product_connection_and_nonce() {
        let body = text("5.5.5-10.11.19-MariaDB", NEEDED, CACHE_METADATA, "mysql_native_password");
        let found = greeting(&body).unwrap();
        assert_eq!((found.server.version.as_str(), found.server.release), ("10.11.19-MariaDB", (10, 11)));
        assert_eq!((found.server.connection, found.server.caches_columns), (7, true));
        assert_eq!(found.nonce, b"abcdefghijklmnopqrst");
        assert_eq!(found.plugin, "mysql_native_password");
        let requested = ClientCapabilities::of(&found, false, false);
        assert!(!requested.has(MYSQL) && !requested.has(SSL) && requested.has(PLUGIN_AUTH));
        // The extended capabilities are read for MariaDB only.
        let other = greeting(&text("8.0.36", NEEDED | MYSQL, CACHE_METADATA, "caching_sha2_password")).unwrap();
        assert!(!other.server.caches_columns && ClientCapabilities::of(&other, false, false).has(MYSQL));
    }

    proptest! {
        #[test]
        fn arbitrary_greetings_never_panic(body in proptest::collection::vec(any::<u8>(), 0..120)) {
            let _ = greeting(&body);
            let _ = greeting(&[&b"\x0a8.0.36\0"[..], &body].concat());
        }
    }
}

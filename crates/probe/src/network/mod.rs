//! Network probes: a peer on another host, or on this one.

pub(crate) mod from_peer;
pub(crate) mod round_trip;
pub(crate) mod to_peer;

use std::net::SocketAddr;

use measure::Broken;

use crate::peer::{Connection, PeerError, Service};

/// Length of a block of the probes of bandwidth: fewer bytes cost more system calls, more of them make the last block of
/// a window longer on a slow link.
const BLOCK_BYTES: u32 = 128 * 1024;

/// A connection that is opened by the first step, on the thread of its job.
struct Lazy {
    code: &'static str,
    peer: Option<SocketAddr>,
    service: Service,
    block_bytes: u32,
    seed: u64,
    connection: Option<Connection>,
}

impl Lazy {
    fn new(code: &'static str, peer: Option<SocketAddr>, service: Service, block_bytes: u32, seed: u64) -> Lazy {
        Lazy { code, peer, service, block_bytes, seed, connection: None }
    }

    /// What `body` returns with the connection.
    fn with<T>(&mut self, body: impl FnOnce(&mut Connection) -> Result<T, PeerError>) -> Result<T, Broken> {
        let Some(peer) = self.peer else {
            return Err(Broken { message: format!("{}: no peer is named", self.code) });
        };
        let broken = |error: PeerError| Broken {
            message: format!("{}: peer {peer}: {error} (hint: {})", self.code, error.hint()),
        };
        let connection = match &mut self.connection {
            Some(connection) => connection,
            empty => {
                let opened = Connection::open(peer, self.service, self.block_bytes, self.seed).map_err(broken)?;
                empty.insert(opened)
            }
        };
        body(connection).map_err(broken)
    }
}

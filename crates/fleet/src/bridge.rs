//! Messages of an agent over its standard input and output, where nothing else connects it with the coordinator.

use std::fs;
use std::io::{Read, Write, copy, stdout};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use record::Ticket;

use crate::error::{Error, Result};

/// The URL in a ticket of an agent whose messages go over its standard input and output.
pub(crate) const STANDARD_STREAMS: &str = "stdio:";

/// How long the end of a bridge is waited for that nobody has connected to.
const WAKE_TIMEOUT: Duration = Duration::from_secs(1);

/// Passes one connection on to the standard input and output of this process: that of this process, and of no other. Its
/// port stays bound until this is dropped, so that nobody else can listen there while the agent may connect to it.
#[derive(Debug)]
pub struct Bridge {
    address: SocketAddr,
    thread: Option<JoinHandle<()>>,
    is_over: Arc<AtomicBool>,
    _listener: Arc<TcpListener>,
}

impl Bridge {
    /// A bridge for an agent with this `ticket`, if it needs one; its URL is then that of the bridge. `input` is the
    /// standard input after the ticket.
    ///
    /// # Errors
    /// Where there is no port on loopback.
    pub fn for_ticket(ticket: &mut Ticket, input: impl Read + Send + 'static) -> Result<Option<Bridge>> {
        if ticket.url != STANDARD_STREAMS {
            return Ok(None);
        }
        let bridge = Bridge::between(input, stdout())?;
        ticket.url = format!("nats://{}", bridge.address);
        Ok(Some(bridge))
    }

    /// A bridge between a connection to its port and these two.
    fn between(input: impl Read + Send + 'static, output: impl Write + Send + 'static) -> Result<Bridge> {
        let failed = |error| Error::new(format!("no port on loopback: {error}"));
        let listener = Arc::new(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(failed)?);
        let (address, is_over) = (listener.local_addr().map_err(failed)?, Arc::<AtomicBool>::default());
        let (accepting, ends) = (Arc::clone(&listener), Arc::clone(&is_over));
        let body = move || serve(&accepting, &ends, input, output);
        let thread = Some(std::thread::Builder::new().name("bridge".to_owned()).spawn(body).map_err(failed)?);
        Ok(Bridge { address, thread, is_over, _listener: listener })
    }
}

impl Drop for Bridge {
    /// Waits until all that the agent has sent is on its way.
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        // Ends a wait for a connection that never came.
        drop(TcpStream::connect_timeout(&self.address, WAKE_TIMEOUT));
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// The one connection of this process, until it ends. Connections of others are closed.
fn serve(
    listener: &TcpListener,
    is_over: &AtomicBool,
    input: impl Read + Send + 'static,
    mut output: impl Write + Send + 'static,
) {
    let stream = loop {
        let accepted = listener.accept();
        if is_over.load(Ordering::Relaxed) {
            return;
        }
        match accepted {
            Ok((stream, peer)) if is_own(peer, &stream) => break stream,
            Ok(_) => {}
            // Such as too many open files: the next one may work.
            Err(_) => std::thread::sleep(Duration::from_millis(10)),
        }
    };
    let Ok(inward) = stream.try_clone() else { return };
    // It waits for input until the process ends.
    let _ = std::thread::Builder::new().name("bridge-input".to_owned()).spawn(move || pass_on(input, &inward));
    let mut from = stream;
    let _ = from.set_nodelay(true);
    let _ = pass(&mut from, &mut output);
}

/// Whether the other end of `stream`, at `peer`, is a socket of this process.
fn is_own(peer: SocketAddr, stream: &TcpStream) -> bool {
    let Ok(own) = stream.local_addr() else { return false };
    let table = fs::read_to_string("/proc/self/net/tcp").unwrap_or_default();
    inode_of(&table, peer, own).is_some_and(|inode| has_socket(Path::new("/proc/self/fd"), inode))
}

/// The inode of the socket at `local` whose other end is at `remote`, in the text of `/proc/net/tcp`.
fn inode_of(table: &str, local: SocketAddr, remote: SocketAddr) -> Option<&str> {
    let (local, remote) = (in_table(local)?, in_table(remote)?);
    table.lines().skip(1).find_map(|line| {
        let mut fields = line.split_ascii_whitespace().skip(1);
        let is_it = fields.next() == Some(&local) && fields.next() == Some(&remote);
        is_it.then(|| fields.nth(6)).flatten()
    })
}

/// `address` as `/proc/net/tcp` writes it: the bytes of the network as one number of this machine.
fn in_table(address: SocketAddr) -> Option<String> {
    let SocketAddr::V4(address) = address else { return None };
    let number = u32::from_ne_bytes(address.ip().octets());
    Some(format!("{number:08X}:{:04X}", address.port()))
}

/// Whether one of the descriptors in `folder` is the socket with this inode.
fn has_socket(folder: &Path, inode: &str) -> bool {
    let wanted = format!("socket:[{inode}]");
    let descriptors = fs::read_dir(folder).into_iter().flatten().flatten();
    descriptors.filter_map(|entry| fs::read_link(entry.path()).ok()).any(|link| link.as_os_str() == wanted.as_str())
}

/// Passes on what comes from `input`, and ends the connection with it.
pub(crate) fn pass_on(mut input: impl Read, stream: &TcpStream) {
    let _ = stream.set_nodelay(true);
    let _ = copy(&mut input, &mut &*stream);
    let _ = stream.shutdown(Shutdown::Both);
}

/// Passes on each piece as it comes: messages are small, and wait for no more.
pub(crate) fn pass(from: &mut impl Read, to: &mut impl Write) -> std::io::Result<()> {
    let mut piece = vec![0; 1 << 16];
    loop {
        match from.read(&mut piece)? {
            0 => return Ok(()),
            length => {
                to.write_all(&piece[..length])?;
                to.flush()?;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::PipeReader;
    use std::process::{Command, Stdio};

    use rustix::net::{AddressFamily, SocketType, bind, sockopt};

    use super::*;

    fn bridge() -> (Bridge, std::io::PipeWriter, PipeReader) {
        let (input, to_input) = std::io::pipe().unwrap();
        let (from_output, output) = std::io::pipe().unwrap();
        (Bridge::between(input, output).unwrap(), to_input, from_output)
    }

    /// Whether another socket can be bound to the port of `bridge`, as one that shares it.
    fn can_be_bound(bridge: &Bridge) -> bool {
        let socket = rustix::net::socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
        sockopt::set_socket_reuseaddr(&socket, true).unwrap();
        sockopt::set_socket_reuseport(&socket, true).unwrap();
        bind(&socket, &bridge.address).is_ok()
    }

    #[test]
    fn nobody_else_has_its_port_before_during_and_after_the_connection() {
        let (bridge, mut to_input, mut from_output) = bridge();
        assert!(!can_be_bound(&bridge));
        let mut agent = TcpStream::connect(bridge.address).unwrap();
        agent.write_all(b"hello").unwrap();
        let mut said = [0; 5];
        from_output.read_exact(&mut said).unwrap();
        to_input.write_all(b"order").unwrap();
        let mut heard = [0; 5];
        agent.read_exact(&mut heard).unwrap();
        assert_eq!((&said, &heard), (b"hello", b"order"));
        assert!(!can_be_bound(&bridge), "while the connection is up");
        drop(to_input);
        assert_eq!(agent.read(&mut [0]).unwrap(), 0, "it ends with the input");
        assert!(!can_be_bound(&bridge), "after its end");
        drop(agent);
        drop(bridge);
    }

    #[test]
    fn another_process_is_not_served_and_does_not_hinder() {
        let (bridge, _to_input, mut from_output) = bridge();
        let port = bridge.address.port().to_string();
        // It says something, and waits until it is turned away.
        let script = "exec 3<>/dev/tcp/127.0.0.1/$0; echo forged >&3; cat <&3; echo turned away";
        let mut other = Command::new("bash");
        let output = other.args(["-c", script, &port]).stdin(Stdio::null()).stderr(Stdio::null()).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "turned away\n");
        let mut agent = TcpStream::connect(bridge.address).unwrap();
        agent.write_all(b"own").unwrap();
        let mut said = [0; 3];
        from_output.read_exact(&mut said).unwrap();
        assert_eq!(&said, b"own");
    }

    #[test]
    fn a_bridge_that_nobody_uses_ends() {
        let (bridge, _to_input, mut from_output) = bridge();
        drop(bridge);
        assert_eq!(from_output.read(&mut [0]).unwrap(), 0);
    }

    #[test]
    fn a_socket_is_found_by_both_of_its_ends() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n   \
                     0: 0100007F:1538 00000000:0000 0A 00000000:00000000 00:00000000 00000000   105        0 11 1 0 100 0 0 10 0\n   \
                     1: 0100007F:8F12 0100007F:1538 01 00000000:00000000 00:00000000 00000000   105        0 22 1 0 20 4 30 10 -1\n";
        let at = |port: u16| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        if cfg!(target_endian = "little") {
            assert_eq!(inode_of(table, at(0x8f12), at(0x1538)), Some("22"));
            assert_eq!(inode_of(table, at(0x8f12), at(0x1539)), None);
            assert_eq!(inode_of("", at(1), at(2)), None);
        }
    }
}

//! Messages of an agent over its standard input and output, where nothing else connects it with the coordinator.

use std::io::{Read, Write, copy, stdout};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::thread::JoinHandle;

use record::Ticket;

use crate::error::{Error, Result};

/// The URL in a ticket of an agent whose messages go over its standard input and output.
pub(crate) const STANDARD_STREAMS: &str = "stdio:";

/// Passes one connection on to the standard input and output of this process.
#[derive(Debug)]
pub struct Bridge {
    address: SocketAddr,
    thread: Option<JoinHandle<()>>,
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
        let failed = |error| Error::new(format!("no port on loopback: {error}"));
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let thread = std::thread::Builder::new().name("bridge".to_owned()).spawn(move || serve(listener, input));
        let thread = Some(thread.map_err(failed)?);
        ticket.url = format!("nats://{address}");
        Ok(Some(Bridge { address, thread }))
    }
}

impl Drop for Bridge {
    /// Waits until all that the agent has sent is on its way.
    fn drop(&mut self) {
        // Ends a wait for a connection that never came; afterwards nothing listens any more.
        drop(TcpStream::connect(self.address));
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// The one connection of the agent, until it ends.
fn serve(listener: TcpListener, input: impl Read + Send + 'static) {
    let Ok((stream, _)) = listener.accept() else { return };
    // Nobody else may connect.
    drop(listener);
    let Ok(inward) = stream.try_clone() else { return };
    // It waits for input until the process ends.
    let _ = std::thread::Builder::new().name("bridge-input".to_owned()).spawn(move || pass_on(input, &inward));
    let mut from = stream;
    let _ = from.set_nodelay(true);
    let _ = pass(&mut from, &mut stdout());
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

//! The two ends of a pipe, of a Unix socket, and of a connection over loopback.

use std::io;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;

use record::LocalTransport;
use rustix::event::epoll;
use rustix::io::Errno;

/// One end. It is closed when it is dropped.
pub(super) struct End {
    /// Does not block.
    receive: OwnedFd,
    send: OwnedFd,
    /// What it sleeps in until something can be received; absent where it polls.
    sleep: Option<OwnedFd>,
}

/// What [`End::receive`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Received {
    /// A message.
    Message,
    /// The other end is closed.
    Closed,
}

impl End {
    /// Sends a message, which is far shorter than any buffer of the kernel.
    pub(super) fn send(&self, message: &[u8]) -> io::Result<()> {
        let mut left = message;
        while !left.is_empty() {
            match rustix::io::write(&self.send, left) {
                Ok(sent) => left = left.get(sent..).unwrap_or_default(),
                Err(Errno::INTR | Errno::AGAIN) => std::hint::spin_loop(),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Waits for a message of the length of `message`: asleep, or by polling. An end that sleeps has looked before, as
    /// servers do.
    pub(super) fn receive(&self, message: &mut [u8]) -> io::Result<Received> {
        let mut filled = 0;
        while filled < message.len() {
            match rustix::io::read(&self.receive, message.get_mut(filled..).unwrap_or_default()) {
                Ok(0) => return Ok(Received::Closed),
                Ok(received) => filled += received,
                Err(Errno::AGAIN) => self.wait()?,
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(Received::Message)
    }

    /// Sleeps until something can be received; returns at once where this end polls.
    fn wait(&self) -> io::Result<()> {
        let Some(sleep) = &self.sleep else {
            std::hint::spin_loop();
            return Ok(());
        };
        let mut events = [epoll::Event { flags: epoll::EventFlags::empty(), data: epoll::EventData::new_u64(0) }];
        match epoll::wait(sleep, &mut events, None) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn new(receive: OwnedFd, send: OwnedFd, polls: bool) -> io::Result<End> {
        rustix::io::ioctl_fionbio(&receive, true)?;
        if polls {
            return Ok(End { receive, send, sleep: None });
        }
        let sleep = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        epoll::add(&sleep, &receive, epoll::EventData::new_u64(0), epoll::EventFlags::IN)?;
        Ok(End { receive, send, sleep: Some(sleep) })
    }
}

/// Two ends that are connected over `transport`; `polls` says whether they wait by polling.
pub(super) fn ends(transport: LocalTransport, polls: bool) -> io::Result<[End; 2]> {
    match transport {
        LocalTransport::Pipe => {
            let (near_receives, far_sends) = io::pipe()?;
            let (far_receives, near_sends) = io::pipe()?;
            let near = End::new(near_receives.into(), near_sends.into(), polls)?;
            Ok([near, End::new(far_receives.into(), far_sends.into(), polls)?])
        }
        LocalTransport::UnixSocket => {
            let (near, far) = UnixStream::pair()?;
            Ok([of_socket(near.into(), polls)?, of_socket(far.into(), polls)?])
        }
        LocalTransport::Tcp => {
            let (near, far) = loopback()?;
            Ok([of_socket(near.into(), polls)?, of_socket(far.into(), polls)?])
        }
    }
}

fn of_socket(socket: OwnedFd, polls: bool) -> io::Result<End> {
    End::new(socket.try_clone()?, socket, polls)
}

/// The two ends of a connection over loopback.
fn loopback() -> io::Result<(TcpStream, TcpStream)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let near = TcpStream::connect(listener.local_addr()?)?;
    let far = loop {
        let (found, from) = listener.accept()?;
        // Another process may have connected first.
        if from == near.local_addr()? {
            break found;
        }
    };
    near.set_nodelay(true)?;
    far.set_nodelay(true)?;
    Ok((near, far))
}

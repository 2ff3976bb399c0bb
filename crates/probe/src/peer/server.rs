//! The peer: it answers anybody who speaks the protocol, keeps nothing, and is bounded in connections, time and memory.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::protocol::{Answer, BLOCK_BYTES_MAX, COUNT_BYTES, Facts, Greeting, HEAD_BYTES, Refusal, Service, VERSION};
use super::wire::{read_all, read_by, read_some, write_all};

/// Limits of a peer. Each connection has a thread, and holds a block and a buffer of 256 KiB at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Connections at the same time.
    pub connections: u32,
    /// Time for a greeting.
    pub greeting: Duration,
    /// Time for which a connection may transfer nothing, and in which a message or block that has begun must be complete.
    pub idle: Duration,
    /// Time for which a connection is served.
    pub lifetime: Duration,
}

impl Default for Limits {
    /// As many connections as there are jobs on a large host; the longest window of preset publish many times over.
    fn default() -> Limits {
        Limits {
            connections: 256,
            greeting: Duration::from_secs(5),
            idle: Duration::from_secs(30),
            lifetime: Duration::from_secs(4 * 3_600),
        }
    }
}

/// Received bytes after which the peer tells their count.
const REPORT_BYTES: u64 = 256 * 1024;
/// Time after which it tells it, where fewer arrive.
const REPORT_PERIOD: Duration = Duration::from_millis(10);
/// Size of the buffer of received bytes.
const RECEIVE_BYTES: usize = 256 * 1024;
/// Size of the stack of a thread.
const STACK_BYTES: usize = 256 * 1024;
/// Interval at which the end is looked for.
const POLL: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

/// What the peer says of itself to one whose address is the second, at its own address, the first.
pub type Describe = Arc<dyn Fn(IpAddr, IpAddr) -> Facts + Send + Sync>;

/// Is told what was refused, and why.
pub type OnRefused = Arc<dyn Fn(SocketAddr, &str) + Send + Sync>;

/// A peer that is listening. It ends when it is dropped; connections that are open then end when the other side closes
/// them, or by their limits.
pub struct Server {
    address: SocketAddr,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    limits: Limits,
    describe: Describe,
    on_refused: OnRefused,
    connections: AtomicU32,
    is_over: Arc<AtomicBool>,
}

impl Server {
    /// Listens at `address`; port 0 takes a free one.
    ///
    /// # Errors
    /// As the operating system says.
    pub fn start(address: SocketAddr, limits: Limits, describe: Describe, on_refused: OnRefused) -> io::Result<Server> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let is_over = Arc::new(AtomicBool::new(false));
        let connections = AtomicU32::new(0);
        let shared = Arc::new(Shared { limits, describe, on_refused, connections, is_over: Arc::clone(&is_over) });
        let accepting = move || {
            while !shared.is_over.load(Ordering::Relaxed) {
                // Errors of `poll` and `accept` are of one moment (an interrupt, a client that is gone, no descriptor).
                let _ = poll(&mut [PollFd::new(&listener, PollFlags::IN)], Some(&POLL));
                match listener.accept() {
                    Ok((stream, from)) => admit(&shared, stream, from),
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    Err(_) => std::thread::sleep(Duration::from_millis(10)),
                }
            }
        };
        let thread = std::thread::Builder::new().name("peer".to_owned()).spawn(accepting)?;
        Ok(Server { address, is_over, thread: Some(thread) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        // A thread that panicked has nothing more to end.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// A connection that counts while it is served.
struct Place(Arc<Shared>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

fn admit(shared: &Arc<Shared>, stream: TcpStream, from: SocketAddr) {
    let place = Place(Arc::clone(shared));
    let is_full = shared.connections.fetch_add(1, Ordering::Relaxed) >= shared.limits.connections;
    let serving = move || {
        let shared = &place.0;
        if let Err(why) = serve(shared, stream, is_full) {
            (shared.on_refused)(from, &why);
        }
    };
    // One more than are served: it is told so, on the thread that accepts, and briefly.
    if is_full {
        return serving();
    }
    let spawned = std::thread::Builder::new().name("peer".to_owned()).stack_size(STACK_BYTES).spawn(serving);
    if let Err(error) = spawned {
        (shared.on_refused)(from, &format!("no thread can be started: {error}"));
    }
}

/// Serves one connection to its end.
fn serve(shared: &Shared, mut stream: TcpStream, is_full: bool) -> Result<(), String> {
    let unable = |error: io::Error| format!("its socket cannot be used: {error}");
    stream.set_nonblocking(false).map_err(unable)?;
    stream.set_nodelay(true).map_err(unable)?;
    let limits = shared.limits;
    stream.set_write_timeout(Some(limits.greeting)).map_err(unable)?;
    if is_full {
        let _ = write_all(&mut stream, &Answer::Full.encode(), limits.greeting);
        return Err(format!("there are {} connections already", limits.connections));
    }
    let greeting = greeting(&mut stream, limits.greeting)?;
    let (near, far) = (stream.local_addr().map_err(unable)?.ip(), stream.peer_addr().map_err(unable)?.ip());
    let facts = (shared.describe)(near, far).encode();
    let answer = Answer::Accepted { facts_bytes: facts.len() as u32 }.encode();
    stream.set_write_timeout(Some(limits.idle)).map_err(unable)?;
    stream.set_read_timeout(Some(limits.idle)).map_err(unable)?;
    let is_over = &shared.is_over;
    let deadline = Instant::now() + limits.lifetime;
    let goes_on = || !is_over.load(Ordering::Relaxed) && Instant::now() < deadline;
    // An error is the end of the connection: the other side has left, or does not answer.
    let answered = write_all(&mut stream, &[&answer, facts.as_bytes()].concat(), limits.idle);
    let _ = answered.and_then(|()| match greeting.service {
        Service::Ask => Ok(()),
        Service::Echo => echo(&mut stream, greeting.block_bytes, limits.idle, &goes_on),
        Service::Receive => receive(&mut stream, limits.idle, &goes_on),
        Service::Send => send(&mut stream, greeting.block_bytes, limits.idle, &goes_on),
    });
    Ok(())
}

fn greeting(stream: &mut TcpStream, within: Duration) -> Result<Greeting, String> {
    let mut bytes = [0; HEAD_BYTES];
    read_by(stream, &mut bytes, Instant::now() + within).map_err(|error| match error.kind() {
        io::ErrorKind::TimedOut => format!("it sent no greeting within {} s", within.as_secs_f64()),
        io::ErrorKind::UnexpectedEof => "it left before its greeting was complete".to_owned(),
        _ => format!("its greeting cannot be read: {error}"),
    })?;
    Greeting::parse(&bytes).map_err(|refusal| {
        // An answer tells another dbdyno this version; to a stranger nothing is said.
        if refusal != Refusal::Stranger {
            let _ = write_all(stream, &Answer::Impossible.encode(), within);
        }
        match refusal {
            Refusal::Stranger => "it does not speak the protocol of dbdyno".to_owned(),
            Refusal::Version(other) => format!("it speaks version {other} of the protocol, this is version {VERSION}"),
            Refusal::Malformed => "it asked for what this version does not have".to_owned(),
        }
    })
}

fn echo(stream: &mut TcpStream, block_bytes: u32, idle: Duration, goes_on: &dyn Fn() -> bool) -> io::Result<()> {
    let mut message = vec![0; block_bytes as usize];
    while goes_on() {
        read_all(stream, &mut message, idle)?;
        write_all(stream, &message, idle)?;
    }
    Ok(())
}

/// Counts what arrives. A read waits for the time of a report: the last bytes are reported without anything after them.
fn receive(stream: &mut TcpStream, idle: Duration, goes_on: &dyn Fn() -> bool) -> io::Result<()> {
    stream.set_read_timeout(Some(REPORT_PERIOD))?;
    let mut buffer = vec![0; RECEIVE_BYTES];
    let (mut received, mut reported) = (0_u64, 0_u64);
    let (mut reported_at, mut received_at) = (Instant::now(), Instant::now());
    while goes_on() {
        match read_some(stream, &mut buffer) {
            Ok(count) => (received, received_at) = (received + count as u64, Instant::now()),
            Err(error) if error.kind() == io::ErrorKind::TimedOut && received_at.elapsed() < idle => {}
            Err(error) => return Err(error),
        }
        let is_due = received - reported >= REPORT_BYTES || reported_at.elapsed() >= REPORT_PERIOD;
        if is_due && received > reported {
            write_all(stream, &received.to_be_bytes(), idle)?;
            (reported, reported_at) = (received, Instant::now());
        }
    }
    Ok(())
}

fn send(stream: &mut TcpStream, block_bytes: u32, idle: Duration, goes_on: &dyn Fn() -> bool) -> io::Result<()> {
    let mut block = content(block_bytes.min(BLOCK_BYTES_MAX), 0);
    let mut sent = 0_u64;
    while goes_on() {
        block[..COUNT_BYTES].copy_from_slice(&sent.to_be_bytes());
        write_all(stream, &block, idle)?;
        sent += block.len() as u64;
    }
    Ok(())
}

/// Bytes that no device on the way can compress: xorshift (Marsaglia 2003).
pub(super) fn content(block_bytes: u32, seed: u64) -> Vec<u8> {
    let mut state = seed | 1;
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    (0..block_bytes).map(next).collect()
}

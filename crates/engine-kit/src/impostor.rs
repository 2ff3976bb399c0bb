//! Servers of other protocols: each sends a fixed reply to every connection.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::time::Duration;

/// A connection over TCP or a Unix socket.
pub trait Stream: Read + Write + Send + 'static {}

impl<T: Read + Write + Send + 'static> Stream for T {}

/// What the server does with a connection.
pub type Handler = fn(&mut dyn Stream);

/// Starts one on TCP; returns its port. It serves until the process exits.
pub fn start(handler: Handler) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("listen");
    let port = listener.local_addr().expect("an address").port();
    serve(move || listener.accept().map(|(stream, _)| stream), handler);
    port
}

/// Starts one on a socket.
pub fn start_at(socket: &Path, handler: Handler) {
    let listener = UnixListener::bind(socket).unwrap_or_else(|error| panic!("listen at {}: {error}", socket.display()));
    serve(move || listener.accept().map(|(stream, _)| stream), handler);
}

/// One on a socket that takes no more connections, while the result is there: the only one that may wait does.
pub fn full_at(socket: &Path) -> (UnixListener, UnixStream) {
    let listener = UnixListener::bind(socket).unwrap_or_else(|error| panic!("listen at {}: {error}", socket.display()));
    rustix::net::listen(&listener, 0).expect("room for one that waits");
    (listener, UnixStream::connect(socket).expect("one may wait"))
}

fn serve<S: Stream>(accept: impl Fn() -> std::io::Result<S> + Send + 'static, handler: Handler) {
    std::thread::spawn(move || {
        while let Ok(mut stream) = accept() {
            std::thread::spawn(move || handler(&mut stream));
        }
    });
}

/// A web server that rejects every request.
pub fn http(stream: &mut dyn Stream) {
    read_some(stream);
    let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
}

/// An SSH server, which sends its banner first.
pub fn ssh(stream: &mut dyn Stream) {
    let _ = stream.write_all(b"SSH-2.0-OpenSSH_9.2\r\n");
    read_some(stream);
}

/// An SMTP server, which sends its banner first.
pub fn smtp(stream: &mut dyn Stream) {
    let _ = stream.write_all(b"220 mail.example ESMTP\r\n");
    read_some(stream);
}

/// Closes the connection immediately.
pub fn closes(_stream: &mut dyn Stream) {}

/// Closes the connection at the first request.
pub fn closes_on_request(stream: &mut dyn Stream) {
    read_some(stream);
}

/// Never replies.
pub fn silent(stream: &mut dyn Stream) {
    read_some(stream);
    std::thread::sleep(Duration::from_secs(60));
}

/// The bytes of one read.
pub fn read_some(stream: &mut dyn Stream) -> Vec<u8> {
    let mut received = vec![0; 4096];
    let count = stream.read(&mut received).unwrap_or(0);
    received.truncate(count);
    received
}

//! Servers that are not what they should be: each says something fixed to whoever connects.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::time::Duration;

/// A connection of whatever kind.
pub trait Stream: Read + Write + Send + 'static {}

impl<T: Read + Write + Send + 'static> Stream for T {}

/// What an impostor does with a connection.
pub type Conduct = fn(&mut dyn Stream);

/// Starts one on TCP; returns its port. It serves until the process ends.
pub fn start(conduct: Conduct) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("listen");
    let port = listener.local_addr().expect("an address").port();
    serve(move || listener.accept().map(|(stream, _)| stream), conduct);
    port
}

/// Starts one on a socket.
pub fn start_at(socket: &Path, conduct: Conduct) {
    let listener = UnixListener::bind(socket).unwrap_or_else(|error| panic!("listen at {}: {error}", socket.display()));
    serve(move || listener.accept().map(|(stream, _)| stream), conduct);
}

fn serve<S: Stream>(accept: impl Fn() -> std::io::Result<S> + Send + 'static, conduct: Conduct) {
    std::thread::spawn(move || {
        while let Ok(mut stream) = accept() {
            std::thread::spawn(move || conduct(&mut stream));
        }
    });
}

/// A web server: waits to be spoken to, and understands nothing.
pub fn http(stream: &mut dyn Stream) {
    read_some(stream);
    let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
}

/// A server of SSH, which speaks first.
pub fn ssh(stream: &mut dyn Stream) {
    let _ = stream.write_all(b"SSH-2.0-OpenSSH_9.2\r\n");
    read_some(stream);
}

/// A server of SMTP, which speaks first.
pub fn smtp(stream: &mut dyn Stream) {
    let _ = stream.write_all(b"220 mail.example ESMTP\r\n");
    read_some(stream);
}

/// Ends the connection at once.
pub fn hangs_up(_stream: &mut dyn Stream) {}

/// Ends the connection at the first word.
pub fn hangs_up_when_spoken_to(stream: &mut dyn Stream) {
    read_some(stream);
}

/// Listens and says nothing.
pub fn silent(stream: &mut dyn Stream) {
    read_some(stream);
    std::thread::sleep(Duration::from_secs(60));
}

/// What one read brings.
pub fn read_some(stream: &mut dyn Stream) -> Vec<u8> {
    let mut heard = vec![0; 4096];
    let count = stream.read(&mut heard).unwrap_or(0);
    heard.truncate(count);
    heard
}

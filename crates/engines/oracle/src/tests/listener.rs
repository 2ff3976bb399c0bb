//! A listener that speaks as much Oracle Net as a refusal takes (type 4, Oracle Net's REFUSE packet), and strangers.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

/// What a listener does with a connection.
pub(super) type Handler = fn(&mut TcpStream);

/// Listens on a free port for as long as the test runs.
pub(super) fn start(conduct: Handler) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { continue };
            std::thread::spawn(move || conduct(&mut stream));
        }
    });
    port
}

/// A port that was free a moment ago.
pub(super) fn closed() -> u16 {
    TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address").port()
}

/// Reads the connect packet, with the data that follow a long one.
fn question(stream: &mut TcpStream) -> String {
    let mut heard = vec![0; 4096];
    let count = stream.read(&mut heard).unwrap_or(0);
    let length = heard.get(24..26).map_or(0, |bytes| usize::from(u16::from_be_bytes([bytes[0], bytes[1]])));
    let mut data = heard.get(74..count).unwrap_or_default().to_vec();
    while data.len() < length {
        match stream.read(&mut heard) {
            Ok(more) if more > 0 => data.extend_from_slice(&heard[..more]),
            _ => break,
        }
    }
    String::from_utf8_lossy(&data).into_owned()
}

/// Refuses with an error number, as the listener does.
fn refuse(stream: &mut TcpStream, number: u32) {
    let reason =
        format!("(DESCRIPTION=(TMP=)(VSNNUM=318767104)(ERR={number})(ERROR_STACK=(ERROR=(CODE={number})(EMFI=4))))");
    let mut packet = Vec::new();
    packet.extend_from_slice(&(12 + reason.len() as u16).to_be_bytes());
    packet.extend_from_slice(&[0, 0, 4, 0, 0, 0, 34, 0]);
    packet.extend_from_slice(&(reason.len() as u16).to_be_bytes());
    packet.extend_from_slice(reason.as_bytes());
    let _ = stream.write_all(&packet);
}

/// Answers the knock, and knows no service.
pub(super) fn without_service(stream: &mut TcpStream) {
    let is_knock = question(stream).contains("COMMAND=ping");
    refuse(stream, if is_knock { 0 } else { 12514 });
}

/// Answers the knock, and has no process to spare.
pub(super) fn full(stream: &mut TcpStream) {
    let is_knock = question(stream).contains("COMMAND=ping");
    refuse(stream, if is_knock { 0 } else { 12519 });
}

/// Answers the knock, and closes the next connection.
pub(super) fn dying(stream: &mut TcpStream) {
    if question(stream).contains("COMMAND=ping") {
        refuse(stream, 0);
    }
}

/// Answers the knock, and then says nothing any more.
pub(super) fn stuck(stream: &mut TcpStream) {
    if question(stream).contains("COMMAND=ping") {
        return refuse(stream, 0);
    }
    std::thread::sleep(std::time::Duration::from_secs(30));
}

/// Answers the knock, and then with a packet of a type that the driver gives its thread up on.
pub(super) fn nonsense(stream: &mut TcpStream) {
    if question(stream).contains("COMMAND=ping") {
        return refuse(stream, 0);
    }
    let _ = stream.write_all(&[0, 8, 0, 0, 99, 0, 0, 0]);
    let _ = stream.read(&mut [0; 64]);
}

/// Waits for an end of line, as servers of text do.
pub(super) fn http(stream: &mut TcpStream) {
    let mut heard = Vec::new();
    let mut byte = [0];
    while !heard.ends_with(b"\n") && stream.read(&mut byte).is_ok_and(|count| count == 1) {
        heard.push(byte[0]);
    }
    let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
}

/// As PostgreSQL does: closes at once what is no greeting of a sane length, and says in one letter whether it encrypts.
pub(super) fn postgresql(stream: &mut TcpStream) {
    let mut head = [0; 8];
    if stream.read_exact(&mut head).is_ok() && head == [0, 0, 0, 8, 4, 210, 22, 47] {
        let _ = stream.write_all(b"N");
    }
}

/// Speaks first, as MariaDB does.
pub(super) fn mariadb(stream: &mut TcpStream) {
    let _ = stream.write_all(b"\x4a\0\0\0\x0a11.4.2-MariaDB\0\x07\0\0\0abcdefgh\0");
    let _ = stream.read(&mut [0; 64]);
}

/// Hangs up.
pub(super) fn curt(_: &mut TcpStream) {}

/// Says nothing.
pub(super) fn silent(stream: &mut TcpStream) {
    let _ = stream.read(&mut [0; 64]);
    std::thread::sleep(std::time::Duration::from_secs(30));
}

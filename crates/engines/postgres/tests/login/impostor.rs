//! Servers that are not what they should be: each says something fixed to whoever connects.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

/// What an impostor does with a connection.
pub type Conduct = fn(&mut TcpStream);

/// Starts one; returns its port. It serves until the process ends.
pub fn start(conduct: Conduct) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            std::thread::spawn(move || {
                conduct(&mut stream);
            });
        }
    });
    port
}

pub fn http(stream: &mut TcpStream) {
    read_some(stream);
    let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
}

pub fn mysql(stream: &mut TcpStream) {
    let _ = stream.write_all(b"\x4a\x00\x00\x00\x0a8.0.36\x00\x01\x00\x00\x00abcdefgh\x00");
    read_some(stream);
}

pub fn ssh(stream: &mut TcpStream) {
    let _ = stream.write_all(b"SSH-2.0-OpenSSH_9.2\r\n");
    read_some(stream);
}

pub fn hangs_up(stream: &mut TcpStream) {
    read_some(stream);
}

pub fn silent(stream: &mut TcpStream) {
    read_some(stream);
    std::thread::sleep(Duration::from_secs(60));
}

/// An old server, which lets everybody in.
pub fn old(stream: &mut TcpStream) {
    read_some(stream);
    greet(stream, "12.22");
    read_some(stream);
}

/// Lets us in without a proof that it knows the password.
pub fn credulous(stream: &mut TcpStream) {
    read_some(stream);
    say(stream, b'R', b"\0\0\0\x0aSCRAM-SHA-256\0\0");
    read_some(stream);
    greet(stream, "15.1");
    read_some(stream);
}

/// Wants the password in clear text.
pub fn curious(stream: &mut TcpStream) {
    read_some(stream);
    say(stream, b'R', b"\0\0\0\x03");
    let mut heard = [0; 256];
    let count = stream.read(&mut heard).unwrap_or(0);
    assert_eq!(count, 0, "a password was sent in clear text");
}

/// Lets us in and then talks nonsense.
pub fn babbling(stream: &mut TcpStream) {
    read_some(stream);
    greet(stream, "15.1");
    read_some(stream);
    say(stream, b'T', b"\xff\xff");
    let _ = stream.write_all(b"D\xff\xff\xff\xff");
    read_some(stream);
}

fn greet(stream: &mut TcpStream, version: &str) {
    say(stream, b'R', b"\0\0\0\0");
    say(stream, b'S', format!("server_version\0{version}\0").as_bytes());
    say(stream, b'K', b"\0\0\0\x01\0\0\0\x02");
    say(stream, b'Z', b"I");
}

fn say(stream: &mut TcpStream, tag: u8, body: &[u8]) {
    let mut message = vec![tag];
    message.extend_from_slice(&(body.len() as u32 + 4).to_be_bytes());
    message.extend_from_slice(body);
    let _ = stream.write_all(&message);
}

fn read_some(stream: &mut TcpStream) {
    let _ = stream.read(&mut [0; 4096]);
}

//! Simulated servers with unusual or invalid behaviour.

use std::time::Duration;

use engine_kit::impostor::{Stream, read_some};

pub fn old(stream: &mut dyn Stream) {
    greet(stream, "5.7.44", "mysql_native_password");
    read_some(stream);
}

pub fn full(stream: &mut dyn Stream) {
    say(stream, 0, b"\xff\x10\x04Too many connections");
}

/// Requests the password in clear text.
pub fn clear_text(stream: &mut dyn Stream) {
    greet(stream, "8.0.36", "mysql_native_password");
    read_some(stream);
    say(stream, 2, b"\xfemysql_clear_password\0");
    let mut received_bytes = [0; 256];
    let count = stream.read(&mut received_bytes).unwrap_or(0);
    assert_eq!(count, 0, "a password was sent in clear text");
}

/// MySQL 8 without a cached hash of the password: it requests the clear text password.
pub fn uncached(stream: &mut dyn Stream) {
    greet(stream, "8.0.36", "caching_sha2_password");
    let login = read_some(stream);
    assert!(!contains(&login, b"secret"), "a password was sent in clear text");
    say(stream, 2, b"\x01\x04");
    let received_bytes = read_some(stream);
    match received_bytes.get(4..) {
        Some(b"secret\0") => say(stream, 4, b"\0\0\0\x02\0\0\0"),
        _ => return,
    }
    // After the login, the next statement is rejected with a specific number.
    read_some(stream);
    say(stream, 1, b"\xff\x9b\x0d#HY000let in");
}

/// MySQL 8 with a cached hash.
pub fn cached(stream: &mut dyn Stream) {
    greet(stream, "8.0.36", "caching_sha2_password");
    let login = read_some(stream);
    let proof = [0x20, 0x28];
    assert!(contains(&login, &proof[..1]) && contains(&login, b"caching_sha2_password\0"));
    say(stream, 2, b"\x01\x03");
    say(stream, 3, b"\0\0\0\x02\0\0\0");
    read_some(stream);
    say(stream, 1, b"\xff\x9b\x0d#HY000let in");
}

/// Has the hash cached, and says so again and again.
pub fn repeats(stream: &mut dyn Stream) {
    greet(stream, "8.0.36", "caching_sha2_password");
    read_some(stream);
    while stream.write_all(b"\x02\0\0\x02\x01\x03").is_ok() {
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Switches to another plugin again and again, and reads none of the answers.
pub fn switches(stream: &mut dyn Stream) {
    greet(stream, "8.0.36", "mysql_native_password");
    let switch = [&b"\x2c\0\0\x02\xfemysql_native_password\0"[..], &[b'n'; 20], &[0]].concat();
    while stream.write_all(&switch.repeat(1000)).is_ok() {}
}

/// Accepts the login and then sends invalid packets.
pub fn invalid_packets(stream: &mut dyn Stream) {
    greet(stream, "8.0.36", "mysql_native_password");
    read_some(stream);
    say(stream, 2, b"\0\0\0\x02\0\0\0");
    read_some(stream);
    say(stream, 1, b"\xfe\xff\xff\xff\xff\xff\xff\xff\xff");
    say(stream, 2, b"\x03def");
    read_some(stream);
}

/// Asks for a file of ours instead of an answer.
pub fn thief(stream: &mut dyn Stream) {
    greet(stream, "8.0.36", "mysql_native_password");
    read_some(stream);
    say(stream, 2, b"\0\0\0\x02\0\0\0");
    read_some(stream);
    say(stream, 1, b"\xfb/etc/passwd");
    let received_bytes = read_some(stream);
    assert_eq!(received_bytes, [0, 0, 0, 2], "something of a file was sent");
    say(stream, 3, b"\0\0\0\x02\0\0\0");
    read_some(stream);
}

fn greet(stream: &mut dyn Stream, version: &str, plugin: &str) {
    let mut body = vec![10];
    body.extend_from_slice(version.as_bytes());
    body.extend_from_slice(b"\0\x07\0\0\0abcdefgh\0\xff\xf7\x2d\x02\0\xff\xdf\x15");
    body.extend_from_slice(&[0; 10]);
    body.extend_from_slice(b"ijklmnopqrst\0");
    body.extend_from_slice(plugin.as_bytes());
    body.push(0);
    say(stream, 0, &body);
}

fn say(stream: &mut dyn Stream, sequence: u8, body: &[u8]) {
    let mut packet = vec![body.len() as u8, (body.len() >> 8) as u8, 0, sequence];
    packet.extend_from_slice(body);
    let _ = stream.write_all(&packet);
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

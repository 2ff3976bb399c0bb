//! Simulated servers that violate the protocol, or speak a similar one.

use std::time::Duration;

use engine_kit::impostor::{Stream, read_some};

/// A MySQL server, which sends its greeting first.
pub fn mysql(stream: &mut dyn Stream) {
    let _ = stream.write_all(b"\x4a\x00\x00\x00\x0a8.0.36\x00\x01\x00\x00\x00abcdefgh\x00");
    read_some(stream);
}

/// An old server without authentication.
pub fn old(stream: &mut dyn Stream) {
    read_some(stream);
    greet(stream, "12.22");
    read_some(stream);
}

/// Accepts the login without proving that it knows the password.
pub fn unverified(stream: &mut dyn Stream) {
    read_some(stream);
    say(stream, b'R', b"\0\0\0\x0aSCRAM-SHA-256\0\0");
    read_some(stream);
    greet(stream, "15.1");
    read_some(stream);
}

/// Requests the password in clear text.
pub fn clear_text(stream: &mut dyn Stream) {
    read_some(stream);
    say(stream, b'R', b"\0\0\0\x03");
    let mut received_bytes = [0; 256];
    let count = stream.read(&mut received_bytes).unwrap_or(0);
    assert_eq!(count, 0, "a password was sent in clear text");
}

/// Accepts the login and then sends invalid messages.
pub fn invalid_messages(stream: &mut dyn Stream) {
    read_some(stream);
    greet(stream, "15.1");
    read_some(stream);
    say(stream, b'T', b"\xff\xff");
    let _ = stream.write_all(b"D\xff\xff\xff\xff");
    read_some(stream);
}

/// Sends a notice now and then instead of an end of the login.
pub fn notices(stream: &mut dyn Stream) {
    read_some(stream);
    let notice = b"N\0\0\0\x06\0\0";
    while stream.write_all(notice).is_ok() {
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// A compatible server that reports its name and an old version, and rejects every other query.
pub fn minimal(stream: &mut dyn Stream) {
    read_some(stream);
    greet(stream, "9.2.4");
    // Whether messages are skipped up to the next Sync.
    let mut skips = false;
    while let Some((tag, body)) = receive(stream) {
        let known = [&b"begin\0begin\0"[..], b"commit\0commit\0", b"rollback\0rollback\0"];
        match tag {
            b'X' => return,
            b'S' => {
                skips = false;
                say(stream, b'Z', b"I");
            }
            _ if skips => {}
            b'P' => {
                let asks_name = body.windows(9).any(|part| part == b"version()");
                if asks_name || known.iter().any(|text| body.starts_with(text)) {
                    say(stream, b'1', b"");
                } else {
                    skips = true;
                    say(stream, b'E', b"SERROR\0VERROR\0C42601\0Mwhat do you mean\0\0");
                }
            }
            b'D' => {
                say(stream, b't', b"\0\0");
                say(stream, b'T', b"\0\x01version\0\0\0\0\0\0\0\0\0\0\x19\xff\xff\xff\xff\xff\xff\0\0");
            }
            b'B' => say(stream, b'2', b""),
            b'E' => {
                let name = b"(openGauss 5.0.0 build a07d57c3) compiled at 2023-03-29";
                say(stream, b'D', &[&[0, 1, 0, 0, 0, name.len() as u8][..], name].concat());
                say(stream, b'C', b"SELECT 1\0");
            }
            b'Q' => {
                say(stream, b'E', b"SERROR\0VERROR\0C42601\0Mwhat do you mean\0\0");
                say(stream, b'Z', b"I");
            }
            other => panic!("a message of type {other:#04x}"),
        }
    }
}

/// The next message; `None` at the end of the stream.
fn receive(stream: &mut dyn Stream) -> Option<(u8, Vec<u8>)> {
    let mut header = [0; 5];
    stream.read_exact(&mut header).ok()?;
    let [tag, length @ ..] = header;
    let mut body = vec![0; u32::from_be_bytes(length) as usize - 4];
    stream.read_exact(&mut body).ok()?;
    Some((tag, body))
}

fn greet(stream: &mut dyn Stream, version: &str) {
    say(stream, b'R', b"\0\0\0\0");
    say(stream, b'S', format!("server_version\0{version}\0").as_bytes());
    say(stream, b'K', b"\0\0\0\x01\0\0\0\x02");
    say(stream, b'Z', b"I");
}

fn say(stream: &mut dyn Stream, tag: u8, body: &[u8]) {
    let mut message = vec![tag];
    message.extend_from_slice(&(body.len() as u32 + 4).to_be_bytes());
    message.extend_from_slice(body);
    let _ = stream.write_all(&message);
}

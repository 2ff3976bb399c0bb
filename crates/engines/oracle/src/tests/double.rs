//! A double of a server: as much of the protocol as the driver needs to log in, to run statements and to be refused, in
//! the form that version 18 speaks it. It knows no SQL: the test says what is answered, and reads what was asked.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// What a statement is answered with.
#[derive(Clone)]
pub(super) enum Answer {
    /// So many rows were changed; a query has none.
    Done(u64),
    /// A row.
    Row(Vec<Field>),
    /// An error number.
    Refused(u32),
    /// A unit of PL/SQL was made, with errors in it.
    Warning,
    /// The connection is closed.
    Gone,
}

/// A field of a row.
#[derive(Clone)]
pub(super) enum Field {
    /// A NUMBER of at most two digits, and the scale of its column.
    Number(u8, i8),
    Text(&'static str),
    Double(f64),
    Null,
}

/// Answers statements, `LOGIN` among them, settings of a session not.
pub(super) type Brain = fn(&str) -> Answer;

/// Stands for the proof of the password.
pub(super) const LOGIN: &str = "login";

/// What was asked so far: statements as they were sent, `parse: ...`, `commit`, `rollback`.
pub(super) type Heard = Arc<Mutex<Vec<String>>>;

/// Listens on a free port.
pub(super) fn start(brain: Brain) -> (u16, Heard) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let heard = Heard::default();
    let shared = Arc::clone(&heard);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let heard = Arc::clone(&shared);
            std::thread::spawn(move || serve(stream, brain, &heard));
        }
    });
    (port, heard)
}

/// Lets one client in and answers it until it goes.
fn serve(mut stream: TcpStream, brain: Brain, heard: &Heard) {
    let mut statements: Vec<String> = Vec::new();
    let Some((1, _)) = packet(&mut stream, false) else { return };
    // Version 317: no fast login, no mark at the end of an answer; 8 KiB in a packet.
    let accept = [&[1, 61][..], &[0; 12], &[0], &[0; 9], &8192_u32.to_be_bytes()].concat();
    let head = [&(8 + accept.len() as u16).to_be_bytes()[..], &[0, 0, 2, 0, 0, 0]].concat();
    let _ = stream.write_all(&[head, accept].concat());
    while let Some((6, body)) = packet(&mut stream, true) {
        // Behind the flags of the packet; statements that are to be closed may come first.
        let request = without_piggyback(&body[2..]);
        if request.is_empty() {
            return;
        }
        let reply = match (request[0], request.get(1)) {
            (1, _) => protocol(),
            (2, _) => vec![2, 0, 0],
            (3, Some(118)) => parameters(&CHALLENGE),
            (3, Some(115)) => match brain(LOGIN) {
                Answer::Refused(number) => error(number, 0, 0),
                _ => parameters(&SESSION),
            },
            (3, Some(14)) => told(heard, "commit"),
            (3, Some(15)) => told(heard, "rollback"),
            (3, Some(94 | 4 | 78)) => match statement(request, &mut statements, brain, heard) {
                Some(reply) => reply,
                None => return,
            },
            (3, Some(9)) => status(),
            _ => return,
        };
        let length = (10 + reply.len() as u32).to_be_bytes();
        let _ = stream.write_all(&[&length[..], &[6, 0, 0, 0, 0, 0], &reply].concat());
    }
}

/// The next packet: its type, and what is behind its header. Lengths have four bytes once the connection is accepted.
fn packet(stream: &mut TcpStream, is_long: bool) -> Option<(u8, Vec<u8>)> {
    let mut head = [0; 8];
    stream.read_exact(&mut head).ok()?;
    let long = u32::from_be_bytes([head[0], head[1], head[2], head[3]]) as usize;
    let length = if is_long { long } else { long >> 16 };
    let mut body = vec![0; length.checked_sub(8)?];
    stream.read_exact(&mut body).ok()?;
    if !is_long {
        // The data of a long connect packet follow it in one of their own.
        let wanted = usize::from(u16::from_be_bytes([body[16], body[17]]));
        let there = body.len() - 66;
        if there < wanted {
            let mut more = vec![0; wanted - there + 10];
            stream.read_exact(&mut more).ok()?;
        }
    }
    Some((head[4], body))
}

/// `request` without the list of statements to close that may stand before it.
fn without_piggyback(request: &[u8]) -> &[u8] {
    if !request.starts_with(&[17, 105]) {
        return request;
    }
    let mut reader = Reader(&request[4..]);
    for _ in 0..reader.number() {
        reader.number();
    }
    reader.0
}

fn told(heard: &Heard, what: &str) -> Vec<u8> {
    heard.lock().expect("heard").push(what.to_owned());
    status()
}

/// Carries a statement out, or only parses it; none where the connection is to be closed.
fn statement(request: &[u8], statements: &mut Vec<String>, brain: Brain, heard: &Heard) -> Option<Vec<u8>> {
    let mut reader = Reader(&request[3..]);
    let (mut executes, mut again) = (true, request[1] != 94);
    if request[1] == 94 {
        executes = reader.number() & 0x20 != 0;
        again = request[3] == 0;
    }
    let known = reader.number() as usize;
    let cursor = if known > 0 || again { known } else { statements.len() + 1 };
    if known == 0 {
        reader.0 = &reader.0[1..];
        let length = reader.number() as usize;
        // The length stands before the text, alone or, of a long one, as that of its only piece.
        let before = if length > 252 { vec![254, 2, (length >> 8) as u8, length as u8] } else { vec![length as u8] };
        let at = request.windows(before.len() + length).position(|window| {
            window.starts_with(&before) && window[before.len()..].iter().all(|byte| (9..127).contains(byte))
        });
        let text = &request[at.expect("the text of the statement") + before.len()..][..length];
        statements.push(String::from_utf8_lossy(text).into_owned());
    }
    let text = statements.get(cursor.wrapping_sub(1))?.clone();
    heard.lock().expect("heard").push(if executes { text.clone() } else { format!("parse: {text}") });
    let is_setting = text.starts_with("alter session");
    match if is_setting { Answer::Done(0) } else { brain(&text) } {
        Answer::Done(_) if text.starts_with("select") && executes => {
            Some([describe(&[Field::Null]), error(1403, cursor as u16, 0)].concat())
        }
        Answer::Done(_) if !executes => Some(error(0, cursor as u16, 0)),
        Answer::Done(rows) => Some(error(0, cursor as u16, rows)),
        Answer::Row(fields) if executes => {
            Some([describe(&fields), row(&fields), error(1403, cursor as u16, 1)].concat())
        }
        Answer::Row(fields) => Some([describe(&fields), error(0, cursor as u16, 0)].concat()),
        Answer::Refused(number) => Some(error(number, cursor as u16, 0)),
        Answer::Warning => {
            let mut reply = error(0, 0, 0);
            // The flags stand behind the type, eight numbers that are zero and five bytes.
            reply[14] = 0x20;
            Some(reply)
        }
        Answer::Gone => None,
    }
}

/// What the server says of itself: its character sets, and version 18 of the fields.
fn protocol() -> Vec<u8> {
    let capabilities = [&[11][..], &[0, 0, 0, 0, 0, 0, 0, 11, 0, 0, 0]].concat();
    let (charset, fields) = (873_u16.to_le_bytes(), [0, 0, 0, 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    [&[1, 6, 0][..], b"Double\0", &charset, &fields, &[7, 208], &capabilities, &capabilities].concat()
}

/// What the proof of a password is made of; the driver asks for no proof in return.
const CHALLENGE: [(&str, &str); 5] = [
    ("AUTH_SESSKEY", "00112233445566778899AABBCCDDEEFF00112233445566778899AABBCCDDEEFF"),
    ("AUTH_VFR_DATA", "00112233445566778899AABBCCDDEEFF"),
    ("AUTH_PBKDF2_CSK_SALT", "00112233445566778899AABBCCDDEEFF"),
    ("AUTH_PBKDF2_VGEN_COUNT", "1"),
    ("AUTH_PBKDF2_SDER_COUNT", "1"),
];

/// Version 19.3.0.0.0.
const SESSION: [(&str, &str); 4] = [
    ("AUTH_SESSION_ID", "7"),
    ("AUTH_SERIAL_NUM", "21"),
    ("AUTH_VERSION_NO", "318963712"),
    ("AUTH_MAX_OPEN_CURSORS", "300"),
];

fn parameters(pairs: &[(&str, &str)]) -> Vec<u8> {
    let mut reply = vec![8];
    number(&mut reply, pairs.len() as u64);
    for (name, value) in pairs {
        text(&mut reply, name);
        text(&mut reply, value);
        number(&mut reply, 0);
    }
    [reply, status()].concat()
}

fn status() -> Vec<u8> {
    vec![9, 0, 0]
}

/// The end of an answer: an error, or none.
fn error(code: u32, cursor: u16, rows: u64) -> Vec<u8> {
    let mut reply = vec![4, 0, 0, 0, 0, 0, 0];
    number(&mut reply, cursor.into());
    // Position; six bytes; where a row lies; what only batches have.
    reply.push(0);
    reply.extend_from_slice(&[0; 6]);
    reply.extend_from_slice(&[0; 5]);
    reply.extend_from_slice(&[0; 9]);
    number(&mut reply, code.into());
    number(&mut reply, rows);
    if code != 0 {
        let message = format!("ORA-{code:05}: a reason\nHelp: somewhere");
        reply.push(message.len() as u8);
        reply.extend_from_slice(message.as_bytes());
    }
    reply
}

fn describe(fields: &[Field]) -> Vec<u8> {
    let mut reply = vec![16, 0];
    number(&mut reply, 22);
    number(&mut reply, fields.len() as u64);
    reply.push(0);
    for field in fields {
        let (kind, scale, size, form) = match field {
            Field::Number(_, scale) => (2, *scale as u8, 22, 0),
            Field::Text(_) | Field::Null => (1, 0, 40, 1),
            Field::Double(_) => (101, 0, 8, 0),
        };
        // Type, flags, precision, scale, size, and five numbers that are zero; then the form of characters.
        reply.extend_from_slice(&[kind, 0, 0, scale]);
        number(&mut reply, size);
        reply.extend_from_slice(&[0, 0, 0, 0, 0, form]);
        number(&mut reply, size);
        // Collation; may be null; length of the name, and the name.
        reply.extend_from_slice(&[0, 1, 1]);
        text(&mut reply, "A");
        reply.extend_from_slice(&[0; 4]);
    }
    // Six numbers at the end of the description.
    reply.extend_from_slice(&[0; 6]);
    reply
}

fn row(fields: &[Field]) -> Vec<u8> {
    let mut reply = vec![6, 0, 0, 0, 0, 0, 0, 0, 7];
    for field in fields {
        match field {
            Field::Null => reply.push(0),
            Field::Number(0, _) => reply.extend_from_slice(&[1, 128]),
            Field::Number(value, _) => reply.extend_from_slice(&[2, 193, value + 1]),
            Field::Text(text) => {
                reply.push(text.len() as u8);
                reply.extend_from_slice(text.as_bytes());
            }
            Field::Double(value) => {
                let bits = value.to_bits();
                // Ordered as unsigned integers are.
                let ordered = if bits >> 63 == 0 { bits | 1 << 63 } else { !bits };
                reply.push(8);
                reply.extend_from_slice(&ordered.to_be_bytes());
            }
        }
    }
    reply
}

/// A number with its length before it.
fn number(out: &mut Vec<u8>, value: u64) {
    let bytes = value.to_be_bytes();
    let used = 8 - value.leading_zeros() as usize / 8;
    out.push(used as u8);
    out.extend_from_slice(&bytes[8 - used..]);
}

/// A text with its length twice before it.
fn text(out: &mut Vec<u8>, value: &str) {
    number(out, value.len() as u64);
    out.push(value.len() as u8);
    out.extend_from_slice(value.as_bytes());
}

/// Reads numbers with their length before them.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn number(&mut self) -> u64 {
        let (length, rest) = self.0.split_first().expect("a length");
        let (bytes, rest) = rest.split_at(usize::from(*length));
        self.0 = rest;
        bytes.iter().fold(0, |value, byte| value << 8 | u64::from(*byte))
    }
}

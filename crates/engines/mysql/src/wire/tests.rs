use std::os::unix::net::UnixStream;

use proptest::prelude::*;
use transport::{Deadline, Input, LOGIN_MESSAGE_BYTES_MAX, MESSAGE_BYTES_MAX};

use super::*;

/// `payload` as packets, starting with the sequence number `sequence`.
fn framed(payload: &[u8], sequence: u8) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (number, at) in (0..=payload.len()).step_by(PAYLOAD_BYTES_MAX).enumerate() {
        let part = &payload[at..payload.len().min(at + PAYLOAD_BYTES_MAX)];
        bytes.extend_from_slice(&header(part.len(), sequence.wrapping_add(number as u8)));
        bytes.extend_from_slice(part);
    }
    bytes
}

#[test]
fn an_invalid_length_is_rejected_before_memory_is_allocated() {
    let mut input = Input::<Packets>::new(LOGIN_MESSAGE_BYTES_MAX);
    input.buffer.push(&header(LOGIN_MESSAGE_BYTES_MAX + 1, 0));
    assert!(input.next_received().is_err());
    assert_eq!(input.buffer.capacity(), Buffer::new().capacity());
    let mut input = Input::<Packets>::new(LOGIN_MESSAGE_BYTES_MAX);
    input.buffer.push(&header(PAYLOAD_BYTES_MAX, 0));
    assert!(input.next_received().is_err(), "a split payload counts with its first packet");
}

#[test]
fn a_payload_of_several_packets_is_joined() {
    for length in [PAYLOAD_BYTES_MAX - 1, PAYLOAD_BYTES_MAX, PAYLOAD_BYTES_MAX + 5] {
        let payload: Vec<u8> = (0..length).map(|number| (number % 251) as u8).collect();
        let mut input = Input::<Packets>::new(MESSAGE_BYTES_MAX);
        let bytes = framed(&payload, 3);
        input.buffer.push(&bytes[..bytes.len() - 1]);
        assert!(input.next_received().unwrap().is_none(), "a byte is missing");
        input.buffer.push(&bytes[bytes.len() - 1..]);
        assert!(input.next_received().unwrap().unwrap() == payload, "{length} bytes");
        assert_eq!(input.framing.sequence, if length < PAYLOAD_BYTES_MAX { 3 } else { 4 });
        assert!(input.next_received().unwrap().is_none());
    }
}

#[test]
fn a_long_command_is_split_into_packets() {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let mut wire = Wire::new(Transport::Unix(ours), Deadline::NONE);
    let payload: Vec<u8> = (0..PAYLOAD_BYTES_MAX + 9).map(|number| (number % 249) as u8).collect();
    let expected = payload.clone();
    let reader = std::thread::spawn(move || {
        let mut wire = Wire::new(Transport::Unix(theirs), Deadline::NONE);
        wire.messages.enter_session();
        wire.messages.receive().unwrap() == expected
    });
    wire.begin().extend_from_slice(&payload);
    wire.send_command().unwrap();
    assert!(reader.join().unwrap());
}

proptest! {
    #[test]
    fn payloads_are_framed_independently_of_fragmentation(
        bodies in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..40_000), 1..8),
        cuts in proptest::collection::vec(1_usize..50_000, 1..8),
    ) {
        let bytes: Vec<u8> = bodies.iter().flat_map(|body| framed(body, 7)).collect();
        let mut input = Input::<Packets>::new(MESSAGE_BYTES_MAX);
        let (mut rest, mut seen, mut cuts) = (bytes.as_slice(), Vec::new(), cuts.iter().cycle());
        loop {
            while let Some(payload) = input.next_received().unwrap() {
                seen.push(payload.to_vec());
            }
            if rest.is_empty() {
                break;
            }
            let count = (*cuts.next().unwrap()).min(rest.len());
            input.buffer.push(&rest[..count]);
            rest = &rest[count..];
        }
        prop_assert_eq!(seen, bodies);
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        let mut input = Input::<Packets>::new(MESSAGE_BYTES_MAX);
        input.buffer.push(&bytes);
        while let Ok(Some(payload)) = input.next_received() {
            prop_assert!(payload.len() <= bytes.len());
        }
    }
}

use proptest::prelude::*;

use super::*;
use crate::image::Image;
use crate::survivors::Policy;
use crate::volume::{Syncs, Volume};

const SIZE_BYTES: u64 = 16_384;

fn volume() -> SharedVolume {
    let mut image = Image::empty();
    let object = image.fresh();
    image.apply(&Change::CreateFile { parent: ROOT, name: b"disk".to_vec(), object });
    image.apply(&Change::Truncate { object, size: SIZE_BYTES });
    SharedVolume::new(Volume::new(image, Syncs::Honest))
}

/// What the disk says to a client that says `said`, and how that ends.
fn answers(volume: &SharedVolume, said: &[u8]) -> (Vec<u8>, io::Result<()>) {
    let mut heard = Vec::new();
    let ended = converse(&mut &said[..], &mut heard, &Disk::of(volume).expect("a disk"));
    (heard, ended)
}

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.chars().filter_map(|digit| Some(digit.to_digit(16)? as u8)).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

/// Flags of a client, then GO for the name "" without informations.
const GO_BYTES: &str = "00000003 49484156454f5054 00000007 00000006 00000000 0000";
/// Greeting, and the answers to that: size 16384, flags HAS_FLAGS and SEND_FLUSH; acknowledged.
const WELCOME: &str = "4e42444d41474943 49484156454f5054 0003 \
                       0003e889045565a9 00000007 00000003 0000000c 0000 0000000000004000 0005 \
                       0003e889045565a9 00000007 00000001 00000000";
const DISCONNECT: &str = "25609513 0000 0002 0000000000000000 0000000000000000 00000000";

#[test]
fn the_bytes_are_those_of_the_published_protocol() {
    let write = "25609513 0000 0001 0102030405060708 0000000000000200 00000004 61626364";
    let flush = "25609513 0000 0003 0102030405060709 0000000000000000 00000000";
    let read = "25609513 0000 0000 010203040506070a 00000000000001fe 00000006";
    let (heard, ended) = answers(&volume(), &hex(&[GO_BYTES, write, flush, read, DISCONNECT].concat()));
    let replies = "67446698 00000000 0102030405060708 \
                   67446698 00000000 0102030405060709 \
                   67446698 00000000 010203040506070a 0000 61626364";
    assert_eq!(heard, hex(&[WELCOME, replies].concat()));
    ended.expect("disconnected");
}

#[test]
fn what_was_not_offered_is_refused_and_the_negotiation_goes_on() {
    // STRUCTURED_REPLY, as QEMU asks first; STARTTLS; GO whose name is longer than its data; LIST; then EXPORT_NAME.
    let said = "00000001 49484156454f5054 00000008 00000000 49484156454f5054 00000005 00000000 \
                49484156454f5054 00000007 00000006 00000009 0000 49484156454f5054 00000003 00000000 \
                49484156454f5054 00000001 00000000";
    let (heard, ended) = answers(&volume(), &hex(&[said, DISCONNECT].concat()));
    let greeting = "4e42444d41474943 49484156454f5054 0003";
    let refused = "0003e889045565a9 00000008 80000001 00000000 0003e889045565a9 00000005 80000001 00000000 \
                   0003e889045565a9 00000007 80000003 00000000";
    let listed = "0003e889045565a9 00000003 00000002 00000004 00000000 0003e889045565a9 00000003 00000001 00000000";
    let export = "0000000000004000 0005";
    assert_eq!(heard, [hex(&[greeting, refused, listed, export].concat()), ZEROES.to_vec()].concat());
    ended.expect("disconnected");
}

#[test]
fn what_is_beyond_the_disk_or_unknown_is_an_error_and_changes_nothing() {
    let volume = volume();
    // A write and a read over the end, a trim, a write with FUA, an end that has no 64 bits; then one that is in order.
    let requests = "25609513 0000 0001 0000000000000001 0000000000003fff 00000002 6161 \
                    25609513 0000 0000 0000000000000002 0000000000003fff 00000002 \
                    25609513 0000 0004 0000000000000003 0000000000000000 00000200 \
                    25609513 0001 0001 0000000000000004 0000000000000000 00000002 6161 \
                    25609513 0000 0000 0000000000000005 ffffffffffffffff 00000002 \
                    25609513 0000 0000 0000000000000006 0000000000003ffe 00000002";
    let (heard, _) = answers(&volume, &hex(&[GO_BYTES, requests, DISCONNECT].concat()));
    let replies = "67446698 0000001c 0000000000000001 67446698 00000016 0000000000000002 \
                   67446698 00000016 0000000000000003 67446698 00000016 0000000000000004 \
                   67446698 00000016 0000000000000005 67446698 00000000 0000000000000006 0000";
    assert_eq!(heard[hex(WELCOME).len()..], hex(replies));
    assert_eq!(volume.lock().seq(), 0);
}

#[test]
fn lengths_that_no_client_has_end_the_connection() {
    let long_write = "25609513 0000 0001 0000000000000001 0000000000000000 ffffffff";
    assert!(answers(&volume(), &hex(&[GO_BYTES, long_write].concat())).1.is_err());
    let long_option = "00000003 49484156454f5054 00000007 ffffffff";
    assert!(answers(&volume(), &hex(long_option)).1.is_err());
    assert!(answers(&volume(), &hex("00000004")).1.is_err(), "a flag that was not offered");
}

#[test]
fn what_was_flushed_survives_and_nothing_is_answered_without_power() {
    let volume = volume();
    let scratch = tempfile::tempdir().expect("temporary directory");
    let socket = scratch.path().join("disk");
    let served = ServedDisk::at(&socket, &volume).expect("served");
    let mut client = UnixStream::connect(&socket).expect("connected");
    client.write_all(&hex(GO_BYTES)).expect("said");
    protocol::bytes(&mut client, hex(WELCOME).len() as u32).expect("welcome");
    let mut ask = |request: &str| -> io::Result<Vec<u8>> {
        client.write_all(&hex(request))?;
        protocol::bytes(&mut client, 16)
    };
    for request in [
        "25609513 0000 0001 0000000000000001 0000000000000000 00000001 61",
        "25609513 0000 0003 0000000000000002 0000000000000000 00000000",
        "25609513 0000 0001 0000000000000003 0000000000001000 00000001 62",
    ] {
        assert_eq!(ask(request).expect("answered")[4..8], [0; 4]);
    }
    volume.freeze();
    volume.release();
    ask("25609513 0000 0003 0000000000000004 0000000000000000 00000000").expect_err("no answer without power");
    let (disk, survivors) = (Disk::of(&volume).expect("a disk").object, volume.lock().survivors(Policy::AllLost, 1));
    let left = survivors.data(disk).expect("a disk");
    assert_eq!((left.read(0, 1), left.read(4096, 1)), (b"a".to_vec(), vec![0]));
    drop(served);
    assert!(!socket.exists());
}

/// Requests within the disk and beyond it: kind, offset, size, first byte of what is written.
fn requests() -> impl Strategy<Value = Vec<(u16, u64, u32, u8)>> {
    let offset = prop_oneof![0u64..20_000, Just(u64::MAX)];
    proptest::collection::vec((0u16..8, offset, 0u32..9_000, any::<u8>()), 0..12)
}

proptest! {
    #[test]
    fn the_disk_holds_what_a_plain_vector_holds(requests in requests()) {
        let (mut said, mut expected) = (hex(GO_BYTES), hex(WELCOME));
        let mut plain = vec![0; SIZE_BYTES as usize];
        for ((kind, offset, size, byte), cookie) in requests.iter().filter(|request| request.0 != 2).zip(1u64..) {
            said.extend(protocol::REQUEST_MAGIC.to_be_bytes());
            [0, *kind].iter().for_each(|half| said.extend(half.to_be_bytes()));
            [cookie, *offset].iter().for_each(|number| said.extend(number.to_be_bytes()));
            said.extend(size.to_be_bytes());
            let end = offset.checked_add(u64::from(*size)).filter(|end| *end <= SIZE_BYTES);
            let range = end.map(|end| *offset as usize..end as usize);
            let data = vec![*byte; *size as usize];
            let done = match (kind, range) {
                (0, Some(range)) => Ok(plain[range].to_vec()),
                (1, Some(range)) => {
                    plain[range].copy_from_slice(&data);
                    Ok(Vec::new())
                }
                (1, None) => Err(Failure::NoSpace),
                (3, _) => Ok(Vec::new()),
                _ => Err(Failure::Invalid),
            };
            if *kind == 1 {
                said.extend(data);
            }
            expected.extend(protocol::reply(cookie, done.as_ref().map(drop).map_err(|failure| *failure)));
            expected.extend(done.unwrap_or_default());
        }
        said.extend(hex(DISCONNECT));
        let (heard, ended) = answers(&volume(), &said);
        prop_assert_eq!(heard, expected);
        prop_assert!(ended.is_ok());
    }

    #[test]
    fn no_bytes_are_too_strange(bytes in proptest::collection::vec(any::<u8>(), 0..400), is_welcome: bool) {
        let before = if is_welcome { hex(GO_BYTES) } else { Vec::new() };
        let volume = volume();
        let _ = answers(&volume, &[before, bytes].concat());
        prop_assert!(volume.lock().live().size_bytes() <= SIZE_BYTES);
    }
}

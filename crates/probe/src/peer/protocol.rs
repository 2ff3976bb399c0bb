//! What the two ends say before a probe begins: a greeting of 16 bytes, an answer of 16 bytes, and facts as text.
//!
//! Both begin with a magic number and the version of the protocol, so that a stranger is told from a dbdyno of another
//! version. All numbers have the most significant byte first.

use record::{Bytes, NetworkEnd, NetworkInterface};

/// The version of the protocol. An end with another version is refused.
pub const VERSION: u16 = 1;

/// Length of a greeting, and of an answer without its facts.
pub(super) const HEAD_BYTES: usize = 16;
/// Maximum length of the facts.
pub(super) const FACTS_BYTES_MAX: usize = 4_096;
/// Maximum length of a block or message.
pub(super) const BLOCK_BYTES_MAX: u32 = 1 << 20;
/// Minimum length of a block: it holds a count.
const BLOCK_BYTES_MIN: u32 = COUNT_BYTES as u32;
/// Length of a count of bytes.
pub(super) const COUNT_BYTES: usize = 8;

/// No text begins like this.
const MAGIC: [u8; 8] = *b"\x00dbdyno\x17";

/// Maximum length of the value of a fact.
const VALUE_LETTERS_MAX: usize = 256;

/// What a connection is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    /// Nothing: the peer tells its facts.
    Ask,
    /// The peer sends each message back.
    Echo,
    /// The peer receives, and tells how many bytes so far.
    Receive,
    /// The peer sends blocks, each of which begins with the number of bytes before it.
    Send,
}

const SERVICES: [Service; 4] = [Service::Ask, Service::Echo, Service::Receive, Service::Send];

/// What the client asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Greeting {
    pub service: Service,
    /// Length of its messages or blocks.
    pub block_bytes: u32,
}

/// What the peer answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// Facts of this length follow, then the service begins.
    Accepted { facts_bytes: u32 },
    /// It has as many connections as it serves.
    Full,
    /// It does not know what it was asked for.
    Impossible,
}

/// Why a greeting or an answer is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It begins with something else.
    Stranger,
    /// It has another version of the protocol.
    Version(u16),
    /// It has this version, and values that the version does not have.
    Malformed,
}

impl Greeting {
    pub(super) fn encode(self) -> [u8; HEAD_BYTES] {
        let service = SERVICES.iter().position(|service| *service == self.service).unwrap_or_default();
        head(service as u8, self.block_bytes)
    }

    pub(super) fn parse(bytes: &[u8; HEAD_BYTES]) -> Result<Greeting, Refusal> {
        let (service, block_bytes) = values(bytes)?;
        let service = *SERVICES.get(usize::from(service)).ok_or(Refusal::Malformed)?;
        match (BLOCK_BYTES_MIN..=BLOCK_BYTES_MAX).contains(&block_bytes) {
            true => Ok(Greeting { service, block_bytes }),
            false => Err(Refusal::Malformed),
        }
    }
}

impl Answer {
    pub(super) fn encode(self) -> [u8; HEAD_BYTES] {
        match self {
            Answer::Accepted { facts_bytes } => head(0, facts_bytes),
            Answer::Full => head(1, 0),
            Answer::Impossible => head(2, 0),
        }
    }

    pub(super) fn parse(bytes: &[u8; HEAD_BYTES]) -> Result<Answer, Refusal> {
        match values(bytes)? {
            (0, facts_bytes) if facts_bytes as usize <= FACTS_BYTES_MAX => Ok(Answer::Accepted { facts_bytes }),
            (1, 0) => Ok(Answer::Full),
            (2, 0) => Ok(Answer::Impossible),
            _ => Err(Refusal::Malformed),
        }
    }
}

/// Magic, version, what it is, a zero, and a length.
fn head(what: u8, length: u32) -> [u8; HEAD_BYTES] {
    let mut bytes = [0; HEAD_BYTES];
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8..10].copy_from_slice(&VERSION.to_be_bytes());
    bytes[10] = what;
    bytes[12..].copy_from_slice(&length.to_be_bytes());
    bytes
}

fn values(bytes: &[u8; HEAD_BYTES]) -> Result<(u8, u32), Refusal> {
    let [magic @ .., v1, v0, what, zero, l3, l2, l1, l0] = *bytes;
    let version = u16::from_be_bytes([v1, v0]);
    match (magic == MAGIC, version == VERSION, zero) {
        (false, ..) => Err(Refusal::Stranger),
        (_, false, _) => Err(Refusal::Version(version)),
        (_, _, 0) => Ok((what, u32::from_be_bytes([l3, l2, l1, l0]))),
        _ => Err(Refusal::Malformed),
    }
}

/// What a peer says of itself. Everything may be absent, and nothing is believed: facts are shown, and say which process
/// serves where both ends are on one host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Its host, and the interface towards the other end.
    pub end: NetworkEnd,
    /// Identifies its running kernel.
    pub boot_id: Option<String>,
    /// Its process.
    pub process: Option<u32>,
}

impl Facts {
    /// As lines `name=value`, cut where they are too long.
    pub(super) fn encode(&self) -> String {
        let interface = self.end.interface.as_ref();
        let number = |value: Option<u64>| value.map(|value| value.to_string());
        let facts = [
            ("host_name", self.end.host_name.clone()),
            ("kernel", self.end.kernel.clone()),
            ("version", self.end.version.clone()),
            ("boot_id", self.boot_id.clone()),
            ("process", number(self.process.map(u64::from))),
            ("interface", interface.map(|interface| interface.name.clone())),
            ("driver", interface.and_then(|interface| interface.driver.clone())),
            ("packet_bytes_max", number(interface.and_then(|one| one.packet_bytes_max).map(|Bytes(bytes)| bytes))),
            ("megabits_per_second", number(interface.and_then(|interface| interface.megabits_per_second))),
        ];
        let line = |(name, value): (&str, Option<String>)| Some(format!("{name}={}\n", printable(&value?)?));
        facts.into_iter().filter_map(line).collect()
    }

    /// Reads them; unknown names and values that make no sense are passed over.
    pub(super) fn parse(text: &str) -> Facts {
        let value = |name: &str| {
            let found = text.lines().find_map(|line| line.split_once('=').filter(|(known, _)| *known == name));
            found.and_then(|(_, value)| printable(value))
        };
        let number = |name: &str| value(name)?.parse::<u64>().ok();
        Facts {
            end: NetworkEnd {
                host_name: value("host_name"),
                kernel: value("kernel"),
                version: value("version"),
                interface: value("interface").map(|name| NetworkInterface {
                    name,
                    driver: value("driver"),
                    packet_bytes_max: number("packet_bytes_max").map(Bytes),
                    megabits_per_second: number("megabits_per_second"),
                }),
            },
            boot_id: value("boot_id"),
            process: number("process").and_then(|process| u32::try_from(process).ok()),
        }
    }
}

/// `value` without control characters and of limited length; none if nothing is left.
fn printable(value: &str) -> Option<String> {
    let letters = value.trim().chars().filter(|letter| !letter.is_control()).take(VALUE_LETTERS_MAX);
    Some(letters.collect::<String>().trim().to_owned()).filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_service() -> impl Strategy<Value = Service> {
        (0..SERVICES.len()).prop_map(|index| SERVICES[index])
    }

    #[test]
    fn a_stranger_another_version_and_nonsense_are_told_apart() {
        let good = Greeting { service: Service::Echo, block_bytes: 64 }.encode();
        let with = |index: usize, value: u8| {
            let mut bytes = good;
            bytes[index] = value;
            Greeting::parse(&bytes)
        };
        assert_eq!(Greeting::parse(b"GET / HTTP/1.1\r\n"), Err(Refusal::Stranger));
        assert_eq!(with(0, b'd'), Err(Refusal::Stranger));
        assert_eq!(with(9, 2), Err(Refusal::Version(2)));
        assert_eq!(with(8, 1), Err(Refusal::Version(0x0101)));
        assert_eq!(with(10, 4), Err(Refusal::Malformed), "no such service");
        assert_eq!(with(11, 1), Err(Refusal::Malformed), "a byte that is zero in this version");
        assert_eq!(with(15, 7), Err(Refusal::Malformed), "too short for a count");
        assert_eq!(with(12, 1), Err(Refusal::Malformed), "16 MiB and more");
        let mut long = Answer::Accepted { facts_bytes: 0 }.encode();
        long[12..].copy_from_slice(&4_097_u32.to_be_bytes());
        assert_eq!(Answer::parse(&long), Err(Refusal::Malformed), "more facts than are read");
    }

    #[test]
    fn facts_do_not_forge_lines_and_say_nothing_of_what_is_not_known() {
        let end = NetworkEnd { host_name: Some("db1\nprocess=1\u{1b}[2J".to_owned()), ..NetworkEnd::default() };
        let facts = Facts { end, ..Facts::default() };
        let read = Facts::parse(&facts.encode());
        assert_eq!(read.end.host_name.as_deref(), Some("db1process=1[2J"));
        assert_eq!((read.process, read.end.interface), (None, None));
        assert_eq!(Facts::default().encode(), "");
        assert_eq!(Facts::parse("process=-1\npacket_bytes_max=x\ninterface= \nfuture=1\n"), Facts::default());
    }

    #[test]
    fn the_longest_facts_fit_the_answer() {
        let long = || Some("\u{10ffff}".repeat(1_000));
        let interface = NetworkInterface {
            name: "\u{10ffff}".repeat(1_000),
            driver: long(),
            packet_bytes_max: Some(Bytes(u64::MAX)),
            megabits_per_second: Some(u64::MAX),
        };
        let end = NetworkEnd {
            host_name: Some("x".repeat(1_000)),
            kernel: long(),
            version: None,
            interface: Some(interface),
        };
        let facts = Facts { end, boot_id: Some("x".repeat(1_000)), process: Some(u32::MAX) };
        assert!(facts.encode().len() <= FACTS_BYTES_MAX, "{}", facts.encode().len());
    }

    proptest! {
        #[test]
        fn greetings_and_answers_come_back_as_they_were(
            service in any_service(),
            block_bytes in BLOCK_BYTES_MIN..=BLOCK_BYTES_MAX,
            facts_bytes in 0..=FACTS_BYTES_MAX as u32,
        ) {
            let greeting = Greeting { service, block_bytes };
            prop_assert_eq!(Greeting::parse(&greeting.encode()), Ok(greeting));
            for answer in [Answer::Accepted { facts_bytes }, Answer::Full, Answer::Impossible] {
                prop_assert_eq!(Answer::parse(&answer.encode()), Ok(answer));
            }
        }

        #[test]
        fn any_bytes_are_read_as_what_they_say_or_refused(bytes in any::<[u8; HEAD_BYTES]>(), is_ours: bool) {
            let mut bytes = bytes;
            if is_ours {
                bytes[..8].copy_from_slice(&MAGIC);
                bytes[8..10].copy_from_slice(&VERSION.to_be_bytes());
            }
            if let Ok(greeting) = Greeting::parse(&bytes) {
                prop_assert_eq!(greeting.encode(), bytes);
            }
            if let Ok(answer) = Answer::parse(&bytes) {
                prop_assert_eq!(answer.encode(), bytes);
            }
        }

        #[test]
        fn facts_come_back_as_they_were(
            words in prop::collection::vec(prop::option::of("[a-z0-9.-]{1,20}"), 5),
            numbers in prop::collection::vec(prop::option::of(any::<u64>()), 2),
            process: Option<u32>,
        ) {
            let interface = words[4].clone().map(|name| NetworkInterface {
                name,
                driver: words[3].clone(),
                packet_bytes_max: numbers[0].map(Bytes),
                megabits_per_second: numbers[1],
            });
            let [host_name, kernel, version] = [0, 1, 2].map(|index: usize| words[index].clone());
            let end = NetworkEnd { host_name, kernel, version, interface };
            let facts = Facts { end, boot_id: words[3].clone(), process };
            prop_assert_eq!(Facts::parse(&facts.encode()), facts);
        }

        #[test]
        fn no_text_is_a_panic(text in "((host_name|process|interface|packet_bytes_max)?=?\\PC*\n)*") {
            let facts = Facts::parse(&text);
            prop_assert_eq!(Facts::parse(&facts.encode()), facts);
        }
    }
}

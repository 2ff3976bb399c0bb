//! Bytes of one network interface, from `/proc/net/dev`: of the network namespace of this process.

use base::Root;
use record::name;

use super::source::Source;

/// The counters of one interface.
#[derive(Debug)]
pub(super) struct InterfaceCounters {
    interface: String,
    devices: Source,
}

impl InterfaceCounters {
    /// Those of `interface`.
    pub(super) fn new(root: &Root, interface: &str) -> InterfaceCounters {
        InterfaceCounters { interface: interface.to_owned(), devices: Source::new(root.proc.join("net/dev")) }
    }

    /// The counters now, by name; none where the interface is not there.
    pub(super) fn read(&mut self) -> Vec<(&'static str, u64)> {
        let found = self.devices.read().and_then(|text| parse(text, &self.interface));
        found.map_or(Vec::new(), |(received, sent)| {
            vec![(name::INTERFACE_RECEIVED_BYTES, received), (name::INTERFACE_SENT_BYTES, sent)]
        })
    }
}

/// Bytes received and sent by `interface`: the first and the ninth of the 16 columns behind its name.
pub(super) fn parse(text: &str, interface: &str) -> Option<(u64, u64)> {
    let line = text.lines().find_map(|line| {
        // A name may hold colons (an alias), the columns do not.
        let (name, columns) = line.rsplit_once(':')?;
        (name.trim() == interface).then_some(columns)
    })?;
    let mut columns = line.split_ascii_whitespace();
    let received = columns.next()?.parse().ok()?;
    let sent = columns.nth(7)?.parse().ok()?;
    Some((received, sent))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Linux 6.1.
    const DEVICES: &str = "\
Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:  5246104     772    0    0    0     0          0         0  5246104     772    0    0    0     0       0          0
enp0s31f6:1234567890123 8 0 0 0 0 0 0 42 9 0 0 0 0 0 0
  eth0: 7 8 0 0 0 0
";

    #[test]
    fn an_interface_is_found_by_its_full_name() {
        assert_eq!(parse(DEVICES, "lo"), Some((5_246_104, 5_246_104)));
        assert_eq!(parse(DEVICES, "enp0s31f6"), Some((1_234_567_890_123, 42)), "no space behind the colon");
        assert_eq!((parse(DEVICES, "l"), parse(DEVICES, "enp0"), parse(DEVICES, "face")), (None, None, None));
        assert_eq!(parse(DEVICES, "eth0"), None, "a line that ends early");
    }

    #[test]
    fn an_interface_that_is_not_there_has_no_counters() {
        assert_eq!(InterfaceCounters::new(&Root::host(), "no-such-interface").read(), Vec::new());
        assert_eq!(InterfaceCounters::new(&Root::below("/nonexistent"), "lo").read(), Vec::new());
    }

    #[test]
    fn loopback_counts_what_is_sent_over_it() {
        let mut counters = InterfaceCounters::new(&Root::host(), "lo");
        let before = counters.read();
        let near = std::net::UdpSocket::bind("127.0.0.1:0").expect("a socket");
        let far = std::net::UdpSocket::bind("127.0.0.1:0").expect("a socket");
        near.send_to(&[0; 10_000], far.local_addr().expect("an address")).expect("sent");
        let after = counters.read();
        let names = [name::INTERFACE_RECEIVED_BYTES, name::INTERFACE_SENT_BYTES];
        for ((before, after), name) in before.iter().zip(&after).zip(names) {
            assert_eq!((before.0, after.0), (name, name));
            assert!(after.1 >= before.1 + 10_000, "{name}: {} then {}", before.1, after.1);
        }
        assert_eq!(after.len(), 2);
    }
}

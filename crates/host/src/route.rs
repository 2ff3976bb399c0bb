//! The path to another host: the interface that packets to it leave by, and what this end says of itself.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use base::root::{self, Root};
use record::NetworkEnd;

use crate::inventory::network_interface;

/// Flag of a route that is in use (`RTF_UP`).
const UP: u32 = 1;
/// Flag of a route that refuses packets (`RTF_REJECT`).
const REJECT: u32 = 0x200;

/// This end of the path to `far`, whose packets have the source address `near`.
pub fn network_end(near: IpAddr, far: IpAddr) -> NetworkEnd {
    network_end_at(&Root::host(), near, far)
}

/// The same, of the machine below `root`. The interface is that of the main routing table: rules of other tables are not
/// read.
pub fn network_end_at(root: &Root, near: IpAddr, far: IpAddr) -> NetworkEnd {
    NetworkEnd {
        host_name: root::text(root.proc.join("sys/kernel/hostname")),
        kernel: root::text(root.proc.join("sys/kernel/osrelease")),
        version: None,
        interface: interface(root, near, far).map(|name| network_interface(root, &name)),
    }
}

fn interface(root: &Root, near: IpAddr, far: IpAddr) -> Option<String> {
    // Packets to an own address, whatever it is, stay on loopback.
    if near == far || far.is_loopback() {
        return Some("lo".to_owned());
    }
    match far {
        IpAddr::V4(far) => ipv4(&root::text(root.proc.join("net/route"))?, far),
        IpAddr::V6(far) => match far.to_ipv4_mapped() {
            Some(far) => ipv4(&root::text(root.proc.join("net/route"))?, far),
            None => ipv6(&root::text(root.proc.join("net/ipv6_route"))?, far),
        },
    }
}

/// The interface of the narrowest route to `far`, of equal ones of that with the lowest metric.
fn narrowest(routes: impl Iterator<Item = (u32, u32, String)>) -> Option<String> {
    routes.min_by_key(|(bits, metric, _)| (u32::MAX - bits, *metric)).map(|(_, _, name)| name)
}

/// From `/proc/net/route`: interface, destination, gateway, flags, references, uses, metric, mask; addresses are
/// hexadecimal numbers in the order of bytes of the machine.
fn ipv4(text: &str, far: Ipv4Addr) -> Option<String> {
    let far = u32::from_ne_bytes(far.octets());
    narrowest(text.lines().skip(1).filter_map(|line| {
        let columns: Vec<&str> = line.split_ascii_whitespace().collect();
        let hexadecimal = |index: usize| u32::from_str_radix(columns.get(index)?, 16).ok();
        let (destination, flags, mask) = (hexadecimal(1)?, hexadecimal(3)?, hexadecimal(7)?);
        let metric = columns.get(6)?.parse().ok()?;
        let is_usable = flags & UP != 0 && flags & REJECT == 0 && far & mask == destination;
        is_usable.then(|| (mask.count_ones(), metric, columns[0].to_owned()))
    }))
}

/// From `/proc/net/ipv6_route`: destination, its length, source, its length, gateway, metric, references, uses, flags,
/// interface; all hexadecimal.
fn ipv6(text: &str, far: Ipv6Addr) -> Option<String> {
    let far = u128::from_be_bytes(far.octets());
    narrowest(text.lines().filter_map(|line| {
        let columns: Vec<&str> = line.split_ascii_whitespace().collect();
        let [destination, bits, _, _, _, metric, _, _, flags, name] = columns.as_slice() else { return None };
        let destination = u128::from_str_radix(destination, 16).ok()?;
        let hexadecimal = |column: &str| u32::from_str_radix(column, 16).ok();
        let (bits, metric, flags) = (hexadecimal(bits)?, hexadecimal(metric)?, hexadecimal(flags)?);
        let mask = u128::MAX.checked_shl(128_u32.checked_sub(bits)?).unwrap_or(0);
        let is_usable = flags & UP != 0 && flags & REJECT == 0 && far & mask == destination & mask;
        is_usable.then(|| (bits, metric, (*name).to_owned()))
    }))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::*;

    /// A default route, two networks, and one that refuses; of a machine with the least byte first.
    const ROUTES: &str = "\
Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
eth0\t00000000\t010011AC\t0003\t0\t0\t100\t00000000\t0\t0\t0
eth1\t0000000A\t00000000\t0001\t0\t0\t0\t000000FF\t0\t0\t0
eth2\t0001000A\t00000000\t0001\t0\t0\t20\t00FFFFFF\t0\t0\t0
eth3\t0001000A\t00000000\t0001\t0\t0\t10\t00FFFFFF\t0\t0\t0
*\t0002000A\t00000000\t0201\t0\t0\t0\t00FFFFFF\t0\t0\t0
";
    const ROUTES_6: &str = "\
fd000000000000000000000000000000 08 00000000000000000000000000000000 00 00000000000000000000000000000000 00000100 00000001 00000000 00000001     eth1
00000000000000000000000000000000 00 00000000000000000000000000000000 00 fe800000000000000000000000000001 00000400 00000001 00000000 00000003     eth0
00000000000000000000000000000000 00 00000000000000000000000000000000 00 00000000000000000000000000000000 ffffffff 00000001 00000000 00200200       lo
";

    fn machine() -> (tempfile::TempDir, Root) {
        let top = tempfile::tempdir().expect("temporary directory");
        let file = |name: &str, text: &str| {
            let path = top.path().join(name);
            fs::create_dir_all(path.parent().expect("a directory")).expect("made");
            fs::write(path, text).expect("written");
        };
        file("proc/net/route", ROUTES);
        file("proc/net/ipv6_route", ROUTES_6);
        file("proc/sys/kernel/hostname", "db1\n");
        file("proc/sys/kernel/osrelease", "6.1.0\n");
        file("sys/class/net/eth0/mtu", "9000\n");
        file("sys/class/net/eth0/speed", "10000\n");
        let root = Root::below(top.path());
        (top, root)
    }

    fn interface_to(far: &str) -> Option<String> {
        let (_top, root) = machine();
        network_end_at(&root, "10.0.0.9".parse().ok()?, far.parse().ok()?).interface.map(|one| one.name)
    }

    #[test]
    #[cfg(target_endian = "little")]
    fn the_narrowest_route_is_taken_and_of_equal_ones_the_cheapest() {
        assert_eq!(interface_to("192.0.2.1").as_deref(), Some("eth0"));
        assert_eq!(interface_to("10.9.0.1").as_deref(), Some("eth1"));
        assert_eq!(interface_to("10.0.1.5").as_deref(), Some("eth3"));
        assert_eq!(interface_to("10.0.2.5").as_deref(), Some("eth1"), "a route that refuses is none");
        assert_eq!(interface_to("::ffff:10.9.0.1").as_deref(), Some("eth1"));
        assert_eq!(
            (interface_to("fd00::1").as_deref(), interface_to("2001:db8::1").as_deref()),
            (Some("eth1"), Some("eth0"))
        );
    }

    #[test]
    fn packets_to_oneself_stay_on_loopback() {
        assert_eq!(interface_to("10.0.0.9").as_deref(), Some("lo"));
        assert_eq!((interface_to("127.0.0.1").as_deref(), interface_to("::1").as_deref()), (Some("lo"), Some("lo")));
    }

    #[test]
    fn an_end_says_what_is_known_of_it() {
        let (_top, root) = machine();
        let end = network_end_at(&root, IpAddr::from([10, 0, 0, 9]), IpAddr::from([192, 0, 2, 1]));
        assert_eq!((end.host_name.as_deref(), end.kernel.as_deref()), (Some("db1"), Some("6.1.0")));
        let interface = end.interface.expect("an interface");
        assert_eq!(interface.packet_bytes_max, Some(record::Bytes(9_000)));
        assert_eq!((interface.megabits_per_second, interface.driver), (Some(10_000), None));
        let nowhere = Root::below("/nonexistent");
        let end = network_end_at(&nowhere, IpAddr::from([10, 0, 0, 9]), IpAddr::from([192, 0, 2, 1]));
        assert_eq!(end, NetworkEnd::default());
    }

    proptest! {
        #[test]
        fn no_table_panics(text in "((eth0|[0-9a-fA-F]{0,33}|-1)[ \t]?){0,12}\n?", far in any::<[u8; 16]>()) {
            let _ = ipv6(&text, Ipv6Addr::from(far));
            let _ = ipv4(&format!("head\n{text}"), Ipv4Addr::from([far[0], far[1], far[2], far[3]]));
        }
    }
}

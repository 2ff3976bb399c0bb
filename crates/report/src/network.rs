//! The path to the peer of the network probes.

use record::{Layer, NetworkEnd, NetworkInterface, NetworkPath, Record, Run};

use crate::layout::clean;
use crate::words::list;

/// Whether the record is of the network alone.
pub(crate) fn is_network_alone(record: &Record) -> bool {
    let is_of_network = |run: &Run| run.layer == Layer::Network;
    record.plan.network.is_some() && record.engine.is_none() && record.runs.iter().all(is_of_network)
}

/// The peer that was named; none where it was a part of dbdyno itself.
pub(crate) fn named_peer(record: &Record) -> Option<&str> {
    record.plan.network.as_ref()?.peer.as_deref()
}

/// The path, and what lies at its ends; none where the network was not measured.
pub(crate) fn network_path(record: &Record) -> Option<String> {
    record.plan.network.as_ref().map(path_text)
}

fn path_text(path: &NetworkPath) -> String {
    let Some(peer) = &path.peer else {
        return "loopback, to a peer of dbdyno itself: the network stack of this host, nothing of a wire".to_owned();
    };
    let address = Some(clean(&path.address)).filter(|address| *address != clean(peer));
    let address = address.map(|address| format!(" ({address})")).unwrap_or_default();
    let far = end_text(&path.far).map(|end| format!("; there: {end}")).unwrap_or_default();
    let near = path.near.interface.as_ref().map(|one| format!("; here: {}", interface_text(one))).unwrap_or_default();
    let same = if path.is_same_host { "; both ends are on this host" } else { "" };
    format!("to {}{address}{far}{near}{same}", clean(peer))
}

fn end_text(end: &NetworkEnd) -> Option<String> {
    let kernel = end.kernel.as_deref().map(|kernel| format!("Linux {}", clean(kernel)));
    let version = end.version.as_deref().map(|version| format!("dbdyno {}", clean(version)));
    let interface = end.interface.as_ref().map(interface_text);
    let text = list([end.host_name.as_deref().map(clean), kernel, interface, version].into_iter().flatten());
    (!text.is_empty()).then_some(text)
}

/// An interface with what is known of it: `eth0 (10000 Mbit/s, MTU 1500)`.
fn interface_text(interface: &NetworkInterface) -> String {
    let speed = interface.megabits_per_second.map(|speed| format!("{speed} Mbit/s"));
    let packet = interface.packet_bytes_max.map(|size| format!("MTU {}", size.0));
    let known = list([interface.driver.as_deref().map(clean), speed, packet].into_iter().flatten());
    match known.is_empty() {
        true => clean(&interface.name),
        false => format!("{} ({known})", clean(&interface.name)),
    }
}

#[cfg(test)]
mod tests {
    use record::Bytes;

    use super::*;

    #[test]
    fn a_path_is_told_with_both_ends_as_far_as_they_are_known() {
        let interface = |name: &str| NetworkInterface { name: name.to_owned(), ..NetworkInterface::default() };
        let mut path = NetworkPath {
            peer: Some("db1:5250".to_owned()),
            address: "192.0.2.1:5250".to_owned(),
            ..NetworkPath::default()
        };
        assert_eq!(path_text(&path), "to db1:5250 (192.0.2.1:5250)");
        let speed = NetworkInterface { megabits_per_second: Some(10_000), ..interface("eth0") };
        path.near.interface = Some(NetworkInterface { packet_bytes_max: Some(Bytes(9_000)), ..speed });
        path.far.host_name = Some("db1\u{1b}[2J".to_owned());
        path.far.interface = Some(interface("ens3"));
        let text = path_text(&path);
        assert!(text.ends_with("ens3; here: eth0 (10000 Mbit/s, MTU 9000)"), "{text}");
        assert!(!text.contains('\u{1b}'), "what the other end says is not believed: {text}");
        path.is_same_host = true;
        assert!(path_text(&path).ends_with("both ends are on this host"));
        path.peer = None;
        assert!(path_text(&path).starts_with("loopback"));
    }
}

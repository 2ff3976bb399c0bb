//! How the parts of a platform hang together, and what is wrong with them.

use dbdyno_report::{Style, inventory};
use model::platform::MeasuredRates;
use record::{Bytes, FileSystem, HostInventory, NetworkMount, Rate};

use crate::topology_sample::host;

/// A mount of NFS.
fn mount() -> FileSystem {
    FileSystem {
        kind: "nfs4".to_owned(),
        mount_point: "/mnt/nfs".to_owned(),
        source: "server:/export".to_owned(),
        options: "rw,vers=4.2".to_owned(),
        network: Some(NetworkMount {
            version: Some("4.2".to_owned()),
            transport: Some("tcp".to_owned()),
            connections: 4,
            read_bytes_max: Some(Bytes::MIB),
            write_bytes_max: Some(Bytes::MIB),
        }),
        ..FileSystem::default()
    }
}

#[test]
fn links_arrays_and_paths_are_listed_with_what_is_wrong() {
    let rates = MeasuredRates { devices: [("nvme0n1".to_owned(), Rate(3e9))].into(), memory: Some(Rate(80e9)) };
    insta::assert_snapshot!(inventory(&host(), None, &[], Some(&rates)).text(Style::default(), 80));
}

#[test]
fn a_network_file_system_has_its_protocol() {
    let host = HostInventory { file_system: Some(mount()), ..HostInventory::default() };
    let text = inventory(&host, None, &[], None).text(Style::default(), 80);
    let protocol = "protocol    version 4.2, tcp, 4 connections, reads of at most 1 MiB, writes of";
    assert!(text.contains(protocol), "{text}");
}

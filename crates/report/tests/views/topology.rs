//! How the parts of a platform hang together, and what is wrong with them.

use dbdyno_report::{Style, inventory};
use model::platform::MeasuredRates;
use record::{HostInventory, Rate};

use crate::topology_sample::{host, mount};

#[test]
fn links_arrays_and_paths_are_listed_with_what_is_wrong() {
    let rates = MeasuredRates { devices: [("nvme0n1".to_owned(), Rate(3e9))].into(), memory: Some(Rate(80e9)) };
    insta::assert_snapshot!(inventory(&host(), None, &[], Some(&rates), Style::default(), 80));
}

#[test]
fn a_network_file_system_has_its_protocol() {
    let host = HostInventory { file_system: Some(mount()), ..HostInventory::default() };
    let text = inventory(&host, None, &[], None, Style::default(), 80);
    let protocol = "  protocol        version 4.2, tcp, 4 connections, reads of at most 1 MiB,";
    assert!(text.contains(protocol), "{text}");
}

//! The platform.

use dbdyno_report::{Style, inventory};
use record::HostInventory;

use crate::sample;

#[test]
fn a_platform_in_full() {
    insta::assert_snapshot!(inventory(&sample::host(), Some(&sample::engine()), &[], None).text(Style::default(), 80));
}

#[test]
fn a_platform_of_which_nothing_is_known() {
    insta::assert_snapshot!(inventory(&HostInventory::default(), None, &[], None).text(Style::default(), 80));
}

//! Whether two targets are one database: dbdyno works in one schema of it.

use engine::Target;
use record::Location;

use crate::platform::Platform;

/// Whether `other` is the database that `platform` works in. One that is in this process has a file for each side, and a
/// server of our own is started for each.
pub(super) fn is_same_database(platform: &Platform<'_>, other: &Target) -> bool {
    let location = platform.engine.as_ref().map(|opened| opened.inventory.location);
    location.is_some_and(|here| here != Location::InProcess) && is_same_place(platform.context.target, other)
}

/// As far as targets tell: two ways to write the same place are found by the lock of the schema.
fn is_same_place(one: &Target, other: &Target) -> bool {
    let place = |target: &Target| (target.scheme.clone(), target.addresses.clone(), target.database.clone());
    !one.local && !other.local && place(one) == place(other) && one.parameters == other.parameters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_place_is_told_from_two_servers() {
        let same =
            |one: &str, other: &str| is_same_place(&one.parse().expect("a target"), &other.parse().expect("a target"));
        assert!(same("example://db1/shop", "example://me@db1/shop"), "whoever asks");
        assert!(!same("example://db1/shop", "example://db2/shop"));
        assert!(!same("example://db1/shop", "example://db1/other"));
        assert!(!same("example://db1/shop?host=a", "example://db1/shop?host=b"));
        assert!(!same("local:example", "local:example"), "two servers are started");
    }
}

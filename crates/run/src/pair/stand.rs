//! One side, open.

use std::path::PathBuf;

use engine::Target;
use record::Location;

use crate::invocation::Workplace;
use crate::opening::{Opened, Plot, Setting, look, open};
use crate::{Request, Result};

/// The engine of one side, and what was found out about where it works.
pub(crate) struct Stand<'a> {
    pub workplace: Workplace<'a>,
    pub opened: Opened<'a>,
    pub setting: Setting,
}

impl<'a> Stand<'a> {
    /// Opens and claims the engine, whose files lie in `place`.
    ///
    /// # Errors
    /// What the engine says.
    pub(crate) fn open(
        workplace: Workplace<'a>,
        request: &Request,
        place: PathBuf,
        setting: &Setting,
    ) -> Result<Stand<'a>> {
        let opened = open(request, &workplace, &Plot { directory: place, keep: false, cache: None })?;
        Ok(Stand::of(workplace, opened, setting))
    }

    /// Opens the engine and creates nothing in it.
    ///
    /// # Errors
    /// What the engine says.
    pub(crate) fn look(
        workplace: Workplace<'a>,
        request: &Request,
        place: PathBuf,
        setting: &Setting,
    ) -> Result<Stand<'a>> {
        let opened = look(request, &workplace, &Plot { directory: place, keep: false, cache: None })?;
        Ok(Stand::of(workplace, opened, setting))
    }

    fn of(workplace: Workplace<'a>, opened: Opened<'a>, setting: &Setting) -> Stand<'a> {
        let mut setting = setting.clone();
        setting.look_where(Some(&opened));
        Stand { workplace, opened, setting }
    }

    /// Ends it and removes what was created.
    ///
    /// # Errors
    /// What the engine says.
    pub(crate) fn close(self) -> Result<()> {
        Ok(self.opened.nodes.close()?)
    }
}

/// Whether `other` is the database that `stand` works in. One that is in this process has a file for each side, and a
/// server of our own is started for each.
pub(crate) fn is_same_database(stand: &Stand<'_>, other: &Target) -> bool {
    let here = stand.opened.inventory.location == Location::InProcess;
    !here && is_same_place(stand.workplace.target, other)
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

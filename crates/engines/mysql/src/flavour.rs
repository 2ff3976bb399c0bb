//! The two products with this protocol.

/// Product of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flavour {
    MariaDb,
    MySql,
}

impl Flavour {
    /// Short name, as in a target; also the prefix of its own counters.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Flavour::MariaDb => "mariadb",
            Flavour::MySql => "mysql",
        }
    }

    /// Product name.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Flavour::MariaDb => "MariaDB",
            Flavour::MySql => "MySQL",
        }
    }

    /// The product with this version text: derivatives of MySQL (Percona Server, Aurora) count as MySQL.
    pub(crate) fn of_version(version: &str) -> Flavour {
        if version.contains("MariaDB") { Flavour::MariaDb } else { Flavour::MySql }
    }

    /// The binary collation without padding.
    pub(crate) const fn collation(self) -> &'static str {
        match self {
            Flavour::MariaDb => "utf8mb4_nopad_bin",
            Flavour::MySql => "utf8mb4_0900_bin",
        }
    }

    /// The oldest supported version: the first with the required session features and counters.
    pub(crate) const fn version_min(self) -> (u32, u32) {
        match self {
            Flavour::MariaDb => (10, 5),
            Flavour::MySql => (8, 0),
        }
    }
}

/// Version and release in `5.5.5-10.11.19-MariaDB-0+deb12u1` (the prefix is for old replicas) or `8.0.36`.
pub(crate) fn release(version: &str) -> Option<(u32, u32)> {
    let version = match Flavour::of_version(version) {
        Flavour::MariaDb => release_text(version),
        Flavour::MySql => version,
    };
    let mut numbers = version.split(|letter: char| !letter.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

/// A version without MariaDB's prefix for old replicas.
pub(crate) fn release_text(version: &str) -> &str {
    version.strip_prefix("5.5.5-").unwrap_or(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_has_product_and_release() {
        for (version, flavour, expected) in [
            ("5.5.5-10.11.19-MariaDB-0+deb12u1", Flavour::MariaDb, Some((10, 11))),
            ("11.4.2-MariaDB", Flavour::MariaDb, Some((11, 4))),
            ("8.0.36", Flavour::MySql, Some((8, 0))),
            ("5.5.5", Flavour::MySql, Some((5, 5))),
            ("8.0.mysql_aurora.3.04.0", Flavour::MySql, Some((8, 0))),
            ("x", Flavour::MySql, None),
        ] {
            assert_eq!((Flavour::of_version(version), release(version)), (flavour, expected), "{version}");
        }
    }
}

//! Two products speak this protocol; what they say differently hangs on which one it is.

/// Which product a server is.
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

    /// Name as its makers write it.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Flavour::MariaDb => "MariaDB",
            Flavour::MySql => "MySQL",
        }
    }

    /// The product that calls its version `version`: relatives of MySQL (Percona Server, Aurora) count as MySQL.
    pub(crate) fn of_version(version: &str) -> Flavour {
        if version.contains("MariaDB") { Flavour::MariaDb } else { Flavour::MySql }
    }

    /// The collation in which texts are equal where their bytes are, a space at the end included.
    pub(crate) const fn collation(self) -> &'static str {
        match self {
            Flavour::MariaDb => "utf8mb4_nopad_bin",
            Flavour::MySql => "utf8mb4_0900_bin",
        }
    }

    /// The oldest version that is measured: the first with what is asked of its session and its counters.
    pub(crate) const fn version_min(self) -> (u32, u32) {
        match self {
            Flavour::MariaDb => (10, 5),
            Flavour::MySql => (8, 0),
        }
    }
}

/// Version and release in `5.5.5-10.11.19-MariaDB-0+deb12u1` (what stands before the first dash is there for old
/// replicas) or `8.0.36`.
pub(crate) fn release(version: &str) -> Option<(u32, u32)> {
    let version = match Flavour::of_version(version) {
        Flavour::MariaDb => plain(version),
        Flavour::MySql => version,
    };
    let mut numbers = version.split(|letter: char| !letter.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

/// A version without what MariaDB puts before it for old replicas.
pub(crate) fn plain(version: &str) -> &str {
    version.strip_prefix("5.5.5-").unwrap_or(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_says_the_product_and_the_release() {
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

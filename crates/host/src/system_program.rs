//! Programs of the system that are run as root: from where the system has them, before the search path of the user is asked.

use std::path::{Path, PathBuf};

/// Where root finds the program `name`; the name itself where it is in none of these places.
pub(crate) fn system_program(name: &str) -> PathBuf {
    let places = ["/usr/sbin", "/sbin", "/usr/bin", "/bin"].map(|folder| Path::new(folder).join(name));
    places.into_iter().find(|path| path.is_file()).unwrap_or_else(|| PathBuf::from(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_has_a_fixed_place() {
        assert!(system_program("sh").is_absolute());
        assert_eq!(system_program("dbdyno-none"), Path::new("dbdyno-none"));
    }
}

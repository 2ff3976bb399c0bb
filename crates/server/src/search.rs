//! Finds installed programs.

use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where programs of a server are looked for.
#[derive(Clone, Debug)]
pub struct Search<'a> {
    /// Only there, where it was asked for.
    pub directory: Option<&'a Path>,
    /// The value of `PATH`.
    pub path: OsString,
    /// Where packages put programs, searched behind `PATH` in this order; a star stands for a version.
    pub places: &'a [&'a str],
    /// What `places` lie below.
    pub root: &'a Path,
}

impl<'a> Search<'a> {
    /// On this host: in `directory` only, or in `PATH` and then in `places`.
    pub fn here(directory: Option<&'a Path>, places: &'a [&'a str]) -> Search<'a> {
        Search { directory, path: std::env::var_os("PATH").unwrap_or_default(), places, root: Path::new("/") }
    }

    /// The directories in the order in which they are looked at; of a starred place the newest version first.
    pub fn directories(&self) -> Vec<PathBuf> {
        if let Some(directory) = self.directory {
            return vec![directory.to_owned()];
        }
        let listed = std::env::split_paths(&self.path).filter(|directory| directory.is_absolute());
        listed.chain(self.places.iter().flat_map(|place| expand(self.root, place))).collect()
    }
}

/// The places, for who is told that nothing was found there.
impl fmt::Display for Search<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.directory {
            Some(directory) => write!(formatter, "{}", directory.display()),
            None => write!(formatter, "PATH, {}", self.places.join(", ")),
        }
    }
}

/// What `program --version` says; none where it cannot be run.
pub fn version_said(program: &Path) -> Option<String> {
    let said = Command::new(program).arg("--version").stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    Some(String::from_utf8_lossy(&said.stdout).into_owned())
}

/// The directories that `pattern` stands for, the newest version first.
fn expand(root: &Path, pattern: &str) -> Vec<PathBuf> {
    let pattern = pattern.trim_start_matches('/');
    let Some((before, after)) = pattern.split_once('*') else { return vec![root.join(pattern)] };
    let (parent, prefix) = before.rsplit_once('/').unwrap_or(("", before));
    let mut found: Vec<(Vec<u32>, PathBuf)> = fs::read_dir(root.join(parent))
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name();
            let version = name.to_str()?.strip_prefix(prefix)?;
            let numbers = version.split('.').map(str::parse).collect::<Result<Vec<u32>, _>>();
            // Some packages have a link `latest` beside the numbers; it leads to one of them.
            Some((numbers.ok()?, entry.path().join(after.trim_start_matches('/'))))
        })
        .collect();
    found.sort_by(|left, right| right.cmp(left));
    found.into_iter().map(|(_, path)| path).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_ordered_as_numbers() {
        let root = tempfile::tempdir().expect("temporary directory");
        for version in ["9.6", "10", "13", "latest"] {
            fs::create_dir_all(root.path().join("usr/lib/somebase").join(version)).expect("directory");
        }
        let names = expand(root.path(), "/usr/lib/somebase/*/bin");
        let expected = ["13", "10", "9.6"].map(|version| root.path().join(format!("usr/lib/somebase/{version}/bin")));
        assert_eq!(names, expected);
    }

    #[test]
    fn only_the_directory_that_was_asked_for_or_the_path_and_then_the_places() {
        let root = Path::new("/r");
        let search = Search { directory: None, path: "/a:relative:/b".into(), places: &["/c/d"], root };
        assert_eq!(search.directories(), ["/a", "/b", "/r/c/d"].map(PathBuf::from));
        assert_eq!(search.to_string(), "PATH, /c/d");
        let asked = Search { directory: Some(Path::new("/e")), ..search };
        assert_eq!((asked.directories(), asked.to_string().as_str()), (vec![PathBuf::from("/e")], "/e"));
    }
}

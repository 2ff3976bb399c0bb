//! What dbdyno writes down about a cluster, so that a later invocation finds what a dead one left.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use engine::{Error, Kind, Result};

use super::place::refused;
use super::process::{self, Process};

const HEAD: &str = "dbdyno postgres 1";

/// The state of a cluster, as lines `word value` in the file `state`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct State {
    /// Which start of the machine the processes belong to.
    pub(super) boot: String,
    /// The dbdyno that works with it; none where it was stopped in order and kept.
    pub(super) owner: Option<Process>,
    /// Its server.
    pub(super) postmaster: Option<Process>,
    /// The data directory as the server was told.
    pub(super) data: PathBuf,
    /// Directory of its socket.
    pub(super) socket: Option<PathBuf>,
    /// Mode that the measured directory had before the server's user was let through.
    pub(super) site_mode: Option<u32>,
    /// Whether the data were complete once, and are to stay.
    pub(super) kept: bool,
}

impl State {
    /// The state in `path`; none where there is no such file.
    ///
    /// # Errors
    /// `NotOurs` where the file is not of this form.
    pub(super) fn read(path: &Path) -> Result<Option<State>> {
        let text = match fs::read(path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(refused("read", path, &error)),
        };
        State::parse(&text).map(Some).ok_or_else(|| {
            let message = format!("file {} was not written by this version of dbdyno", path.display());
            Error::new(Kind::NotOurs, message).hint("give another --dir, or remove the directory that it lies in")
        })
    }

    /// Writes the state to `path`: all of it or nothing.
    pub(super) fn write(&self, path: &Path) -> Result<()> {
        let draft = path.with_extension("draft");
        fs::File::create(&draft)
            .and_then(|mut file| file.write_all(self.render().as_bytes()).and_then(|()| file.sync_all()))
            .and_then(|()| fs::rename(&draft, path))
            .map_err(|error| {
                // A draft that cannot be finished is of no use; that it cannot be removed is the smaller trouble.
                let _ = fs::remove_file(&draft);
                refused("write", path, &error)
            })
    }

    /// Whether the dbdyno that made or took the cluster still runs.
    pub(super) fn owner_is_alive(&self) -> bool {
        self.boot == process::boot() && self.owner.is_some_and(Process::is_alive)
    }

    /// Whether it was stopped in order and is to stay.
    pub(super) fn is_put_away(&self) -> bool {
        self.kept && self.owner.is_none()
    }

    fn render(&self) -> String {
        let process = |process: Process| format!("{} {}", process.pid, process.start_ticks);
        let path = |path: &PathBuf| path.display().to_string();
        let lines = [
            ("boot", Some(self.boot.clone())),
            ("owner", self.owner.map(process)),
            ("postmaster", self.postmaster.map(process)),
            ("data", Some(path(&self.data))),
            ("socket", self.socket.as_ref().map(path)),
            ("site_mode", self.site_mode.map(|mode| format!("{mode:o}"))),
            ("kept", Some(if self.kept { "yes" } else { "no" }.to_owned())),
        ];
        let lines = lines.into_iter().filter_map(|(word, value)| Some(format!("{word} {}\n", value?)));
        format!("{HEAD}\n{}", lines.collect::<String>())
    }

    fn parse(text: &str) -> Option<State> {
        let mut lines = text.lines();
        if lines.next()? != HEAD {
            return None;
        }
        let mut state = State::default();
        let mut complete = false;
        for line in lines {
            let (word, value) = line.split_once(' ')?;
            match word {
                "boot" => state.boot = value.to_owned(),
                "owner" => state.owner = Some(parse_process(value)?),
                "postmaster" => state.postmaster = Some(parse_process(value)?),
                "data" => state.data = absolute(value)?,
                "socket" => state.socket = Some(absolute(value)?),
                "site_mode" => {
                    let mode = u32::from_str_radix(value, 8).ok().filter(|mode| *mode <= 0o7777);
                    state.site_mode = Some(mode?);
                }
                "kept" => {
                    state.kept = value == "yes";
                    complete = true;
                }
                _ => return None,
            }
        }
        (complete && state.data.is_absolute()).then_some(state)
    }
}

fn parse_process(text: &str) -> Option<Process> {
    let (pid, start) = text.split_once(' ')?;
    Some(Process { pid: pid.parse().ok()?, start_ticks: start.parse().ok()? })
}

fn absolute(text: &str) -> Option<PathBuf> {
    Some(PathBuf::from(text)).filter(|path| path.is_absolute())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sample() -> State {
        State {
            boot: "0f1e".to_owned(),
            owner: Some(Process { pid: 4711, start_ticks: 23 }),
            postmaster: Some(Process { pid: 4712, start_ticks: 24 }),
            data: PathBuf::from("/a b/postgres/data"),
            socket: Some(PathBuf::from("/tmp/dbdyno-socket-4711-0")),
            site_mode: Some(0o2700),
            kept: true,
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let scratch = tempfile::tempdir().expect("temporary directory");
        let path = scratch.path().join("state");
        assert_eq!(State::read(&path).expect("absent"), None);
        let least = State { data: PathBuf::from("/d"), ..State::default() };
        for state in [sample(), least] {
            state.write(&path).expect("write");
            assert_eq!(State::read(&path).expect("read"), Some(state));
        }
        assert_eq!(fs::read_dir(scratch.path()).expect("entries").count(), 1, "no draft stays");
    }

    #[test]
    fn a_file_of_another_form_is_not_ours() {
        let scratch = tempfile::tempdir().expect("temporary directory");
        let path = scratch.path().join("state");
        for text in [
            "",
            "hello",
            "dbdyno postgres 2\ndata /d\nkept no\n",
            "dbdyno postgres 1\nkept no\n",
            "dbdyno postgres 1\ndata d\nkept no\n",
            "dbdyno postgres 1\ndata /d\n",
            "dbdyno postgres 1\ndata /d\nowner 1\nkept no\n",
            "dbdyno postgres 1\ndata /d\nsite_mode 99\nkept no\n",
            "dbdyno postgres 1\ndata /d\nremove /etc\nkept no\n",
        ] {
            fs::write(&path, text).expect("write");
            assert_eq!(State::read(&path).expect_err(text).kind, Kind::NotOurs, "{text}");
        }
    }

    #[test]
    fn an_owner_lives_only_with_its_start_and_its_boot() {
        let own = State { boot: process::boot(), owner: Process::own(), ..sample() };
        assert!(own.owner_is_alive());
        assert!(!State { boot: "another".to_owned(), ..own.clone() }.owner_is_alive());
        assert!(!State { owner: None, ..own.clone() }.owner_is_alive());
        let later = own.owner.map(|process| Process { start_ticks: process.start_ticks + 1, ..process });
        assert!(!State { owner: later, ..own }.owner_is_alive());
    }

    proptest! {
        #[test]
        fn no_file_is_too_strange(tail in "[\\PC\n]*") {
            let _ = State::parse(&tail);
            let _ = State::parse(&format!("{HEAD}\n{tail}"));
        }

        #[test]
        fn every_state_survives_its_file(pid in any::<u32>(), start_ticks in any::<u64>(), name in "/[a-z ./]{0,20}", kept: bool) {
            let process = Some(Process { pid, start_ticks });
            let data = PathBuf::from(name);
            let state = State { owner: process, postmaster: process, data: data.clone(), socket: Some(data), kept, ..sample() };
            prop_assert_eq!(State::parse(&state.render()), Some(state));
        }
    }
}

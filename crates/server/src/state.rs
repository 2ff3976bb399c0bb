//! The state file of a server, by which a later invocation finds what a crashed one left.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use base::Process;
use engine::{Error, Kind, Result};

use super::paths::Paths;
use super::process;

/// Version of the file format.
const FORMAT_VERSION: u32 = 1;

/// The state of a server, as lines `key value` in the file `state`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// Boot id of the host, to which the processes belong.
    pub boot: String,
    /// The owning dbdyno process; `None` if the server was shut down and kept.
    pub owner: Option<Process>,
    /// The server's main process.
    pub server: Option<Process>,
    /// The data directory, as passed to the server.
    pub data: PathBuf,
    /// Directory of the socket.
    pub socket: Option<PathBuf>,
    /// Mode of the measured directory before the server's user was granted access.
    pub workspace_mode: Option<u32>,
    /// Whether the data are complete and are to be kept.
    pub kept: bool,
}

impl State {
    /// Reads the state file of `paths`; `None` if there is none.
    ///
    /// # Errors
    /// `NotOurs` if the file does not have this format.
    pub fn read(paths: &Paths) -> Result<Option<State>> {
        let path = &paths.state;
        let text = match fs::read(path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::of_path("read", path, &error)),
        };
        State::parse(&head(paths), &text).map(Some).ok_or_else(|| {
            let message = format!("file {} was not written by this version of dbdyno", path.display());
            Error::new(Kind::NotOurs, message).hint("give another --dir, or remove the directory that contains it")
        })
    }

    /// Writes the state file of `paths` atomically.
    ///
    /// # Errors
    /// `Space` if it cannot be written.
    pub fn write(&self, paths: &Paths) -> Result<()> {
        let path = &paths.state;
        let draft = path.with_extension("draft");
        fs::File::create(&draft)
            .and_then(|mut file| file.write_all(self.render(&head(paths)).as_bytes()).and_then(|()| file.sync_all()))
            .and_then(|()| fs::rename(&draft, path))
            .map_err(|error| {
                // The write error is the one to report.
                let _ = fs::remove_file(&draft);
                Error::of_path("write", path, &error)
            })
    }

    /// Whether the owning dbdyno process still runs.
    pub fn owner_is_alive(&self) -> bool {
        self.boot == process::boot() && self.owner.is_some_and(Process::is_alive)
    }

    /// Whether it was shut down and is to be kept.
    pub fn is_kept_and_stopped(&self) -> bool {
        self.kept && self.owner.is_none()
    }

    fn render(&self, head: &str) -> String {
        let process = |process: Process| format!("{} {}", process.pid, process.start_ticks);
        let path = |path: &PathBuf| path.display().to_string();
        let lines = [
            ("boot", Some(self.boot.clone())),
            ("owner", self.owner.map(process)),
            ("server", self.server.map(process)),
            ("data", Some(path(&self.data))),
            ("socket", self.socket.as_ref().map(path)),
            ("workspace_mode", self.workspace_mode.map(|mode| format!("{mode:o}"))),
            ("kept", Some(if self.kept { "yes" } else { "no" }.to_owned())),
        ];
        let lines = lines.into_iter().filter_map(|(word, value)| Some(format!("{word} {}\n", value?)));
        format!("{head}\n{}", lines.collect::<String>())
    }

    fn parse(head: &str, text: &str) -> Option<State> {
        let mut lines = text.lines();
        if lines.next()? != head {
            return None;
        }
        let mut state = State::default();
        let mut complete = false;
        for line in lines {
            let (word, value) = line.split_once(' ')?;
            match word {
                "boot" => state.boot = value.to_owned(),
                "owner" => state.owner = Some(parse_process(value)?),
                // The key in earlier versions.
                "server" | "postmaster" => state.server = Some(parse_process(value)?),
                "data" => state.data = absolute(value)?,
                "socket" => state.socket = Some(absolute(value)?),
                "workspace_mode" => {
                    let mode = u32::from_str_radix(value, 8).ok().filter(|mode| *mode <= 0o7777);
                    state.workspace_mode = Some(mode?);
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

/// First line of the file.
fn head(paths: &Paths) -> String {
    format!("dbdyno {} {FORMAT_VERSION}", paths.product.name)
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
    use crate::fixture::PRODUCT;

    const HEAD: &str = "dbdyno somebase 1";

    fn sample() -> State {
        State {
            boot: "0f1e".to_owned(),
            owner: Some(Process { pid: 4711, start_ticks: 23 }),
            server: Some(Process { pid: 4712, start_ticks: 24 }),
            data: PathBuf::from("/a b/somebase/data"),
            socket: Some(PathBuf::from("/tmp/dbdyno-socket-4711-0")),
            workspace_mode: Some(0o2700),
            kept: true,
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let scratch = tempfile::tempdir().expect("temporary directory");
        let paths = Paths::of(&PRODUCT, scratch.path()).expect("place");
        fs::create_dir(&paths.root).expect("root");
        assert_eq!(State::read(&paths).expect("absent"), None);
        let least = State { data: PathBuf::from("/d"), ..State::default() };
        for state in [sample(), least] {
            state.write(&paths).expect("write");
            assert_eq!(State::read(&paths).expect("read"), Some(state));
        }
        assert_eq!(fs::read_dir(&paths.root).expect("entries").count(), 1, "no draft stays");
    }

    #[test]
    fn a_file_of_another_form_is_not_ours() {
        let scratch = tempfile::tempdir().expect("temporary directory");
        let paths = Paths::of(&PRODUCT, scratch.path()).expect("place");
        fs::create_dir(&paths.root).expect("root");
        for text in [
            "",
            "hello",
            "dbdyno somebase 2\ndata /d\nkept no\n",
            "dbdyno somebase 1\nkept no\n",
            "dbdyno somebase 1\ndata d\nkept no\n",
            "dbdyno somebase 1\ndata /d\n",
            "dbdyno somebase 1\ndata /d\nowner 1\nkept no\n",
            "dbdyno somebase 1\ndata /d\nsite_mode 99\nkept no\n",
            "dbdyno somebase 1\ndata /d\nremove /etc\nkept no\n",
        ] {
            fs::write(&paths.state, text).expect("write");
            assert_eq!(State::read(&paths).expect_err(text).kind, Kind::NotOurs, "{text}");
        }
    }

    #[test]
    fn an_owner_is_identified_by_start_time_and_boot_id() {
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
            let _ = State::parse(HEAD, &tail);
            let _ = State::parse(HEAD, &format!("{HEAD}\n{tail}"));
        }

        #[test]
        fn every_state_survives_its_file(pid in any::<u32>(), start_ticks in any::<u64>(), name in "/[a-z ./]{0,20}", kept: bool) {
            let process = Some(Process { pid, start_ticks });
            let data = PathBuf::from(name);
            let state = State { owner: process, server: process, data: data.clone(), socket: Some(data), kept, ..sample() };
            prop_assert_eq!(State::parse(HEAD, &state.render(HEAD)), Some(state));
        }
    }
}

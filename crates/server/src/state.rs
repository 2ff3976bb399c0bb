//! What dbdyno writes down about a server, so that a later invocation finds what a dead one left.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use base::Process;
use engine::{Error, Kind, Result};

use super::place::Place;
use super::process;

/// Version of the form of the file.
const FORM: u32 = 1;

/// The state of a server, as lines `word value` in the file `state`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// Which start of the machine the processes belong to.
    pub boot: String,
    /// The dbdyno that works with it; none where it was stopped in order and kept.
    pub owner: Option<Process>,
    /// The server's first process.
    pub server: Option<Process>,
    /// The data directory as the server was told.
    pub data: PathBuf,
    /// Directory of its socket.
    pub socket: Option<PathBuf>,
    /// Mode that the measured directory had before the server's user was let through.
    pub workspace_mode: Option<u32>,
    /// Whether the data were complete once, and are to stay.
    pub kept: bool,
}

impl State {
    /// The state of what lies at `place`; none where there is no such file.
    ///
    /// # Errors
    /// `NotOurs` where the file is not of this form.
    pub fn read(place: &Place) -> Result<Option<State>> {
        let path = &place.state;
        let text = match fs::read(path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::of_path("read", path, &error)),
        };
        State::parse(&head(place), &text).map(Some).ok_or_else(|| {
            let message = format!("file {} was not written by this version of dbdyno", path.display());
            Error::new(Kind::NotOurs, message).hint("give another --dir, or remove the directory that it lies in")
        })
    }

    /// Writes it down at `place`: all of it or nothing.
    ///
    /// # Errors
    /// `Space` where it cannot be written.
    pub fn write(&self, place: &Place) -> Result<()> {
        let path = &place.state;
        let draft = path.with_extension("draft");
        fs::File::create(&draft)
            .and_then(|mut file| file.write_all(self.render(&head(place)).as_bytes()).and_then(|()| file.sync_all()))
            .and_then(|()| fs::rename(&draft, path))
            .map_err(|error| {
                // A draft that cannot be finished is of no use; that it cannot be removed is the smaller trouble.
                let _ = fs::remove_file(&draft);
                Error::of_path("write", path, &error)
            })
    }

    /// Whether the dbdyno that made or took it still runs.
    pub fn owner_is_alive(&self) -> bool {
        self.boot == process::boot() && self.owner.is_some_and(Process::is_alive)
    }

    /// Whether it was stopped in order and is to stay.
    pub fn is_put_away(&self) -> bool {
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
                // What earlier versions called it.
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

/// What the file begins with.
fn head(place: &Place) -> String {
    format!("dbdyno {} {FORM}", place.product.name)
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
        let place = Place::of(&PRODUCT, scratch.path()).expect("place");
        fs::create_dir(&place.root).expect("root");
        assert_eq!(State::read(&place).expect("absent"), None);
        let least = State { data: PathBuf::from("/d"), ..State::default() };
        for state in [sample(), least] {
            state.write(&place).expect("write");
            assert_eq!(State::read(&place).expect("read"), Some(state));
        }
        assert_eq!(fs::read_dir(&place.root).expect("entries").count(), 1, "no draft stays");
    }

    #[test]
    fn a_file_of_another_form_is_not_ours() {
        let scratch = tempfile::tempdir().expect("temporary directory");
        let place = Place::of(&PRODUCT, scratch.path()).expect("place");
        fs::create_dir(&place.root).expect("root");
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
            fs::write(&place.state, text).expect("write");
            assert_eq!(State::read(&place).expect_err(text).kind, Kind::NotOurs, "{text}");
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

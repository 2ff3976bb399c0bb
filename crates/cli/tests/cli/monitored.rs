//! A monitor that runs, and a real server of PostgreSQL beside it.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use rusqlite::Connection;

use crate::aborted::signal;
use crate::bench::Bench;
use crate::far_server::program;
use crate::fleet_hosts::{system, wait_until};

/// The longest that a line is waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server that the test controls.
pub struct Server {
    child: Child,
    command: Vec<String>,
    port: u16,
    data: String,
}

impl Server {
    pub fn start(bench: &Bench) -> Server {
        Server::start_with(bench, &[])
    }

    /// Starts it with more settings, `name=value`.
    pub fn start_with(bench: &Bench, settings: &[&str]) -> Server {
        let is_root = rustix::process::geteuid().is_root();
        let at = bench.path().join("db");
        fs::create_dir(&at).unwrap();
        let at = at.display().to_string();
        if is_root {
            system("chmod", &["755", &bench.path().display().to_string()]);
            system("chown", &["postgres", &at]);
        }
        let as_user: &[&str] = if is_root { &["runuser", "-u", "postgres", "--"] } else { &["env"] };
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let data = format!("{at}/data");
        let initdb = program("initdb");
        let words = [as_user, &[&initdb, "-D", &data, "-U", "bench", "-A", "trust", "--no-sync"]].concat();
        system(words[0], &words[1..]);
        let (postgres, port_text) = (program("postgres"), port.to_string());
        let words = [as_user, &[&postgres, "-D", &data, "-p", &port_text, "-k", &at, "-c", "fsync=off"]].concat();
        let more = settings.iter().flat_map(|setting| ["-c", setting]);
        let command: Vec<String> = words.into_iter().chain(more).map(str::to_owned).collect();
        let server = Server { child: spawned(&command), command, port, data };
        wait_until("the server does not answer", || server.try_ask("select 1").is_some());
        server
    }

    /// Stops it at once, which ends every session, and starts it again.
    pub fn restart(&mut self) {
        signal(self.postmaster(), "INT");
        let _ = self.child.wait();
        self.child = spawned(&self.command);
        wait_until("the server does not answer again", || self.try_ask("select 1").is_some());
    }

    pub fn target(&self) -> String {
        format!("postgres://bench@127.0.0.1:{}/postgres", self.port)
    }

    fn psql(&self, query: &str) -> Command {
        let mut command = Command::new("psql");
        let port = self.port.to_string();
        command.args(["-h", "127.0.0.1", "-p", &port, "-U", "bench", "-d", "postgres", "-XAtc", query]);
        command
    }

    fn try_ask(&self, query: &str) -> Option<String> {
        let output = self.psql(query).output().unwrap();
        output.status.success().then(|| String::from_utf8(output.stdout).unwrap().trim().to_owned())
    }

    /// What the server answers to `query`.
    pub fn ask(&self, query: &str) -> String {
        self.try_ask(query).expect("an answer")
    }

    /// Has a session do `query`, without waiting for it.
    pub fn begin(&self, query: &str) -> Child {
        self.psql(query).stdout(Stdio::null()).spawn().unwrap()
    }

    fn postmaster(&self) -> u32 {
        let text = fs::read_to_string(format!("{}/postmaster.pid", self.data)).unwrap();
        text.lines().next().unwrap().parse().unwrap()
    }

    /// Every process of the server, the one that starts the others first.
    pub fn processes(&self) -> Vec<u32> {
        let postmaster = self.postmaster();
        let children = fs::read_to_string(format!("/proc/{postmaster}/task/{postmaster}/children")).unwrap();
        [postmaster].into_iter().chain(children.split_whitespace().map(|pid| pid.parse().unwrap())).collect()
    }

    /// Sends `name` to every process of the server.
    pub fn signal(&self, name: &str) {
        let processes = self.processes();
        signal(processes[0], name);
        // What started the server stops with it, and does not go on by itself.
        if name == "CONT" {
            signal(self.child.id(), name);
        }
        processes[1..].iter().for_each(|pid| signal(*pid, name));
    }
}

fn spawned(command: &[String]) -> Child {
    let mut spawned = Command::new(&command[0]);
    spawned.args(&command[1..]).stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may be stopped.
        if let Ok(text) = fs::read_to_string(format!("{}/postmaster.pid", self.data)) {
            let pid = text.lines().next().unwrap_or_default();
            let _ = Command::new("kill").args(["-INT", pid]).status();
            let _ = Command::new("kill").args(["-CONT", pid, &self.child.id().to_string()]).status();
        }
        let _ = self.child.wait();
    }
}

/// A monitor with the lines that it prints.
pub struct Monitor {
    pub child: Child,
    lines: Receiver<String>,
    notes: Receiver<String>,
    pub seen: Vec<String>,
}

impl Monitor {
    /// Starts `dbdyno monitor` with `arguments`, and waits until it watches.
    pub fn start(bench: &Bench, arguments: &[&str]) -> Monitor {
        let mut child = bench.start(&[&["monitor"], arguments].concat());
        let lines = lines_of(child.stdout.take().unwrap());
        let notes = lines_of(child.stderr.take().unwrap());
        let mut monitor = Monitor { child, lines, notes, seen: Vec::new() };
        monitor.wait_for("watching, ");
        monitor
    }

    /// Waits for a line with `words` in it.
    pub fn wait_for(&mut self, words: &str) -> String {
        let begin = Instant::now();
        loop {
            let left = PATIENCE.saturating_sub(begin.elapsed());
            let Ok(line) = self.lines.recv_timeout(left) else {
                let _ = self.child.kill();
                panic!("no {words} in {:#?}\n{:#?}", self.seen, self.notes.iter().collect::<Vec<String>>())
            };
            self.seen.push(line.clone());
            if line.contains(words) {
                return line;
            }
        }
    }

    /// Waits until each of `words` was in a line since this was called, in whatever order.
    pub fn wait_for_all(&mut self, words: &[&str]) {
        let begin = self.seen.len();
        let is_missing = |seen: &[String], words: &str| !seen.iter().any(|line| line.contains(words));
        while let Some(missing) = words.iter().find(|words| is_missing(&self.seen[begin..], words)) {
            self.wait_for(missing);
        }
    }

    /// Waits for a line with `words` in it on the standard error.
    pub fn wait_for_note(&mut self, words: &str) -> String {
        let found = std::iter::from_fn(|| self.notes.recv_timeout(PATIENCE).ok()).find(|line| line.contains(words));
        found.unwrap_or_else(|| panic!("no note {words}"))
    }

    /// Ends it by Ctrl-C; returns all of its lines.
    pub fn end(mut self) -> Vec<String> {
        signal(self.child.id(), "INT");
        let status = self.child.wait().unwrap();
        assert!(status.success(), "{status}");
        self.seen.extend(self.lines.iter());
        std::mem::take(&mut self.seen)
    }
}

fn lines_of(stream: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        BufReader::new(stream).lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
    });
    lines
}

impl Drop for Monitor {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An event of a history: moment in milliseconds, operation, outcome.
pub type Event = (i64, String, String);

/// The events of the history `name` since `since_ms`.
pub fn events(bench: &Bench, name: &str, since_ms: i64) -> Vec<Event> {
    let history = Connection::open(bench.path().join(name)).unwrap();
    let sql = "select at_ms, operation, outcome from event where at_ms >= ?1 order by at_ms, operation";
    let mut statement = history.prepare(sql).unwrap();
    let rows = statement.query_map([since_ms], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap();
    rows.map(Result::unwrap).collect()
}

/// What `path` at `address` answers, over a connection of its own.
pub fn get(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.split_once("\r\n\r\n").expect("a body").1.to_owned()
}

/// The body of the next answer on a connection that stays.
pub fn read_answer(answers: &mut impl BufRead) -> String {
    let mut length = 0;
    loop {
        let mut line = String::new();
        answers.read_line(&mut line).unwrap();
        let line = line.trim_end().to_lowercase();
        if let Some(number) = line.strip_prefix("content-length: ") {
            length = number.parse().unwrap();
        }
        if line.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    answers.read_exact(&mut body).unwrap();
    String::from_utf8(body).unwrap()
}

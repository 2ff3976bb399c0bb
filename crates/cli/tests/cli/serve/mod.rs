//! `dbdyno serve`: a server of its own process on loopback, and a reader that speaks HTTP to it.

mod allowed;
mod export;
mod live;
mod look;
mod notes;
mod pages;
mod production;
mod safety;
mod viewers;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::Child;
use std::sync::LazyLock;
use std::time::Duration;

use serde_json::{Value, json};

use crate::bench::{Bench, Finished, finished};

/// An answer that takes longer is a failure.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A server, ended with the value.
struct Server {
    child: Option<Child>,
    address: SocketAddr,
}

/// An answer.
struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Server {
    /// Serves the directory `records` of `bench`, at a free port.
    fn start(bench: &Bench, more: &[&str]) -> Server {
        let listen = if more.contains(&"--listen") { &[][..] } else { &["--listen", "127.0.0.1:0"] };
        let mut child = bench.as_given(&[&["serve", "records"], listen, more].concat()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.split_once("://").and_then(|(_, rest)| rest.split('/').next());
        let address = address.unwrap_or_else(|| panic!("{line:?}")).parse().unwrap();
        Server { child: Some(child), address }
    }

    fn get(&self, target: &str) -> Answer {
        self.ask("GET", target, &[], "")
    }

    /// A page that is there.
    fn page(&self, target: &str) -> String {
        let answer = self.get(target);
        assert_eq!(answer.status, 200, "{target}: {}", answer.body);
        answer.body
    }

    fn ask(&self, method: &str, target: &str, fields: &[&str], body: &str) -> Answer {
        let host = format!("Host: {}", self.address);
        let host = if fields.iter().any(|field| field.starts_with("Host:")) { None } else { Some(host) };
        let length = (!body.is_empty()).then(|| format!("Content-Length: {}", body.len()));
        let lines = fields.iter().map(|field| (*field).to_owned()).chain(host).chain(length);
        let lines: String = lines.map(|line| line + "\r\n").collect();
        self.raw(format!("{method} {target} HTTP/1.1\r\n{lines}\r\n{body}").as_bytes())
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        stream
    }

    /// What is answered to these bytes.
    fn raw(&self, request: &[u8]) -> Answer {
        let mut stream = self.connect();
        // It may answer before it has read all.
        let _ = stream.write_all(request);
        Answer::read(stream)
    }

    /// Ends it as Ctrl-C does.
    fn interrupt(mut self) -> Finished {
        let child = self.child.take().unwrap();
        let process = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(process, rustix::process::Signal::INT).unwrap();
        finished(child.wait_with_output().unwrap())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Answer {
    fn read(mut stream: TcpStream) -> Answer {
        let mut bytes = Vec::new();
        // A connection that is cut off has said what it has said.
        let _ = stream.read_to_end(&mut bytes);
        let text = String::from_utf8(bytes).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        Answer { status, head: head.to_owned(), body: body.to_owned() }
    }

    /// A field of the head.
    fn field(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.filter(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value).next()
    }
}

/// A record, measured once.
static MEASURED: LazyLock<Value> = LazyLock::new(|| {
    let bench = Bench::new();
    bench.succeed(&["run", "--preset", "smoke", "--jobs", "1,2", "--tests", "T611,C11", "--record", "r.jsonl", "-q"]);
    bench.record("r.jsonl")
});

/// Writes the measured record as `NAME.jsonl` into the directory of records, changed.
fn write(bench: &Bench, name: &str, day: u32, change: impl FnOnce(&mut Value)) {
    let mut record = MEASURED.clone();
    record["id"] = json!(name);
    record["started_at"] = json!(format!("2026-01-{day:02}T12:00:00.000Z"));
    change(&mut record);
    bench.write_record(&format!("records/{name}.jsonl"), &record);
}

/// A directory with three records on two hosts.
fn archive() -> Bench {
    let bench = Bench::new();
    std::fs::create_dir(bench.path().join("records")).unwrap();
    write(&bench, "dbdyno-old", 1, |record| record["host"]["host_name"] = json!("db1"));
    write(&bench, "dbdyno-new", 2, |record| record["host"]["host_name"] = json!("db1"));
    write(&bench, "dbdyno-other", 3, |record| record["host"]["host_name"] = json!("db2"));
    bench
}

/// The identifiers of the records, by their names.
fn id(server: &Server, name: &str) -> String {
    let list: Value = serde_json::from_str(&server.page("/api/v1/records")).unwrap();
    let all = list["records"].as_array().unwrap();
    let found = all.iter().find(|entry| entry["name"] == name).unwrap_or_else(|| panic!("no {name} in {list:#}"));
    found["id"].as_str().unwrap().to_owned()
}

/// `page` without the links above its title, which lead to other pages of the server.
fn without_ways(page: &str) -> String {
    let Some((before, rest)) = page.split_once("<p class=\"ways\">") else { panic!("no ways") };
    before.to_owned() + rest.split_once("</p>").unwrap().1
}

/// `page` without what only a server has: forms, check boxes, and links, which lead to files in the export.
fn common(page: &str) -> String {
    let mut page = page.to_owned();
    for (open, close) in [
        ("<p class=\"ways\">", "</p>"),
        ("<form ", "</form>"),
        ("<td><input ", "</td>"),
        ("<td><a href=\"note", "</td>"),
        ("<th scope=\"col\">compare", "</th>"),
        ("<th scope=\"col\">notes", "</th>"),
        ("<td colspan=\"", "</td>"),
        ("content=\"default-src", ">"),
        (" href=\"", "\""),
    ] {
        while let Some(at) = page.find(open) {
            let end = page[at + open.len()..].find(close).unwrap_or_else(|| panic!("{open}")) + at + open.len();
            page.replace_range(at..end + close.len(), "");
        }
    }
    page
}

//! A server to try sessions on.

use dbdyno_engine_postgres::POSTGRES;
use engine::{Engine, Node, Session, Site, Statement, Target, Value};
use tempfile::TempDir;

/// A throwaway server with a claimed schema; the directory is removed after it.
pub struct Stand {
    node: Option<Box<dyn Node>>,
    directory: TempDir,
}

impl Stand {
    pub fn new(parameters: &str) -> Stand {
        let directory = tempfile::Builder::new().prefix("dbdyno-session-").tempdir_in("/tmp").unwrap();
        let target: Target = format!("local:postgres?{parameters}").parse().unwrap();
        let site = Site { directory: directory.path().to_owned(), keep: false, cache_bytes: None, sessions_max: 8 };
        let node = POSTGRES.open(&target, &site).unwrap_or_else(|error| panic!("{error:?}"));
        node.claim().expect("claim");
        Stand { node: Some(node), directory }
    }

    pub fn node(&self) -> &dyn Node {
        self.node.as_deref().expect("open")
    }

    pub fn session(&self) -> Box<dyn Session> {
        self.node().connect().expect("connect")
    }
}

impl Drop for Stand {
    fn drop(&mut self) {
        let closed = self.node.take().map(Node::close);
        if !std::thread::panicking() {
            closed.expect("open").expect("close");
            assert_eq!(self.directory.path().read_dir().unwrap().count(), 0, "something is left");
        }
    }
}

pub fn prepare(session: &mut dyn Session, sql: &str) -> Statement {
    session.prepare(sql).unwrap_or_else(|error| panic!("{sql}: {error:?}"))
}

pub fn ask(session: &mut dyn Session, sql: &str) -> Vec<Vec<Value<'static>>> {
    let statement = prepare(session, sql);
    session.query(statement, &[]).unwrap_or_else(|error| panic!("{sql}: {error:?}"))
}

pub fn text(value: &str) -> Value<'static> {
    Value::Text(value.to_owned().into())
}

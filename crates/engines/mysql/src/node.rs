//! A running server: ours for the time of the measurement, or somebody's.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use engine::{Caps, Error, Kind, Node, Processes, Result, Session, Site, Target, Value};
use record::{EngineInventory, Location};

use crate::connect::{Login, Server, Surroundings, Way};
use crate::counter::CounterQuery;
use crate::flavour::Flavour;
use crate::inventory::{self, Seen};
use crate::process;
use crate::server::{self, Cluster};
use crate::session::{InnerStatements, MysqlSession};

/// The database that dbdyno works in, and the name of the lock that is held on it.
const DATABASE: &str = "dbdyno";
/// A table that says whose the database is.
const MARK: &str = "dbdyno_mark";
/// What its comment begins with.
const OURS: &str = "dbdyno:";

/// How long [`Node::settle`] waits for InnoDB to write and to tidy up.
const SETTLE_LIMIT: Duration = Duration::from_secs(60);
/// Transactions whose old rows may still lie about when a node counts as settled.
const HISTORY_MAX: i64 = 200;

/// One server.
pub(crate) struct MysqlNode {
    login: Arc<Login>,
    /// The server that dbdyno started, if it did.
    cluster: Option<Cluster>,
    keep: bool,
    claimed: AtomicBool,
    /// Holds the lock of the database for as long as the node is open.
    guard: Mutex<Option<MysqlSession>>,
    caps: Caps,
    counters: CounterQuery,
    inner: InnerStatements,
    way: Way,
    /// The server's process, where it is in sight.
    process: Option<u32>,
    data_directory: Option<PathBuf>,
}

/// Reaches the server at `target`, or starts one in `site`.
pub(crate) fn open(flavour: Flavour, target: &Target, site: &Site) -> Result<MysqlNode> {
    if !target.local {
        return MysqlNode::of(Login::of(target, &Surroundings::here())?, None, site.keep);
    }
    if flavour == Flavour::MySql {
        let error = Error::new(Kind::Usage, "dbdyno starts no MySQL server of its own");
        return Err(error.hint("start one and name it: mysql://user@host, or measure local:mariadb"));
    }
    // Dropping the cluster on an error stops it.
    let cluster = server::start(target, site)?;
    let login = Login::of_socket(&cluster.socket, server::USER);
    MysqlNode::of(login, Some(cluster), site.keep)
}

impl MysqlNode {
    fn of(login: Login, cluster: Option<Cluster>, keep: bool) -> Result<MysqlNode> {
        let (login, inner) = (Arc::new(login), InnerStatements::default());
        let mut session = MysqlSession::start(login.open(None)?, login.clone(), &inner)?;
        let (way, server) = (session.way().clone(), session.server().clone());
        let process = match &cluster {
            Some(cluster) => Some(cluster.pid),
            None => process(&mut session, &way)?,
        };
        let data_directory = match (&cluster, process) {
            (Some(cluster), _) => Some(cluster.data_directory.clone()),
            (None, Some(_)) => variable(&mut session, "datadir")?.map(PathBuf::from),
            (None, None) => None,
        };
        let caps = caps(&mut session, &server)?;
        let counters = CounterQuery::of(&server, &mut session)?;
        Ok(MysqlNode {
            login,
            cluster,
            keep,
            claimed: AtomicBool::new(false),
            guard: Mutex::new(None),
            caps,
            counters,
            inner,
            way,
            process,
            data_directory,
        })
    }

    fn session(&self, database: Option<&str>) -> Result<MysqlSession> {
        MysqlSession::start(self.login.open(database)?, self.login.clone(), &self.inner)
    }

    fn location(&self) -> Location {
        match (self.way.peer, self.way.own) {
            (None, _) => Location::UnixSocket,
            (Some(peer), own) if peer.ip().is_loopback() || own.is_some_and(|own| own.ip() == peer.ip()) => {
                Location::LocalTcp
            }
            _ => Location::Remote,
        }
    }

    /// Two measurements on one server would measure each other, and the first to end would remove the database.
    fn lock_database(&self, session: &mut MysqlSession) -> Result<()> {
        // A session that has just ended may hold it for a moment.
        if session.ask(&format!("select get_lock('{DATABASE}', 2)"))? == [[Value::Int(1)]] {
            return Ok(());
        }
        let message = format!("database {DATABASE} is in use by another dbdyno");
        Err(Error::new(Kind::NotOurs, message).hint("wait until it has ended"))
    }

    /// Makes the database, or finds it.
    fn make_database(&self, session: &mut MysqlSession) -> Result<()> {
        if self.find_database(session)? {
            return Ok(());
        }
        let collation = session.server().flavour.collation();
        let made = session.batch(&format!(
            "create database {DATABASE} character set utf8mb4 collate {collation}; \
             create table {DATABASE}.{MARK} (id int primary key) engine = InnoDB \
             comment = '{OURS} the database in which dbdyno measures; it removes it when it is done'"
        ));
        made.map_err(|error| match error.kind {
            Kind::Access => {
                let user = &self.login.user;
                let message = format!("user {user} may not create database {DATABASE}: {error}");
                Error { message, ..error }.hint(format!("grant all on {DATABASE}.* to the user"))
            }
            _ => error,
        })
    }

    /// Whether the database is there and ours to use.
    fn find_database(&self, session: &mut MysqlSession) -> Result<bool> {
        let rows = session.ask(&format!(
            "select (select count(*) from information_schema.schemata where schema_name = '{DATABASE}'), \
             (select max(table_comment) from information_schema.tables \
             where table_schema = '{DATABASE}' and table_name = '{MARK}')"
        ))?;
        match rows.first().map(Vec::as_slice) {
            Some([Value::Int(0), _]) => Ok(false),
            Some([_, Value::Text(comment)]) if comment.starts_with(OURS) => Ok(true),
            _ => {
                let message = format!("database {DATABASE} was not made by dbdyno");
                Err(Error::new(Kind::NotOurs, message)
                    .hint(format!("rename it, or, if nothing in it is needed: drop database {DATABASE}")))
            }
        }
    }
}

impl Node for MysqlNode {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn claim(&self) -> Result<()> {
        let mut guard = self.guard.lock().unwrap_or_else(PoisonError::into_inner);
        if guard.is_some() {
            return Ok(());
        }
        let mut session = self.session(None)?;
        self.lock_database(&mut session)?;
        self.make_database(&mut session)?;
        self.claimed.store(true, Ordering::SeqCst);
        *guard = Some(session);
        Ok(())
    }

    fn connect(&self) -> Result<Box<dyn Session>> {
        let database = self.claimed.load(Ordering::SeqCst).then_some(DATABASE);
        Ok(Box::new(self.session(database)?))
    }

    fn inventory(&self) -> Result<EngineInventory> {
        let seen = Seen {
            location: self.location(),
            encryption: self.way.encryption.clone(),
            throwaway: self.cluster.is_some(),
        };
        inventory::read(&mut self.session(None)?, seen)
    }

    fn counters(&self, session: &mut dyn Session) -> Result<(BTreeMap<String, u64>, u64)> {
        // The reading touches no table, so that the server counts nothing for it.
        Ok((self.counters.read(session, self.inner.total())?, 0))
    }

    /// On a server of ours every changed page is written and old rows are removed. On somebody else's there is no
    /// statement for it that would not change how the server is set.
    fn settle(&self, session: &mut dyn Session) -> Result<()> {
        if self.cluster.is_none() {
            return Ok(());
        }
        session.batch(
            "set @share = @@global.innodb_max_dirty_pages_pct, @low = @@global.innodb_max_dirty_pages_pct_lwm; \
             set global innodb_max_dirty_pages_pct_lwm = 0, global innodb_max_dirty_pages_pct = 0",
        )?;
        let waited = settled(session);
        session.batch(
            "set global innodb_max_dirty_pages_pct = @share; set global innodb_max_dirty_pages_pct_lwm = @low",
        )?;
        waited
    }

    fn processes(&self) -> Processes {
        match self.process {
            Some(process) => Processes::Local(vec![process]),
            None => Processes::Remote,
        }
    }

    fn data_directory(&self) -> Option<&Path> {
        self.data_directory.as_deref()
    }

    fn close(self: Box<Self>) -> Result<()> {
        let mut node = *self;
        let guard = node.guard.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(cluster) = node.cluster {
            drop(guard);
            return cluster.stop(node.keep);
        }
        let Some(mut session) = guard else { return Ok(()) };
        if node.keep {
            return Ok(());
        }
        // A session of ours that hangs must not make this one hang. The lock is held until nothing is left.
        session.batch(&format!("set lock_wait_timeout = 10; drop database if exists {DATABASE}")).map_err(|error| {
            let message = format!("database {DATABASE} cannot be removed: {}", error.message);
            Error { message, ..error }.hint(format!("see who uses it, then: drop database {DATABASE}"))
        })
    }
}

/// Waits until no page is to be written and old rows are gone, or the limit has passed.
fn settled(session: &mut dyn Session) -> Result<()> {
    let begun = Instant::now();
    let names = "'Innodb_buffer_pool_pages_dirty', 'Innodb_history_list_length'";
    let status = session.prepare(&format!("show global status where variable_name in ({names})"))?;
    loop {
        let rows = session.query(status, &[])?;
        let value = |wanted: &str| {
            rows.iter().find_map(|row| match row.as_slice() {
                [Value::Text(name), Value::Text(value)] if name == wanted => value.parse::<i64>().ok(),
                _ => None,
            })
        };
        let dirty = value("Innodb_buffer_pool_pages_dirty").unwrap_or(0);
        let history = value("Innodb_history_list_length").unwrap_or(0);
        if dirty == 0 && history <= HISTORY_MAX || begun.elapsed() > SETTLE_LIMIT {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// What the server can do, as it is set.
fn caps(session: &mut MysqlSession, server: &Server) -> Result<Caps> {
    let separate_files = is_on(session, "innodb_file_per_table")?;
    let read_only = match (server.flavour, server.release >= (10, 6)) {
        (Flavour::MariaDb, true) => is_on(session, "innodb_read_only_compressed")?,
        _ => false,
    };
    // Pages above 16 KiB cannot be compressed.
    let small_pages = variable(session, "innodb_page_size")?.and_then(|size| size.parse::<u32>().ok());
    Ok(Caps {
        procedures: true,
        decimal: true,
        table_compression: separate_files && !read_only && small_pages.is_some_and(|bytes| bytes <= 16 << 10),
        parallel_query: false,
        parallel_index: false,
        concurrent_writers: true,
        counts_read_commits: true,
        answers: true,
    })
}

/// Whether a switch of the server is on; some answer as numbers.
fn is_on(session: &mut MysqlSession, name: &str) -> Result<bool> {
    Ok(matches!(variable(session, name)?.as_deref(), Some("1" | "ON")))
}

/// The value of a variable of the server, as text.
fn variable(session: &mut MysqlSession, name: &str) -> Result<Option<String>> {
    let rows = session.ask(&format!("select cast(@@global.{name} as char)"))?;
    Ok(match rows.first().map(Vec::as_slice) {
        Some([Value::Text(text)]) => Some(text.clone().into_owned()),
        _ => None,
    })
}

fn process(session: &mut MysqlSession, way: &Way) -> Result<Option<u32>> {
    let Some(file) = variable(session, "pid_file")?.map(PathBuf::from) else { return Ok(None) };
    let file = match variable(session, "datadir")? {
        Some(directory) if file.is_relative() => Path::new(&directory).join(file),
        _ => file,
    };
    let uptime = session.ask("show global status like 'Uptime'")?;
    let age = match uptime.first().map(Vec::as_slice) {
        Some([_, Value::Text(seconds)]) => seconds.parse().ok(),
        _ => None,
    };
    Ok(age.and_then(|age| process::of_server(way, &file, age)))
}

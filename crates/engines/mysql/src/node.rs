//! A running server: ours for the time of the measurement, or somebody's.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use engine::{Caps, Error, Kind, Look, Node, ObjectForm, ObjectSession, Processes, Result, Session, Value};
use record::EngineInventory;
use transport::Way;

use crate::activity::ActivityQuery;
use crate::caps::{caps, is_on, variable};
use crate::connect::Login;
use crate::counter::CounterQuery;
use crate::inventory::{self, Seen};
use crate::objects::MysqlObjects;
use crate::process;
use crate::replication::{self, Replication};
use crate::server::Cluster;
use crate::session::{MysqlSession, SessionCounts};

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
    /// What it is called beside others.
    pub(crate) name: String,
    replication: Replication,
    takes_writes: bool,
    keep: bool,
    claimed: AtomicBool,
    /// Holds the lock of the database for as long as the node is open.
    guard: Mutex<Option<MysqlSession>>,
    caps: Caps,
    counters: CounterQuery,
    /// Absent where the server does not tell what its sessions do.
    activity: Option<ActivityQuery>,
    counts: SessionCounts,
    way: Way,
    /// The server's process, where it is in sight.
    process: Option<u32>,
    data_directory: Option<PathBuf>,
}

impl MysqlNode {
    /// The server that `login` leads to, `cluster` where dbdyno has started it.
    pub(crate) fn of(login: Login, cluster: Option<Cluster>, keep: bool) -> Result<MysqlNode> {
        let (login, counts) = (Arc::new(login), SessionCounts::default());
        let mut session = MysqlSession::start(login.open(None)?, login.clone(), &counts)?;
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
        let replication = Replication::of(&mut session)?;
        if replication == Replication::Galera {
            counts.ask_sessions();
        }
        let counters = CounterQuery::of(&server, replication, &mut session)?;
        let activity = ActivityQuery::of(&mut session)?;
        let takes_writes = !is_on(&mut session, "read_only")?;
        Ok(MysqlNode {
            login,
            name: cluster.as_ref().map_or_else(String::new, |cluster| cluster.name.clone()),
            cluster,
            replication,
            takes_writes,
            keep,
            claimed: AtomicBool::new(false),
            guard: Mutex::new(None),
            caps,
            counters,
            activity,
            counts,
            way,
            process,
            data_directory,
        })
    }

    fn session(&self, database: Option<&str>) -> Result<MysqlSession> {
        MysqlSession::start(self.login.open(database)?, self.login.clone(), &self.counts)
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

    fn name(&self) -> String {
        self.name.clone()
    }

    fn takes_writes(&self) -> bool {
        self.takes_writes
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

    fn join(&self) -> Result<()> {
        let begun = Instant::now();
        let mut session = self.session(None)?;
        loop {
            // The database comes before its mark: for a moment it may look like somebody else's.
            let seen = self.find_database(&mut session);
            let is_late = begun.elapsed() > replication::TIMEOUT;
            match seen {
                Ok(true) => break,
                Err(error) if error.kind != Kind::NotOurs || is_late => return Err(error),
                Ok(false) | Err(_) => {}
            }
            if is_late {
                let seconds = replication::TIMEOUT.as_secs();
                let message = format!("database {DATABASE}, made on another node, is not seen here within {seconds} s");
                return Err(Error::new(Kind::NotOurs, message).hint("name nodes of one database, that replicate"));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        self.claimed.store(true, Ordering::SeqCst);
        Ok(())
    }

    fn catch_up(&self, here: &mut dyn Session, first: &mut dyn Session) -> Result<()> {
        self.replication.catch_up(here, first)
    }

    fn connect(&self) -> Result<Box<dyn Session>> {
        let database = self.claimed.load(Ordering::SeqCst).then_some(DATABASE);
        Ok(Box::new(self.session(database)?))
    }

    fn object_session(&self, form: &ObjectForm) -> Result<Box<dyn ObjectSession>> {
        let database = self.claimed.load(Ordering::SeqCst).then_some(DATABASE);
        Ok(Box::new(MysqlObjects::new(self.session(database)?, form)?))
    }

    fn inventory(&self) -> Result<EngineInventory> {
        let mut session = self.session(None)?;
        let cluster_nodes = match self.replication {
            Replication::Galera => Some(replication::cluster_nodes(&mut session)?),
            Replication::Log(_) => None,
        };
        let seen = Seen {
            location: self.way.location(),
            encryption: self.way.encryption.clone(),
            temporary: self.cluster.is_some(),
            cluster_nodes,
        };
        inventory::read(&mut session, seen)
    }

    fn counters(&self, session: &mut dyn Session) -> Result<(BTreeMap<String, u64>, u64)> {
        self.counters.read(session, self.counts.total())
    }

    fn time_statements(&self, on: bool) -> Result<()> {
        let ours = self.cluster.as_ref().and(self.counters.database_time.as_ref());
        match ours.and_then(|time| time.switch(on)) {
            Some(statement) => self.connect()?.batch(statement),
            None => Ok(()),
        }
    }

    fn active_sessions(&self, session: &mut dyn Session) -> Result<Option<Look>> {
        self.activity.as_ref().map(|activity| activity.look(session)).transpose()
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
        let mut guard = node.guard.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(cluster) = node.cluster {
            if let (true, Replication::Galera, Some(session)) = (node.keep, node.replication, guard.as_mut()) {
                // What was committed on the other nodes belongs to what is kept.
                replication::wait_for_group(session)?;
            }
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

/// How many pages are to be written.
const DIRTY: &str = "show global status like 'Innodb_buffer_pool_pages_dirty'";

/// How many transactions have left old rows, as each product says it.
const HISTORY: [&str; 2] = [
    "show global status like 'Innodb_history_list_length'",
    "select name, cast(count as char) from information_schema.innodb_metrics where name = 'trx_rseg_history_len'",
];

/// Waits until no page is to be written and old rows are gone, or the limit has passed.
fn settled(session: &mut dyn Session) -> Result<()> {
    let begun = Instant::now();
    let mut value = |sql: &str| -> Result<Option<i64>> {
        let statement = session.prepare(sql)?;
        let rows = session.query(statement, &[])?;
        Ok(match rows.first().map(Vec::as_slice) {
            Some([_, Value::Text(value)]) => value.parse().ok(),
            _ => None,
        })
    };
    loop {
        let dirty = value(DIRTY)?.unwrap_or(0);
        let history = match value(HISTORY[0])? {
            Some(history) => history,
            None => value(HISTORY[1])?.unwrap_or(0),
        };
        if dirty == 0 && history <= HISTORY_MAX || begun.elapsed() > SETTLE_LIMIT {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
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

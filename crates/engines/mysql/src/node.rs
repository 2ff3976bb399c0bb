//! A running server: a temporary one, or one that dbdyno did not start.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use engine::{Caps, Error, Kind, Node, ObjectForm, ObjectSession, Processes, Result, Session, SessionSample, Value};
use record::{DatabaseState, EngineInventory, SettlingStep};
use transport::Route;

use crate::activity::ActivityQuery;
use crate::caps::{caps, is_on, variable};
use crate::connect::Login;
use crate::counter::CounterQuery;
use crate::dialect::quoted;
use crate::inventory::{self, ConnectionInfo};
use crate::objects::MysqlObjects;
use crate::process;
use crate::replication::{self, Replication};
use crate::server::Cluster;
use crate::session::{MysqlSession, SessionCounts};
use crate::state::StateQuery;

/// The database that dbdyno works in, and the name of the lock that is held on it.
const DATABASE: &str = "dbdyno";
/// A table that marks the database as created by dbdyno.
const MARKER_TABLE: &str = "dbdyno_mark";
/// Prefix of its comment.
const COMMENT_PREFIX: &str = "dbdyno:";

/// Timeout of [`Node::settle`] for flushing and purge.
const SETTLE_TIMEOUT: Duration = Duration::from_secs(60);
/// Maximum history list length of a settled node.
const HISTORY_MAX: i64 = 200;

/// One server.
pub(crate) struct MysqlNode {
    login: Arc<Login>,
    /// The server that dbdyno started, if any.
    cluster: Option<Cluster>,
    /// Name among the nodes of a target.
    pub(crate) name: String,
    replication: Replication,
    takes_writes: bool,
    keep: bool,
    claimed: AtomicBool,
    /// Holds the lock of the database as long as the node is open.
    guard: Mutex<Option<MysqlSession>>,
    caps: Caps,
    counters: CounterQuery,
    states: StateQuery,
    /// Absent if the server does not report active sessions.
    activity: Option<ActivityQuery>,
    counts: SessionCounts,
    route: Route,
    /// The server process, if visible.
    process: Option<u32>,
    data_directory: Option<PathBuf>,
}

impl MysqlNode {
    /// The server of `login`; `cluster` if dbdyno has started it.
    pub(crate) fn of(login: Login, cluster: Option<Cluster>, keep: bool) -> Result<MysqlNode> {
        let (login, counts) = (Arc::new(login), SessionCounts::default());
        let mut session = MysqlSession::start(login.open(None)?, login.clone(), &counts)?;
        let (route, server) = (session.route().clone(), session.server().clone());
        let process = match &cluster {
            Some(cluster) => Some(cluster.pid),
            None => process(&mut session, &route)?,
        };
        let data_directory = match (&cluster, process) {
            (Some(cluster), _) => Some(cluster.data_directory.clone()),
            (None, Some(_)) => variable(&mut session, "datadir")?.map(PathBuf::from),
            (None, None) => None,
        };
        let mut caps = caps(&mut session, &server)?;
        let replication = Replication::of(&mut session)?;
        if replication == Replication::Galera {
            counts.enable_commit_queries();
        }
        let counters = CounterQuery::of(&server, replication, &mut session)?;
        caps.counts_procedure_commits = counters.counts_transactions();
        let states = StateQuery::of(server.flavour, &mut session, data_directory.as_deref())?;
        let activity = ActivityQuery::of(&mut session, login.database.as_deref())?;
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
            states,
            activity,
            counts,
            route,
            process,
            data_directory,
        })
    }

    fn session(&self, database: Option<&str>) -> Result<MysqlSession> {
        MysqlSession::start(self.login.open(database)?, self.login.clone(), &self.counts)
    }

    /// Locks the database: two measurements on one server would disturb each other, and the first to end would remove
    /// the database.
    fn lock_database(&self, session: &mut MysqlSession) -> Result<()> {
        // A session that was just closed may hold it for a moment.
        if session.query_sql(&format!("select get_lock('{DATABASE}', 2)"))? == [[Value::Int(1)]] {
            return Ok(());
        }
        let message = format!("database {DATABASE} is in use by another dbdyno");
        Err(Error::new(Kind::NotOurs, message).hint("wait until it has exited"))
    }

    /// Creates the database unless it exists.
    fn make_database(&self, session: &mut MysqlSession) -> Result<()> {
        if self.find_database(session)? {
            return Ok(());
        }
        let collation = session.server().flavour.collation();
        let made = session.batch(&format!(
            "create database {DATABASE} character set utf8mb4 collate {collation}; \
             create table {DATABASE}.{MARKER_TABLE} (id int primary key) engine = InnoDB \
             comment = '{COMMENT_PREFIX} the database in which dbdyno measures; it removes it when it is done'"
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

    /// Whether the database exists and was created by dbdyno.
    fn find_database(&self, session: &mut MysqlSession) -> Result<bool> {
        let rows = session.query_sql(&format!(
            "select (select count(*) from information_schema.schemata where schema_name = '{DATABASE}'), \
             (select max(table_comment) from information_schema.tables \
             where table_schema = '{DATABASE}' and table_name = '{MARKER_TABLE}')"
        ))?;
        match rows.first().map(Vec::as_slice) {
            Some([Value::Int(0), _]) => Ok(false),
            Some([_, Value::Text(comment)]) if comment.starts_with(COMMENT_PREFIX) => Ok(true),
            _ => {
                let message = format!("database {DATABASE} was not created by dbdyno");
                Err(Error::new(Kind::NotOurs, message)
                    .hint(format!("rename it, or drop it if it is not needed: drop database {DATABASE}")))
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

    fn claim_again(&self) -> Result<()> {
        let lost = self.guard.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(lost);
        self.claim()
    }

    fn counts_commits_of_others(&self) -> bool {
        // The statements inside of transactions, which the server counts as commits, are known to their sessions alone.
        false
    }

    fn joined_by(&self) -> Option<String> {
        // Of a server that was given, the target as it was given says more.
        self.cluster.as_ref().map(|_| self.login.target("mysql"))
    }

    fn join(&self) -> Result<()> {
        let start = Instant::now();
        let mut session = self.session(None)?;
        loop {
            // The database is replicated before its marker table: for a moment it may look foreign.
            let connection = self.find_database(&mut session);
            let is_late = start.elapsed() > replication::TIMEOUT;
            match connection {
                Ok(true) => break,
                Err(error) if error.kind != Kind::NotOurs || is_late => return Err(error),
                Ok(false) | Err(_) => {}
            }
            if is_late {
                let seconds = replication::TIMEOUT.as_secs();
                let message =
                    format!("database {DATABASE}, created on another node, is not visible here within {seconds} s");
                return Err(Error::new(Kind::NotOurs, message).hint("give nodes of one replicated database"));
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

    fn user_tables(&self, has_own: bool) -> Vec<String> {
        let database = self.login.database.as_deref().filter(|_| !has_own);
        database.map(|name| format!("use {}", quoted(name))).into_iter().collect()
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
        let connection = ConnectionInfo {
            location: self.route.location(),
            encryption: self.route.encryption.clone(),
            temporary: self.cluster.is_some(),
            cluster_nodes,
        };
        inventory::read(&mut session, connection)
    }

    fn counters(&self, session: &mut dyn Session) -> Result<(BTreeMap<String, u64>, u64)> {
        self.counters.read(session, self.counts.total())
    }

    fn time_statements(&self, on: bool) -> Result<()> {
        let own_server = self.cluster.as_ref().and(self.counters.database_time.as_ref());
        match own_server.and_then(|time| time.switch(on)) {
            Some(statement) => self.connect()?.batch(statement),
            None => Ok(()),
        }
    }

    fn active_sessions(&self, session: &mut dyn Session) -> Result<Option<SessionSample>> {
        self.activity.as_ref().map(|activity| activity.sample(session)).transpose()
    }

    /// On a temporary server all dirty pages are flushed and old row versions are purged. On other servers nothing is
    /// done, because that needs changes of settings.
    fn settle(&self, session: &mut dyn Session) -> Result<Vec<SettlingStep>> {
        if self.cluster.is_none() {
            return Ok(Vec::new());
        }
        session.batch(
            "set @share = @@global.innodb_max_dirty_pages_pct, @low = @@global.innodb_max_dirty_pages_pct_lwm; \
             set global innodb_max_dirty_pages_pct_lwm = 0, global innodb_max_dirty_pages_pct = 0",
        )?;
        let waited = wait_until_settled(session);
        session.batch(
            "set global innodb_max_dirty_pages_pct = @share; set global innodb_max_dirty_pages_pct_lwm = @low",
        )?;
        waited.map(|()| vec![SettlingStep::Purge, SettlingStep::WriteBack])
    }

    fn state(&self, session: &mut dyn Session) -> Result<DatabaseState> {
        self.states.read(session)
    }

    fn processes(&self) -> Processes {
        match self.process {
            Some(process) => Processes::Local(vec![process]),
            None => Processes::Remote,
        }
    }

    fn port(&self) -> Option<u16> {
        self.route.peer.map(|peer| peer.port())
    }

    fn data_directory(&self) -> Option<&Path> {
        self.data_directory.as_deref()
    }

    fn close(self: Box<Self>) -> Result<()> {
        let mut node = *self;
        let mut guard = node.guard.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(cluster) = node.cluster {
            if let (true, Replication::Galera, Some(session)) = (node.keep, node.replication, guard.as_mut()) {
                // Commits of the other nodes must be included in the kept data.
                replication::wait_for_group(session)?;
            }
            drop(guard);
            return cluster.stop(node.keep);
        }
        let Some(mut session) = guard else { return Ok(()) };
        if node.keep {
            return Ok(());
        }
        // A hanging session must not block this one. The lock is held until the database is removed.
        session.batch(&format!("set lock_wait_timeout = 10; drop database if exists {DATABASE}")).map_err(|error| {
            let message = format!("database {DATABASE} cannot be removed: {}", error.message);
            Error { message, ..error }.hint(format!("check who uses it, then: drop database {DATABASE}"))
        })
    }
}

/// Number of dirty pages.
const DIRTY: &str = "show global status like 'Innodb_buffer_pool_pages_dirty'";

/// History list length, for each product.
const HISTORY: [&str; 2] = [
    "show global status like 'Innodb_history_list_length'",
    "select name, cast(count as char) from information_schema.innodb_metrics where name = 'trx_rseg_history_len'",
];

/// Waits until no page is dirty and old row versions are purged, or until the timeout.
fn wait_until_settled(session: &mut dyn Session) -> Result<()> {
    let start = Instant::now();
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
        if dirty == 0 && history <= HISTORY_MAX || start.elapsed() > SETTLE_TIMEOUT {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn process(session: &mut MysqlSession, route: &Route) -> Result<Option<u32>> {
    let Some(file) = variable(session, "pid_file")?.map(PathBuf::from) else { return Ok(None) };
    let file = match variable(session, "datadir")? {
        Some(directory) if file.is_relative() => Path::new(&directory).join(file),
        _ => file,
    };
    let uptime = session.query_sql("show global status like 'Uptime'")?;
    let age = match uptime.first().map(Vec::as_slice) {
        Some([_, Value::Text(seconds)]) => seconds.parse().ok(),
        _ => None,
    };
    Ok(age.and_then(|age| process::of_server(route, &file, age)))
}

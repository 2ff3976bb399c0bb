//! Files stored in PostgreSQL, as large objects and as rows of `bytea`.
//!
//! Large objects belong to no schema: their identifiers are stored in a table, written in the transaction that creates
//! them, and the removal of the schema unlinks them first. So none is leaked by a crash.

use engine::{Error, Kind, ObjectAccess, ObjectExtent, ObjectForm, ObjectSession, Result, Session, Statement, Value};
use record::Bytes;

use crate::session::{BYTES_MAX, PostgresSession};

/// Names of the forms.
const LARGE_OBJECT: &str = "large-object";
const ROWS: &str = "bytea";

/// The forms of PostgreSQL. A large object has pages of a quarter of a block, and 2^31 of them (`inv_api.c`).
pub(crate) const FORMS: &[ObjectForm] = &[
    ObjectForm {
        name: LARGE_OBJECT,
        means: "large objects, through lo_put and lo_get",
        file_bytes_max: Bytes(4 << 40),
        is_allocated: false,
    },
    ObjectForm {
        name: ROWS,
        means: "a row for each request, in a bytea that is stored out of line and not compressed",
        file_bytes_max: Bytes(16 << 40),
        is_allocated: false,
    },
];

/// The table of large objects, and that of chunks.
const OBJECT_TABLE: &str = "dbdyno_large_object";
const CHUNK_TABLE: &str = "dbdyno_file_piece";

/// `INV_READ` of `libpq-fs.h`.
const READ_FLAG: u32 = 0x4_0000;

/// The statements of a form.
struct Statements {
    make: &'static str,
    /// Binds: the object.
    create: Option<&'static str>,
    find: Option<&'static str>,
    /// Binds: the object, the offset of the chunk, and its bytes or its length.
    write: &'static str,
    read: &'static str,
    extent: String,
}

fn statements(form: &str) -> Option<Statements> {
    match form {
        LARGE_OBJECT => Some(Statements {
            make: "create table if not exists dbdyno_large_object (number int8 primary key, object oid not null)",
            create: Some("insert into dbdyno_large_object values ($1, pg_catalog.lo_create(0)) returning object::int8"),
            find: Some("select object::int8 from dbdyno_large_object where number = $1"),
            write: "select pg_catalog.lo_put($1::int8::oid, $2::int8, $3::bytea)",
            read: "select pg_catalog.lo_get($1::int8::oid, $2::int8, $3::int8::int4)",
            extent: format!(
                "select count(*), coalesce(sum(pg_catalog.lo_lseek64(pg_catalog.lo_open(object, {READ_FLAG}), 0, 2)), \
                 0)::int8 from {OBJECT_TABLE}"
            ),
        }),
        ROWS => Some(Statements {
            make: "create table if not exists dbdyno_file_piece (file int8, place int8, content bytea not null, \
                   primary key (file, place)); \
                   alter table dbdyno_file_piece alter column content set storage external",
            create: None,
            find: None,
            write: "insert into dbdyno_file_piece values ($1::int8, $2::int8, $3::bytea)",
            read: "select content from dbdyno_file_piece where file = $1::int8 and place = $2::int8",
            extent: format!(
                "select count(distinct file), coalesce(sum(pg_catalog.octet_length(content)), 0)::int8 from {CHUNK_TABLE}"
            ),
        }),
        _ => None,
    }
}

/// A session that stores files in one form.
pub(crate) struct PostgresObjects {
    session: PostgresSession,
    statements: Statements,
    is_large: bool,
    prepared: Option<Prepared>,
    /// The open object in the statements: its identifier, or its number.
    open: i64,
}

#[derive(Clone, Copy)]
struct Prepared {
    create: Option<Statement>,
    find: Option<Statement>,
    write: Statement,
    read: Statement,
}

impl PostgresObjects {
    pub(crate) fn new(session: PostgresSession, form: &ObjectForm) -> Result<PostgresObjects> {
        let Some(statements) = statements(form.name) else {
            return Err(Error::new(Kind::Usage, format!("PostgreSQL does not store files as {}", form.name)));
        };
        Ok(PostgresObjects { session, statements, is_large: form.name == LARGE_OBJECT, prepared: None, open: 0 })
    }

    /// The statements, prepared when they are first needed: their table may be created by another session.
    fn prepared(&mut self) -> Result<Prepared> {
        if let Some(prepared) = self.prepared {
            return Ok(prepared);
        }
        let Statements { create, find, write, read, .. } = self.statements;
        let prepared = Prepared {
            create: create.map(|sql| self.session.prepare(sql)).transpose()?,
            find: find.map(|sql| self.session.prepare(sql)).transpose()?,
            write: self.session.prepare(write)?,
            read: self.session.prepare(read)?,
        };
        self.prepared = Some(prepared);
        Ok(prepared)
    }

    /// Runs `statement`, which returns the identifier of object `number`.
    fn identify(&mut self, statement: Option<Statement>, number: u32) -> Result<()> {
        let Some(statement) = statement else {
            self.open = number.into();
            return Ok(());
        };
        let rows = self.session.query(statement, &[Value::Int(number.into())])?;
        match rows.first().map(Vec::as_slice) {
            Some([Value::Int(object)]) => self.open = *object,
            _ => return Err(Error::new(Kind::Statement, format!("there is no object {number}"))),
        }
        Ok(())
    }
}

impl ObjectSession for PostgresObjects {
    fn session(&mut self) -> &mut dyn Session {
        &mut self.session
    }

    fn request_bytes_max(&self) -> Bytes {
        Bytes(BYTES_MAX as u64)
    }

    fn make(&mut self) -> Result<()> {
        self.session.batch(self.statements.make)?;
        self.prepared().map(|_| ())
    }

    fn remove(&mut self) -> Result<()> {
        // The next table is a new one.
        self.prepared = None;
        if !self.is_large {
            return self.session.batch(&format!("drop table if exists {CHUNK_TABLE}"));
        }
        unlink_all(&mut self.session, None)?;
        self.session.batch(&format!("drop table if exists {OBJECT_TABLE}"))?;
        // Frees the space of unlinked objects; without the privilege it is a warning and not an error.
        self.session.batch("vacuum pg_catalog.pg_largeobject")
    }

    fn create(&mut self, number: u32, _size: Bytes) -> Result<()> {
        let create = self.prepared()?.create;
        self.identify(create, number)
    }

    fn open(&mut self, number: u32, _access: ObjectAccess) -> Result<()> {
        let find = self.prepared()?.find;
        self.identify(find, number)
    }

    fn write(&mut self, at: u64, content: &[u8]) -> Result<()> {
        let write = self.prepared()?.write;
        self.session.execute_with_bytes(write, &[self.open, at as i64], content).map(|_| ())
    }

    fn read(&mut self, at: u64, into: &mut [u8]) -> Result<()> {
        let read = self.prepared()?.read;
        let binds = [self.open, at as i64, into.len() as i64];
        // A row has the length it was written with.
        let binds = if self.is_large { &binds[..] } else { &binds[..2] };
        self.session.read_bytes(read, binds, into)
    }

    fn close(&mut self) -> Result<()> {
        Ok(())
    }

    fn extent(&mut self) -> Result<ObjectExtent> {
        let rows = self.session.query_sql(&self.statements.extent)?;
        match rows.first().map(Vec::as_slice) {
            Some([Value::Int(count), Value::Int(bytes)]) => {
                Ok(ObjectExtent { count: *count as u64, size_bytes: Bytes(*bytes as u64) })
            }
            _ => Err(Error::new(Kind::Statement, "the extent of the objects cannot be read")),
        }
    }
}

/// Unlinks every large object that is listed in the table of `schema`, or of the session's schema; does nothing without
/// such a table.
pub(crate) fn unlink_all(session: &mut PostgresSession, schema: Option<&str>) -> Result<()> {
    let table = schema.map_or_else(|| OBJECT_TABLE.to_owned(), |schema| format!("{schema}.{OBJECT_TABLE}"));
    // A flavour without `to_regclass` has no large objects.
    let found = session.query_if_supported(&format!("select pg_catalog.to_regclass('{table}') is not null"))?;
    if found.is_none_or(|rows| rows != [[Value::Int(1)]]) {
        return Ok(());
    }
    session.batch(&format!(
        "select pg_catalog.lo_unlink(object) from {table} \
         where exists (select from pg_catalog.pg_largeobject_metadata known where known.oid = object); \
         delete from {table}"
    ))
}

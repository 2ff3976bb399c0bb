//! Files stored in MariaDB and MySQL: rows with a `longblob` each. A single blob per file would have to be rewritten
//! completely to be extended.

use engine::{Error, Kind, ObjectAccess, ObjectExtent, ObjectForm, ObjectSession, Result, Session, Statement, Value};
use record::Bytes;

use crate::caps::variable;
use crate::session::MysqlSession;

/// The forms of both products.
pub(crate) const FORMS: &[ObjectForm] = &[ObjectForm {
    name: "longblob",
    means: "a row for each request, in a longblob",
    file_bytes_max: Bytes(16 << 40),
    is_allocated: false,
}];

const CHUNK_TABLE: &str = "dbdyno_file_piece";

/// Maximum size of a packet without the bytes.
const OVERHEAD_BYTES: u64 = 1024;

/// A session that stores files.
pub(crate) struct MysqlObjects {
    session: MysqlSession,
    request_bytes_max: Bytes,
    /// The write and the read statement, prepared when they are first needed.
    prepared: Option<(Statement, Statement)>,
    open: u32,
}

impl MysqlObjects {
    pub(crate) fn new(mut session: MysqlSession, form: &ObjectForm) -> Result<MysqlObjects> {
        if !FORMS.contains(form) {
            let title = session.server().flavour.title();
            return Err(Error::new(Kind::Usage, format!("{title} does not store files as {}", form.name)));
        }
        let packet = variable(&mut session, "max_allowed_packet")?.and_then(|bytes| bytes.parse().ok());
        // The minimum setting.
        let request_bytes_max = Bytes(packet.unwrap_or(OVERHEAD_BYTES).saturating_sub(OVERHEAD_BYTES));
        Ok(MysqlObjects { session, request_bytes_max, prepared: None, open: 0 })
    }

    fn prepared(&mut self) -> Result<(Statement, Statement)> {
        if let Some(prepared) = self.prepared {
            return Ok(prepared);
        }
        let write = self.session.prepare(&format!("insert into {CHUNK_TABLE} values (?, ?, ?)"))?;
        let read = self.session.prepare(&format!("select content from {CHUNK_TABLE} where file = ? and place = ?"))?;
        self.prepared = Some((write, read));
        Ok((write, read))
    }
}

impl ObjectSession for MysqlObjects {
    fn session(&mut self) -> &mut dyn Session {
        &mut self.session
    }

    fn request_bytes_max(&self) -> Bytes {
        self.request_bytes_max
    }

    fn make(&mut self) -> Result<()> {
        self.session.batch(&format!(
            "create table if not exists {CHUNK_TABLE} \
             (file bigint, place bigint, content longblob not null, primary key (file, place)) engine = InnoDB"
        ))
    }

    fn remove(&mut self) -> Result<()> {
        self.prepared = None;
        self.session.batch(&format!("drop table if exists {CHUNK_TABLE}"))
    }

    fn create(&mut self, number: u32, _size: Bytes) -> Result<()> {
        self.open = number;
        Ok(())
    }

    fn open(&mut self, number: u32, _access: ObjectAccess) -> Result<()> {
        self.open = number;
        Ok(())
    }

    fn write(&mut self, at: u64, content: &[u8]) -> Result<()> {
        let (write, _) = self.prepared()?;
        self.session.execute_with_bytes(write, &[self.open.into(), at as i64], content).map(|_| ())
    }

    fn read(&mut self, at: u64, into: &mut [u8]) -> Result<()> {
        let (_, read) = self.prepared()?;
        self.session.read_bytes(read, &[self.open.into(), at as i64], into)
    }

    fn close(&mut self) -> Result<()> {
        Ok(())
    }

    fn extent(&mut self) -> Result<ObjectExtent> {
        let rows = self.session.query_sql(&format!(
            "select count(distinct file), cast(coalesce(sum(octet_length(content)), 0) as signed) from {CHUNK_TABLE}"
        ))?;
        match rows.first().map(Vec::as_slice) {
            Some([Value::Int(count), Value::Int(bytes)]) => {
                Ok(ObjectExtent { count: *count as u64, size_bytes: Bytes(*bytes as u64) })
            }
            _ => Err(Error::new(Kind::Statement, "the extent of the files cannot be read")),
        }
    }
}

//! What one load came to.

use record::{Bytes, LoadModel, Rate, Record, Run, name};

use super::stage::{StageFigures, stages};
use crate::delta::{delta, share};
use crate::row::{is_invalid, row};

/// Bytes of a terabyte, 10^12: prices in processor time are told per terabyte.
const TERABYTE: f64 = 1e12;

/// Bytes written, each over the bytes of flat file that went in; what has no source is absent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BytesPerByte {
    /// Redo.
    pub redo: Option<f64>,
    /// Data, as the engine asked the operating system; what it writes later is not in it.
    pub engine: Option<f64>,
    /// Everything that the block layer wrote, the log and what others wrote included.
    pub device: Option<f64>,
}

/// The figures of a load; whatever has no source is absent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoadFigures {
    /// Rows that went in.
    pub rows_per_second: Option<Rate>,
    /// Bytes of flat file that went in.
    pub flat_per_second: Option<Rate>,
    /// Flat file over the bytes that were read for it: above 1 where it was compressed. Absent where lines were generated.
    pub input_ratio: Option<f64>,
    /// Processors in use by dbdyno, an engine in the same process included.
    pub client_cores: Option<f64>,
    /// Processors in use by the engine's own processes.
    pub server_cores: Option<f64>,
    /// Seconds of processor time of dbdyno per 10^12 bytes of flat file.
    pub client_seconds_per_terabyte: Option<f64>,
    /// The same of the engine's own processes.
    pub server_seconds_per_terabyte: Option<f64>,
    /// What was written.
    pub written: BytesPerByte,
    /// Flat file over the table that it became, indexes not included: above 1 where the table is smaller. Absent where the
    /// table held rows of an earlier invocation too.
    pub table_ratio: Option<f64>,
    /// The stages, in the order of the way.
    pub stages: Vec<StageFigures>,
}

impl LoadFigures {
    /// Terabytes (10^12 bytes) of flat file an hour.
    pub fn terabytes_per_hour(&self) -> Option<f64> {
        self.flat_per_second.map(|rate| rate.0 * 3_600.0 / TERABYTE)
    }

    /// Processors of dbdyno and of the engine together, as far as they are known; none where neither is.
    pub fn cores(&self) -> Option<f64> {
        match (self.client_cores, self.server_cores) {
            (None, None) => None,
            (client, server) => Some(client.unwrap_or(0.0) + server.unwrap_or(0.0)),
        }
    }
}

/// The figures of `run`; none of a run of something else.
pub fn figures(run: &Run) -> Option<LoadFigures> {
    let load = run.load.as_deref()?;
    let row = row(run);
    let loaded = run.totals.bytes.map_or(0.0, |Bytes(bytes)| bytes as f64);
    let per_byte = |counter: &str| share(delta(run, counter)? as f64, loaded);
    let seconds = |counter: &str| per_byte(counter).map(|nanos| nanos * TERABYTE / 1e9);
    let table = load.table_bytes.filter(|_| !load.is_rest());
    Some(LoadFigures {
        rows_per_second: row.rows_per_second,
        flat_per_second: row.bytes_per_second.filter(|rate| rate.0 > 0.0),
        // What is skipped is read, too.
        input_ratio: share(load.flat_bytes.0 as f64, load.input_bytes.0 as f64).filter(|_| !load.is_rest()),
        client_cores: row.client_cpu.map(|used| used.cores),
        server_cores: row.server_cpu.map(|used| used.cores),
        client_seconds_per_terabyte: seconds(name::CLIENT_CPU_NS),
        server_seconds_per_terabyte: seconds(name::SERVER_CPU_NS),
        written: BytesPerByte {
            redo: per_byte(name::REDO_WRITE_BYTES),
            engine: per_byte(name::PHYSICAL_WRITE_BYTES),
            device: per_byte(name::DEVICE_WRITE_BYTES),
        },
        table_ratio: table.and_then(|Bytes(table)| share(loaded, table as f64)).filter(|ratio| *ratio > 0.0),
        stages: stages(run),
    })
}

/// How many times smaller the table of `run` is, row by row, than the plain one of the same lines in `record`; none where
/// there is no plain one, and of that one itself.
pub fn table_against_plain(record: &Record, run: &Run) -> Option<f64> {
    let load = run.load.as_deref().filter(|load| load.model != LoadModel::default())?;
    let per_row = |run: &Run| {
        let load = run.load.as_deref()?;
        share(load.table_bytes?.0 as f64, load.rows.saturating_add(load.resumed_rows) as f64)
    };
    let is_plain = |other: &&Run| {
        let of = other.load.as_deref();
        !is_invalid(other)
            && of.is_some_and(|of| {
                of.model == LoadModel::default() && (&of.source, &of.layout) == (&load.source, &load.layout)
            })
    };
    let plain = record.runs.iter().filter(is_plain).find_map(per_row)?;
    share(plain, per_row(run)?)
}

//! The figures of one load.

use record::{Bytes, LoadModel, Rate, Record, Run, name};

use super::stage::{StageFigures, stages};
use crate::delta::{delta, share};
use crate::row::row;
use crate::verdict::is_invalid;

/// Bytes of a terabyte, 10^12, the unit of CPU cost.
const TERABYTE: f64 = 1e12;

/// Write amplification: bytes written per byte of flat file; absent without a source.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BytesPerByte {
    /// Redo.
    pub redo: Option<f64>,
    /// Data written by the engine to the operating system within the window.
    pub engine: Option<f64>,
    /// All writes of the block layer, with the log and those of other programs.
    pub device: Option<f64>,
}

/// The figures of a load; absent without a source.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoadFigures {
    /// Rows loaded.
    pub rows_per_second: Option<Rate>,
    /// Bytes of flat file loaded.
    pub flat_per_second: Option<Rate>,
    /// Compression ratio of the input: flat file over bytes read. Absent where lines were generated.
    pub input_ratio: Option<f64>,
    /// CPUs used by dbdyno, an embedded engine included.
    pub client_cores: Option<f64>,
    /// CPUs used by the engine's processes.
    pub server_cores: Option<f64>,
    /// CPU seconds of dbdyno per 10^12 bytes of flat file.
    pub client_seconds_per_terabyte: Option<f64>,
    /// The same of the engine's processes.
    pub server_seconds_per_terabyte: Option<f64>,
    /// Write amplification.
    pub written: BytesPerByte,
    /// Flat file over table size without indexes; above 1 where the table is smaller. Absent where the table has rows
    /// of an earlier invocation.
    pub table_ratio: Option<f64>,
    /// The stages, in the order of the pipeline.
    pub stages: Vec<StageFigures>,
}

impl LoadFigures {
    /// Terabytes (10^12 bytes) of flat file per hour.
    pub fn terabytes_per_hour(&self) -> Option<f64> {
        self.flat_per_second.map(|rate| rate.0 * 3_600.0 / TERABYTE)
    }

    /// CPUs used by dbdyno and the engine together, as far as known; None where neither is.
    pub fn cores(&self) -> Option<f64> {
        match (self.client_cores, self.server_cores) {
            (None, None) => None,
            (client, server) => Some(client.unwrap_or(0.0) + server.unwrap_or(0.0)),
        }
    }
}

/// The figures of `run`; None unless it is a load.
pub fn figures(run: &Run) -> Option<LoadFigures> {
    let load = run.load.as_deref()?;
    let row = row(run);
    let loaded = run.totals.bytes.map_or(0.0, |Bytes(bytes)| bytes as f64);
    let per_byte = |counter: &str| share(delta(run, counter)? as f64, loaded);
    let seconds = |counter: &str| per_byte(counter).map(|nanos| nanos * TERABYTE / 1e9);
    let table = load.table_bytes.filter(|_| !load.is_resumed());
    Some(LoadFigures {
        rows_per_second: row.rows_per_second,
        flat_per_second: row.bytes_per_second.filter(|rate| rate.0 > 0.0),
        // Skipped lines of a resumed load are read, too.
        input_ratio: share(load.flat_bytes.0 as f64, load.input_bytes.0 as f64).filter(|_| !load.is_resumed()),
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

/// Bytes per row of the plain table of the same lines in `record` over those of the table of `run`; None without a
/// plain table, and for the plain one itself.
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

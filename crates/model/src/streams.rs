//! Figures of a run of file streams per byte, and relative to the same streams on the file system.

use record::{FileStreams, Rate, Ratio, Record, Run, StreamBackend, StreamDirection, name};

use crate::delta::{delta, per_second, share};
use crate::times::{Times, times};
use crate::verdict::is_invalid;

/// Figures of a run of file streams; absent without a source.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StreamFigures {
    /// Bytes of all files per second of the window.
    pub bytes_per_second: Option<Rate>,
    /// Requests of all streams per second of the window.
    pub requests_per_second: Option<Rate>,
    /// CPU time of dbdyno, an embedded engine included, nanoseconds per byte.
    pub client_ns_per_byte: Option<f64>,
    /// CPU time of the engine's processes, nanoseconds per byte.
    pub server_ns_per_byte: Option<f64>,
    /// Bytes of redo per byte, which may also be written during reads.
    pub redo_per_byte: Option<f64>,
    /// Bytes of data read or written by the engine, according to the direction, per byte.
    pub engine_per_byte: Option<f64>,
    /// The same of the device.
    pub device_per_byte: Option<f64>,
    /// Service time of a request.
    pub requests: Option<Times>,
    /// Time to start a transaction and to open or create a file, with its content in some engines.
    pub openings: Option<Times>,
    /// Time of a commit, or of a sync.
    pub commits: Option<Times>,
}

/// The figures of `run`; None unless file streams with bytes.
pub fn stream_figures(run: &Run) -> Option<StreamFigures> {
    let streams = run.streams.as_deref()?;
    let bytes = run.totals.bytes.filter(|bytes| bytes.0 > 0)?.0;
    let each = |counter: &str| share(delta(run, counter)? as f64, bytes as f64);
    let (engine, device) = match streams.direction {
        StreamDirection::Write => (name::PHYSICAL_WRITE_BYTES, name::DEVICE_WRITE_BYTES),
        StreamDirection::Read => (name::PHYSICAL_READ_BYTES, name::DEVICE_READ_BYTES),
    };
    let in_engine = streams.backend == StreamBackend::Engine;
    let of_engine = |counter: &str| each(counter).filter(|_| in_engine);
    Some(StreamFigures {
        bytes_per_second: per_second(run, bytes),
        requests_per_second: per_second(run, run.totals.operations),
        client_ns_per_byte: each(name::CLIENT_CPU_NS),
        server_ns_per_byte: of_engine(name::SERVER_CPU_NS),
        redo_per_byte: of_engine(name::REDO_WRITE_BYTES),
        engine_per_byte: of_engine(engine),
        device_per_byte: each(device),
        requests: times(&streams.requests),
        openings: times(&streams.openings),
        commits: times(&streams.commits),
    })
}

/// The rate of `run` over that of the same streams on the file system in the same direction; None unless the backend is
/// an engine, without such a run, and where its files were on another device.
pub fn over_file_system(record: &Record, run: &Run) -> Option<Ratio> {
    let streams = run.streams.as_deref().filter(|streams| streams.backend == StreamBackend::Engine)?;
    let is_beside = |other: &Run, of_other: &FileStreams| {
        of_other.backend != StreamBackend::Engine
            && of_other.same_device != Some(false)
            && (of_other.direction, other.dop) == (streams.direction, run.dop)
            && (of_other.request_bytes, of_other.file_bytes) == (streams.request_bytes, streams.file_bytes)
    };
    let valid = record.runs.iter().filter(|other| !is_invalid(other));
    let beside =
        valid.clone().find(|other| other.streams.as_deref().is_some_and(|of_other| is_beside(other, of_other)))?;
    let rate = |run: &Run| Some(stream_figures(run)?.bytes_per_second?.0);
    share(rate(run)?, rate(beside)?).map(Ratio)
}

#[cfg(test)]
mod tests {
    use record::{Bytes, Latency};

    use super::*;
    use crate::fixture::{counted, record, run};

    fn streams(backend: StreamBackend, direction: StreamDirection) -> FileStreams {
        FileStreams {
            form: "form".to_owned(),
            means: "means".to_owned(),
            backend,
            direction,
            request_bytes: Bytes(1 << 20),
            file_bytes: Bytes(10 << 20),
            requests_per_commit: 10,
            whole_files: 2,
            page_cached: None,
            same_device: None,
            requests: Latency::default(),
            openings: Latency::default(),
            commits: Latency::default(),
            wrong_requests: 0,
            counted_bytes: None,
            compared: Vec::new(),
        }
    }

    fn of(backend: StreamBackend, direction: StreamDirection, bytes: u64, counters: &[(&str, u64)]) -> Run {
        let mut run = counted(run("S100@form", 2), counters);
        run.totals.bytes = Some(Bytes(bytes));
        run.streams = Some(Box::new(streams(backend, direction)));
        run
    }

    #[test]
    fn writes_and_reads_have_figures_per_byte() {
        let counters = [
            (name::CLIENT_CPU_NS, 2_000_000),
            (name::SERVER_CPU_NS, 8_000_000),
            (name::REDO_WRITE_BYTES, 3_000_000),
            (name::PHYSICAL_WRITE_BYTES, 1_500_000),
            (name::PHYSICAL_READ_BYTES, 500_000),
            (name::DEVICE_WRITE_BYTES, 4_000_000),
            (name::DEVICE_READ_BYTES, 250_000),
        ];
        let write = of(StreamBackend::Engine, StreamDirection::Write, 1_000_000, &counters);
        let figures = stream_figures(&write).expect("figures");
        assert_eq!((figures.client_ns_per_byte, figures.server_ns_per_byte), (Some(2.0), Some(8.0)));
        assert_eq!((figures.redo_per_byte, figures.engine_per_byte), (Some(3.0), Some(1.5)));
        assert_eq!(figures.device_per_byte, Some(4.0));
        let window = write.window_ns.seconds();
        assert_eq!(figures.bytes_per_second, Some(Rate(1e6 / window)));
        let read =
            stream_figures(&of(StreamBackend::Engine, StreamDirection::Read, 1_000_000, &counters)).expect("figures");
        assert_eq!(
            (read.redo_per_byte, read.engine_per_byte, read.device_per_byte),
            (Some(3.0), Some(0.5), Some(0.25))
        );
        let beside = of(StreamBackend::FileSystemDirect, StreamDirection::Write, 1_000_000, &counters);
        let beside = stream_figures(&beside).expect("figures");
        assert_eq!((beside.redo_per_byte, beside.server_ns_per_byte, beside.engine_per_byte), (None, None, None));
        assert_eq!(stream_figures(&of(StreamBackend::Engine, StreamDirection::Read, 0, &counters)), None);
        assert_eq!(stream_figures(&run("T611", 1)), None);
    }

    #[test]
    fn the_engine_is_compared_with_the_same_streams_on_the_same_device() {
        let engine = of(StreamBackend::Engine, StreamDirection::Write, 1_000_000, &[]);
        let files = of(StreamBackend::FileSystemDirect, StreamDirection::Write, 4_000_000, &[]);
        let with = |files: Run| over_file_system(&record(vec![files, engine.clone()]), &engine);
        assert_eq!(with(files.clone()), Some(Ratio(0.25)));
        let other = |change: &dyn Fn(&mut Run, &mut FileStreams)| {
            let mut files = files.clone();
            let mut of_files = streams(StreamBackend::FileSystemDirect, StreamDirection::Write);
            change(&mut files, &mut of_files);
            files.streams = Some(Box::new(of_files));
            with(files)
        };
        assert_eq!(other(&|_, files| files.same_device = Some(true)), Some(Ratio(0.25)));
        assert_eq!(other(&|_, files| files.same_device = Some(false)), None);
        assert_eq!(other(&|_, files| files.direction = StreamDirection::Read), None);
        assert_eq!(other(&|_, files| files.file_bytes = Bytes(1)), None);
        assert_eq!(other(&|run, _| run.dop.jobs = 4), None);
        assert_eq!(over_file_system(&record(vec![files.clone()]), &files), None, "it is the file system itself");
    }
}

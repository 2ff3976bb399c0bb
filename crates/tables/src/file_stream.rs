//! File streams in the engine and on the file system: one row for each run.

use model::StreamFigures;
use record::{FileStreams, Record};

use crate::column::{Column, Kind, Part, identity, invalid, latency, parts};
use crate::value::Value;

/// The streams of a run, and their figures.
pub type FileStreamRow<'a> = Part<'a, (&'a FileStreams, StreamFigures)>;

/// The runs of file streams of `record`.
pub fn rows(record: &Record) -> impl Iterator<Item = FileStreamRow<'_>> {
    parts(record, |run| {
        let streams = run.streams.as_deref()?;
        Some((streams, model::stream_figures(run).unwrap_or_default()))
    })
}

type Figure<'a> = Column<FileStreamRow<'a>>;

/// The workload, then the results.
pub fn columns<'a>() -> Vec<Column<FileStreamRow<'a>>> {
    let mut columns = identity();
    columns.extend([
        Figure::fact("form", Kind::Text, |of| (&of.of.0.form).into()),
        Figure::fact("backend", Kind::Text, |of| Value::word(of.of.0.backend)),
        Figure::fact("direction", Kind::Text, |of| Value::word(of.of.0.direction)),
        Figure::fact("streams", Kind::Count, |of| of.run.dop.jobs.into()).head("#J"),
        Figure::fact("request_bytes", Kind::Memory, |of| of.of.0.request_bytes.into()).head("request"),
        Figure::fact("file_bytes", Kind::Memory, |of| of.of.0.file_bytes.into()).head("file"),
        Figure::fact("requests_per_commit", Kind::Count, |of| of.of.0.requests_per_commit.into())
            .head("requests\nper commit"),
        Figure::fact("whole_files", Kind::Count, |of| of.of.0.whole_files.into()),
        Figure::fact("compared_files", Kind::Count, |of| of.of.0.compared.len().into()),
        Figure::fact("unequal_files", Kind::Count, |of| {
            of.of.0.compared.iter().filter(|file| !file.equal).count().into()
        }),
        invalid(),
        Figure::result("bytes_per_second", Kind::BytesPerSecond, |of| of.of.1.bytes_per_second.into()).head("MB/s"),
        Figure::result("over_file_system_ratio", Kind::Ratio, |of| model::over_file_system(of.record, of.run).into())
            .head("% of file\nsystem"),
        Figure::result("requests_per_second", Kind::PerSecond, |of| of.of.1.requests_per_second.into()).head("req/s"),
    ]);
    columns.extend(latency!(Figure, "request", |of| &of.of.0.requests));
    columns.extend(latency!(Figure, "open", |of| &of.of.0.openings));
    columns.extend(latency!(Figure, "commit", |of| &of.of.0.commits));
    columns.extend(costs());
    columns
}

/// Cost per byte. Nanoseconds per byte are milliseconds per 10^6 bytes.
fn costs<'a>() -> Vec<Figure<'a>> {
    const TIME: &str = "CPU ms/MB";
    const BYTES: &str = "bytes per byte";
    vec![
        Figure::result("client_cpu_ns_per_byte", Kind::Number, |of| of.of.1.client_ns_per_byte.into())
            .under(TIME, "client"),
        Figure::result("server_cpu_ns_per_byte", Kind::Number, |of| of.of.1.server_ns_per_byte.into())
            .under(TIME, "server"),
        Figure::result("redo_bytes_per_byte", Kind::Number, |of| of.of.1.redo_per_byte.into()).under(BYTES, "log"),
        Figure::result("engine_bytes_per_byte", Kind::Number, |of| of.of.1.engine_per_byte.into())
            .under(BYTES, "engine"),
        Figure::result("device_bytes_per_byte", Kind::Number, |of| of.of.1.device_per_byte.into())
            .under(BYTES, "device"),
        Figure::result("page_cached_ratio", Kind::Ratio, |of| of.of.0.page_cached.into()).head("% in page\ncache"),
    ]
}

//! Parquet files. Row groups are encoded in memory, by any thread, and appended to the file in order.

use std::io;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use bytes::Bytes;
use parquet::basic::{Compression as Codec, GzipLevel, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::column::writer::{ColumnCloseResult, ColumnWriter, get_column_writer};
use parquet::data_type::ByteArray;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::properties::{WriterProperties, WriterPropertiesPtr};
use parquet::file::writer::{SerializedFileWriter, SerializedPageWriter, TrackedWrite};
use parquet::schema::types::{SchemaDescriptor, Type, TypePtr};

use super::sink::Sink;
use crate::cards::{Card, Cards};
use crate::compression::{Compression, Packing};
use crate::layout::{FieldKind, Layout};

/// An encoded row group: bytes and metadata of each column.
pub(super) struct Group {
    columns: Vec<(Bytes, ColumnCloseResult)>,
}

/// A file being written.
pub(super) struct ParquetFile {
    writer: SerializedFileWriter<Sink>,
}

/// The values of one column.
enum Values {
    Short(Vec<i32>),
    Long(Vec<i64>),
    Text(Vec<ByteArray>),
}

static SCHEMA: LazyLock<ParquetResult<TypePtr>> = LazyLock::new(schema);

impl ParquetFile {
    /// Starts a file without rows.
    pub(super) fn start(sink: Sink, packing: Packing) -> io::Result<ParquetFile> {
        let writer = shared_schema()
            .and_then(|schema| SerializedFileWriter::new(sink, schema, properties(packing)?))
            .map_err(io_error)?;
        Ok(ParquetFile { writer })
    }

    /// Appends the rows of `group`.
    pub(super) fn append(&mut self, group: Group) -> io::Result<()> {
        let append = || {
            let mut rows = self.writer.next_row_group()?;
            for (bytes, close) in group.columns {
                rows.append_column(&bytes, close)?;
            }
            rows.close().map(|_| ())
        };
        append().map_err(io_error)
    }

    /// Writes the footer.
    pub(super) fn finish(self) -> io::Result<Sink> {
        self.writer.into_inner().map_err(io_error)
    }
}

/// Encodes `rows` as a row group.
pub(super) fn encode(cards: &Cards, rows: Range<u64>, packing: Packing) -> io::Result<Group> {
    let encode = || {
        let schema = SchemaDescriptor::new(shared_schema()?);
        let properties = properties(packing)?;
        let columns = columns(cards, rows).into_iter().zip(schema.columns()).map(|(values, descriptor)| {
            let mut encoded = TrackedWrite::new(Vec::new());
            let pages = Box::new(SerializedPageWriter::new(&mut encoded));
            let mut writer = get_column_writer(Arc::clone(descriptor), Arc::clone(&properties), pages);
            values.write(&mut writer)?;
            let close = writer.close()?;
            Ok((Bytes::from(encoded.into_inner()?), close))
        });
        Ok(Group { columns: columns.collect::<ParquetResult<_>>()? })
    };
    encode().map_err(io_error)
}

/// Encoded size of `rows`.
pub(super) fn encoded_bytes(cards: &Cards, rows: Range<u64>, packing: Packing) -> io::Result<u64> {
    Ok(encode(cards, rows, packing)?.columns.iter().map(|(bytes, _)| bytes.len() as u64).sum())
}

impl Values {
    fn write(&self, writer: &mut ColumnWriter<'_>) -> ParquetResult<()> {
        match (self, writer) {
            (Values::Short(values), ColumnWriter::Int32ColumnWriter(writer)) => {
                writer.write_batch(values, None, None).map(|_| ())
            }
            (Values::Long(values), ColumnWriter::Int64ColumnWriter(writer)) => {
                writer.write_batch(values, None, None).map(|_| ())
            }
            (Values::Text(values), ColumnWriter::ByteArrayColumnWriter(writer)) => {
                writer.write_batch(values, None, None).map(|_| ())
            }
            _ => Err(ParquetError::General("a column is of another type than its schema".to_owned())),
        }
    }
}

/// The columns in the order of the layout.
fn columns(cards: &Cards, rows: Range<u64>) -> Vec<Values> {
    let cards: Vec<Card> = rows.map(|row| cards.card(row)).collect();
    let short = |of: fn(&Card) -> i32| Values::Short(cards.iter().map(of).collect());
    let long = |of: fn(&Card) -> i64| Values::Long(cards.iter().map(of).collect());
    let name = |of: fn(&Card) -> &'static str| {
        // Static texts are not copied.
        let bytes = |card| ByteArray::from(Bytes::from_static(of(card).as_bytes()));
        Values::Text(cards.iter().map(bytes).collect())
    };
    let zips = cards.iter().map(|card| ByteArray::from(format!("{:05}", card.merchant_zip).into_bytes()));
    vec![
        long(|card| card.card_no as i64),
        name(|card| card.card_type),
        short(|card| i32::from(card.mcc)),
        long(|card| i64::from(card.purchase_amt_cents)),
        short(|card| card.purchase_dt),
        short(|card| card.merchant_code as i32),
        name(|card| card.merchant_city),
        name(|card| card.merchant_state),
        Values::Text(zips.collect()),
    ]
}

fn shared_schema() -> ParquetResult<TypePtr> {
    match &*SCHEMA {
        Ok(schema) => Ok(Arc::clone(schema)),
        Err(error) => Err(ParquetError::General(error.to_string())),
    }
}

fn schema() -> ParquetResult<TypePtr> {
    let layout = Layout::cards();
    let fields = layout.fields.iter().map(|field| {
        let column =
            |physical| Type::primitive_type_builder(&field.name, physical).with_repetition(Repetition::REQUIRED);
        let column = match field.kind {
            FieldKind::Int { digits_max: 0..=9 } => column(Physical::INT32),
            FieldKind::Int { .. } => column(Physical::INT64),
            FieldKind::Decimal { precision, scale } => {
                let (precision, scale) = (i32::from(precision), i32::from(scale));
                let logical = LogicalType::decimal(scale, precision);
                column(Physical::INT64).with_logical_type(Some(logical)).with_precision(precision).with_scale(scale)
            }
            FieldKind::Date => column(Physical::INT32).with_logical_type(Some(LogicalType::Date)),
            FieldKind::Text { .. } => column(Physical::BYTE_ARRAY).with_logical_type(Some(LogicalType::String)),
        };
        column.build().map(Arc::new)
    });
    let fields = fields.collect::<ParquetResult<Vec<TypePtr>>>()?;
    Type::group_type_builder(&layout.name).with_fields(fields).build().map(Arc::new)
}

fn properties(packing: Packing) -> ParquetResult<WriterPropertiesPtr> {
    let codec = match packing.compression() {
        Compression::Plain => Codec::SNAPPY,
        Compression::Gzip => Codec::GZIP(GzipLevel::try_new(u32::from(packing.level()))?),
        Compression::Zstd => Codec::ZSTD(ZstdLevel::try_new(i32::from(packing.level()))?),
        Compression::Lz4 => Codec::LZ4_RAW,
    };
    Ok(Arc::new(WriterProperties::builder().set_compression(codec).build()))
}

fn io_error(cause: ParquetError) -> io::Error {
    match cause {
        // Errors of the file system are passed on.
        ParquetError::External(cause) => match cause.downcast::<io::Error>() {
            Ok(cause) => *cause,
            Err(cause) => io::Error::other(cause.to_string()),
        },
        cause => io::Error::other(cause.to_string()),
    }
}

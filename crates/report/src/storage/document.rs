//! Storage runs as parts of a document.

use record::Record;

use super::table::{CEILING, costs, latencies, throughputs};
use super::{calibration, fact, until};
use crate::document::{Block, Fact, Section, Text};
use crate::load_curve::SEARCH;

/// The result of a calibration and its curve; nothing where `record` holds none.
pub(crate) fn calibrated(record: &Record) -> Section {
    Section::new("calibration", "Calibration", calibration::parts(record))
}

/// The answer of a search in words and its points; nothing where `record` holds no search.
pub(crate) fn search(record: &Record) -> Section {
    let points = until::points(record).map(Block::from);
    Section::new("io-search", SEARCH, until::answer(record).map(Block::text).into_iter().chain(points).collect())
}

/// A line for each stream: throughput, latency, and the cost of the run.
pub(crate) fn streams(record: &Record) -> Section {
    let (throughputs, costs) = (throughputs(record), costs(record));
    let ceiling = (!costs.rows.is_empty()).then(|| Block::aside(CEILING));
    let tables = [Some(throughputs.into()), Some(latencies(record).into()), Some(costs.into()), ceiling];
    Section::new("storage", "I/O jobs", tables.into_iter().flatten().collect())
}

/// I/O modes, files, rates, preconditioning, errors, verified content.
pub(crate) fn details(record: &Record) -> Section {
    Section::new("storage-details", "Storage: details", vec![Block::facts(fact::facts(record))]).folded()
}

/// Lints of the job file, and options without effect; nothing without any.
pub(crate) fn job_file(record: &Record) -> Section {
    let fact = |label: &str, texts: &[String]| Fact {
        label: label.to_owned(),
        sentences: texts.iter().map(|text| Text::from(text.as_str())).collect(),
    };
    let facts = record.plan.io.iter().flat_map(|io| [fact("note", &io.lints), fact("ignored", &io.ignored)]);
    let facts = facts.filter(|fact| !fact.sentences.is_empty()).collect();
    Section::new("job-file", "Job file", vec![Block::Facts(facts)])
}

//! Bulk load of flat files: a pipeline of stages over threads, with bounded queues between them.
//!
//! Threads read files or generate lines, and divide them into **batches** of whole lines; parsers convert them to
//! values; each job takes a batch, sends its rows to the engine, and commits them together with a progress row in a
//! table of the same database. So a batch is either loaded and recorded, or neither: an aborted load is resumed where
//! it stopped. If the engine supports it, only the last commit of a job waits for stable storage. **Unparsed** lines
//! skip the parsers.
//!
//! Every stage is timed without its waits for other stages, so that the slowest is known. The loaded table can be
//! **scanned** afterwards, with one query at a time.

mod check_query;
mod commit;
mod figures;
mod input;
mod job;
mod pipeline;
mod progress;
mod queue;
mod refusal;
mod reject_files;
mod rejects;
mod rows;
mod scan;
mod stages;
mod table;

pub use check_query::compare;
pub use figures::Figures;
pub use input::{Input, InputFile, SourceError};
pub use job::{LoadJob, jobs};
pub use pipeline::{Loading, Pipeline};
pub use progress::{ResumePoint, begin, remove, resume};
pub use rejects::Rejects;
pub use scan::{ScanJob, Scanning};
pub use table::{LoadTable, Unfit};

/// The code of a load; runs of other models and forms have a suffix.
pub const CODE: &str = "L100";

//! Bulk load of flat files: a pipeline of stages over threads, with bounded queues between them.
//!
//! Threads read files or generate lines, and cut them into **batches** of whole lines; parsers make values of them; each job
//! takes a batch, hands its rows to the engine, and commits them together with a line that says so in a table of the same
//! database. So a batch is either loaded and written down, or neither, whatever happens: a load that was broken off is gone
//! on with where it stopped. Where the engine lets it, only the last commit of a job waits for stable storage. Lines sent
//! **as they are** skip the parsers.
//!
//! Every stage is timed without what it waits for the others, so that the slowest can be named. What was loaded can be
//! **scanned** afterwards, in one query at a time.

mod commit;
mod figures;
mod input;
mod job;
mod loading;
mod pipeline;
mod progress;
mod question;
mod refusal;
mod reject_files;
mod rejects;
mod rows;
mod scan;
mod stages;
mod table;
mod waiting;

pub use figures::{Figures, compare};
pub use input::{Input, InputFile};
pub use job::{LoadJob, jobs};
pub use loading::Loading;
pub use pipeline::Pipeline;
pub use progress::{Before, begin, forget, resume};
pub use rejects::Rejects;
pub use scan::{ScanJob, Scanning};
pub use table::{LoadTable, Unfit};

/// The code of a load; runs of other models and forms have it with a clause behind it.
pub const CODE: &str = "L100";

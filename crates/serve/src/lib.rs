//! Records in a browser: an index of a directory of records, a server of HTTP, and the same pages as files.
//!
//! A separate crate because it brings a server of HTTP, which nothing that measures needs. It makes no page: `cli`
//! hands it [`Views`], so that what is served is what is printed. It reads records and writes nothing but notes, and
//! those only where that is allowed, and a sign of itself for runs beside it. It starts nothing: what carries out runs is
//! handed to it, too.

mod anonymous;
mod answer;
mod connection;
mod error;
mod export;
mod guard;
mod handler;
mod identity;
mod index;
mod live;
mod note_form;
mod paced;
mod packed;
mod route;
mod runs;
mod selection;
mod settings;
mod snapshot;
mod tls;
mod views;

pub use anonymous::{Anonymized, anonymize};
pub use connection::serve;
pub use error::{Error, Result};
pub use export::{Exported, export};
pub use index::Index;
pub use note_form::note_form;
pub use route::{Id, ListQuery, NoRoute, PlanQuery, Route, route};
pub use runs::Runs;
pub use settings::{Encryption, ServeSettings};
pub use snapshot::{Item, PackedRecord, Snapshot, Source};
pub use views::{Depth, HistoryPage, ListPage, LiveItem, Medium, Problem, ProblemKind, Rendered, Views};

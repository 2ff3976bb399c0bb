//! Interface of a database engine: traits, capabilities, dialect, the null engine.
//!
//! A crate of its own so that the compiler enforces the direction of dependencies: tests depend on these traits and on
//! no engine, engines depend on these traits and on no test. It opens no connections.

mod activity;
mod caps;
mod date;
mod description;
mod dialect;
mod durability;
mod engine;
mod error;
mod lines;
mod machine;
pub mod null;
mod objects;
mod parameter;
mod rows;
mod session;
mod table;
mod target;
mod value;

pub use activity::{ActiveSession, SessionSample};
pub use caps::Caps;
pub use date::IsoDate;
pub use description::{Description, StatementFile};
pub use dialect::{Dialect, Placeholder, Sparse};
pub use durability::{ClusterDurability, Durability, Failover, FileLayer, OwnCheck, StartQueries, Weakening};
pub use engine::{Engine, Node, Processes, Workspace, close_all, writer_first};
pub use error::{Error, Kind, Result};
pub use lines::{LineChunks, LineForm};
pub use machine::Machine;
pub use objects::{ObjectAccess, ObjectExtent, ObjectForm, ObjectSession};
pub use parameter::{shown, unknown_parameter};
pub use rows::{RowSink, RowSource};
pub use session::{Canceller, Session, Statement};
pub use table::{Column, ColumnType, Index, Partitions, Table, quoted};
pub use target::{Address, Secret, Target, TargetError, may_hold_password};
pub use value::Value;

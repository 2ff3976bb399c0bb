//! File streams: files kept in the engine in each of its forms, and on the file system beside it; one invocation, a run
//! for each form, number of streams and direction.

mod ground;
mod invocation;
mod leg;
mod measurement;
mod request;
mod space;

pub use invocation::measure_streams;
pub use request::StreamsRequest;

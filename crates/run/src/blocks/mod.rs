//! Random blocks through the engine: one invocation, a run for each size of the engine's cache.

mod extent;
mod invocation;
mod measurement;
mod parameter;
mod request;

pub use invocation::measure_blocks;
pub use request::BlocksRequest;

//! Random blocks through the engine: one invocation, a run for each size of the engine's cache.

mod cold;
mod device;
mod extent;
mod invocation;
mod measurement;
mod parameter;
mod request;

pub(crate) use cold::put_out;
pub use invocation::measure_blocks;
pub use request::BlocksRequest;

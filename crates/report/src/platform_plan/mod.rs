//! What a platform on paper gives at best: its bottleneck first, then every part, and what follows for storage, commits,
//! caches, costs and the next purchase.

mod amount;
mod document;
mod outlook;
mod storage;
mod verdict;

pub(crate) use amount::{basis, part};
pub use document::platform_plan;
pub(crate) use verdict::purchase;

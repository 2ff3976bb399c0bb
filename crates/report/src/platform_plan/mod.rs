//! What a platform on paper gives at best: its bottleneck first, then every part, and what follows for storage, commits,
//! caches, costs and the next purchase.

mod amount;
mod outlook;
mod storage;
mod text;
mod verdict;

pub use text::platform_plan_text;

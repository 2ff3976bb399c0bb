//! Main memory.

use base::root::{self, Root};
use record::{Bytes, Memory};

use super::module;

/// From `/proc/meminfo`, with the mode of transparent huge pages.
pub(super) fn read(root: &Root) -> Memory {
    let info = root::text(root.proc.join("meminfo")).unwrap_or_default();
    let bytes = |name| root::size_bytes(root::entry(&info, name)?).map(Bytes);
    Memory {
        total_bytes: bytes("MemTotal").unwrap_or_default(),
        available_bytes: bytes("MemAvailable"),
        swap_bytes: bytes("SwapTotal"),
        transparent_huge_pages: root::chosen(root.sys.join("kernel/mm/transparent_hugepage/enabled")),
        huge_page_pool_bytes: bytes("Hugetlb").or_else(|| pool(&info)),
        transparent_huge_page_defragmentation: root::chosen(root.sys.join("kernel/mm/transparent_hugepage/defrag")),
        modules: module::read(root),
    }
}

/// Huge pages of the default size, for old kernels without the sum `Hugetlb`.
fn pool(info: &str) -> Option<Bytes> {
    let pages: u64 = root::entry(info, "HugePages_Total")?.parse().ok()?;
    root::size_bytes(root::entry(info, "Hugepagesize")?)?.checked_mul(pages).map(Bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_pool_of_an_old_kernel_is_pages_times_their_size() {
        assert_eq!(pool("HugePages_Total:     512\nHugepagesize:       2048 kB\n"), Some(Bytes::GIB));
        assert_eq!(pool("HugePages_Total:     512\n"), None);
    }

    proptest! {
        #[test]
        fn no_text_panics(info in "((HugePages_Total|Hugepagesize): *\\PC*\n)*") {
            let _ = pool(&info);
        }
    }
}

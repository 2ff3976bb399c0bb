//! CPU topology: hardware threads per core.

use std::collections::BTreeSet;

use base::root::{self, Root};
use record::Bytes;

/// The hardware threads of each online core, both ascending; none if unknown.
pub fn cores() -> Option<Vec<Vec<u32>>> {
    cores_at(&Root::host())
}

/// The same of the machine below `root`.
pub fn cores_at(root: &Root) -> Option<Vec<Vec<u32>>> {
    let system = root.sys.join("devices/system/cpu");
    let online = root::cpu_list(&root::text(system.join("online"))?)?;
    let siblings = |cpu: &u32| {
        let topology = system.join(format!("cpu{cpu}/topology"));
        let files = ["core_cpus_list", "thread_siblings_list"];
        let mut cpus = files.iter().find_map(|file| root::cpu_list(&root::text(topology.join(file))?))?;
        cpus.retain(|cpu| online.contains(cpu));
        cpus.sort_unstable();
        Some(cpus).filter(|cpus| cpus.contains(cpu))
    };
    // None if the core of one thread is unknown.
    let cores: BTreeSet<Vec<u32>> = online.iter().map(siblings).collect::<Option<_>>()?;
    (!cores.is_empty()).then(|| cores.into_iter().collect())
}

/// The first hardware thread of each of `cores` that is in `allowed`, ascending.
pub fn one_thread_per_core(cores: &[Vec<u32>], allowed: &[u32]) -> Vec<u32> {
    let first = |core: &Vec<u32>| core.iter().copied().find(|cpu| allowed.contains(cpu));
    let mut chosen: Vec<u32> = cores.iter().filter_map(first).collect();
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

/// The free memory of NUMA node `node`.
pub fn node_free_bytes(node: u32) -> Option<Bytes> {
    let text = root::text(Root::host().sys.join(format!("devices/system/node/node{node}/meminfo")))?;
    let line = text.lines().find(|line| line.contains("MemFree:"))?;
    let kibibytes: u64 = line.split_ascii_whitespace().nth(3)?.parse().ok()?;
    Some(Bytes::KIB.times(kibibytes))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_first_allowed_thread_of_each_core() {
        let cores = [vec![0, 4], vec![1, 5], vec![2, 6], vec![3, 7]];
        assert_eq!(one_thread_per_core(&cores, &[0, 1, 2, 3, 4, 5, 6, 7]), [0, 1, 2, 3]);
        assert_eq!(one_thread_per_core(&cores, &[1, 4, 5, 7]), [1, 4, 7]);
        assert_eq!(one_thread_per_core(&[vec![0], vec![1]], &[0, 1]), [0, 1], "one thread per core");
        assert_eq!(one_thread_per_core(&[], &[0, 1]), [0u32; 0]);
    }

    proptest! {
        #[test]
        fn at_most_one_allowed_thread_per_core(allowed in prop::collection::vec(0u32..16, 0..16), width in 1u32..5) {
            let cores: Vec<Vec<u32>> = (0..16 / width).map(|core| (core * width..(core + 1) * width).collect()).collect();
            let chosen = one_thread_per_core(&cores, &allowed);
            prop_assert!(chosen.iter().all(|cpu| allowed.contains(cpu)));
            prop_assert!(cores.iter().all(|core| core.iter().filter(|cpu| chosen.contains(cpu)).count() <= 1));
            let reached = cores.iter().filter(|core| core.iter().any(|cpu| allowed.contains(cpu))).count();
            prop_assert_eq!(chosen.len(), reached);
        }
    }
}

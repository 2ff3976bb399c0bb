//! Processors, caches, NUMA nodes.

use std::collections::BTreeSet;
use std::path::PathBuf;

use base::root::{self, Root};
use record::{Bytes, Cache, Cpu, NumaNode};

use super::{arm, power};

/// The online processors.
pub(super) fn read(root: &Root) -> Cpu {
    let system = root.sys.join("devices/system/cpu");
    let info = root::text(root.proc.join("cpuinfo")).unwrap_or_default();
    let directories = directories(root, &info);
    let threads = u32::try_from(directories.len()).unwrap_or(u32::MAX);
    let power = power::read(root);
    let cores = cores(&directories);
    let smt = root::switch(system.join("smt/active")).or_else(|| cores.map(|cores| threads > cores));
    Cpu {
        model: model(&info),
        sockets: sockets(&directories),
        cores,
        threads,
        smt,
        clock_mhz: clock_mhz(&directories, &info),
        clock_mhz_max: frequencies_mhz(&directories, "cpufreq/cpuinfo_max_freq").reduce(f64::max),
        governor: governor(&directories),
        caches: caches(&directories),
        numa_nodes: numa_nodes(root),
        stepping: stepping(&info),
        microcode: microcode(root, &info),
        clock_driver: power.clock_driver,
        boost: power.boost,
        idle_driver: power.idle_driver,
        idle_states: power.idle_states,
    }
}

/// The current clock, mean over all processors.
pub(super) fn read_clock(root: &Root) -> Option<f64> {
    let info = root::text(root.proc.join("cpuinfo")).unwrap_or_default();
    clock_mhz(&directories(root, &info), &info)
}

/// The sysfs directories of the online processors.
fn directories(root: &Root, info: &str) -> Vec<PathBuf> {
    let system = root.sys.join("devices/system/cpu");
    online(root, info).iter().map(|cpu| system.join(format!("cpu{cpu}"))).collect()
}

/// x86 family, model and stepping, or ARM variant and revision, of the first processor.
fn stepping(info: &str) -> Option<String> {
    let names = [
        ("cpu family", "family"),
        ("model", "model"),
        ("stepping", "stepping"),
        ("CPU variant", "variant"),
        ("CPU revision", "revision"),
        ("revision", "revision"),
    ];
    let parts = names.iter().filter_map(|(name, word)| Some(format!("{word} {}", root::entry(info, name)?)));
    let text = parts.collect::<Vec<String>>().join(", ");
    (!text.is_empty()).then_some(text)
}

/// The revision of the microcode of the first processor.
fn microcode(root: &Root, info: &str) -> Option<String> {
    let version = root::text(root.sys.join("devices/system/cpu/cpu0/microcode/version"));
    version.or_else(|| root::entry(info, "microcode").map(str::to_owned))
}

/// Sum of all instances of the last level.
pub(super) fn last_level_cache(caches: &[Cache]) -> Option<Bytes> {
    let last = caches.iter().filter(|cache| cache.kind != "instruction").max_by_key(|cache| cache.level)?;
    Some(Bytes(last.size_bytes.0.saturating_mul(u64::from(last.instances))))
}

fn online(root: &Root, info: &str) -> Vec<u32> {
    let system = root.sys.join("devices/system/cpu");
    let listed = root::text(system.join("online")).and_then(|text| root::cpu_list(&text));
    let listed = listed.filter(|cpus| !cpus.is_empty());
    let of_info = || {
        let numbers =
            info.lines().filter_map(|line| line.strip_prefix("processor")?.split_once(':')?.1.trim().parse().ok());
        numbers.collect::<Vec<u32>>()
    };
    listed.unwrap_or_else(of_info)
}

/// The name of the first processor: `model name` on x86, `cpu` on POWER, numbers on ARM.
fn model(info: &str) -> Option<String> {
    let named = ["model name", "cpu model", "cpu"].iter().find_map(|name| root::entry(info, name));
    let text = named.map(str::to_owned).or_else(|| arm::model(info)).or_else(|| {
        ["Model", "Hardware", "vendor_id"].iter().find_map(|name| root::entry(info, name)).map(str::to_owned)
    })?;
    Some(text.split_whitespace().collect::<Vec<&str>>().join(" "))
}

fn sockets(directories: &[PathBuf]) -> Option<u32> {
    // Some machines without sockets have -1.
    let packages = directories.iter().filter_map(|cpu| root::value::<i64>(cpu.join("topology/physical_package_id")));
    count(packages.filter(|package| *package >= 0).collect())
}

/// Cores: distinct groups of hardware threads.
fn cores(directories: &[PathBuf]) -> Option<u32> {
    let siblings = |cpu: &PathBuf| {
        let files = ["core_cpus_list", "thread_siblings_list"];
        files.iter().find_map(|file| root::text(cpu.join("topology").join(file)))
    };
    count(directories.iter().filter_map(siblings).collect())
}

fn count<T>(different: BTreeSet<T>) -> Option<u32> {
    u32::try_from(different.len()).ok().filter(|count| *count > 0)
}

fn frequencies_mhz<'a>(directories: &'a [PathBuf], file: &'a str) -> impl Iterator<Item = f64> + 'a {
    directories.iter().filter_map(move |cpu| Some(root::value::<u64>(cpu.join(file))? as f64 / 1000.0))
}

/// The mean over all processors.
fn clock_mhz(directories: &[PathBuf], info: &str) -> Option<f64> {
    let mut clocks: Vec<f64> = frequencies_mhz(directories, "cpufreq/scaling_cur_freq").collect();
    if clocks.is_empty() {
        let lines = info.lines().filter_map(|line| {
            let (name, value) = line.split_once(':')?;
            let value = value.trim().trim_end_matches("MHz");
            matches!(name.trim(), "cpu MHz" | "clock").then(|| value.parse().ok())?
        });
        clocks = lines.filter(|clock: &f64| clock.is_finite() && *clock > 0.0).collect();
    }
    (!clocks.is_empty()).then(|| clocks.iter().sum::<f64>() / clocks.len() as f64)
}

/// The governor; several, if processors differ.
fn governor(directories: &[PathBuf]) -> Option<String> {
    let all = directories.iter().filter_map(|cpu| root::text(cpu.join("cpufreq/scaling_governor")));
    let different: Vec<String> = all.collect::<BTreeSet<String>>().into_iter().collect();
    (!different.is_empty()).then(|| different.join(", "))
}

/// The caches of the first processor, with the instances of each: the distinct groups that share one.
fn caches(directories: &[PathBuf]) -> Vec<Cache> {
    let Some(first) = directories.first() else { return Vec::new() };
    let level = |index: &PathBuf| root::value::<u32>(index.join("level"));
    let kind = |index: &PathBuf| root::text(index.join("type")).map(|kind| kind.to_lowercase());
    let indexes = |cpu: &PathBuf| -> Vec<PathBuf> {
        let cache = cpu.join("cache");
        root::numbered(&cache, "index").into_iter().map(|number| cache.join(format!("index{number}"))).collect()
    };
    let read = |index: PathBuf| {
        let (own_level, own_kind) = (level(&index)?, kind(&index)?);
        let same = directories.iter().flat_map(indexes);
        let same = same.filter(|other| level(other) == Some(own_level) && kind(other).as_ref() == Some(&own_kind));
        let shared: BTreeSet<String> = same.filter_map(|other| root::text(other.join("shared_cpu_list"))).collect();
        let size_bytes = Bytes(root::size_bytes(&root::text(index.join("size"))?)?);
        Some(Cache { level: own_level, kind: own_kind, size_bytes, instances: count(shared).unwrap_or(1) })
    };
    let mut caches: Vec<Cache> = indexes(first).into_iter().filter_map(read).collect();
    caches.sort_by_key(|cache| cache.level);
    caches
}

fn numa_nodes(root: &Root) -> Vec<NumaNode> {
    let system = root.sys.join("devices/system/node");
    let read = |number: u32| {
        let node = system.join(format!("node{number}"));
        let meminfo = root::text(node.join("meminfo")).unwrap_or_default();
        // Lines are `Node 0 MemTotal:  123 kB`.
        let total = meminfo.lines().find_map(|line| root::size_bytes(line.split_once("MemTotal:")?.1));
        let cpus = root::text(node.join("cpulist")).unwrap_or_default();
        let distances = root::text(node.join("distance")).unwrap_or_default();
        let distances = distances.split_ascii_whitespace().map_while(|distance| distance.parse().ok()).collect();
        NumaNode { number, cpus, memory_bytes: total.map(Bytes), distances }
    };
    root::numbered(&system, "node").into_iter().map(read).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_last_level_counts_all_its_instances_and_no_instructions() {
        let cache = |level, kind: &str, size, instances| Cache {
            level,
            kind: kind.to_owned(),
            size_bytes: Bytes(size),
            instances,
        };
        let caches = [cache(1, "data", 1, 4), cache(2, "unified", 10, 4), cache(3, "unified", 100, 2)];
        assert_eq!(last_level_cache(&caches), Some(Bytes(200)));
        assert_eq!(last_level_cache(&caches[..1]), Some(Bytes(1 << 2)));
        assert_eq!(last_level_cache(&[cache(1, "instruction", 1, 1)]), None);
        assert_eq!(last_level_cache(&[]), None);
    }

    #[test]
    fn the_processor_name_of_every_architecture() {
        for (info, name) in [
            ("processor\t: 0\nmodel\t\t: 17\nmodel name\t: AMD EPYC  7763 64-Core\n", "AMD EPYC 7763 64-Core"),
            (
                "processor\t: 0\ncpu\t\t: POWER9, altivec supported\nclock\t\t: 2200.000000MHz\n",
                "POWER9, altivec supported",
            ),
            ("processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n", "ARM Neoverse-N1"),
            ("vendor_id       : IBM/S390\n", "IBM/S390"),
        ] {
            assert_eq!(model(info).as_deref(), Some(name));
        }
        assert_eq!(model(""), None);
        let info = "cpu family\t: 6\nmodel\t\t: 106\nmodel name\t: X\nstepping\t: 6\nmicrocode\t: 0xd0003f5\n";
        assert_eq!(stepping(info).as_deref(), Some("family 6, model 106, stepping 6"));
        assert_eq!(stepping("CPU variant\t: 0x3\nCPU revision\t: 1\n").as_deref(), Some("variant 0x3, revision 1"));
        assert_eq!(microcode(&Root::below("/nonexistent"), info).as_deref(), Some("0xd0003f5"));
        assert_eq!(clock_mhz(&[], "clock\t\t: 2200.500000MHz\n"), Some(2200.5));
        assert_eq!(clock_mhz(&[], "cpu MHz\t\t: 1000.0\ncpu MHz\t\t: 3000.0\n"), Some(2000.0));
        assert_eq!(clock_mhz(&[], "cpu MHz\t\t: nan\n"), None);
    }

    proptest! {
        #[test]
        fn no_text_panics(info in "((processor|cpu MHz|model name|CPU part)?[\\PC\t]*(:| : )?\\PC*\n)*") {
            let _ = (model(&info), clock_mhz(&[], &info));
        }
    }
}

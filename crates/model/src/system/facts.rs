//! The facts of the platform of a record, to be compared with those of another one.
//!
//! Values that change between invocations are left out: free space, available memory, the current clock frequency.

use record::{
    BlockDevice, Bytes, EngineInventory, HostInventory, Location, Nanos, Pace, Placement, Plan, Preset, Record,
};

use super::{Fact, FactGroup};
use crate::checks::plural;
use crate::load::are_lines_found;

/// The facts of `record`, machine first.
pub(super) fn facts(record: &Record) -> Vec<Fact> {
    let mut facts = Facts::default();
    machine(&record.host, &mut facts);
    storage(&record.host, &mut facts);
    kernel(&record.host, &mut facts);
    if let Some(engine) = &record.engine {
        facts.add(FactGroup::Engine, "target", Some(record.plan.target.clone()));
        describe_engine(engine, &mut facts);
    }
    measurement(record, &mut facts);
    facts.list
}

#[derive(Default)]
struct Facts {
    list: Vec<Fact>,
}

impl Facts {
    /// Adds a fact unless it is unknown or empty.
    fn add(&mut self, group: FactGroup, name: &str, value: Option<String>) {
        if let Some(value) = value.map(|value| value.trim().to_owned()).filter(|value| !value.is_empty()) {
            self.list.push(Fact { group, name: name.to_owned(), value });
        }
    }
}

fn machine(host: &HostInventory, facts: &mut Facts) {
    let mut fact = |name: &str, value: Option<String>| facts.add(FactGroup::Machine, name, value);
    let (cpu, memory, limits) = (&host.cpu, &host.memory, &host.cgroup);
    let count = |count: Option<u32>, noun: &str| count.filter(|count| *count > 0).map(|n| plural(n.into(), noun));
    fact("host", host.host_name.clone());
    fact("product", host.product.clone());
    fact("virtualisation", host.virtualisation.clone());
    fact("processor", cpu.model.clone());
    let counts = [count(cpu.sockets, "socket"), count(cpu.cores, "core"), count(Some(cpu.threads), "thread")];
    fact("topology", Some(counts.into_iter().flatten().collect::<Vec<_>>().join(", ")));
    fact("multithreading", cpu.smt.map(on_off));
    fact("max clock", cpu.clock_mhz_max.map(|clock| format!("{clock:.0} MHz")));
    fact("governor", cpu.governor.clone());
    fact("boost", cpu.boost.map(on_off));
    fact("clock driver", cpu.clock_driver.clone());
    fact("stepping", cpu.stepping.clone());
    fact("microcode", cpu.microcode.clone());
    fact("firmware", host.firmware.clone());
    fact("NUMA", Some(cpu.numa_nodes.len() as u32).and_then(|nodes| count(Some(nodes), "node")));
    fact("memory", (memory.total_bytes.0 > 0).then(|| size_words(memory.total_bytes)));
    fact("swap", memory.swap_bytes.map(size_words));
    fact("transparent huge pages", memory.transparent_huge_pages.clone());
    fact("huge page defragmentation", memory.transparent_huge_page_defragmentation.clone());
    fact("huge page pool", memory.huge_page_pool_bytes.map(size_words));
    fact("CPU quota", limits.cpu_quota.map(|quota| format!("{quota:.2} CPUs")));
    fact("CPU set", limits.cpu_set.clone());
    fact("memory limit", limits.memory_max_bytes.map(size_words));
}

fn storage(host: &HostInventory, facts: &mut Facts) {
    let mut fact = |name: &str, value: Option<String>| facts.add(FactGroup::Storage, name, value);
    if let Some(system) = &host.file_system {
        fact("file system", Some(system.kind.clone()));
        fact("mount options", Some(system.options.clone()));
        fact("file system size", system.size_bytes.map(size_words));
    }
    for device in &host.devices {
        fact(&format!("device {}", device.name), Some(describe_device(device)));
    }
}

fn describe_device(device: &BlockDevice) -> String {
    let parts = [
        device.model.as_ref().map(|model| model.trim().to_owned()),
        device.size_bytes.map(size_words),
        device.rotational.map(|rotates| if rotates { "rotational" } else { "non-rotational" }.to_owned()),
        device.write_cache.as_ref().map(|cache| format!("write cache: {cache}")),
        device.scheduler.as_ref().map(|scheduler| format!("scheduler {scheduler}")),
        device.queue_depth.map(|depth| format!("queue depth {depth}")),
        device.firmware.as_ref().map(|firmware| format!("firmware {}", firmware.trim())),
        device.link.clone(),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn kernel(host: &HostInventory, facts: &mut Facts) {
    let mut fact = |name: &str, value: Option<String>| facts.add(FactGroup::Kernel, name, value);
    let kernel = &host.kernel;
    fact("operating system", kernel.operating_system.clone());
    fact("kernel", Some(format!("{} {}", kernel.release, kernel.architecture)));
    fact("clock source", kernel.clock_source.clone());
    fact("boot options", kernel.command_line.clone());
    for (name, value) in &kernel.mitigations {
        fact(&format!("mitigation of {name}"), Some(value.clone()));
    }
    for (name, value) in &kernel.settings {
        fact(name, Some(value.clone()));
    }
}

fn describe_engine(engine: &EngineInventory, facts: &mut Facts) {
    let mut fact = |name: &str, value: Option<String>| facts.add(FactGroup::Engine, name, value);
    let location = match engine.location {
        Location::InProcess => "embedded",
        Location::UnixSocket => "on this host, over a Unix socket",
        Location::LocalTcp => "on this host, over TCP",
        Location::Remote => "on another host",
    };
    let origin = if engine.temporary { "started by dbdyno" } else { "already running" };
    fact("engine", Some(format!("{} {}", engine.title, engine.version)));
    fact("location", Some(location.to_owned()));
    fact("server", (engine.location != Location::InProcess).then(|| origin.to_owned()));
    fact("encryption", engine.encryption.clone());
    fact("nodes", Some(engine.nodes.to_string()));
    fact("block size", engine.block_bytes.map(size_words));
    fact("buffer cache", engine.cache_bytes.map(size_words));
    fact("durability", Some(engine.durability.clone()));
    for setting in &engine.settings {
        facts.add(FactGroup::Setting, &setting.name, Some(setting.value.clone()));
    }
}

fn measurement(record: &Record, facts: &mut Facts) {
    let plan = &record.plan;
    let mut fact = |name: &str, value: Option<String>| facts.add(FactGroup::Measurement, name, value);
    let build = if record.tool.optimised { "optimised" } else { "not optimised" };
    fact("dbdyno", Some(format!("{}, {build}", record.tool.version)));
    let built = record.tool.build.as_ref();
    fact("dbdyno's commit", built.and_then(|build| build.commit.clone()));
    fact("dbdyno's compiler", built.and_then(|build| build.compiler.clone()));
    fact("dbdyno's flags", built.and_then(|build| build.flags.clone()));
    fact("preset", Some(preset(plan.preset).to_owned()));
    fact("window", Some(seconds(plan.window_ns)));
    fact("warm-up", Some(seconds(plan.warm_up_ns)));
    fact("steps per job", plan.steps.map(|steps| steps.to_string()));
    fact("repeats", Some(plan.repeats.to_string()));
    fact("load", Some(pace_words(plan.pace)));
    fact("CPU pinning", Some(pinning(plan).to_owned()));
    fact("hardware threads", plan.one_thread_per_core.then(|| "one per core".to_owned()));
    fact("seed", (!are_lines_found(record)).then(|| plan.seed.to_string()));
    for data in &record.data_sets {
        fact(&format!("table {}", data.table), Some(format!("{} rows, {}", data.rows, size_words(data.size_bytes))));
    }
}

fn preset(preset: Preset) -> &'static str {
    match preset {
        Preset::Smoke => "smoke",
        Preset::Quick => "quick",
        Preset::Standard => "standard",
        Preset::Publish => "publish",
    }
}

fn pinning(plan: &Plan) -> &'static str {
    match plan.placement {
        Placement::Kernel => "none",
        Placement::Spread => "spread",
        Placement::Paired => "paired",
    }
}

/// The load model in words.
pub(crate) fn pace_words(pace: Pace) -> String {
    match pace {
        Pace::AsFastAsPossible => "closed loop, unthrottled".to_owned(),
        Pace::Rate { steps_per_second } => format!("{steps_per_second} steps/s, fixed interval"),
        Pace::Poisson { steps_per_second } => format!("{steps_per_second} steps/s, Poisson arrivals"),
        Pace::ThinkTime { think_ns } => format!("closed loop, think time {}", seconds(think_ns)),
    }
}

fn on_off(on: bool) -> String {
    if on { "on" } else { "off" }.to_owned()
}

fn seconds(span: Nanos) -> String {
    format!("{} s", span.seconds())
}

/// A size in binary units; without decimals where it is a multiple of the unit.
pub(crate) fn size_words(Bytes(bytes): Bytes) -> String {
    let units = [(1u64 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    match units.into_iter().find(|(unit, _)| bytes >= *unit) {
        None => format!("{bytes} B"),
        Some((unit, name)) if bytes.is_multiple_of(unit) => format!("{} {name}", bytes / unit),
        Some((unit, name)) => format!("{:.1} {name}", bytes as f64 / unit as f64),
    }
}

#[cfg(test)]
mod tests {
    use record::{LoadModel, LoadStageKind, Setting};

    use super::*;
    use crate::fixture;
    use crate::load::fixture::Machine;

    #[test]
    fn unknown_values_are_no_facts() {
        let mut record = fixture::record(Vec::new());
        record.engine = None;
        let facts = facts(&record);
        assert!(facts.iter().all(|fact| fact.group == FactGroup::Measurement), "{facts:?}");
        assert!(facts.iter().all(|fact| !fact.value.is_empty()));
    }

    #[test]
    fn settings_are_facts_of_their_own() {
        let mut record = fixture::record(Vec::new());
        let setting = Setting { name: "fsync".to_owned(), value: "off".to_owned(), default: Some("on".to_owned()) };
        record.engine.as_mut().unwrap().settings = vec![setting];
        record.host.memory.total_bytes = Bytes(3 << 29);
        let facts = facts(&record);
        let value = |group, name: &str| {
            let mut found = facts.iter().filter(|fact| (fact.group, fact.name.as_str()) == (group, name));
            found.next().map(|fact| fact.value.clone())
        };
        assert_eq!(value(FactGroup::Setting, "fsync").as_deref(), Some("off"));
        assert_eq!(value(FactGroup::Engine, "buffer cache").as_deref(), Some("128 MiB"));
        assert_eq!(value(FactGroup::Machine, "memory").as_deref(), Some("1.5 GiB"));
        assert_eq!(value(FactGroup::Machine, "processor"), None);
    }

    #[test]
    fn an_unused_seed_is_no_fact() {
        let has_seed = |record: &Record| facts(record).iter().any(|fact| fact.name == "seed");
        let mut record = fixture::record(Vec::new());
        assert!(has_seed(&record));
        let found = Machine::SMALL.run(LoadModel::default(), 1, true);
        record.runs = vec![found.clone()];
        assert!(!has_seed(&record));
        let mut generated = found;
        let stages = generated.load.iter_mut().flat_map(|load| load.stages.iter_mut());
        stages.filter(|stage| stage.kind == LoadStageKind::Read).for_each(|stage| stage.kind = LoadStageKind::Generate);
        record.runs.push(generated);
        assert!(has_seed(&record), "rows of one of the loads were generated");
    }
}

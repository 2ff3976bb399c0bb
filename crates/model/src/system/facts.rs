//! The facts of the platform of a record, to be compared with those of another one.
//!
//! Values that change between invocations are left out: free space, available memory, the current clock frequency.

use record::{BlockDevice, Bytes, CacheFit, DatabaseState, EngineInventory, HostInventory, Location, Record};

use super::{DeviceFact, Fact, FactGroup, FactSize, FactValue};
use crate::load_input::are_lines_found;

/// The facts of `record`, machine first.
pub(super) fn facts(record: &Record) -> Vec<Fact> {
    let mut facts = Facts::default();
    machine(&record.host, &mut facts);
    storage(&record.host, &mut facts);
    kernel(&record.host, &mut facts);
    if let Some(engine) = &record.engine {
        facts.add(FactGroup::Engine, "target", text(&record.plan.target));
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
    /// Adds a fact unless it is unknown.
    fn add(&mut self, group: FactGroup, name: &str, value: Option<FactValue>) {
        self.list.extend(value.map(|value| Fact { group, name: name.to_owned(), value }));
    }
}

/// A text of the record; None where it is empty.
fn text(text: &str) -> Option<FactValue> {
    Some(text.trim()).filter(|text| !text.is_empty()).map(|text| FactValue::Text(text.to_owned()))
}

fn known(known: &Option<String>) -> Option<FactValue> {
    known.as_deref().and_then(text)
}

fn size(size: Bytes) -> FactValue {
    FactValue::Size(FactSize(size))
}

fn machine(host: &HostInventory, facts: &mut Facts) {
    let mut fact = |name: &str, value: Option<FactValue>| facts.add(FactGroup::Machine, name, value);
    let (cpu, memory, limits) = (&host.cpu, &host.memory, &host.cgroup);
    fact("host", known(&host.host_name));
    fact("product", known(&host.product));
    fact("virtualisation", known(&host.virtualisation));
    fact("processor", known(&cpu.model));
    let [sockets, cores, threads] =
        [cpu.sockets, cpu.cores, Some(cpu.threads)].map(|count| count.filter(|count| *count > 0));
    let is_known = sockets.or(cores).or(threads).is_some();
    fact("topology", is_known.then_some(FactValue::Topology { sockets, cores, threads }));
    fact("multithreading", cpu.smt.map(FactValue::Switch));
    fact("max clock", cpu.clock_mhz_max.map(|clock| FactValue::Megahertz(clock.round_ties_even() as u64)));
    fact("governor", known(&cpu.governor));
    fact("boost", cpu.boost.map(FactValue::Switch));
    fact("clock driver", known(&cpu.clock_driver));
    fact("stepping", known(&cpu.stepping));
    fact("microcode", known(&cpu.microcode));
    fact("firmware", known(&host.firmware));
    let nodes = cpu.numa_nodes.len() as u32;
    fact("NUMA", (nodes > 0).then_some(FactValue::NumaNodes(nodes)));
    fact("memory", (memory.total_bytes.0 > 0).then(|| size(memory.total_bytes)));
    fact("swap", memory.swap_bytes.map(size));
    fact("transparent huge pages", known(&memory.transparent_huge_pages));
    fact("huge page defragmentation", known(&memory.transparent_huge_page_defragmentation));
    fact("huge page pool", memory.huge_page_pool_bytes.map(size));
    let hundredths = |quota: f64| (quota * 100.0).round_ties_even() as u64;
    fact("CPU quota", limits.cpu_quota.map(|quota| FactValue::ProcessorQuota { hundredths: hundredths(quota) }));
    fact("CPU set", known(&limits.cpu_set));
    fact("memory limit", limits.memory_max_bytes.map(size));
}

fn storage(host: &HostInventory, facts: &mut Facts) {
    let mut fact = |name: &str, value: Option<FactValue>| facts.add(FactGroup::Storage, name, value);
    if let Some(system) = &host.file_system {
        fact("file system", text(&system.kind));
        fact("mount options", text(&system.options));
        fact("file system size", system.size_bytes.map(size));
    }
    for device in &host.devices {
        fact(&format!("device {}", device.name), describe_device(device));
    }
}

fn describe_device(device: &BlockDevice) -> Option<FactValue> {
    let known =
        |text: &Option<String>| text.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
    let described = DeviceFact {
        model: known(&device.model),
        size: device.size_bytes.map(FactSize),
        is_rotational: device.rotational,
        write_cache: known(&device.write_cache),
        scheduler: known(&device.scheduler),
        queue_depth: device.queue_depth,
        firmware: known(&device.firmware),
        link: device.link,
    };
    (described != DeviceFact::default()).then_some(FactValue::Device(described))
}

fn kernel(host: &HostInventory, facts: &mut Facts) {
    let mut fact = |name: &str, value: Option<FactValue>| facts.add(FactGroup::Kernel, name, value);
    let kernel = &host.kernel;
    fact("operating system", known(&kernel.operating_system));
    fact("kernel", text(&format!("{} {}", kernel.release, kernel.architecture)));
    fact("clock source", known(&kernel.clock_source));
    fact("boot options", known(&kernel.command_line));
    for (name, value) in &kernel.mitigations {
        fact(&format!("mitigation of {name}"), text(value));
    }
    for (name, value) in &kernel.settings {
        fact(name, text(value));
    }
}

fn describe_engine(engine: &EngineInventory, facts: &mut Facts) {
    let mut fact = |name: &str, value: Option<FactValue>| facts.add(FactGroup::Engine, name, value);
    let server = FactValue::Server { is_temporary: engine.temporary };
    fact("engine", text(&format!("{} {}", engine.title, engine.version)));
    fact("location", Some(FactValue::Location(engine.location)));
    fact("server", (engine.location != Location::InProcess).then_some(server));
    // On TCP, a record without encryption is one of a connection that was not encrypted.
    let is_tcp = matches!(engine.location, Location::LocalTcp | Location::Remote);
    fact("encryption", known(&engine.encryption).or_else(|| is_tcp.then(|| text("none")).flatten()));
    fact("nodes", Some(FactValue::Count(engine.nodes.into())));
    fact("block size", engine.block_bytes.map(size));
    fact("buffer cache", engine.cache_bytes.map(size));
    fact("durability", text(&engine.durability));
    for setting in &engine.settings {
        facts.add(FactGroup::Setting, &setting.name, text(&setting.value));
    }
}

fn measurement(record: &Record, facts: &mut Facts) {
    let plan = &record.plan;
    let mut fact = |name: &str, value: Option<FactValue>| facts.add(FactGroup::Measurement, name, value);
    let (version, is_optimised) = (record.tool.version.clone(), record.tool.optimised);
    fact("dbdyno", Some(FactValue::Build { version, is_optimised }));
    let built = record.tool.build.as_ref();
    fact("dbdyno's commit", built.and_then(|build| known(&build.commit)));
    fact("dbdyno's compiler", built.and_then(|build| known(&build.compiler)));
    fact("dbdyno's flags", built.and_then(|build| known(&build.flags)));
    fact("preset", Some(FactValue::Preset(plan.preset)));
    fact("window", Some(FactValue::Time(plan.window_ns)));
    fact("warm-up", Some(FactValue::Time(plan.warm_up_ns)));
    fact("steps per job", plan.steps.map(FactValue::Count));
    fact("repeats", Some(FactValue::Count(plan.repeats.into())));
    fact("load", Some(FactValue::Pace(plan.pace)));
    fact("CPU pinning", Some(FactValue::Placement(plan.placement)));
    fact("hardware threads", plan.one_thread_per_core.then_some(FactValue::OneThreadPerCore));
    fact("seed", (!are_lines_found(record)).then_some(FactValue::Count(plan.seed)));
    fact("cached at the begin", cached_at_begin(record));
    fact("log at the begin", log_at_begin(record));
    for data in &record.data_sets {
        let table = FactValue::Table { rows: data.rows, size: FactSize(data.size_bytes) };
        fact(&format!("table {}", data.table), Some(table));
    }
}

/// The share of the tables in the buffer cache when the windows of tests outside of it began, in tenths: the median over the runs.
fn cached_at_begin(record: &Record) -> Option<FactValue> {
    let outside = record.runs.iter().filter(|run| run.cache_fit == Some(CacheFit::Outside) && run.rows_at_random);
    let share = |state: &DatabaseState| Some(state.cached_bytes?.0 as f64 / state.table_bytes?.0.max(1) as f64);
    let mut shares: Vec<f64> = outside.filter_map(|run| share(run.state_at_begin.as_deref()?)).collect();
    shares.sort_by(f64::total_cmp);
    let percent = (shares.get(shares.len() / 2)?.min(1.0) * 10.0).round_ties_even() * 10.0;
    text(&format!("about {percent} % of the tables"))
}

/// Whether the log was written before in the runs that commit; None where that differs or is not known.
fn log_at_begin(record: &Record) -> Option<FactValue> {
    let changing = record.runs.iter().filter(|run| run.changes);
    let mut known = changing.filter_map(|run| run.state_at_begin.as_deref()?.is_log_written_before);
    let first = known.next()?;
    let is_alike = known.all(|other| other == first);
    is_alike.then(|| text(if first { "written before" } else { "never written before" }))?
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
        assert!(facts.iter().all(|fact| fact.value.text() != Some("")));
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
        assert_eq!(value(FactGroup::Setting, "fsync"), text("off"));
        assert_eq!(value(FactGroup::Engine, "buffer cache"), Some(size(Bytes(128 << 20))));
        assert_eq!(value(FactGroup::Machine, "memory"), Some(size(Bytes(3 << 29))));
        assert_eq!(value(FactGroup::Machine, "processor"), None);
    }

    #[test]
    fn sizes_that_are_shown_alike_are_equal() {
        let gib = |gib: f64| size(Bytes((gib * f64::from(1 << 30)) as u64));
        assert_eq!(gib(15.61), gib(15.59));
        assert_ne!(gib(15.61), gib(15.66));
        assert_ne!(gib(16.0), gib(16.01), "a whole number is shown without a decimal");
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

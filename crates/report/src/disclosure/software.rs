//! Software of the system under test.

use record::{EngineInventory, Record};

use super::WITHOUT_ENGINE;
use super::field::{Field, applies, publisher, tool};
use super::hardware::{fact, old};
use crate::figure::memory;
use crate::inventory::{
    Change, durability, engine_line, engine_sizes, file_system_facts, host_facts, memory_facts, mitigations,
    queue_text, settings,
};
use crate::repetition::sources;
use crate::words::list;

const NOT_REPORTED: &str = "not reported by the kernel";

pub(super) fn software(record: &Record) -> Vec<Field> {
    let (host, kernel) = (&record.host, &record.host.kernel);
    let release = list(
        [Some(format!("{} {}", kernel.release, kernel.architecture)), kernel.operating_system.clone()]
            .into_iter()
            .flatten(),
    );
    let file_system = host
        .file_system
        .as_ref()
        .map(|system| list(file_system_facts(system).into_iter().filter_map(|(_, value)| value)));
    let mut fields = vec![
        tool("kernel and operating system", Some(release), NOT_REPORTED),
        tool("boot options", kernel.command_line.clone(), NOT_REPORTED),
        tool("mitigations", mitigations(kernel), old(record, NOT_REPORTED)),
        tool("performance-relevant kernel settings", Some(settings(kernel)), old(record, NOT_REPORTED)),
        tool("limits of the control group", fact(host_facts(host), "limits"), NOT_REPORTED),
        tool("file system and mount options", file_system, "the file system was not found"),
        applies(
            tool("volume manager, RAID, encryption", chain(record), ""),
            Some("no stacked device for the directory"),
        ),
        tool("I/O scheduler and queues", queues(record), "no block device was found for the directory"),
        tool("transparent huge pages", fact(memory_facts(host), "huge pages"), NOT_REPORTED),
    ];
    fields.extend(engine(record));
    fields.push(publisher("patches and private builds"));
    fields
}

/// The engine and its data.
fn engine(record: &Record) -> Vec<Field> {
    let engine = record.engine.as_ref();
    let unless = engine.is_none().then_some(WITHOUT_ENGINE);
    let sets =
        record.data_sets.iter().map(|set| format!("{}: {} rows, {}", set.table, set.rows, memory(set.size_bytes)));
    let tables = if record.data_sets.is_empty() { Some("no tables were loaded") } else { None };
    let space = Change::of(&record.host).and_then(|change| change.space());
    let fields = vec![
        tool("engine", engine.map(engine_line), ""),
        tool("blocks and buffer cache", engine.and_then(engine_sizes), "not reported by the engine"),
        tool("settings that differ from the default", engine.map(differing), ""),
        tool("durability settings", engine.map(durability), ""),
        applies(tool("schema, indexes, statistics", sources(record).ok(), sources_missing(record)), tables),
        applies(tool("data", Some(list(sets)), ""), tables),
        applies(tool("space used from start to end", space, old(record, "the measurement did not finish")), tables),
    ];
    fields.into_iter().map(|field| applies(field, unless)).collect()
}

fn sources_missing(record: &Record) -> String {
    sources(record).err().unwrap_or_default()
}

fn differing(engine: &EngineInventory) -> String {
    let differ = engine.settings.iter().filter(|setting| setting.default.as_ref() != Some(&setting.value));
    let settings = list(differ.map(|setting| format!("{} = {}", setting.name, setting.value)));
    if settings.is_empty() { "none known".to_owned() } else { settings }
}

/// Stacked devices.
fn chain(record: &Record) -> Option<String> {
    let made = record.host.devices.iter().filter(|device| !device.slaves.is_empty());
    let made: Vec<String> = made.map(|device| format!("{} of {}", device.name, device.slaves.join(" and "))).collect();
    (!made.is_empty()).then(|| list(made))
}

/// Scheduler and queue of each device that has one.
fn queues(record: &Record) -> Option<String> {
    let devices = record.host.devices.iter().filter(|device| device.scheduler.is_some() || !device.queue.is_empty());
    let queues: Vec<String> = devices
        .map(|device| {
            let scheduler = device.scheduler.as_ref().map(|scheduler| format!("scheduler {scheduler}"));
            let depth = device.queue_depth.map(|depth| format!("queue depth {depth}"));
            format!("{}: {}", device.name, list([scheduler, depth, queue_text(device)].into_iter().flatten()))
        })
        .collect();
    (!queues.is_empty()).then(|| queues.join("; "))
}

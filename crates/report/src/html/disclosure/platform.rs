//! Hardware and software of the system under test.

use record::{BlockDevice, Record};

use super::{Field, never, publisher, told, tool};
use crate::figure::memory;
use crate::inventory::{
    cpu_facts, device_text, durability, engine_line, engine_sizes, file_system_facts, host_facts, memory_facts,
};
use crate::words::list;

const NOT_READ: &str = "dbdyno does not read it";

/// The value of `name` among facts.
fn fact(facts: Vec<(&str, Option<String>)>, name: &str) -> Option<String> {
    facts.into_iter().find(|(known, _)| *known == name).and_then(|(_, value)| value)
}

fn devices(record: &Record) -> Option<String> {
    let device = |device: &BlockDevice| format!("{}: {}", device.name, device_text(device));
    let devices: Vec<String> = record.host.devices.iter().map(device).collect();
    (!devices.is_empty()).then(|| devices.join("; "))
}

pub(super) fn hardware(record: &Record) -> Vec<Field> {
    let (host, cpu) = (&record.host, &record.host.cpu);
    vec![
        tool("product", host.product.clone(), "the firmware does not say, or may not be read"),
        tool("processor model", cpu.model.clone(), "the kernel does not say"),
        never("stepping and microcode", NOT_READ),
        tool("sockets, cores, threads, multithreading", fact(cpu_facts(cpu), "topology"), "the kernel does not say"),
        tool(
            "clock and governor",
            fact(cpu_facts(cpu), "clock"),
            "the kernel does not say, as in many virtual machines",
        ),
        never("turbo and idle states", NOT_READ),
        tool("caches", fact(cpu_facts(cpu), "caches"), "the kernel does not say"),
        tool("NUMA", fact(cpu_facts(cpu), "NUMA"), "the kernel shows no NUMA nodes"),
        tool("memory", fact(memory_facts(&host.memory), "total"), "the kernel does not say"),
        never("memory modules, channels, speed", NOT_READ),
        tool("devices", devices(record), "no block device was found below the directory"),
        never("firmware, serial number and link of devices", NOT_READ),
        never("network cards, drivers, MTU", NOT_READ),
        never("firmware of the machine", NOT_READ),
        told("virtualisation", host.virtualisation.clone().unwrap_or_else(|| "none visible".to_owned())),
        never("instance type and zone", NOT_READ),
        publisher("diagram of racks and switches"),
        publisher("list of parts without a price"),
    ]
}

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
    let without = "only probes were run, without an engine";
    let engine = record.engine.as_ref();
    let settings = engine.map(|engine| {
        let differ = engine.settings.iter().filter(|setting| setting.default.as_ref() != Some(&setting.value));
        list(differ.map(|setting| format!("{} = {}", setting.name, setting.value)))
    });
    let sets =
        record.data_sets.iter().map(|set| format!("{}: {} rows, {}", set.table, set.rows, memory(set.size_bytes)));
    vec![
        tool("kernel and operating system", Some(release), "the kernel does not say"),
        tool("boot options", kernel.command_line.clone(), "the kernel does not say"),
        never("mitigations", "dbdyno reads them only as far as boot options name them"),
        never("kernel settings (sysctl)", "dbdyno does not read those that differ from the default"),
        tool("limits of the control group", fact(host_facts(host), "limits"), "the kernel does not say"),
        tool("file system and mount options", file_system, "the file system was not found"),
        tool("volume manager, RAID, encryption", chain(record), "no device below the directory is made of others"),
        tool(
            "I/O scheduler",
            host.devices.iter().find_map(|device| device.scheduler.clone()),
            "the kernel does not say",
        ),
        tool("transparent huge pages", fact(memory_facts(&host.memory), "huge pages"), "the kernel does not say"),
        tool("engine", engine.map(engine_line), without),
        tool(
            "blocks and buffer cache",
            engine.and_then(engine_sizes),
            if engine.is_some() { "the engine does not say" } else { without },
        ),
        tool(
            "settings that differ from the default",
            settings,
            if engine.is_some() { "none is known to differ" } else { without },
        ),
        tool("durability settings", engine.map(durability), without),
        never(
            "schema, indexes, statistics",
            "they follow from the test files of this version of dbdyno; the record does not hold them",
        ),
        tool("data", Some(list(sets)), "no tables were loaded"),
        never("space after the load", "it is not measured"),
        publisher("patches and private builds"),
    ]
}

/// Devices that are made of others.
fn chain(record: &Record) -> Option<String> {
    let made = record.host.devices.iter().filter(|device| !device.slaves.is_empty());
    let made: Vec<String> = made.map(|device| format!("{} of {}", device.name, device.slaves.join(" and "))).collect();
    (!made.is_empty()).then(|| list(made))
}

//! Hardware of the system under test.

use std::borrow::Cow;

use record::{BlockDevice, Location, Record};

use super::field::{Field, applies, filled, publisher, tool};
use crate::fact::link_text;
use crate::fleet::server_hosts;
use crate::inventory::{cpu_facts, device_text, is_virtual, memory_facts, modules, network};
use crate::words::list;

const NOT_REPORTED: &str = "not reported by the kernel";

/// The value of `name` among facts.
pub(super) fn fact(facts: Vec<(&str, Option<String>)>, name: &str) -> Option<String> {
    facts.into_iter().find(|(known, _)| *known == name).and_then(|(_, value)| value)
}

pub(super) fn hardware(record: &Record) -> Vec<Field> {
    let (host, cpu) = (&record.host, &record.host.cpu);
    // A guest cannot disclose what its hypervisor hides.
    let hidden = is_virtual(host).then(|| {
        let kind = host.virtualisation.as_deref().unwrap_or_default();
        format!("hidden from a virtual machine ({kind}); CPU steal is checked in every run")
    });
    let hidden = hidden.as_deref();
    let boost = [
        cpu.clock_driver.as_ref().map(|driver| format!("driver {driver}")),
        cpu.boost.map(|boost| if boost { "boost on" } else { "boost off" }.to_owned()),
    ];
    let boost = cpu.boost.map(|_| list(boost.into_iter().flatten()));
    vec![
        machine_of_engine(record),
        applies(tool("product", host.product.clone(), "not reported by the firmware, or not readable"), hidden),
        tool("processor model", cpu.model.clone(), NOT_REPORTED),
        tool("stepping and microcode", stepping(record), old(record, NOT_REPORTED)),
        tool("sockets, cores, threads, multithreading", fact(cpu_facts(cpu), "topology"), NOT_REPORTED),
        applies(tool("clock and governor", clock(record), NOT_REPORTED), hidden),
        applies(tool("boost", boost, old(record, NOT_REPORTED)), hidden),
        applies(tool("idle states", fact(cpu_facts(cpu), "idle"), old(record, NOT_REPORTED)), hidden),
        applies(tool("caches", fact(cpu_facts(cpu), "caches"), NOT_REPORTED), hidden),
        applies(tool("NUMA", fact(cpu_facts(cpu), "NUMA"), NOT_REPORTED), Some("the kernel shows no NUMA nodes")),
        tool("memory", fact(memory_facts(host), "total"), NOT_REPORTED),
        applies(
            tool(
                "memory modules and their speed",
                modules(host),
                old(record, "the firmware tables (/sys/firmware/dmi/tables) are readable by root only"),
            ),
            hidden,
        ),
        tool("devices", devices(record), "no block device was found for the directory"),
        applies(
            tool(
                "firmware, serial number and link of devices",
                device_identity(record),
                old(record, "not reported by any device of the directory"),
            ),
            hidden,
        ),
        applies(tool("network", network(host), NOT_REPORTED), without_network(record)),
        applies(tool("firmware of the machine", host.firmware.clone(), old(record, "not readable")), hidden),
        filled("virtualisation", host.virtualisation.clone().unwrap_or_else(|| "none visible".to_owned())),
        publisher("instance type and zone of a cloud machine"),
        publisher("rack and network diagram"),
        publisher("parts list without prices"),
    ]
}

/// Why a field is absent: the reason `now`, or that the record is older than the field.
pub(super) fn old(record: &Record, now: &'static str) -> Cow<'static, str> {
    let is_new = record.host.at_start.is_some();
    if is_new { now.into() } else { "not read by the dbdyno version that measured".into() }
}

/// Whether the other fields of this group, which are about the machine of dbdyno, are about that of the engine.
fn machine_of_engine(record: &Record) -> Field {
    let remote = record.engine.as_ref().is_some_and(|engine| engine.location == Location::Remote);
    // It is in the record in the same detail as the client's.
    let there = server_hosts(record);
    let here = "the machine of dbdyno, described below".to_owned();
    let missing = "the engine runs on another host, and the fields below describe the client machine; run dbdyno \
                   inventory on the host of the engine";
    tool("machine of the engine", there.or((!remote).then_some(here)), missing)
}

fn stepping(record: &Record) -> Option<String> {
    // Stepping without microcode does not identify the CPU.
    record.host.cpu.microcode.as_ref().and_then(|_| fact(cpu_facts(&record.host.cpu), "stepping"))
}

fn clock(record: &Record) -> Option<String> {
    record.host.cpu.governor.as_ref().and_then(|_| fact(cpu_facts(&record.host.cpu), "clock"))
}

fn devices(record: &Record) -> Option<String> {
    let device = |device: &BlockDevice| format!("{}: {}", device.name, device_text(device));
    let devices: Vec<String> = record.host.devices.iter().map(device).collect();
    (!devices.is_empty()).then(|| devices.join("; "))
}

/// The identity of the bottom devices; none where one of them has no firmware revision.
fn device_identity(record: &Record) -> Option<String> {
    let bottom = record.host.devices.iter().filter(|device| device.slaves.is_empty());
    let devices: Option<Vec<String>> = bottom
        .map(|device| {
            device.firmware.as_ref()?;
            let parts = [
                device.firmware.as_ref().map(|firmware| format!("firmware {firmware}")),
                device.serial_masked.as_ref().map(|serial| format!("serial number {serial}")),
                device.link.map(|link| format!("link {}", link_text(link))),
            ];
            Some(format!("{}: {}", device.name, list(parts.into_iter().flatten())))
        })
        .collect();
    devices.filter(|devices| !devices.is_empty()).map(|devices| devices.join("; "))
}

fn without_network(record: &Record) -> Option<&'static str> {
    let over = |location: Location| matches!(location, Location::Remote);
    let needed = record.engine.as_ref().is_some_and(|engine| over(engine.location));
    (!needed).then_some("no physical interface, and the measurement did not use one")
}

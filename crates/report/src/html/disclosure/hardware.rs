//! Hardware of the system under test.

use std::borrow::Cow;

use record::{BlockDevice, Location, Record};

use super::field::{Field, applies, publisher, told, tool};
use crate::inventory::{cpu_facts, device_text, is_virtual, memory_facts, modules, network};
use crate::words::list;

const NOT_SAID: &str = "the kernel does not say";

/// The value of `name` among facts.
pub(super) fn fact(facts: Vec<(&str, Option<String>)>, name: &str) -> Option<String> {
    facts.into_iter().find(|(known, _)| *known == name).and_then(|(_, value)| value)
}

pub(super) fn hardware(record: &Record) -> Vec<Field> {
    let (host, cpu) = (&record.host, &record.host.cpu);
    // What a hypervisor hides belongs to its machine, and no guest can disclose it.
    let hidden = is_virtual(host).then(|| {
        let kind = host.virtualisation.as_deref().unwrap_or_default();
        format!("hidden from a virtual machine ({kind}); the share that others took is checked in every run")
    });
    let hidden = hidden.as_deref();
    let boost = [
        cpu.clock_driver.as_ref().map(|driver| format!("driver {driver}")),
        cpu.boost.map(|boost| if boost { "boost on" } else { "boost off" }.to_owned()),
    ];
    let boost = cpu.boost.map(|_| list(boost.into_iter().flatten()));
    vec![
        elsewhere(record),
        applies(tool("product", host.product.clone(), "the firmware does not say, or may not be read"), hidden),
        tool("processor model", cpu.model.clone(), NOT_SAID),
        tool("stepping and microcode", stepping(record), old(record, NOT_SAID)),
        tool("sockets, cores, threads, multithreading", fact(cpu_facts(cpu), "topology"), NOT_SAID),
        applies(tool("clock and governor", clock(record), NOT_SAID), hidden),
        applies(tool("boost", boost, old(record, NOT_SAID)), hidden),
        applies(tool("idle states", fact(cpu_facts(cpu), "when idle"), old(record, NOT_SAID)), hidden),
        applies(tool("caches", fact(cpu_facts(cpu), "caches"), NOT_SAID), hidden),
        applies(tool("NUMA", fact(cpu_facts(cpu), "NUMA"), NOT_SAID), Some("the kernel shows no NUMA nodes")),
        tool("memory", fact(memory_facts(host), "total"), NOT_SAID),
        applies(
            tool(
                "memory modules and their speed",
                modules(host),
                old(record, "the firmware's tables (/sys/firmware/dmi/tables) may be read by root only"),
            ),
            hidden,
        ),
        tool("devices", devices(record), "no block device was found below the directory"),
        applies(
            tool(
                "firmware, serial number and link of devices",
                device_identity(record),
                old(record, "no device below the directory says them"),
            ),
            hidden,
        ),
        applies(tool("network", network(host), NOT_SAID), without_network(record)),
        applies(tool("firmware of the machine", host.firmware.clone(), old(record, "it cannot be read")), hidden),
        told("virtualisation", host.virtualisation.clone().unwrap_or_else(|| "none visible".to_owned())),
        publisher("instance type and zone, where the machine is rented"),
        publisher("diagram of racks and switches"),
        publisher("list of parts without a price"),
    ]
}

/// Why it is not there: the reason `now`, or that the record is older than the field.
pub(super) fn old(record: &Record, now: &'static str) -> Cow<'static, str> {
    let says = record.host.at_start.is_some();
    if says { now.into() } else { "the version of dbdyno that measured did not read it".into() }
}

/// All other fields of this group are about the machine that dbdyno runs on.
fn elsewhere(record: &Record) -> Field {
    let remote = record.engine.as_ref().is_some_and(|engine| engine.location == Location::Remote);
    let here = "that on which dbdyno runs: what is said below is about it".to_owned();
    let missing = "the engine runs on another host, and what is said below is about the clients'; dbdyno inventory there \
                   says the same of it";
    tool("machine of the engine", (!remote).then_some(here), missing)
}

fn stepping(record: &Record) -> Option<String> {
    // One without the other does not identify what runs.
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

/// Of the devices at the bottom, each of which must say something of its own.
fn device_identity(record: &Record) -> Option<String> {
    let bottom = record.host.devices.iter().filter(|device| device.slaves.is_empty());
    let said: Option<Vec<String>> = bottom
        .map(|device| {
            device.firmware.as_ref()?;
            let parts = [
                device.firmware.as_ref().map(|firmware| format!("firmware {firmware}")),
                device.serial_masked.as_ref().map(|serial| format!("serial number {serial}")),
                device.link.as_ref().map(|link| format!("link {link}")),
            ];
            Some(format!("{}: {}", device.name, list(parts.into_iter().flatten())))
        })
        .collect();
    said.filter(|said| !said.is_empty()).map(|said| said.join("; "))
}

fn without_network(record: &Record) -> Option<&'static str> {
    let over = |location: Location| matches!(location, Location::Remote);
    let needed = record.engine.as_ref().is_some_and(|engine| over(engine.location));
    (!needed).then_some("no interface with a device, and nothing that was measured went over one")
}

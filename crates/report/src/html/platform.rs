//! The platform and its settings, and the measured tables.

use maud::{Markup, html};
use record::{EngineInventory, HostInventory, Record};
use tables::provision;

use crate::figure::UNKNOWN;
use crate::inventory::{
    cpu_facts, device_text, engine_facts, file_system_facts, host_facts, kernel_facts, memory_facts, numa_facts,
    topology,
};
use crate::layout::clean;
use crate::render::page::{Cell, Column, Row, Table, facts};
use crate::text::data_sets;

/// All that is known of the machine and the engine.
pub(super) fn platform(record: &Record) -> Markup {
    html! {
        (machine(&record.host))
        @if let Some(engine) = &record.engine { (engine_part(engine)) }
        (data(record))
    }
}

fn machine(host: &HostInventory) -> Markup {
    let storage = host.file_system.as_ref().map_or(vec![("file system", None)], file_system_facts);
    let devices = host.devices.iter().map(|device| (clean(&device.name), device_text(device)));
    let devices: Vec<(String, String)> = devices.collect();
    let layers = host.devices.iter().flat_map(|device| {
        topology::layers(device).into_iter().map(|(label, text)| (format!("{} {label}", clean(&device.name)), text))
    });
    let devices: Vec<(String, String)> = devices.into_iter().chain(layers).collect();
    html! {
        h3 { "Host" } (facts(&known(host_facts(host))))
        h3 { "Processors" } (facts(&known([cpu_facts(&host.cpu), numa_facts(host)].concat())))
        h3 { "Memory" } (facts(&known(memory_facts(host))))
        h3 { "Kernel" } (facts(&known(kernel_facts(&host.kernel))))
        h3 { "Storage" } (facts(&[known(storage), devices].concat()))
    }
}

/// Facts with `unknown` for absent values.
fn known(facts: Vec<(&str, Option<String>)>) -> Vec<(String, String)> {
    let value = |text: Option<String>| {
        text.map(|text| clean(&text)).filter(|text| !text.is_empty()).unwrap_or_else(|| "unknown".to_owned())
    };
    facts.into_iter().map(|(name, text)| (name.to_owned(), value(text))).collect()
}

fn engine_part(engine: &EngineInventory) -> Markup {
    let lines: Vec<(String, String)> =
        engine_facts(engine).into_iter().map(|(name, text)| (name.to_owned(), clean(&text))).collect();
    let columns = [Column::text("setting"), Column::text("value"), Column::text("default")];
    let mut table = Table::new("settings", "Non-default and performance-relevant settings", &columns);
    table.rows = engine
        .settings
        .iter()
        .map(|setting| {
            let differs = setting.default.as_ref().is_some_and(|default| *default != setting.value);
            let value = html! { @if differs { strong { (clean(&setting.value)) } } @else { (clean(&setting.value)) } };
            let default = setting.default.as_deref().map_or_else(|| UNKNOWN.to_owned(), clean);
            Row::new(vec![Cell::text(clean(&setting.name)), Cell::Markup(value), Cell::text(default)])
        })
        .collect();
    html! { h3 { "Engine" } (facts(&lines)) (table.html()) }
}

fn data(record: &Record) -> Markup {
    let caption = "Tables and their load";
    let mut table = data_sets().html("data-sets", caption, provision::data_sets(record), |_| "");
    table.sortable = false;
    html! { @if !table.rows.is_empty() { h3 { "Data" } (table.html()) } }
}

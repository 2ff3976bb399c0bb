//! What stands once in a publication, as facts.

use model::{Fact, FactGroup};
use toml::Value;

use super::scale_out::settings;
use crate::figure::exact;
use crate::label::{Label, labels};
use crate::publication::{Publication, Section};

/// All facts, by what they are about, and within that in the order of their labels.
pub(super) fn facts(publication: &Publication) -> Vec<Fact> {
    let fact = |label: Label| {
        let value = section(publication, label.section).get(label.key).map(words)?;
        let value = if label.unit.is_empty() { value } else { format!("{value} {}", label.unit) };
        Some(Fact { group: label.group, name: label.name.to_owned(), value })
    };
    let mut facts: Vec<Fact> = labels().filter_map(fact).collect();
    if publication.single_instance.is_some() {
        facts.extend(settings().into_iter().map(|(key, value)| Fact {
            group: FactGroup::Measurement,
            name: key.to_owned(),
            value: value.to_owned(),
        }));
    }
    facts.sort_by_key(|fact| fact.group);
    facts
}

/// The figures of a section, by key.
fn section(publication: &Publication, name: &str) -> Section {
    let figures = |pairs: &[(&str, Option<f64>)]| -> Section {
        pairs.iter().filter_map(|(key, value)| Some(((*key).to_owned(), Value::Float((*value)?)))).collect()
    };
    let with_text = |key: &str, text: &str, rest: Section| -> Section {
        [(key.to_owned(), Value::String(text.to_owned()))].into_iter().chain(rest).collect()
    };
    match name {
        "platform" => publication.platform.clone(),
        "load" => publication.load.clone(),
        "numa" => publication.numa.clone(),
        "file_streams" => publication.file_streams.clone(),
        "shared_storage_contention" => publication.shared_storage_contention.clone(),
        "smt" => figures(&[("low_utilisation_tax", publication.smt.as_ref().map(|study| study.low_utilisation_tax))]),
        "calibrate_io" => publication.calibrate_io.as_ref().map_or_else(Section::new, |calibration| {
            figures(&[
                ("num_physical_disks", calibration.num_physical_disks),
                ("max_latency_ms", calibration.max_latency_ms),
                ("actual_latency_ms", Some(calibration.actual_latency_ms)),
            ])
        }),
        "single_instance" => publication.single_instance.as_ref().map_or_else(Section::new, |instance| {
            let (schemas, peak) = (f64::from(instance.schemas), instance.latency_peak_ms);
            with_text(
                "server",
                &instance.server,
                figures(&[("schemas", Some(schemas)), ("latency_peak_ms", Some(peak))]),
            )
        }),
        "second_level_cache" => publication.second_level_cache.as_ref().map_or_else(Section::new, |cache| {
            let per_block = [
                ("header_bytes_per_block", Some(cache.header_bytes_per_block)),
                ("block_size", Some(cache.block_size)),
                ("header_mb_per_gb", Some(cache.header_mb_per_gb)),
                ("header_gb_per_tb", Some(cache.header_gb_per_tb)),
            ];
            with_text("kind", &cache.kind, figures(&per_block))
        }),
        _ => Section::new(),
    }
}

fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Integer(figure) => exact(*figure as f64),
        Value::Float(figure) => exact(*figure),
        Value::Array(values) => values.iter().map(words).collect::<Vec<_>>().join("; "),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::lookup::FILES;

    #[test]
    fn every_key_of_a_section_has_a_label_and_every_label_a_key() {
        let known: BTreeSet<(&str, &str)> = labels().map(|label| (label.section, label.key)).collect();
        assert_eq!(known.len(), labels().count(), "a key has two labels");
        let mut used = BTreeSet::new();
        for (name, text) in FILES {
            let publication = Publication::parse(text).unwrap();
            for (section_name, _) in &known {
                for key in section(&publication, section_name).keys() {
                    let label = known.iter().find(|label| **label == (*section_name, key.as_str()));
                    used.insert(*label.unwrap_or_else(|| panic!("{section_name}.{key} of {name} has no label")));
                }
            }
        }
        assert_eq!(used, known);
    }

    #[test]
    fn facts_are_read_from_the_machine_to_how_it_was_measured() {
        let system = crate::find("hp-dl980").unwrap();
        assert!(system.facts.is_sorted_by_key(|fact| fact.group));
        let shown: Vec<String> = system.facts.iter().map(|fact| format!("{}: {}", fact.name, fact.value)).collect();
        assert_eq!(shown[..3], ["processor: Intel Xeon X7560", "clock: 2.26 GHz", "sockets: 4"]);
        assert!(shown.contains(&"large table: 1,024,000,000 rows".to_owned()));
        let datrium = crate::find("datrium").unwrap();
        assert!(datrium.facts.iter().any(|fact| fact.name == "UPDATE_PCT" && fact.value == "30"));
    }
}

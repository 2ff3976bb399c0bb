//! What becomes of a text of a record, by the field that it stands in.

use super::stand_ins::Class;

/// What becomes of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Treatment {
    /// It is a name as a whole.
    Name(Class),
    /// A target: its kind stays.
    Target,
    /// The value of a setting of an engine: numbers and single words stay.
    Setting,
    /// Names in it are replaced: those of the records, addresses, absolute paths, identifiers of devices.
    Text,
    /// What a server said, or what was said of it: what is quoted in it may be a name as well.
    Message,
    /// It is the user's own, and left out.
    Own,
    /// A statement, which is left out where tests of the user were run.
    Statement,
    /// The name of a type of transaction, which is one of the user's where tests of the user were run.
    Script,
    /// It names nobody: a code, a unit, a model, a version, a digest of the program, a histogram.
    Plain,
}

/// Fields whose texts are names as a whole, by the field that they are in (any where it is empty) and their own.
const NAMES: [(&str, &str, Class); 37] = [
    ("", "host_name", Class::Host),
    ("server_hosts", "name", Class::Host),
    ("storage_hosts", "name", Class::Host),
    ("nodes", "name", Class::Host),
    ("events", "name", Class::Host),
    ("", "agent", Class::Host),
    ("", "agent_hosts", Class::Host),
    ("network", "peer", Class::Address),
    ("network", "address", Class::Address),
    ("paths", "address", Class::Address),
    ("", "boot_id", Class::Serial),
    ("", "serial_masked", Class::Serial),
    ("", "subsystem", Class::Label),
    ("", "directory", Class::Path),
    ("", "mount_point", Class::Path),
    ("file_system", "source", Class::Path),
    ("load", "source", Class::Path),
    ("", "backing_file", Class::Path),
    ("", "test_files", Class::Path),
    ("", "test_file", Class::Path),
    ("", "path", Class::Path),
    ("", "files", Class::Path),
    ("notes", "first", Class::Path),
    ("", "memory_device", Class::Path),
    ("", "device", Class::Path),
    ("", "job", Class::Job),
    ("jobs", "name", Class::Job),
    ("phases", "name", Class::Job),
    ("scripts", "name", Class::Script),
    ("scripts", "role", Class::Label),
    ("roles", "name", Class::Label),
    ("role", "name", Class::Label),
    ("gauges", "name", Class::Label),
    ("variables", "", Class::Label),
    ("", "id", Class::Record),
    ("durability_shown", "record", Class::Record),
    ("", "other", Class::Record),
];

/// Fields that are the user's own text.
const OWN: [(&str, &str); 3] = [("scripts", "text"), ("gauges", "sql"), ("jobs", "description")];

/// Fields that say what somebody said.
const MESSAGES: [&str; 19] = [
    "compared",
    "complaints",
    "ended_with",
    "event",
    "expected",
    "faults",
    "first_failure",
    "found",
    "hint",
    "ignored",
    "lints",
    "message",
    "metadata",
    "reason",
    "refusal",
    "refused",
    "unreadable",
    "what",
    "would_not_start",
];

/// Fields whose texts are of a known form, and name nobody.
#[rustfmt::skip]
const PLAIN: [&str; 112] = [
    "above", "access", "address", "answers", "architecture", "arrival", "backend", "bound", "cache_fit", "caches",
    "class", "clock_driver", "clock_method", "clock_source", "commit", "commit_count", "compiler", "compressible",
    "compression", "confirms", "content", "counted", "counted_by", "coverage", "cpu_set", "cpus", "data_reads",
    "deviation", "device_io", "direction", "distribution", "driver", "ended_at", "ending", "engine", "explanation",
    "file_choice", "fingerprint", "firmware", "flush", "form", "format", "governor", "histogram", "idle_driver", "idle_states",
    "indexes", "kernel", "kind", "kinds", "layer", "level", "littles_law", "load", "location", "loop_location",
    "method", "microcode", "mode", "model", "modes", "names", "open_sync", "operating_system", "operation",
    "origin", "pace", "page_cache", "path_policy", "pci_address", "per_minute", "place", "placement", "plan_hash",
    "platform", "point", "preset", "probe", "product", "program_sha256", "protections", "quantity", "query_mode", "release", "resource",
    "responses", "scheduler", "schema_version", "sharing", "side", "slaves", "slot", "started_at", "state",
    "statistic", "status", "step", "stepping", "steps", "subject", "sweep", "sync_action", "technique", "tracer",
    "transparent_huge_page_defragmentation", "transparent_huge_pages", "transport", "unit", "unwritten", "version", "virtualisation",
    "write_cache",
];

/// Fields that may have names in them, beside all that are not known here.
#[cfg(test)]
const TEXTS: [&str; 20] = [
    "command_line",
    "default",
    "durability",
    "encryption",
    "file_system",
    "flags",
    "form",
    "layout",
    "means",
    "mitigations",
    "name",
    "options",
    "program",
    "queue",
    "settings",
    "table",
    "test",
    "text",
    "title",
    "value",
];

/// What becomes of the text in the field `key` of the field `parent`.
pub(crate) fn treatment(parent: &str, key: &str) -> Treatment {
    let is_of = |(of, name): (&str, &str)| (of.is_empty() || of == parent) && (name.is_empty() || name == key);
    if let Some((_, _, class)) = NAMES.iter().find(|(of, name, _)| is_of((of, name))) {
        return Treatment::Name(*class);
    }
    match key {
        "target" | "other_target" => Treatment::Target,
        "value" | "default" if parent == "settings" => Treatment::Setting,
        // A database may be called as its engine is.
        "name" if matches!(parent, "engine" | "settings") => Treatment::Plain,
        "text" if parent == "statements" => Treatment::Statement,
        "name" if parent == "transaction_types" => Treatment::Script,
        _ if OWN.into_iter().any(is_of) => Treatment::Own,
        _ if MESSAGES.contains(&key) => Treatment::Message,
        _ if PLAIN.contains(&key) => Treatment::Plain,
        // A field that is not known yet is one that may have names.
        _ => Treatment::Text,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;

    const SCHEMA: &str = include_str!("../../../../schema/record-v1.json");

    /// The names of all fields whose values are texts, or are lists or maps of texts.
    fn text_fields(schema: &Value, found: &mut BTreeSet<String>) {
        let is_text = |value: &Value| {
            let kind = &value["type"];
            kind == "string" || kind.as_array().is_some_and(|kinds| kinds.contains(&"string".into()))
        };
        if let Some(fields) = schema["properties"].as_object() {
            for (name, value) in fields {
                let is_known = value.get("enum").is_some() || value.get("const").is_some();
                if !is_known && [value, &value["items"], &value["additionalProperties"]].into_iter().any(is_text) {
                    found.insert(name.clone());
                }
            }
        }
        match schema {
            Value::Object(fields) => fields.values().for_each(|value| text_fields(value, found)),
            Value::Array(values) => values.iter().for_each(|value| text_fields(value, found)),
            _ => {}
        }
    }

    #[test]
    fn every_text_of_a_record_has_been_thought_of() {
        let mut fields = BTreeSet::new();
        text_fields(&serde_json::from_str(SCHEMA).unwrap(), &mut fields);
        assert!(fields.len() > 100, "{}", fields.len());
        let named: BTreeSet<&str> =
            NAMES.iter().map(|(of, name, _)| if name.is_empty() { *of } else { *name }).collect();
        let others = ["target", "other_target", "kinds", "tests", "failures"];
        let is_known = |field: &&String| {
            let field = field.as_str();
            named.contains(field)
                || OWN.iter().any(|(_, name)| *name == field)
                || [&MESSAGES[..], &PLAIN, &TEXTS, &others].iter().any(|list| list.contains(&field))
        };
        let unknown: Vec<&String> = fields.iter().filter(|field| !is_known(field)).collect();
        assert!(unknown.is_empty(), "say in treatment.rs whether these can name anybody: {unknown:?}");
    }

    #[test]
    fn a_field_is_known_by_where_it_stands() {
        assert_eq!(treatment("host", "host_name"), Treatment::Name(Class::Host));
        assert_eq!(treatment("network", "address"), Treatment::Name(Class::Address));
        assert_eq!(treatment("pci", "address"), Treatment::Plain);
        assert_eq!(treatment("devices", "name"), Treatment::Text);
        assert_eq!(treatment("engine", "name"), Treatment::Plain);
        assert_eq!(treatment("x", "unheard_of"), Treatment::Text);
    }
}

//! The page of the format of records, which is its JSON Schema as text.

use std::fmt::Write as _;

use serde_json::{Map, Value};

/// Descriptions of a schema of one line of a record: the kinds of lines, then each type by its name.
pub fn page(schema: &Value) -> String {
    let mut page = "# The format of records\n\nA record is a file of JSON Lines: each line is an object with one member, which \
                    names the kind of line. The first line is a `head`, each finished run is a `run`, and `end` says that the \
                    invocation is over; a last line that is torn is not read. Names have their unit, ratios are in [0, 1], \
                    durations are in nanoseconds, and what is not known is absent or null, never zero. `dbdyno schema` prints the same \
                    as a JSON Schema.\n\n## Lines\n"
        .to_owned();
    variants(&mut page, &schema["oneOf"]);
    for (name, of) in members(&schema["$defs"]) {
        let _ = write!(page, "\n## {name}\n");
        paragraph(&mut page, of);
        fields(&mut page, of);
        variants(&mut page, &of["oneOf"]);
        if of["oneOf"].is_null() && of["properties"].is_null() {
            let _ = write!(page, "\nIn JSON: {}.\n", word(of));
        }
    }
    page
}

fn members(of: &Value) -> impl Iterator<Item = (&String, &Value)> {
    of.as_object().into_iter().flat_map(Map::iter)
}

/// The description of a type without line ends; links of the source are its names.
fn description(of: &Value) -> String {
    let words: Vec<&str> = of["description"].as_str().unwrap_or_default().split_whitespace().collect();
    words.join(" ").replace("[`", "`").replace("`]", "`").replace('|', "\\|").replace('<', "&lt;")
}

fn paragraph(page: &mut String, of: &Value) {
    let text = description(of);
    if !text.is_empty() {
        let _ = write!(page, "\n{text}\n");
    }
}

/// The members of an object as a table.
fn fields(page: &mut String, of: &Value) {
    if of["properties"].is_null() {
        return;
    }
    page.push_str("\n| member | type | meaning |\n|---|---|---|\n");
    for (name, member) in members(&of["properties"]) {
        let required = of["required"].as_array().is_some_and(|all| all.iter().any(|one| one == name));
        let presence = if required { "" } else { ", may be absent" };
        let _ = writeln!(page, "| `{name}` | {}{presence} | {} |", word(member), description(member));
    }
}

/// The values that a type can have, one each line.
fn variants(page: &mut String, all: &Value) {
    for (index, variant) in all.as_array().into_iter().flatten().enumerate() {
        let colon = |text: String| if text.is_empty() { text } else { format!(": {text}") };
        let start = if index == 0 { "\n" } else { "" };
        let _ = writeln!(page, "{start}- {}{}", word(variant), colon(description(variant)));
    }
}

/// The type of a value in a few words.
fn word(of: &Value) -> String {
    if let Some(name) = of["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
        return format!("[{name}](#{})", name.to_lowercase());
    }
    if !of["const"].is_null() {
        return format!("`{}`", of["const"]);
    }
    if let Some(any) = of["anyOf"].as_array() {
        return any.iter().map(word).collect::<Vec<_>>().join(" or ");
    }
    match of["type"].as_str().unwrap_or("any value") {
        "array" if of["items"].is_object() => format!("list of {}", word(&of["items"])),
        "array" => {
            let parts = of["prefixItems"].as_array().into_iter().flatten().map(word);
            format!("list of {}", parts.collect::<Vec<_>>().join(" and "))
        }
        "object" if of["additionalProperties"].is_object() => {
            format!("object with any names, of {}", word(&of["additionalProperties"]))
        }
        "object" => {
            let member = |(name, of): (&String, &Value)| match description(of) {
                text if text.is_empty() => format!("`{name}` {}", word(of)),
                text => format!("`{name}` {} ({})", word(of), text.trim_end_matches('.')),
            };
            format!("object of {}", members(&of["properties"]).map(member).collect::<Vec<_>>().join("; "))
        }
        "string" => "text".to_owned(),
        other => other.to_owned(),
    }
}

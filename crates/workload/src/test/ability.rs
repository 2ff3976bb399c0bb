//! Capabilities of engines, as named in test files and in the plan.

use engine::Caps;

const NOTHING: Caps = Caps {
    procedures: false,
    decimal: false,
    table_compression: false,
    partitions: false,
    lines: false,
    column_names: false,
    limit_clause: false,
    json: false,
    large_values: false,
    parallel_query: false,
    parallel_index: false,
    concurrent_writers: false,
    counts_read_commits: false,
    counts_procedure_commits: false,
    answers: false,
};

/// The names for test files.
pub(crate) fn known() -> impl Iterator<Item = &'static str> {
    NOTHING.named().into_iter().map(|(name, _)| name)
}

/// Whether `caps` have the ability `name`.
pub(crate) fn has(caps: &Caps, name: &str) -> bool {
    caps.named().into_iter().any(|(known, there)| known == name && there)
}

/// The absence of the ability `name`, as an object of "has": `no table compression`.
pub(crate) fn lack(name: &str) -> String {
    match name {
        "procedures" => "no procedural language".to_owned(),
        "decimal" => "no exact decimal arithmetic".to_owned(),
        "json" => "no functions for JSON documents".to_owned(),
        "parallel_index" => "no parallel index build".to_owned(),
        other => format!("no {}", other.replace('_', " ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_missing_ability_is_described() {
        assert!(known().all(|name| !has(&NOTHING, name)));
        let words: Vec<String> = known().map(lack).collect();
        assert_eq!(words[..3], ["no procedural language", "no exact decimal arithmetic", "no table compression"]);
        assert_eq!(words[3..5], ["no functions for JSON documents", "no large values"]);
        assert_eq!(words[5], "no limit clause");
        assert_eq!(words[6..], ["no parallel query", "no parallel index build", "no concurrent writers"]);
    }
}

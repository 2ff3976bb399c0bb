//! `${VAR}`, and `$pagesize`, `$mb_memory`, `$ncpus` with arithmetic.

use std::path::Path;

use record::Bytes;

use crate::arithmetic;

/// Environment variables, included files, and properties of the machine.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// An environment variable, for `${NAME}`; a missing one expands to nothing.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    /// The text of an included file. The path is joined to the directory of the file that includes it.
    pub include: &'a dyn Fn(&Path) -> std::io::Result<String>,
    /// The bytes of the file that a pattern names, relative to the working directory.
    pub content: &'a dyn Fn(&Path) -> std::io::Result<Vec<u8>>,
    /// The value of `$pagesize`.
    pub page_bytes: Bytes,
    /// Memory of the machine: `$mb_memory`, and the limit of the lint for cached regions.
    pub memory_bytes: Bytes,
    /// The value of `$ncpus`.
    pub processors: u32,
}

/// An expanded value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Expanded {
    /// The value with every variable and keyword replaced.
    pub(crate) text: String,
    /// The first variable that is not set, which expands to nothing.
    pub(crate) unset: Option<String>,
}

/// Expands variables and keywords.
pub(crate) fn expand(value: &str, surroundings: &Surroundings<'_>) -> Expanded {
    let (text, unset) = variables(value, surroundings);
    Expanded { text: keywords(text.trim(), surroundings), unset }
}

fn variables(value: &str, surroundings: &Surroundings<'_>) -> (String, Option<String>) {
    let mut text = String::new();
    let mut unset = None;
    let mut rest = value;
    while let Some(start) = rest.find("${") {
        // Without a closing brace it is not a variable.
        let Some(length) = rest[start..].find('}') else { break };
        let name = &rest[start + 2..start + length];
        text.push_str(&rest[..start]);
        match (surroundings.variable)(name) {
            Some(found) => text.push_str(&found),
            None => drop(unset.get_or_insert_with(|| name.to_owned())),
        }
        rest = &rest[start + length + 1..];
    }
    text.push_str(rest);
    (text, unset)
}

fn keywords(text: &str, surroundings: &Surroundings<'_>) -> String {
    let known = [
        ("$pagesize", surroundings.page_bytes.0),
        ("$mb_memory", surroundings.memory_bytes.0 >> 20),
        ("$ncpus", surroundings.processors.into()),
    ];
    if !known.iter().any(|(keyword, _)| text.contains(keyword)) {
        return text.to_owned();
    }
    let replaced =
        known.iter().fold(text.to_owned(), |text, (keyword, value)| text.replace(keyword, &value.to_string()));
    // Only a value that is arithmetic as a whole is computed: `$ncpus jobs` in a description is not.
    let plain = |suffix: &str| suffix.is_empty().then_some(1.0);
    match arithmetic::evaluate(&replaced, &plain) {
        Ok(value) if (0.0..9.2e18).contains(&value) => (value as u64).to_string(),
        _ => replaced,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn variables_are_expanded_and_missing_ones_are_empty() {
        let variable = |name: &str| (name == "SIZE").then(|| "1g".to_owned());
        let surroundings = Surroundings { variable: &variable, ..fixture::surroundings() };
        assert_eq!(expand("${SIZE}", &surroundings).text, "1g");
        assert_eq!(expand("a${SIZE}b${SIZE}", &surroundings).text, "a1gb1g");
        let missing = expand("x${NOT}y", &surroundings);
        assert_eq!((missing.text.as_str(), missing.unset.as_deref()), ("xy", Some("NOT")));
        assert_eq!(expand("${SIZE", &surroundings).text, "${SIZE");
        assert_eq!(expand("$jobname.$jobnum", &surroundings).text, "$jobname.$jobnum");
    }

    #[test]
    fn keywords_are_expanded_and_computed() {
        let surroundings = fixture::surroundings();
        assert_eq!(expand("2*$mb_memory", &surroundings).text, "32768");
        assert_eq!(expand("$pagesize*2", &surroundings).text, "8192");
        assert_eq!(expand("$mb_memorym", &surroundings).text, "16384m");
        assert_eq!(expand("$ncpus jobs", &surroundings).text, "8 jobs");
    }
}

//! `${VAR}`, and `$pagesize`, `$mb_memory`, `$ncpus` with the arithmetic that may surround them.

use crate::arithmetic;
use crate::surroundings::Surroundings;

/// A value as it counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Expanded {
    /// The value with every variable and keyword replaced.
    pub(crate) text: String,
    /// The first variable that is not set and left nothing.
    pub(crate) unset: Option<String>,
}

/// Replaces what stands for something else.
pub(crate) fn expand(value: &str, surroundings: &Surroundings<'_>) -> Expanded {
    let (text, unset) = variables(value, surroundings);
    Expanded { text: keywords(text.trim(), surroundings), unset }
}

fn variables(value: &str, surroundings: &Surroundings<'_>) -> (String, Option<String>) {
    let mut text = String::new();
    let mut unset = None;
    let mut rest = value;
    while let Some(start) = rest.find("${") {
        // Without its end it is no variable.
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
    // Only a value that is arithmetic from end to end is computed: `$ncpus jobs` in a description is not.
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
    fn variables_are_replaced_and_missing_ones_leave_nothing() {
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
    fn numbers_of_the_machine_are_replaced_and_computed() {
        let surroundings = fixture::surroundings();
        assert_eq!(expand("2*$mb_memory", &surroundings).text, "32768");
        assert_eq!(expand("$pagesize*2", &surroundings).text, "8192");
        assert_eq!(expand("$mb_memorym", &surroundings).text, "16384m");
        assert_eq!(expand("$ncpus jobs", &surroundings).text, "8 jobs");
    }
}

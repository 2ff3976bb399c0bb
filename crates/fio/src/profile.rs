//! Built-in job files with the I/O of databases. Each is a file in `profiles`, to be read, copied and changed.

/// Names and texts.
const PROFILES: &[(&str, &str)] = include!("../profiles/list.rs");

/// The names of the profiles, in the order of the list.
pub fn profiles() -> impl Iterator<Item = &'static str> {
    PROFILES.iter().map(|(name, _)| *name)
}

/// The job file of the profile `name`.
pub fn profile(name: &str) -> Option<&'static str> {
    PROFILES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

#[cfg(test)]
mod tests;

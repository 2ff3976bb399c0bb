//! Scripts of pgbench in commands that repeat a measurement or go on with it.

use record::{Plan, Script};

use crate::shell_word::shell_word;

/// The options that name the scripts of `plan`, their weights and variables, as words of a command.
pub(crate) fn script_options(plan: &Plan) -> Vec<String> {
    let Some(scripts) = &plan.scripts else { return Vec::new() };
    let option = |name: &str, value: String| format!("--{name} {}", shell_word(&value));
    let script = |script: &Script| {
        let weighted = |name: &str| format!("{name}@{}", script.weight);
        match script.name.strip_prefix(Script::BUILTIN_PREFIX) {
            Some(name) => option("builtin", weighted(name)),
            None => option("script", weighted(&script.name)),
        }
    };
    let variables = scripts.variables.iter().map(|(name, value)| option("define", format!("{name}={value}")));
    let scale = scripts.initialized_scale.map(|scale| format!("--initialize --scale {scale}"));
    scripts.scripts.iter().map(script).chain(variables).chain(scale).collect()
}

//! Scripts of pgbench in commands that repeat a measurement or go on with it.

use std::num::NonZeroU32;

use record::{Plan, QueryMode, Script};

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
    let schema =
        scripts.scripts.iter().find_map(|script| script.name.strip_prefix(Script::SCHEMA_PREFIX)?.split('/').next());
    let schema = schema.map(|schema| option("schema", schema.to_owned()));
    let is_named = |script: &&Script| !script.name.starts_with(Script::SCHEMA_PREFIX);
    let variables = scripts.variables.iter().map(|(name, value)| option("define", format!("{name}={value}")));
    let scale = scripts.initialized_scale.map(|scale| format!("--initialize --scale {scale}"));
    let tries = scripts.tries_max.map(|tries| match tries {
        NonZeroU32::MAX => "--max-tries 0".to_owned(),
        tries => format!("--max-tries {tries}"),
    });
    let connect = scripts.connect.then(|| "--connect".to_owned());
    let mode = match scripts.query_mode {
        QueryMode::Simple => Some("--query-mode simple".to_owned()),
        QueryMode::Extended => Some("--query-mode extended".to_owned()),
        QueryMode::Prepared => None,
    };
    let roles = scripts.roles.iter().map(|role| {
        let jobs = role.jobs.map(|jobs| format!("jobs={jobs}"));
        let rate = role.rate.map(|rate| format!("rate={rate}"));
        let settings: Vec<String> = jobs.into_iter().chain(rate).collect();
        option("role", format!("{}:{}", role.name, settings.join(",")))
    });
    let gauges = scripts.gauges.iter().map(|gauge| option("gauge", format!("{}={}", gauge.name, gauge.sql)));
    let named = scripts.scripts.iter().filter(is_named).map(script);
    let each = schema.into_iter().chain(named).chain(variables).chain(scale).chain(tries).chain(mode).chain(connect);
    each.chain(roles).chain(gauges).collect()
}

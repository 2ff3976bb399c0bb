//! Title and parameters of a run.

use record::{Bytes, Nanos};
use workload::blocks::{BlocksSettings, RedoStress};

/// Title: what is done, and with which cache size if runs differ in it.
pub(super) fn title(settings: &BlocksSettings, cache: Option<Bytes>) -> String {
    let BlocksSettings { work_unit, update_percent, .. } = settings;
    let noun = if *work_unit == 1 { "block" } else { "blocks" };
    let cache = cache.map_or_else(String::new, |Bytes(bytes)| format!("cache {} MiB, ", bytes >> 20));
    format!("{cache}random blocks, {work_unit} {noun} an operation, {update_percent} % updates")
}

/// The settings as numbers, named as in `slob.conf`.
pub(super) fn parameters(settings: &BlocksSettings) -> Vec<(&'static str, i64)> {
    let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    let milliseconds = |time: Nanos| number(time.0 / 1_000_000);
    let mut parameters = vec![
        ("update_pct", settings.update_percent.into()),
        ("scan_pct", settings.scan_percent.into()),
        ("work_loop", number(settings.work_loop)),
        ("scale_blocks", number(settings.scale_blocks)),
        ("work_unit", number(settings.work_unit)),
        ("redo_stress_heavy", i64::from(settings.redo_stress == RedoStress::Heavy)),
        ("load_parallel_degree", settings.load_jobs.into()),
        ("threads_per_schema", settings.threads_per_schema.into()),
        ("schemas", settings.schemas.into()),
        ("obfuscate_columns", i64::from(settings.obfuscated)),
    ];
    if settings.scans() {
        parameters.push(("scan_table_blocks", number(settings.scan_blocks)));
    }
    if let Some(spot) = settings.hot_spot() {
        parameters.push(("hotspot_blocks", number(spot.blocks)));
        parameters.push(("hotspot_offset_blocks", number(spot.offset_blocks)));
        parameters.push(("hotspot_frequency", number(spot.frequency)));
    }
    if let Some(frequency) = settings.hot_schema() {
        parameters.push(("hot_schema_frequency", number(frequency)));
    }
    if let Some(think) = settings.think() {
        parameters.push(("think_tm_frequency", number(think.frequency)));
        parameters.push(("think_tm_min_ms", milliseconds(think.least_ns)));
        parameters.push(("think_tm_max_ms", milliseconds(think.most_ns)));
    }
    parameters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_those_that_the_run_had() {
        let names = |pairs: &[(&str, &str)]| -> Vec<&str> {
            {
                let mut settings = BlocksSettings::default();
                for (name, value) in pairs {
                    settings.set(name, name, value).expect(name);
                }
                parameters(&settings).into_iter().map(|(name, _)| name).collect()
            }
        };
        assert_eq!(names(&[]).len(), 10);
        let all = names(&[
            ("SCAN_PCT", "1"),
            ("DO_HOTSPOT", "TRUE"),
            ("HOT_SCHEMA_FREQUENCY", "3"),
            ("SCHEMAS", "2"),
            ("THINK_TM_FREQUENCY", "5"),
        ]);
        assert_eq!(all.len(), 18);
    }
}

//! Title, parameters and device probe of a run.

use record::{Bytes, Nanos};
use workload::blocks::{BlocksSettings, RedoStress};

use crate::kind::device::DeviceProbe;

/// Title: what is done, and with which cache size if runs differ in it.
pub(super) fn title(settings: &BlocksSettings, cache: Option<Bytes>) -> String {
    let BlocksSettings { work_unit, update_percent, scan_percent, scan_blocks, .. } = settings;
    let blocks = |count: u64| format!("{count} {}", if count == 1 { "block" } else { "blocks" });
    let cache = cache.map_or_else(String::new, |Bytes(bytes)| format!("cache {} MiB, ", bytes >> 20));
    if only_scans(settings) {
        return format!("{cache}scans of {}", blocks(*scan_blocks));
    }
    let scans = if settings.scans() { format!(", {scan_percent} % of the reads scan") } else { String::new() };
    format!("{cache}random blocks, {} an operation, {update_percent} % updates{scans}", blocks(*work_unit))
}

/// Whether each operation scans a whole table.
fn only_scans(settings: &BlocksSettings) -> bool {
    // The percentage of scans is that among operations that do not update.
    settings.scans() && settings.scan_percent == 100 && settings.update_percent == 0
}

/// The probe of the device that does what the operations do.
pub(super) fn device_probe(settings: &BlocksSettings) -> DeviceProbe {
    if only_scans(settings) { DeviceProbe::SEQUENTIAL } else { DeviceProbe::RANDOM }
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

    fn of(pairs: &[(&str, &str)]) -> BlocksSettings {
        let mut settings = BlocksSettings::default();
        for (name, value) in pairs {
            settings.set(name, name, value).expect(name);
        }
        settings
    }

    #[test]
    fn scans_are_called_scans_and_bounded_by_sequential_reads() {
        let plain = of(&[("UPDATE_PCT", "10")]);
        assert_eq!(title(&plain, None), "random blocks, 64 blocks an operation, 10 % updates");
        assert_eq!(device_probe(&plain).code, "S21");
        let mixed = of(&[("UPDATE_PCT", "10"), ("SCAN_PCT", "20")]);
        assert_eq!(title(&mixed, None), "random blocks, 64 blocks an operation, 10 % updates, 20 % of the reads scan");
        assert_eq!(device_probe(&mixed).code, "S21");
        let scans = of(&[("UPDATE_PCT", "0"), ("SCAN_PCT", "100"), ("SCAN_TABLE_SZ", "16M")]);
        assert_eq!(title(&scans, Some(Bytes::MIB)), "cache 1 MiB, scans of 2048 blocks");
        assert_eq!(device_probe(&scans).code, "S11");
    }

    #[test]
    fn parameters_are_those_that_the_run_had() {
        let names = |pairs: &[(&str, &str)]| -> Vec<&str> {
            parameters(&of(pairs)).into_iter().map(|(name, _)| name).collect()
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

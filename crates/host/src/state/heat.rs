//! Temperature and thermal throttling.

use std::path::PathBuf;

use base::root::{self, Root};

/// The highest temperature of thermal zones and sensors, in degrees Celsius.
pub(super) fn temperature_celsius_max(root: &Root) -> Option<f64> {
    let class = root.sys.join("class");
    let zones = below(&class.join("thermal"), "thermal_zone").into_iter().map(|zone| zone.join("temp"));
    let sensors = below(&class.join("hwmon"), "hwmon").into_iter().flat_map(|sensor| {
        let inputs = root::names(&sensor).into_iter();
        inputs.filter(|name| name.starts_with("temp") && name.ends_with("_input")).map(move |name| sensor.join(name))
    });
    let temperatures = zones.chain(sensors).filter_map(|file| Some(root::value::<i64>(file)? as f64 / 1000.0));
    // A sensor that is not connected reports impossible values.
    temperatures.filter(|celsius| (-50.0..200.0).contains(celsius)).reduce(f64::max)
}

/// Thermal throttle events of cores and packages, of all processors; none if the kernel does not count them.
pub(super) fn throttle_count(root: &Root) -> Option<u64> {
    let cpus = below(&root.sys.join("devices/system/cpu"), "cpu");
    let files =
        |cpu: &PathBuf| ["core", "package"].map(|part| cpu.join(format!("thermal_throttle/{part}_throttle_count")));
    cpus.iter().flat_map(files).filter_map(root::value::<u64>).reduce(u64::saturating_add)
}

fn below(directory: &std::path::Path, prefix: &str) -> Vec<PathBuf> {
    root::numbered(directory, prefix).into_iter().map(|number| directory.join(format!("{prefix}{number}"))).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_highest_temperature_and_all_throttle_events() {
        let scratch = tempfile::tempdir().expect("temporary directory");
        let root = Root::below(scratch.path());
        assert_eq!((temperature_celsius_max(&root), throttle_count(&root)), (None, None));
        for (path, text) in [
            ("class/thermal/thermal_zone0/temp", "45000"),
            ("class/hwmon/hwmon1/temp2_input", "61500"),
            ("class/hwmon/hwmon1/temp3_input", "-273000"),
            ("class/hwmon/hwmon1/fan1_input", "99000"),
            ("devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "3"),
            ("devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", "4"),
            ("devices/system/cpu/cpu1/thermal_throttle/package_throttle_count", "5"),
        ] {
            let path = root.sys.join(path);
            fs::create_dir_all(path.parent().expect("parent")).expect("directory");
            fs::write(path, text).expect("file");
        }
        assert_eq!((temperature_celsius_max(&root), throttle_count(&root)), (Some(61.5), Some(12)));
    }
}

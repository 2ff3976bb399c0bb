//! The state of the machine: what changes during a measurement and can affect it.

mod heat;
mod log;

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use base::root::{self, Root};
use record::{HostState, KernelLog};

use crate::inventory;

/// Multiplications per series, and number of series, of which the fastest counts: some ten milliseconds in total.
const MULTIPLICATIONS: u32 = 1 << 18;
const SERIES: u32 = 28;

/// The current state of this host, with the file system of `directory`. Kernel messages are counted after `since`, and
/// only kept if it is given. Keeps one processor busy for some ten milliseconds. Does not include background programs:
/// see [`crate::Processes`].
pub fn state(directory: &Path, since: Option<&HostState>) -> HostState {
    let state = state_at(&Root::host(), directory, since.and_then(|since| since.kernel_log.as_ref()));
    HostState { multiplication_ns: Some(multiplication_ns()), ..state }
}

/// The same of the machine below `root`, without the multiplication time.
fn state_at(root: &Root, directory: &Path, since: Option<&KernelLog>) -> HostState {
    let memory = root::text(root.proc.join("meminfo")).unwrap_or_default();
    let available = root::entry(&memory, "MemAvailable").and_then(root::size_bytes).map(record::Bytes);
    HostState {
        load_average_1_minute: load_average(&root::text(root.proc.join("loadavg")).unwrap_or_default()),
        background_programs: None,
        clock_mhz: inventory::clock_mhz(root),
        temperature_celsius_max: heat::temperature_celsius_max(root),
        thermal_throttle_count: heat::throttle_count(root),
        multiplication_ns: None,
        memory_available_bytes: available,
        free_bytes: if root.is_host() { inventory::free_bytes(directory) } else { None },
        kernel_log: Some(log::read(&root.top.join("dev/kmsg"), since)),
    }
}

/// The first number of `/proc/loadavg`.
fn load_average(text: &str) -> Option<f64> {
    text.split(' ').next()?.parse().ok().filter(|load: &f64| load.is_finite())
}

/// Time of one of many dependent multiplications.
fn multiplication_ns() -> f64 {
    let series = |seed: u32| {
        let start = Instant::now();
        let mut number = black_box(u64::from(seed) | 3);
        for _ in 0..MULTIPLICATIONS {
            // The square of a number: cannot be folded by the compiler.
            number = number.wrapping_mul(number | 1);
        }
        black_box(number);
        start.elapsed().as_nanos() as f64 / f64::from(MULTIPLICATIONS)
    };
    (0..SERIES).map(series).fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_host_has_a_state() {
        let now = state(Path::new("/"), None);
        assert!(now.load_average_1_minute.is_some_and(|load| load >= 0.0));
        assert!(now.free_bytes.is_some() && now.memory_available_bytes.is_some());
        let multiplication = now.multiplication_ns.expect("always measured");
        assert!(multiplication > 0.05 && multiplication < 1_000.0, "{multiplication} ns");
        let later = state(Path::new("/"), Some(&now));
        let (then, later) = (now.kernel_log.expect("a log"), later.kernel_log.expect("a log"));
        assert_eq!(then.unreadable, later.unreadable);
        assert!(later.last_message >= then.last_message);
    }

    #[test]
    fn an_empty_machine_has_an_empty_state() {
        let state = state_at(&Root::below("/nonexistent"), Path::new("/"), None);
        let log = state.kernel_log.clone().expect("a log with a reason");
        assert!(log.unreadable.is_some_and(|reason| reason.contains("/nonexistent/dev/kmsg")));
        assert_eq!(HostState { kernel_log: None, ..state }, HostState::default());
    }

    #[test]
    fn the_load_of_the_last_minute_is_the_first_number() {
        assert_eq!(load_average("0.08 0.26 0.96 1/92 9083"), Some(0.08));
        for text in ["", "x 1", "nan 1"] {
            assert_eq!(load_average(text), None, "{text}");
        }
    }
}

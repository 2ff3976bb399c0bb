//! SIGINT, SIGTERM and SIGHUP: the first one requests an orderly end, a second SIGINT or SIGTERM ends the process at
//! once.
//!
//! A closing terminal may send SIGHUP more than once, so SIGHUP never ends the process at once; a process that was
//! started with SIGHUP ignored (`nohup`) keeps ignoring it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use run::{Error, Interrupt, Result};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::output::note;

/// Interval at which the interrupt is repeated.
const REPEAT_INTERVAL: Duration = Duration::from_millis(100);

/// Raises `interrupt` at the first signal. A second one ends the process at once; the next start cleans up after it.
///
/// # Errors
/// Where signals cannot be handled.
pub fn listen(interrupt: Arc<Interrupt>) -> Result<()> {
    register(interrupt).map_err(|error| Error::environment(format!("signals cannot be handled: {error}")))
}

/// Goes on after a SIGHUP: a process that works for another one may outlive the connection to it.
///
/// # Errors
/// Where signals cannot be handled.
pub fn outlive_connection() -> Result<()> {
    let registered = signal_hook::flag::register(SIGHUP, Arc::default());
    registered.map(drop).map_err(|error| Error::environment(format!("signals cannot be handled: {error}")))
}

fn register(interrupt: Arc<Interrupt>) -> std::io::Result<()> {
    let is_second = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // The first signal finds the flag unset and sets it below; the second one finds it set.
        signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&is_second))?;
    }
    let handled: &[i32] = if ignores_sighup() { &[SIGINT, SIGTERM] } else { &[SIGINT, SIGTERM, SIGHUP] };
    let mut signals = Signals::new(handled)?;
    std::thread::spawn(move || {
        for signal in signals.forever() {
            note("interrupted: cleaning up; a second signal ends at once and leaves the cleanup to the next start");
            if signal != SIGHUP {
                is_second.store(true, Ordering::Relaxed);
            }
            let interrupt = Arc::clone(&interrupt);
            // A statement that starts just after the interrupt would run to completion, so the interrupt is repeated.
            std::thread::spawn(move || {
                loop {
                    interrupt.raise();
                    std::thread::sleep(REPEAT_INTERVAL);
                }
            });
        }
    });
    Ok(())
}

/// Whether this process was started with SIGHUP ignored: bit n-1 of the mask `SigIgn` in `/proc/self/status` is signal
/// n.
fn ignores_sighup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask & (1 << (SIGHUP - 1)) != 0
}

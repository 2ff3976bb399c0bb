//! Ctrl-C and its relatives: the first asks for an orderly end, the second does not wait for it.
//!
//! A terminal that is closed sends its signal more than once and means it once: it is never taken for impatience, and
//! a program that was started to outlive its terminal (`nohup`) goes on ignoring it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use run::Interrupt;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::output::note;

/// Distance of the repetitions.
const AGAIN: Duration = Duration::from_millis(100);

/// Raises `interrupt` when a signal asks for the end. A second signal ends the process at once; what it leaves behind
/// is cleaned up by the next start.
///
/// # Errors
/// Where signals cannot be handled.
pub fn listen(interrupt: Arc<Interrupt>) -> std::io::Result<()> {
    let impatient = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // In this order: the first signal finds the flag down and raises it, the second finds it up.
        signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&impatient))?;
    }
    let heard: &[i32] = if ignores_hang_up() { &[SIGINT, SIGTERM] } else { &[SIGINT, SIGTERM, SIGHUP] };
    let mut signals = Signals::new(heard)?;
    std::thread::spawn(move || {
        for signal in signals.forever() {
            note("interrupted: ending in order; once more ends at once and leaves the rest to the next start");
            if signal != SIGHUP {
                impatient.store(true, Ordering::Relaxed);
            }
            let interrupt = Arc::clone(&interrupt);
            // A statement that begins just after it was told to end would run to its end: it is told again.
            std::thread::spawn(move || {
                loop {
                    interrupt.raise();
                    std::thread::sleep(AGAIN);
                }
            });
        }
    });
    Ok(())
}

/// Whether this process was started with the signal of a closing terminal ignored: the line `SigIgn` of
/// `/proc/self/status` is a mask in which bit n-1 stands for signal n.
fn ignores_hang_up() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask & (1 << (SIGHUP - 1)) != 0
}

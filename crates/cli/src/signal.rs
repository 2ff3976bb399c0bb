//! Ctrl-C and its relatives: the first asks for an orderly end, the second does not wait for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use run::Interrupt;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// Raises `interrupt` when a signal asks for the end. A second signal ends the process at once; what it leaves behind
/// is cleaned up by the next start.
///
/// # Errors
/// Where signals cannot be handled.
pub fn listen(interrupt: Arc<Interrupt>) -> std::io::Result<()> {
    let impatient = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        // In this order: the first signal finds the flag down and raises it, the second finds it up.
        signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&impatient))?;
    }
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    std::thread::spawn(move || {
        for _signal in signals.forever() {
            impatient.store(true, Ordering::Relaxed);
            interrupt.raise();
        }
    });
    Ok(())
}

//! Synchronisation of the system clock.

use base::root::Root;
use record::Nanos;

/// Whether the system clock is synchronised, and its maximum error.
pub(super) fn read(root: &Root) -> Option<(bool, Nanos)> {
    if !root.is_host() {
        return None;
    }
    // SAFETY: all fields are integers, for which zero is a valid value.
    let mut state: libc::timex = unsafe { std::mem::zeroed() };
    // SAFETY: with no mode set the kernel only writes the structure, which outlives the call.
    let result = unsafe { libc::adjtimex(&raw mut state) };
    let micros = u64::try_from(state.maxerror).ok()?;
    let synchronised = result != libc::TIME_ERROR && state.status & libc::STA_UNSYNC == 0;
    (result >= 0).then(|| (synchronised, Nanos(micros.saturating_mul(1_000))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_host_has_a_clock() {
        assert!(read(&Root::host()).is_some());
        assert_eq!(read(&Root::below("/nonexistent")), None);
    }
}

//! Whether the clock of the day is kept in time.

use base::root::Root;
use record::Nanos;

/// What the kernel thinks of its clock: whether it is synchronised, and by how much it may be wrong at most.
pub(super) fn read(root: &Root) -> Option<(bool, Nanos)> {
    if !root.is_host() {
        return None;
    }
    // SAFETY: all of it are numbers, for which zero is a value.
    let mut state: libc::timex = unsafe { std::mem::zeroed() };
    // SAFETY: with no mode set the kernel only writes the structure, which outlives the call.
    let result = unsafe { libc::adjtimex(&raw mut state) };
    let micros = u64::try_from(state.maxerror).ok()?;
    let in_time = result != libc::TIME_ERROR && state.status & libc::STA_UNSYNC == 0;
    (result >= 0).then(|| (in_time, Nanos(micros.saturating_mul(1_000))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_of_this_host_knows_its_clock_and_no_other() {
        assert!(read(&Root::host()).is_some());
        assert_eq!(read(&Root::below("/nonexistent")), None);
    }
}

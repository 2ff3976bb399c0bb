//! Paces other than that of plain runs: sweeps of rates and think times, shares of the capacity, the search for the
//! highest rate that meets a service level, and runs on one hardware thread per core.

mod pace;
mod search;
mod sweep;
mod threads;
mod window;

pub(crate) use pace::{check_capacity, pace, run_seed};
pub(crate) use search::{answer_finding, is_paced, level_finding, phase_note, search_rate, set_purpose};
pub(crate) use sweep::{is_pipelined, restrict_to_search, with_variations};
pub(crate) use threads::Threads;
pub(crate) use window::{check, longer_windows_note, window, window_for};

#[cfg(test)]
pub(crate) mod tests;

//! Clock, histogram, pacer, stop, and the one loop that every test runs in.
//!
//! A crate of its own so that the compiler guards the direction: it does no I/O, prints nothing, and knows neither
//! engines nor tests. Whether a run was steady is decided elsewhere, from what is tallied here.

mod work;

pub use work::{Broken, Done, Work};

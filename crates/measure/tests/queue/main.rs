//! The loop for work with several operations in flight, on a simulated device: depth, order, intended starts, ends.

mod device;
mod flight;
mod pace;
mod workers;

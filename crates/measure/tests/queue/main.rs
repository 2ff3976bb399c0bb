//! The loop for work with several operations in flight, on a device that is invented: depth, order, due times, ends.

mod device;
mod flight;
mod pace;
mod workers;

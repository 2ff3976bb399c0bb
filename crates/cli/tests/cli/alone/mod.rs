//! Tests with exclusive use of the machine ([`crate::bench::Bench::alone`]). They stand in one folder because tests begin in the
//! order of their paths: so the others wait for them once.

mod blocks;
mod fleet_hosts;
mod limits;
mod log_counts;
mod network;
mod prove;
mod short_text;

//! Checks of the host of a server on another machine, where an agent observed it: what disturbs the server disturbs the
//! run as much as what disturbs the client.

use record::{Finding, Run};

use super::{Context, foreign_cpu, foreign_io, steal, swapping, throttling};
use crate::server_side::server_side;

/// The findings of the host of the server of `run`, each with its name; none where it was not observed.
pub(super) fn findings(run: &Run, context: &Context<'_>) -> Vec<Finding> {
    let (Some(observed), Some(side)) = (&run.server_host, server_side(run)) else { return Vec::new() };
    // The jobs are on the client: only a busy host has no processor left for others.
    let context = &Context { engine: None, host_threads: u32::MAX, ..*context };
    let found = [
        steal::check(&side, context),
        foreign_cpu::check(&side, context),
        foreign_io::check(&side, context),
        throttling::check(&side),
        swapping::check(&side),
    ];
    found.into_iter().flatten().map(|finding| Finding { agent: Some(observed.name.clone()), ..finding }).collect()
}

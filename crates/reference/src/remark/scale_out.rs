//! A claim against the measurements beside it.

use super::{TOLERANCE, differ};
use crate::figure::{apart, exact, rounded};
use crate::publication::{Publication, ScaleOut, SingleInstance};

/// Where the claim extrapolates at one latency, and the latency rose; where its rates do not fit each other.
pub(super) fn remarks(publication: &Publication) -> Vec<String> {
    let Some(claim) = &publication.scale_out else { return Vec::new() };
    let one = publication.single_instance.as_ref();
    [one.and_then(|one| latency(claim, one)), size(claim)].into_iter().flatten().collect()
}

fn latency(claim: &ScaleOut, one: &SingleInstance) -> Option<String> {
    (claim.latency_ms > one.latency_ms * (1.0 + TOLERANCE)).then(|| {
        format!(
            "SLOB-scale-out: latency is {} ms at one instance and {} ms at {} hosts, {}, at another share of writes: \
             that it stays the same up to {} hosts, as the claim supposes, was not measured; by Little's law {} IOPS x {} \
             ms are {} I/Os in flight, {} times those of {} hosts",
            exact(one.latency_ms),
            exact(claim.latency_ms),
            claim.measured_hosts,
            apart(claim.latency_ms, one.latency_ms),
            claim.claimed_hosts,
            exact(claim.claimed_iops),
            exact(claim.latency_ms),
            rounded(claim.claimed_iops * claim.latency_ms / 1e3),
            rounded(claim.claimed_iops / claim.iops),
            claim.measured_hosts
        )
    })
}

fn size(claim: &ScaleOut) -> Option<String> {
    let measured = claim.throughput_gb_s * 1e9 / claim.iops;
    let claimed = claim.claimed_throughput_gb_s * 1e9 / claim.claimed_iops;
    differ(claimed, measured, TOLERANCE).then(|| {
        format!(
            "SLOB-scale-out: the claim has {} bytes per I/O, the measurement {}, {}",
            rounded(claimed),
            rounded(measured),
            apart(claimed, measured)
        )
    })
}

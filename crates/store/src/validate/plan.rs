//! Plans.

use record::{Amount, Blocks, BufferContent, Distribution, IoJob, Plan, Ratio};

use super::in_kind::in_kind;
use super::load_beside::load;
use super::{Validity, at_least_one, dop, pace, share, variation};

/// Checks `plan`.
pub(super) fn plan(plan: &Plan) -> Validity {
    at_least_one("repeats", plan.repeats)?;
    pace(plan.pace)?;
    plan.loads_beside.iter().try_for_each(load)?;
    plan.in_kind.as_ref().map_or(Ok(()), |load| in_kind(load).map_err(|why| format!("load in kind: {why}")))?;
    plan.until.as_ref().map_or(Ok(()), |until| share("tolerance", until.tolerance))?;
    for planned in &plan.runs {
        let checked = dop(planned.dop)
            .and_then(|()| at_least_one("repeat", planned.repeat))
            .and_then(|()| variation(planned.variation));
        checked.map_err(|why| format!("run {} of the plan ({}): {why}", planned.number, planned.test))?;
    }
    let mut jobs = plan.io.iter().flat_map(|io| &io.phases).flat_map(|phase| &phase.jobs);
    jobs.try_for_each(|of| job(of).map_err(|why| format!("I/O job {}: {why}", of.name)))
}

fn job(job: &IoJob) -> Validity {
    at_least_one("clones", job.clones)?;
    at_least_one("loops", job.loops)?;
    pace(job.pace)?;
    let (order, mix) = (job.order, job.mix);
    let shares = [
        ("read_random", order.read_random),
        ("write_random", order.write_random),
        ("trim_random", order.trim_random),
        ("read", mix.read),
        ("write", mix.write),
        ("trim", mix.trim),
    ];
    let of_burst = job.burst.iter().map(|(at_work, _)| ("burst", *at_work));
    let of_content = match job.content {
        BufferContent::Compressible { share, .. } | BufferContent::Repeated { share } => Some(("content", share)),
        BufferContent::Random | BufferContent::Zero | BufferContent::Pattern(_) => None,
    };
    let amounts = [("offset", Some(job.offset)), ("size", job.size), ("io_bytes", job.io_bytes)];
    let of_amounts = amounts.into_iter().filter_map(|(name, amount)| Some((name, of_file(amount?)?)));
    let all = shares.into_iter().chain(of_burst).chain(of_content).chain(of_amounts);
    all.chain(blocks(job)).chain(zones(job)).try_for_each(|(name, ratio)| share(name, ratio))
}

fn of_file(amount: Amount) -> Option<Ratio> {
    match amount {
        Amount::Share(share) => Some(share),
        Amount::Bytes(_) => None,
    }
}

fn blocks(job: &IoJob) -> impl Iterator<Item = (&'static str, Ratio)> {
    let kinds =
        [("read_blocks", &job.read_blocks), ("write_blocks", &job.write_blocks), ("trim_blocks", &job.trim_blocks)];
    kinds.into_iter().flat_map(|(name, blocks)| {
        let split = match blocks {
            Blocks::Split(split) => split.as_slice(),
            Blocks::Range { .. } => &[],
        };
        split.iter().map(move |block| (name, block.share))
    })
}

fn zones(job: &IoJob) -> impl Iterator<Item = (&'static str, Ratio)> {
    let zones = match &job.distribution {
        Distribution::Zoned(zones) => zones.as_slice(),
        _ => &[],
    };
    zones.iter().flat_map(|zone| [("zone io", zone.io), ("zone region", zone.region)])
}

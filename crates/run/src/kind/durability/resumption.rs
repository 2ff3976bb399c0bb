//! A proof that was interrupted goes on with its record: crashes that are done count.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use engine::{Engine, Target};
use record::{CrashRung, Outcome, ProofPlace, Record, Run};
use store::Writer;

use super::{DurabilityKind, DurabilityRequest, parameters, with_parameters};
use crate::invocation::{Measured, invoke};
use crate::platform::Context;
use crate::recorder::Recorder;
use crate::{Error, Result, Setup, resumption};

/// Goes on with the proof in `record`, which is at `setup.record` and is appended to, with its seed and its settings; `doubt` is why the
/// record may be that of another user. Of a run that had not ended, crashes that were done are kept, and the rest is carried out.
///
/// # Errors
/// Where it cannot be resumed, and as for [`super::measure_durability`].
pub fn resume_durability(
    (writer, record): (Writer, Record),
    setup: Setup,
    doubt: Option<&str>,
    context: Context<'_>,
) -> Result<Measured> {
    let request = request_of(&record, setup)?;
    resumption::check_proof(&record, &request.setup, doubt)?;
    let durability =
        context.engine.durability().ok_or_else(|| Error::user("the record names an engine without such a proof"))?;
    super::check_target(&context)?;
    let target = with_parameters(context.target, &parameters(durability, request.fault));
    let context = Context { target: &target, ..context };
    resumption::check_place(&record, context.target)?;
    let is_begun = |run: &&Run| run.outcome != Outcome::Done && !run.crashes.is_empty();
    let begun: BTreeMap<u32, Run> = record.runs.iter().filter(is_begun).map(|run| (run.number, run.clone())).collect();
    let fault = request.fault;
    let mut kind = DurabilityKind { request: &request, durability, fault, begun, data: Vec::new() };
    let recorder = Recorder::resumed(&request.setup.record, (writer, record));
    Ok(invoke(&mut kind, [context], Some([recorder]))?.measured(&request.setup.record))
}

/// The target of `record` as its user gave it: without what a proof of `engine` adds.
pub fn target_as_given(target: &Target, engine: &dyn Engine) -> Target {
    let durability = engine.durability();
    let of_single = durability.map_or(&[][..], |durability| durability.parameters);
    let of_cluster = durability.and_then(|durability| durability.cluster).map_or(&[][..], |cluster| cluster.parameters);
    let added = |(name, value): &(String, String)| {
        of_single.iter().chain(of_cluster).any(|own| *own == (name.as_str(), value.as_str()))
    };
    let mut target = target.clone();
    target.parameters.retain(|parameter| !added(parameter));
    target
}

/// What the proof in `record` was asked for.
fn request_of(record: &Record, setup: Setup) -> Result<DurabilityRequest> {
    let plan = &record.plan;
    let place = plan.runs.iter().find_map(|run| run.kind.proof().map(|part| &part.place));
    let Some(ProofPlace::Crashes { rung, file_system, cluster, .. }) = place else {
        return Err(Error::user("the record is no proof of durability").hint("give one, or start a new record"));
    };
    if *rung == CrashRung::ByHand {
        return Err(Error::user("the record is a proof by hand, which its witness goes on with")
            .hint("give the same --target and --witness again, without --resume"));
    }
    // The plan holds the measured directory, which is below the requested one.
    let directory: Option<PathBuf> = Path::new(&plan.directory).parent().map(Path::to_owned);
    Ok(DurabilityRequest {
        setup: Setup { directory: directory.unwrap_or_default(), preset: plan.preset, seed: plan.seed, ..setup },
        rung: *rung,
        file_system: file_system.unwrap_or(record::CrashFileSystem::Ext4),
        fault: cluster.map(|cluster| cluster.fault),
        // What is to be carried out is in the plan.
        crashes: 1,
        states: 1,
        controls: None,
        log_writes: None,
    })
}

//! Rung D3 by hand: a server elsewhere, whose power is cut by whoever has its plug.
//!
//! Clients commit until their connection is lost, and what was acknowledged is in a witness on this host. When the server is
//! back, every row is held against it. What the server says of its start, before and afterwards, tells whether there was a fault at
//! all; that power was cut is the word of who ran it. The witness is gone on with: each load and each look at what is left is a
//! part of it, so that an invocation may end in between, and faults add up.

mod load;
mod look;
mod start;

use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use engine::{Durability, Workspace};
use measure::{Purpose, RunSeed};
use model::durability::{Cut, cuts};
use record::Nanos;

use self::load::{Ended, load};
use self::look::LookKind;
use super::ledger::CLIENTS;
use super::witness_file::WitnessFile;
use crate::invocation::{Measured, invoke};
use crate::platform::Context;
use crate::{Error, Event, Result, Setup};

/// Between two attempts to reach a server that is not back yet.
const ATTEMPT_INTERVAL: Duration = Duration::from_millis(200);

/// What a proof by hand is asked for.
#[derive(Clone, Debug)]
pub struct ByHandRequest {
    /// What every kind of run is asked for; `keep` leaves the tables in the server when they were looked at.
    pub setup: Setup,
    /// The file of the witness, on this host; where it is there, it is gone on with.
    pub witness: PathBuf,
    /// How long a server is waited for that does not answer.
    pub wait: Nanos,
}

/// Has clients commit until the server is lost, waits until it is back, and holds what is there against the witness. Where the
/// witness ends with a load, that is looked at, and no other one begins.
///
/// # Errors
/// A witness that cannot be believed; a server that is not back in time, and Ctrl-C: the same request goes on then. Later errors
/// are in [`Measured::error`] beside the record so far.
pub fn measure_by_hand(request: &ByHandRequest, context: Context<'_>) -> Result<Measured> {
    let durability = check(&context)?;
    let text = format!("by hand {}", context.target);
    let (witness, parts) = WitnessFile::go_on(&request.witness, &text)?;
    let path = request.witness.display();
    if parts.text != text {
        let said = parts.text.strip_prefix("by hand ").unwrap_or("something else");
        return Err(Error::user(format!("the witness {path} is of {said}, and the target is {}", context.target))
            .hint("give that target, or another --witness"));
    }
    let mut cuts = cuts(&parts).ok_or_else(|| {
        Error::user(format!("{path} is the witness of another kind of proof")).hint("give another --witness")
    })?;
    let mut ended_with = None;
    if cuts.last().is_none_or(|cut| cut.findings.is_some()) {
        let number = cuts.len() as u32 + 1;
        let seed = RunSeed { plan: request.setup.seed, run: 1 }.stream(Purpose::Faults, number);
        match load(request, &context, durability, &witness, seed)? {
            Ended::Lost(error) => ended_with = Some(error.message),
            Ended::Interrupted => return Err(Error::interrupted()),
        }
        cuts = read_again(request, &text, witness)?;
    } else {
        drop(witness);
    }
    await_server(request, &context)?;
    let (witness, _) = WitnessFile::go_on(&request.witness, &text)?;
    let mut kind = LookKind { request, durability, witness: &witness, cuts, ended_with };
    Ok(invoke(&mut kind, [context], None)?.measured(&request.setup.record))
}

/// The loads of the witness as it is in its file.
fn read_again(request: &ByHandRequest, text: &str, witness: WitnessFile) -> Result<Vec<Cut>> {
    // Its lock ends with it.
    drop(witness);
    let (_, parts) = WitnessFile::go_on(&request.witness, text)?;
    cuts(&parts).ok_or_else(|| {
        Error::environment(format!("the witness {} was changed by another program", request.witness.display()))
            .hint("begin anew with another --witness")
    })
}

/// Only one server that dbdyno has not started can lose power by hand.
fn check(context: &Context<'_>) -> Result<&'static Durability> {
    let (engine, target) = (context.engine, context.target);
    let durability = engine.durability().filter(|_| !engine.about().is_in_process).ok_or_else(|| {
        Error::user(format!("{} has no proof of durability by hand", engine.title()))
            .hint("give the target of a server on another host")
    })?;
    if target.local || !target.is_external() {
        return Err(Error::user(format!(
            "{target} is a server that dbdyno starts on this host, which a power cut would take, too"
        ))
        .hint("leave --witness out, or give the target of a server on another host"));
    }
    if target.addresses.len() > 1 {
        return Err(Error::user(format!(
            "the target {target} has {} nodes, and one loses power by hand",
            target.addresses.len()
        ))
        .hint("give one of them"));
    }
    Ok(durability)
}

/// Where sessions of the load and of the look are from; nothing is removed from the server when they end.
fn workspace(request: &ByHandRequest, keep: bool) -> Workspace {
    Workspace { directory: request.setup.directory.clone(), keep, cache_bytes: None, sessions_max: CLIENTS + 8 }
}

/// Waits until the server takes sessions.
fn await_server(request: &ByHandRequest, context: &Context<'_>) -> Result<()> {
    let (start, wait) = (Instant::now(), Duration::from_nanos(request.wait.0));
    let mut is_told = false;
    loop {
        if context.interrupt.is_raised() {
            return Err(Error::interrupted());
        }
        let Err(error) = context.engine.open(context.target, &workspace(request, true)) else { return Ok(()) };
        if start.elapsed() >= wait {
            let seconds = wait.as_secs();
            return Err(Error::environment(format!("the server was not back within {seconds} s: {}", error.message))
                .hint("when it is back, the same command holds its rows against the witness"));
        }
        if !is_told {
            let note = format!(
                "waiting for the server, for {} s at most; after that, the same command goes on",
                wait.as_secs()
            );
            context.listener.on_event(&Event::Note(&note));
            is_told = true;
        }
        thread::sleep(ATTEMPT_INTERVAL);
    }
}

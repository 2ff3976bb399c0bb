//! `dbdyno network`: round trip and bandwidth to a peer, and the peer itself.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use run::{Interrupt, NetworkPeer, Request, Result, Selection, serve_network};

use crate::arguments::network::{NetworkArguments, NetworkCommand, NetworkMeasurementArguments, NetworkServeArguments};
use crate::arguments::observe::ObserveStorageArguments;
use crate::arguments::setup::setup;
use crate::arguments::value::once;
use crate::measuring::judge;
use crate::new_record::record_path;
use crate::output::{note, print};
use crate::sheet::show;
use crate::signal;
use crate::storage::request::{fresh_seed, measure};

/// The layer whose tests are measured.
const LAYER: &str = "network";

/// Interval at which the end of a peer is looked for.
const POLL: Duration = Duration::from_millis(50);

/// Refusals that are told in a minute: a stranger that connects again and again fills no log.
const TOLD_MAX: u32 = 20;
const MINUTE: Duration = Duration::from_secs(60);

/// Refusals since the begin of a minute.
struct Refusals {
    since: Instant,
    told: u32,
    untold: u64,
}

impl Refusals {
    fn new(now: Instant) -> Refusals {
        Refusals { since: now, told: 0, untold: 0 }
    }

    /// The lines to be told of a refusal at `now`, which is `line`.
    fn add(&mut self, now: Instant, line: String) -> Vec<String> {
        let mut lines = Vec::new();
        if now.saturating_duration_since(self.since) >= MINUTE {
            lines.extend(self.rest());
            *self = Refusals::new(now);
        }
        if self.told < TOLD_MAX {
            self.told += 1;
            lines.push(line);
        } else {
            self.untold += 1;
        }
        lines
    }

    /// How many were not told.
    fn rest(&self) -> Option<String> {
        (self.untold > 0).then(|| format!("{} more connections were refused", self.untold))
    }
}

/// Carries out `dbdyno network`.
///
/// # Errors
/// The user's mistakes, the environment's refusals, Ctrl-C, and runs that failed.
pub fn network(arguments: &NetworkArguments) -> Result<()> {
    match &arguments.command {
        Some(NetworkCommand::Serve(arguments)) => serve(arguments),
        None => measure_peer(&arguments.measurement),
    }
}

/// Serves until a signal, which is how it ends and no error.
fn serve(arguments: &NetworkServeArguments) -> Result<()> {
    let interrupt = Arc::new(Interrupt::default());
    signal::listen(Arc::clone(&interrupt))?;
    let refusals = Arc::new(Mutex::new(Refusals::new(Instant::now())));
    let told = Arc::clone(&refusals);
    let on_refused = Arc::new(move |from: SocketAddr, why: &str| {
        let mut refusals = told.lock().unwrap_or_else(PoisonError::into_inner);
        refusals.add(Instant::now(), format!("refused {from}: {why}")).iter().for_each(|line| note(line));
    });
    let server = serve_network(arguments.listen, env!("CARGO_PKG_VERSION"), on_refused)?;
    if !server.address().ip().is_loopback() {
        note(
            "there is no authentication: everybody who reaches this port is answered, and can fill the network and a \
             part of the processors; end it when the measurement is over",
        );
    }
    print(&format!("listening at {}; Ctrl-C ends it", server.address()))?;
    while !interrupt.is_raised() {
        std::thread::sleep(POLL);
    }
    refusals.lock().unwrap_or_else(PoisonError::into_inner).rest().iter().for_each(|line| note(line));
    Ok(())
}

fn measure_peer(arguments: &NetworkMeasurementArguments) -> Result<()> {
    let record = record_path(arguments.record.as_deref())?;
    let peer = arguments.peer.clone().unwrap_or(NetworkPeer::Own);
    if peer == NetworkPeer::Own {
        note(
            "no peer is named: one in this process answers on loopback, which says what the network stack of this host \
             gives and nothing of a wire",
        );
    }
    let request = Request {
        setup: setup(arguments.dir.clone(), arguments.preset, fresh_seed(), record),
        tests: Selection { words: vec![LAYER.to_owned()] },
        degrees: arguments.jobs.as_deref().map(once),
        window: arguments.seconds,
        repeats: arguments.repeats,
        network: Some(peer),
        ..Request::default()
    };
    let measured =
        measure(&ObserveStorageArguments::default(), &arguments.output, |context| run::measure(&request, context))?;
    show(&measured, &arguments.output)?;
    judge(measured)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stranger_that_connects_again_and_again_fills_no_log() {
        let start = Instant::now();
        let mut refusals = Refusals::new(start);
        let mut told = Vec::new();
        for number in 0..1_000 {
            told.extend(refusals.add(start + Duration::from_millis(number), format!("refused {number}")));
        }
        assert_eq!((told.len(), told[19].as_str()), (20, "refused 19"));
        assert_eq!(refusals.rest().unwrap(), "980 more connections were refused");
        let later = refusals.add(start + MINUTE, "refused at last".to_owned());
        assert_eq!(later, ["980 more connections were refused", "refused at last"]);
        assert_eq!(refusals.rest(), None);
    }
}

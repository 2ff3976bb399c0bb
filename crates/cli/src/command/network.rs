//! `dbdyno network`: round trip and bandwidth to a peer, and the peer itself.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::{Args, Subcommand};
use record::{Nanos, Preset};
use run::{Interrupt, NetworkPeer, Request, Result, Selection, serve_network};

use crate::arguments::choice;
use crate::arguments::observe::ObserveStorageArguments;
use crate::arguments::output::OutputArguments;
use crate::arguments::setup::setup;
use crate::arguments::value::{self, once};
use crate::measuring::judge;
use crate::new_record::record_path;
use crate::output::{note, print};
use crate::sheet::show;
use crate::signal;
use crate::storage::request::{fresh_seed, measure};

const NOTE: &str = "\
Without HOST, the peer is a part of this process on loopback: what the network stack of this
host gives, and nothing of a wire. Bytes are counted where they arrive. As the ceiling of an
engine on another host: dbdyno run --network HOST.

Examples:
  dbdyno network serve --listen 0.0.0.0:5250   on the host of the database
  dbdyno network db1                           on the client: round trip, bandwidth both ways
  dbdyno network db1:5250 --jobs 1,8 --seconds 10
  dbdyno network                               loopback";

const SERVE_NOTE: &str = "\
It answers anybody who reaches it, without authentication or encryption, and tells them the
name and kernel of this host. It keeps nothing: messages are sent back, bytes are discarded or
made up. At most 256 connections, of 4 hours each.";

/// Options of `dbdyno network`.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, after_help = NOTE)]
pub struct NetworkArguments {
    /// What is done instead of a measurement.
    #[command(subcommand)]
    pub command: Option<NetworkCommand>,
    /// The measurement
    #[command(flatten)]
    pub measurement: NetworkMeasurementArguments,
}

/// What is done instead of a measurement.
#[derive(Debug, Subcommand)]
pub enum NetworkCommand {
    /// Be the peer of measurements from other hosts, until Ctrl-C
    #[command(after_help = SERVE_NOTE)]
    Serve(NetworkServeArguments),
}

/// Options of `dbdyno network serve`.
#[derive(Args, Debug)]
pub struct NetworkServeArguments {
    /// Address and port; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:5250", value_parser = value::listen)]
    pub listen: SocketAddr,
}

/// Options of a measurement.
#[derive(Args, Debug)]
pub struct NetworkMeasurementArguments {
    /// The peer: a host where `dbdyno network serve` runs [default: one on loopback, in this process]
    #[arg(value_name = "HOST[:PORT]", value_parser = value::peer)]
    pub peer: Option<NetworkPeer>,
    /// Connections at the same time [default: 1, 2, 4, ... to twice the processors]
    #[arg(long, short, visible_short_aliases = ['c', 'P'], visible_aliases = ["clients", "threads", "streams", "parallel"], value_name = "1,2,4", value_delimiter = ',', value_parser = value::degree("jobs"))]
    pub jobs: Option<Vec<u32>>,
    /// Duration of the measurement
    #[arg(long, short, default_value = "quick", value_parser = choice::preset())]
    pub preset: Preset,
    /// Length of each measured window, seconds
    #[arg(long, short, visible_short_alias = 'T', visible_aliases = ["time", "duration"], value_name = "S", value_parser = value::window("seconds"))]
    pub seconds: Option<Nanos>,
    /// Repeats of each measurement, in rounds of random order
    /// [default: 6 with --preset publish, 1 otherwise]
    #[arg(long, value_name = "N", value_parser = value::repeats("repeats"))]
    pub repeats: Option<u32>,
    /// Directory in which dbdyno works; nothing of it is measured
    #[arg(long, short, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
    /// Path of the record [default: ./dbdyno-TIME-HOST.jsonl]
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Output
    #[command(flatten)]
    pub output: OutputArguments,
}

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

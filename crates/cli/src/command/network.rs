//! `dbdyno network`: round trip and bandwidth to a peer, and the peer itself.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use record::Pace;
use run::{Interrupt, NetworkPeer, Request, Result, Selection, serve_network};

use crate::arguments::network::{NetworkArguments, NetworkCommand, NetworkMeasurementArguments, NetworkServeArguments};
use crate::arguments::observe::ObserveStorageArguments;
use crate::arguments::setup::setup;
use crate::arguments::value::once;
use crate::measuring::{judge, record_path};
use crate::output::{note, print, style, width};
use crate::sheet::show;
use crate::signal;
use crate::storage::request::{fresh_seed, measure};

/// The layer whose tests are measured.
const LAYER: &str = "network";

/// Interval at which the end of a peer is looked for.
const POLL: Duration = Duration::from_millis(50);

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
    let on_refused = Arc::new(|from: SocketAddr, why: &str| note(&format!("refused {from}: {why}")));
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
        setup: setup(arguments.dir.clone(), arguments.preset.into(), fresh_seed(), record),
        tests: Selection { words: vec![LAYER.to_owned()] },
        degrees: arguments.jobs.as_deref().map(once),
        nodes: None,
        window: arguments.seconds,
        warm_up: None,
        steps: None,
        repeats: arguments.repeats,
        pace: Pace::Unthrottled,
        variations: Vec::new(),
        until: None,
        one_thread_per_core: false,
        small_rows: None,
        large_rows: None,
        trace: None,
        tracer: None,
        prove: false,
        network: Some(peer),
        jobs_per_agent: None,
    };
    let measured =
        measure(&ObserveStorageArguments::default(), &arguments.output, |context| run::measure(&request, context))?;
    show(&measured, &arguments.output, |record, path| report::text(record, path, style(), width()))?;
    judge(measured)
}

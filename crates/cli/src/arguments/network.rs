//! Options of `dbdyno network`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use record::{Nanos, Preset};
use run::NetworkPeer;

use super::choice;
use super::output::OutputArguments;
use super::value;

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

//! Options of `dbdyno model`.

pub mod figure;
pub mod load;
pub mod platform;

use std::path::PathBuf;

use clap::builder::TypedValueParser;
use clap::{Args, Subcommand};
use model::scalability::{SharedCeiling, Weights};

use super::choice;

const SCALE_EXAMPLES: &str = "\
Examples:
  dbdyno model scale record.jsonl --test T611              fit and limit of a test
  dbdyno model scale record.jsonl --test T611 --at 64      prediction for 64 jobs
  dbdyno model scale hosts.csv --at 128 --claim 7M        is the claim supported by the measurements?
  dbdyno model scale hosts.csv --at 24 --claim 1.2M --ceiling switch=2M --ceiling metadata=unknown
  dbdyno model scale hosts.csv --weights absolute         coefficients as published ones are fitted
  dbdyno model scale datrium                              a published claim, judged by the published figures

A CSV has two columns, N and the rate; a header line and several lines of one N are allowed.

A claim means \"at least\": a claim of 7M at 128 hosts is met by 8M. Verdicts: SUPPORTED, UNSUPPORTED (the data are
compatible with it and with lower rates), CONTRADICTED (the data only allow lower rates). Where N was measured, its runs
decide; elsewhere the fitted law, where it gives an estimate; otherwise only more than linear scaling is contradicted.";

const MODEL_NOTE: &str = "\
A claim means \"at least\": a claim of 7M at 128 hosts is met by 8M. See `dbdyno model scale --help`.";

/// Options of `dbdyno model`.
#[derive(Args, Debug)]
#[command(after_help = MODEL_NOTE)]
pub struct ModelArguments {
    /// The model.
    #[command(subcommand)]
    pub model: ModelCommand,
}

/// The models.
#[derive(Debug, Subcommand)]
pub enum ModelCommand {
    /// Scalability of throughput, and whether a claim beyond the measured range is supported
    Scale(ScaleArguments),
    /// CPU, network and disks that a bulk load needs, and its bottleneck
    Load(Box<load::LoadPlanArguments>),
    /// What a platform that is not there yet gives at best, its bottleneck, and what to buy next
    Platform(platform::PlatformArguments),
}

/// Options of `dbdyno model scale`.
#[derive(Args, Debug)]
#[command(after_help = SCALE_EXAMPLES)]
pub struct ScaleArguments {
    /// A record, a CSV file, or the name of a published system
    #[arg(value_name = "RECORD|CSV|REFERENCE")]
    pub curve: String,
    /// The test
    #[arg(long, value_name = "CODE")]
    pub test: Option<String>,
    /// At how many jobs, threads or nodes
    #[arg(long, value_name = "N", value_parser = figure::at)]
    pub at: Option<f64>,
    /// Claimed minimum rate there, such as 7M or 165_000
    #[arg(long, value_name = "RATE", requires = "at", value_parser = figure::claim)]
    pub claim: Option<f64>,
    /// Ceiling of a shared resource: 2M, switch=2M, metadata=unknown
    #[arg(long, value_name = "[NAME=]RATE", value_parser = figure::ceiling)]
    pub ceiling: Vec<SharedCeiling>,
    /// Which errors the fit weighs alike: shares of the rate, or the unit of the rate as in most other tools
    #[arg(long, default_value = "relative", value_parser = weights())]
    pub weights: Weights,
    /// Write an HTML page instead of printing
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

/// Weights of a fit.
fn weights() -> impl TypedValueParser<Value = Weights> {
    choice::of([
        ("relative", "Errors as a share of the rate", Weights::Relative),
        ("absolute", "Errors in the unit of the rate", Weights::Absolute),
    ])
}

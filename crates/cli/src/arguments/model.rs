//! Options of `dbdyno model`.

pub mod figure;
pub mod load;

use model::scalability::SharedCeiling;
use std::path::PathBuf;

use clap::{Args, Subcommand};

const SCALE_EXAMPLES: &str = "\
Examples:
  dbdyno model scale record.jsonl --test T611              fit, knee and peak of a test
  dbdyno model scale record.jsonl --test T611 --at 64      what the record says of 64 jobs
  dbdyno model scale hosts.csv --at 128 --claim 7M        is the claim supported by what was measured?
  dbdyno model scale hosts.csv --at 24 --claim 1.2M --ceiling switch=2M --ceiling metadata=unknown
  dbdyno model scale datrium                              a published claim, judged by its own figures

A CSV has two columns: how many, and the rate; a head and several lines of one number are welcome.

A claim means \"at least\": who claims 7M at 128 hosts is right with 8M there. Verdicts: SUPPORTED, UNSUPPORTED (the
data are compatible with it and with much else), CONTRADICTED (the data allow less only).";

const MODEL_NOTE: &str = "\
A claim means \"at least\": who claims 7M at 128 hosts is right with 8M there. `dbdyno model scale --help` says more.";

/// What is asked of the models.
#[derive(Args, Debug)]
#[command(after_help = MODEL_NOTE)]
pub struct ModelArguments {
    /// Which model.
    #[command(subcommand)]
    pub model: ModelCommand,
}

/// The models.
#[derive(Debug, Subcommand)]
pub enum ModelCommand {
    /// How throughput grows with what is added, and whether a claim about more than was measured is supported
    Scale(ScaleArguments),
    /// What a load within a given time needs of processors, network and disks, and what sets its pace
    Load(Box<load::LoadPlanArguments>),
}

/// Options of `dbdyno model scale`.
#[derive(Args, Debug)]
#[command(after_help = SCALE_EXAMPLES)]
pub struct ScaleArguments {
    /// A record, a CSV file, or the name of a published system
    #[arg(value_name = "RECORD|CSV|REFERENCE")]
    pub curve: String,
    /// Which test of it
    #[arg(long, short, value_name = "CODE")]
    pub test: Option<String>,
    /// At how many jobs, threads or nodes
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = figure::at)]
    pub at: Option<f64>,
    /// The rate that is claimed there, at least, such as 7M or 165_000
    #[arg(long, value_name = "RATE", requires = "at", allow_hyphen_values = true, value_parser = figure::claim)]
    pub claim: Option<f64>,
    /// What all share, and the rate at which that ends: 2M, switch=2M, metadata=unknown
    #[arg(long, value_name = "[NAME=]RATE", allow_hyphen_values = true, value_parser = figure::ceiling)]
    pub ceiling: Vec<SharedCeiling>,
    /// Write a page instead of printing it
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

//! Options of `dbdyno model platform`.

use std::path::PathBuf;

use clap::Args;

const EXAMPLES: &str = "\
Examples:
  dbdyno model platform platform.toml     bottleneck, every part, what to buy next
  dbdyno model platform record.jsonl      the same of the machine and the measured rates of a record
  dbdyno model platform required.toml --record record.jsonl
                                          what [required] asks, of the machine of a record
  dbdyno model platform record.jsonl --prices prices.toml
                                          what it costs, and what more of each part does

The file has sections [processor], [memory], [[link]], [[drive]], [volume], [network], [fabric], [commit], [cache],
[licence] and [required], all of them optional; docs/src/how-to/platform.md has an example and every key.";

/// Options of `dbdyno model platform`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct PlatformArguments {
    /// A platform as TOML, or a record
    #[arg(value_name = "FILE|RECORD")]
    pub platform: PathBuf,
    /// A price book: items named like parts (processors, memory, network, fabric, the names of drives) or priced per core are
    /// priced as often as the platform has them, with their discounts
    #[arg(long, value_name = "FILE")]
    pub prices: Option<PathBuf>,
    /// A record whose machine and measured rates are taken for the sections that FILE does not have
    #[arg(long, value_name = "RECORD")]
    pub record: Option<PathBuf>,
}

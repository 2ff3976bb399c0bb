//! `dbdyno inventory`: the platform, without measuring anything.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use engine::{Engine, Target, Workspace, close_all, writer_first};
use model::platform::{MeasuredRates, measured_rates};
use record::{EngineInventory, HostInventory, HostState, NodeInventory, Preset};
use run::{Error, Interrupt, MeasuredDirectory, Result};

use crate::engines::{ENGINES, engine};
use crate::output::{note, print, print_data, style, width};
use crate::signal;
use crate::subject::unreadable;
use crate::target::target;

/// Options of `dbdyno inventory`.
#[derive(Args, Debug)]
pub struct InventoryArguments {
    /// Also query this engine: `sqlite`, `local:postgres`, or a URL
    #[arg(long, short, value_name = "TARGET")]
    pub target: Option<String>,
    /// Directory whose file system and devices are shown
    #[arg(long, short, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
    /// Hold each shared link against what is below it, and tell which is saturated first
    #[arg(long)]
    pub bandwidth: bool,
    /// Show the platform of this record in place of this machine; --bandwidth then uses what it measured
    #[arg(long, value_name = "RECORD", conflicts_with_all = ["target", "dir"])]
    pub record: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t = InventoryFormat::Text)]
    pub format: InventoryFormat,
}

/// Formats of the inventory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum InventoryFormat {
    /// Human-readable
    Text,
    /// JSON
    Json,
}

/// Carries out `dbdyno inventory`.
///
/// # Errors
/// Where the directory or the engine cannot be reached.
pub fn inventory(arguments: &InventoryArguments) -> Result<()> {
    if let Some(path) = &arguments.record {
        let record = store::read(path).map_err(unreadable)?;
        let rates = arguments.bandwidth.then(|| measured_rates(&record));
        return show(arguments.format, &record.host, record.engine.as_ref(), &[], rates.as_ref());
    }
    if !arguments.dir.is_dir() {
        return Err(Error::user(format!("{} is not a directory", arguments.dir.display())).hint("give another --dir"));
    }
    let target = arguments.target.as_deref().map(target).transpose()?;
    let interrupt = Arc::new(Interrupt::default());
    signal::listen(Arc::clone(&interrupt))?;
    let queried = target.as_ref().map(|target| query(target, engine(target)?, arguments)).transpose()?;
    if interrupt.is_raised() {
        return Err(Error::interrupted());
    }
    let processes = host::Processes::read();
    let state = host::state(&arguments.dir, None);
    let inventory = host::inventory(&arguments.dir);
    let now = HostState { background_programs: Some(processes.background_programs()), ..state };
    let host = HostInventory { at_start: Some(now), ..inventory };
    let (engine, nodes) = queried.unzip();
    let nodes = nodes.unwrap_or_default();
    let rates = arguments.bandwidth.then(MeasuredRates::default);
    show(arguments.format, &host, engine.as_ref(), &nodes, rates.as_ref())
}

fn show(
    format: InventoryFormat,
    host: &HostInventory,
    engine: Option<&EngineInventory>,
    nodes: &[NodeInventory],
    rates: Option<&MeasuredRates>,
) -> Result<()> {
    match format {
        InventoryFormat::Text => print(&report::inventory(host, engine, nodes, rates).text(style(), width())),
        InventoryFormat::Json => print_data(&report::inventory_json(host, engine, nodes)),
    }
}

/// Queries the engine: its inventory, and its nodes where it has several. A temporary server is started and removed.
fn query(
    target: &Target,
    engine: &dyn Engine,
    arguments: &InventoryArguments,
) -> Result<(EngineInventory, Vec<NodeInventory>)> {
    let mut directory = MeasuredDirectory::claim(&arguments.dir, false)?;
    for line in directory.prepare(ENGINES)? {
        note(&line);
    }
    // The cache size of a run with default options.
    let cache_bytes = Some(run::cache_bytes(Preset::Quick));
    let workspace = Workspace { directory: directory.data(), keep: directory.keep(), cache_bytes, sessions_max: 4 };
    let mut nodes = engine.open_all(target, &workspace)?;
    writer_first(&mut nodes);
    let inventory = nodes[0].inventory().map(|inventory| match nodes.len() as u32 {
        1 => inventory,
        count => EngineInventory { nodes: count, ..inventory },
    });
    let several = nodes.iter().filter(|_| nodes.len() > 1);
    let listed = several.map(|node| NodeInventory { name: node.name(), takes_writes: node.takes_writes() }).collect();
    let closed = close_all(nodes);
    let inventory = inventory?;
    closed?;
    Ok((inventory, listed))
}

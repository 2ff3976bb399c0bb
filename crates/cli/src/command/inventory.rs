//! `dbdyno inventory`: the platform, without measuring anything.

use engine::{Engine, Site, Target};
use record::EngineInventory;
use run::{Error, MeasuredDirectory, Result};

use crate::arguments::{InventoryArguments, InventoryFormat};
use crate::engines::{ENGINES, engine};
use crate::output::{print, style, width};

/// Carries out `dbdyno inventory`.
///
/// # Errors
/// Where the directory or the engine cannot be reached.
pub fn inventory(arguments: &InventoryArguments) -> Result<()> {
    if !arguments.dir.is_dir() {
        return Err(Error::user(format!("{} is not a directory", arguments.dir.display())).hint("give another --dir"));
    }
    let target: Option<Target> = arguments
        .target
        .as_deref()
        .map(|words| words.parse().map_err(|error| Error::user(format!("{error}"))))
        .transpose()?;
    let asked = target.as_ref().map(|target| ask(target, engine(target)?, arguments)).transpose()?;
    let host = host::inventory(&arguments.dir);
    print(&match arguments.format {
        InventoryFormat::Text => report::inventory(&host, asked.as_ref(), style(), width()),
        InventoryFormat::Json => report::inventory_json(&host, asked.as_ref()),
    })
}

/// Opens the engine for as long as the question takes; a server of our own is started and removed.
fn ask(target: &Target, engine: &dyn Engine, arguments: &InventoryArguments) -> Result<EngineInventory> {
    let mut directory = MeasuredDirectory::claim(&arguments.dir, false)?;
    directory.prepare(ENGINES)?;
    let site = Site { directory: directory.data(), keep: directory.keep(), cache_bytes: None, sessions_max: 4 };
    let node = engine.open(target, &site)?;
    let inventory = node.inventory();
    let closed = node.close();
    let inventory = inventory?;
    closed?;
    Ok(inventory)
}

//! `dbdyno inventory`: the platform, without measuring anything.

use std::sync::Arc;

use engine::{Engine, Site, Target};
use record::EngineInventory;
use run::{Error, Interrupt, MeasuredDirectory, Result};

use crate::arguments::{InventoryArguments, InventoryFormat};
use crate::engines::{ENGINES, engine};
use crate::output::{note, print, style, width};
use crate::signal;

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
    let interrupt = Arc::new(Interrupt::default());
    signal::listen(Arc::clone(&interrupt))
        .map_err(|error| Error::environment(format!("signals cannot be handled: {error}")))?;
    let asked = target.as_ref().map(|target| ask(target, engine(target)?, arguments)).transpose()?;
    if interrupt.is_raised() {
        return Err(Error::interrupted());
    }
    let host = host::inventory(&arguments.dir);
    print(&match arguments.format {
        InventoryFormat::Text => report::inventory(&host, asked.as_ref(), style(), width()),
        InventoryFormat::Json => report::inventory_json(&host, asked.as_ref()),
    })
}

/// Opens the engine for as long as the question takes; a server of our own is started and removed.
fn ask(target: &Target, engine: &dyn Engine, arguments: &InventoryArguments) -> Result<EngineInventory> {
    let mut directory = MeasuredDirectory::claim(&arguments.dir, false)?;
    for line in directory.prepare(ENGINES)? {
        note(&line);
    }
    let site = Site { directory: directory.data(), keep: directory.keep(), cache_bytes: None, sessions_max: 4 };
    let node = engine.open(target, &site)?;
    let inventory = node.inventory();
    let closed = node.close();
    let inventory = inventory?;
    closed?;
    Ok(inventory)
}

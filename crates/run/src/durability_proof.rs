//! A proof of durability that is held against the engine of a measurement.

use std::path::Path;

use model::{NotShown, durability_shown};
use record::{EngineInventory, Record};

use crate::{Error, Fault, Result};

/// The record of a proof of durability, and where it was read from.
#[derive(Clone, Debug, PartialEq)]
pub struct DurabilityProofFile {
    path: String,
    record: Record,
}

impl DurabilityProofFile {
    /// Reads the record at `path`.
    ///
    /// # Errors
    /// Where it cannot be read: the user's mistake.
    pub fn read(path: &Path) -> Result<DurabilityProofFile> {
        let record = store::read(path).map_err(|error| Error { fault: Fault::User, ..Error::from(error) })?;
        Ok(DurabilityProofFile { path: path.display().to_string(), record })
    }

    /// Enters into `engine` what was shown of it.
    ///
    /// # Errors
    /// Where the proof says nothing of this engine with these settings.
    pub fn show(&self, engine: Option<&mut EngineInventory>) -> Result<()> {
        let shown = durability_shown(&self.record, engine.as_deref()).map_err(|why| not_shown(&self.path, &why))?;
        if let Some(engine) = engine {
            engine.durability_shown = Some(shown);
        }
        Ok(())
    }
}

fn not_shown(path: &str, why: &NotShown) -> Error {
    let (message, hint) = match why {
        NotShown::NoProof => (
            format!("{path} is no proof of durability with a crash in it"),
            "give a record of `dbdyno prove durability`",
        ),
        NotShown::NoPower => (
            format!(
                "the proof {path} has no power: its controls did not lose, so that a loss would not have been seen"
            ),
            "run `dbdyno prove durability` with all its controls",
        ),
        NotShown::NoEngine => {
            ("without an engine there are no commits to be durable".to_owned(), "leave --durability out")
        }
        NotShown::Engines([proved, measured]) => (
            format!("the proof {path} is of {proved}, and {measured} was measured"),
            "prove the durability of the version that is measured",
        ),
        NotShown::Settings([proved, measured]) => (
            format!("the proof {path} was made with other settings ({proved}) than these ({measured})"),
            "give both the same settings: `dbdyno prove durability --target 'TARGET?NAME=VALUE'`",
        ),
    };
    Error::user(message).hint(hint)
}

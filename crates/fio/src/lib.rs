//! fio job files: from their text to an I/O plan with resolved values.
//!
//! A crate of its own to guard a direction: it parses the file format of another program, and nothing that does I/O may
//! depend on that. Environment, included files and properties of the machine are given by the caller. It does no I/O,
//! has no clock and prints nothing.
//!
//! [`JobFile::parse`] parses text into sections of settings, [`plan`] makes jobs of them: defaults, inheritance,
//! overrides, units, groups and phases. Settings without effect are listed in the plan, and misleading settings are its
//! lints.

mod arithmetic;
mod error;
mod expand;
#[cfg(test)]
mod fixture;
mod io_engine;
mod job_file;
mod key;
mod list;
mod number;
mod options;
mod overrides;
mod plan;
mod profile;

pub use error::{Error, Location, Result};
pub use expand::Surroundings;
pub use job_file::{JobFile, Section, Setting};
pub use key::{Form, Key, Meaning, keys};
pub use overrides::{Override, options, overrides};
pub use plan::{Written, directory, plan, written};
pub use profile::{profile, profiles};

//! The language of fio job files: from their text to a plan of I/O in which every value is resolved.
//!
//! A crate of its own because the compiler must guard a direction: it reads the file format of another program, and
//! nothing that does I/O may depend on that. It touches nothing itself: environment, included files and the numbers of
//! the machine are given by the caller. It runs no I/O, has no clock and prints nothing.
//!
//! [`JobFile::parse`] makes sections of settings of a text, [`plan`] makes jobs of them: defaults, inheritance,
//! overrides, units, groups and phases. What has no meaning here is accepted and listed in the plan, and what does not
//! do what it seems to is a lint of the plan.

mod arithmetic;
mod error;
mod expand;
#[cfg(test)]
mod fixture;
mod job_file;
mod key;
mod lint;
mod list;
mod number;
mod options;
mod overrides;
mod plan;
mod profile;
mod surroundings;

pub use error::{Error, Place, Result};
pub use job_file::{JobFile, Section, Setting};
pub use key::{Form, Key, Meaning, keys};
pub use overrides::{Override, options, overrides};
pub use plan::{directory, plan};
pub use profile::{profile, profiles};
pub use surroundings::Surroundings;

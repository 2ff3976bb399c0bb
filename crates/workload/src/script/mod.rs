//! Scripts of pgbench, unchanged: SQL commands and meta commands, as the versions 15 to 18 document them ("Custom Scripts").
//!
//! A script is compiled before the first step: variables are places, expressions operations on a stack, statements have
//! their placeholders. What differs from pgbench:
//!
//! - Variables are bound to prepared statements, as with `-M prepared`, except where only text with the value in place has the
//!   meaning that the script has in pgbench's default mode: a variable in quotes, or in a statement that cannot be prepared with
//!   placeholders. Those that no script sets are put in place once.
//! - `\shell` and `\setshell` are refused; `debug` prints nothing.
//! - Random numbers follow the same distributions and are others; hashes and permutations are those of pgbench.
//! - A name that nothing ever sets is a mistake in an expression, before anything is measured.
//! - Statements of a pipeline outside of a transaction commit each by itself, and so do those between which `\;` stands.

mod builtin;
mod compile;
mod error;
mod expression;
mod function;
mod hash;
mod meta;
mod names;
mod number;
mod random;
mod role;
mod schema;
mod split;
mod statement;
mod token;
mod variables;

pub use builtin::{BUILTIN_SCRIPTS, BuiltinScript, builtin_script, name_and_weight};
pub use error::{Mistake, ScriptError};
pub use schema::schema_scripts;

pub(crate) use compile::{Action, Command, CompiledScript, CompiledScripts, SleepLength};
pub(crate) use number::{Fault, Number};
pub(crate) use random::Random;
pub(crate) use role::RolePlace;
pub(crate) use schema::per_minute;
pub(crate) use statement::{Answer, Control, Part, SqlStatement};
pub(crate) use variables::Variables;

#[cfg(test)]
mod tests;

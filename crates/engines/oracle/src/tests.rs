//! What only an independent reader of the language, and listeners of our own, can tell.

mod double;
mod exchange;
mod grammar;
mod listener;
mod loads;
mod stranger;

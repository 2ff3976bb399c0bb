//! Figures that dbdyno did not measure: published systems to stand beside a measurement, and the price books of users.
//!
//! A crate of its own because the compiler must guard a direction: what is read here becomes values of `model` and
//! never a record, so that a published figure cannot be taken for a measured one. It touches no file: the publications
//! are part of the program, the text of a price book is given by the caller. It ships no prices but published ones.
//!
//! [`published`] and [`find`] give the systems. What contradicts itself in one of them stands in its remarks, beside its
//! figures. [`price_book`] reads the prices of a user.

mod figure;
mod load_study;
mod lookup;
mod price_book;
mod price_error;
mod publication;

pub use load_study::{LoadStudy, load_study};
pub use lookup::{Lookup, find, published};
pub use price_book::price_book;
pub use price_error::PriceError;

//! Figures that dbdyno did not measure: published systems to compare a measurement with, the price books
//! of users, and the platforms that they plan.
//!
//! A separate crate so that the compiler enforces a direction: what is read here becomes values of `model` and never a
//! record, so a published figure cannot be mistaken for a measured one. It does no I/O: the publications are compiled
//! in, the text of a file is given by the caller. The only prices it ships are published ones.
//!
//! [`published`] and [`find`] give the systems. Contradictions within a publication are in its remarks, with its
//! figures. [`price_book`] parses the prices of a user, [`platform_plan`] a platform that is not there yet.

mod lookup;
mod platform_file;
mod price_book;
mod publication;

pub use lookup::{Lookup, find, load_study, published};
pub use platform_file::{PlatformError, platform_plan};
pub use price_book::{PriceError, price_book};
pub use publication::LoadStudy;

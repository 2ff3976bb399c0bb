//! What a record is good for, with what the disclosure lacks.

use model::Fitness;
use record::Record;

use super::disclosure::{Disclosure, Modelled};
use super::{ceiling, curve};
use crate::render::page::PageOptions;

/// What `record` is good for.
pub(crate) fn fitness(record: &Record) -> Fitness {
    let (sheet, tests) = (model::sheet(record), curve::tests(record));
    let limited = ceiling::limited(record, &tests);
    let modelled = Modelled { sheet: &sheet, estimates: 0, limited: &limited };
    Disclosure::of(record, &modelled, &PageOptions::default()).fitness
}

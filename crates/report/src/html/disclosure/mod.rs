//! Full disclosure: the fields needed to verify or reproduce a figure, each with its value or the reason why it is
//! absent. Based on the disclosure rules of TPC and SPEC, the report format of SNIA and the badges of the ACM.

mod claim;
mod class;
mod environment;
mod field;
mod hardware;
mod measurement;
mod repetition;
mod software;
mod workload;

use maud::{Markup, html};
use model::{Fitness, Sheet};
use record::Record;

use self::field::Field;
use super::ceiling::Limited;
use crate::render::page::PageOptions;
use crate::render::page::{Column, Row, Table};

/// The figures of the page that are not plain figures of the record.
pub(super) struct Modelled<'a> {
    /// The sheet.
    pub(super) sheet: &'a Sheet,
    /// Charts with a peak, a ceiling or a curve beyond the measurements.
    pub(super) estimates: usize,
    /// The limits of the best runs.
    pub(super) limited: &'a [Limited<'a>],
}

/// Why fields about an engine do not apply.
const WITHOUT_ENGINE: &str = "only probes were run, without an engine";

/// The fields of a record, in their groups.
pub(super) struct Disclosure {
    groups: Vec<(&'static str, Vec<Field>)>,
    /// What the result is good for.
    pub(super) fitness: Fitness,
}

impl Disclosure {
    /// The twelve groups of fields, and the class of the result that follows from them and the record.
    pub(super) fn of(record: &Record, modelled: &Modelled<'_>, options: &PageOptions<'_>) -> Disclosure {
        let groups = vec![
            ("1 Identity", claim::identity(record, options)),
            ("2 Hardware of the system under test", hardware::hardware(record)),
            ("3 Software of the system under test", software::software(record)),
            ("4 Workload", workload::workload(record)),
            ("5 Measurement", measurement::measurement(record, modelled.sheet)),
            ("6 Correctness", measurement::correctness(record)),
            ("7 Validity of the environment", environment::environment(record)),
            ("8 Models", claim::models(record, modelled)),
            ("9 Price", claim::price(options)),
            ("10 Claims", claim::claims(record)),
            ("11 Artefact", claim::artefact(record, options)),
            ("12 Deviations", claim::deviations(record)),
        ];
        let fields: Vec<&Field> = groups.iter().flat_map(|(_, fields)| fields).collect();
        let results = model::summary(record).results;
        let fitness = model::fitness(record, &results, class::undisclosed(&fields));
        Disclosure { groups, fitness }
    }

    /// The class, and the table of all fields.
    pub(super) fn html(&self) -> Markup {
        let columns = [Column::text("field"), Column::text("value")];
        let caption = "Disclosure: every field with its value, or why it is absent";
        let mut table = Table::new("disclosure-table", caption, &columns);
        for (head, fields) in &self.groups {
            table.rows.push(Row::group(*head));
            table.rows.extend(fields.iter().map(Field::row));
        }
        let fields: Vec<&Field> = self.groups.iter().flat_map(|(_, fields)| fields).collect();
        html! { (class::note(&self.fitness, &fields)) div class="disclosure" { (table.html()) } }
    }
}

//! Full disclosure: the fields needed to verify or reproduce a figure, each with its value or the reason why it is
//! absent. Based on the disclosure rules of TPC and SPEC, the report format of SNIA and the badges of the ACM.

mod claim;
mod class;
mod environment;
mod field;
mod hardware;
mod measurement;
mod software;
mod workload;

use model::{Fitness, Limiter, Sheet};
use record::Record;

use self::field::Field;
use crate::document::{Block, Column, Extent, Row, Section, Table};
use crate::limit;
use crate::options::SheetOptions;

/// What a page shows that is no plain figure of the record.
struct Modelled<'a> {
    /// The sheet.
    sheet: &'a Sheet,
    /// Charts with a peak, a ceiling or a curve beyond the measurements.
    estimates: usize,
    /// The limits of the best runs.
    limiters: Vec<Limiter>,
}

/// Why fields about an engine do not apply.
const WITHOUT_ENGINE: &str = "only probes were run, without an engine";

/// The fields of a record, in their groups.
pub(crate) struct Disclosure {
    groups: Vec<(&'static str, Vec<Field>)>,
    /// What the result is good for.
    pub(crate) fitness: Fitness,
}

/// What `record` is good for.
pub(crate) fn fitness(record: &Record) -> Fitness {
    Disclosure::of(record, &model::sheet(record), 0, &SheetOptions::default()).fitness
}

impl Disclosure {
    /// The twelve groups of fields, and the class of the result that follows from them and the record. `estimates` is the number
    /// of charts with figures beyond the measurements.
    pub(crate) fn of(record: &Record, sheet: &Sheet, estimates: usize, options: &SheetOptions<'_>) -> Disclosure {
        let modelled = Modelled { sheet, estimates, limiters: limit::limiters(record, sheet) };
        let groups = vec![
            ("1 Identity", claim::identity(record, options)),
            ("2 Hardware of the system under test", hardware::hardware(record)),
            ("3 Software of the system under test", software::software(record)),
            ("4 Workload", workload::workload(record)),
            ("5 Measurement", measurement::measurement(record, sheet)),
            ("6 Correctness", measurement::correctness(record)),
            ("7 Validity of the environment", environment::environment(record)),
            ("8 Models", claim::models(record, &modelled)),
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
    pub(crate) fn section(&self) -> Section {
        let rows = self
            .groups
            .iter()
            .flat_map(|(head, fields)| [Row::group(*head)].into_iter().chain(fields.iter().map(Field::row)));
        let caption = "Disclosure: every field with its value, or why it is absent";
        let columns = vec![Column::text("field"), Column::text("value")];
        let table = Table::new("disclosure-table", caption, columns).with(rows);
        let fields: Vec<&Field> = self.groups.iter().flat_map(|(_, fields)| fields).collect();
        let body = vec![class::note(&self.fitness, &fields), Block::from(table)];
        Section::new("disclosure", "Full disclosure", body).from(Extent::Whole).folded()
    }
}

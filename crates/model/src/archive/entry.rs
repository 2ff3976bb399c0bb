//! A record or a published system in a list of them.

use record::{Preset, Rate, Record, Status, Sweep, Timestamp, Unit, Verdict};

use crate::degree::Degree;
use crate::sheet::{Line, sheet};
use crate::system::{Origin, System, SystemPoint, SystemTest};

/// The tests whose figures a list has, from the bare machine to the whole database: processor, device, statements in
/// memory, transactions that read, transactions that commit, and scans.
pub const ARCHIVE_TESTS: [&str; 6] = ["C11", "S22", "T611", "T616", "T311", "T426"];

/// One line of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct ArchiveEntry {
    /// The name of the record or of the published system.
    pub name: String,
    /// What it is.
    pub origin: ArchiveOrigin,
    /// The host of dbdyno; empty where it is not known.
    pub host: String,
    /// The engine with its version; empty without one.
    pub engine: String,
    /// The target; empty of what was published.
    pub target: String,
    /// The codes of its tests, each once.
    pub tests: Vec<String>,
    /// The best rate of each of [`ARCHIVE_TESTS`]; absent where it was not measured.
    pub figures: [Option<ArchiveFigure>; ARCHIVE_TESTS.len()],
}

/// What an entry is of.
#[derive(Clone, Debug, PartialEq)]
pub enum ArchiveOrigin {
    /// A record.
    Measured {
        /// Its start.
        started_at: Timestamp,
        /// Its preset.
        preset: Preset,
        /// The agents of its fleet; absent where one process measured.
        agents: Option<u32>,
        /// Its status.
        status: Status,
        /// Finished runs.
        runs: usize,
        /// Planned runs.
        runs_planned: usize,
    },
    /// A published system.
    Published {
        /// The year.
        year: u32,
    },
}

/// The best rate of a test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArchiveFigure {
    /// Operations per second; absent where no run is valid.
    pub per_second: Option<Rate>,
    /// What they are.
    pub unit: Unit,
    /// The degree of parallelism at which it was reached, with what the sweep varies; absent where no run is valid.
    pub at: Option<(Degree, Sweep)>,
    /// The verdict on the test; none on a published figure.
    pub verdict: Option<Verdict>,
}

impl ArchiveEntry {
    /// Whether it was published and not measured.
    pub fn is_published(&self) -> bool {
        matches!(self.origin, ArchiveOrigin::Published { .. })
    }

    /// By what it is found in time: the start of a record; of what was published nothing.
    pub fn started_at(&self) -> Option<&Timestamp> {
        match &self.origin {
            ArchiveOrigin::Measured { started_at, .. } => Some(started_at),
            ArchiveOrigin::Published { .. } => None,
        }
    }

    /// Whether its invocation goes on, or was killed.
    pub fn is_running(&self) -> bool {
        matches!(self.origin, ArchiveOrigin::Measured { status: Status::Running, .. })
    }
}

/// The entry of `record`.
pub fn archive_entry(record: &Record) -> ArchiveEntry {
    let sheet = sheet(record);
    let figure = |code: &str| sheet.lines.iter().find(|line| line.test == code).map(measured);
    let engine = record.engine.as_ref().map(|engine| format!("{} {}", engine.title, engine.version));
    ArchiveEntry {
        name: record.id.clone(),
        origin: ArchiveOrigin::Measured {
            started_at: record.started_at.clone(),
            preset: record.plan.preset,
            agents: record.plan.agents,
            status: record.status,
            runs: record.runs.len(),
            runs_planned: record.plan.runs.len(),
        },
        host: record.host.host_name.clone().unwrap_or_default(),
        engine: engine.unwrap_or_default(),
        target: record.plan.target.clone(),
        tests: once(record.plan.runs.iter().map(|run| &run.test)),
        figures: ARCHIVE_TESTS.map(figure),
    }
}

fn measured(line: &Line) -> ArchiveFigure {
    let best = line.best.as_ref();
    ArchiveFigure {
        per_second: best.map(|best| best.operations_per_second),
        unit: line.unit,
        at: best.map(|best| (Degree { dop: best.dop, in_flight: best.in_flight }, line.sweep)),
        verdict: Some(line.verdict),
    }
}

/// The entry of `system`, which was published.
pub fn archive_entry_of_system(system: &System) -> ArchiveEntry {
    let year = match system.origin {
        Origin::Published { year, .. } => year,
        Origin::Measured { .. } => 0,
    };
    let test = |code: &str| system.tests.iter().find(|test| test.code == code).map(published);
    ArchiveEntry {
        name: system.name.clone(),
        origin: ArchiveOrigin::Published { year },
        host: String::new(),
        engine: system.engine().unwrap_or_default().to_owned(),
        target: String::new(),
        tests: once(system.tests.iter().map(|test| &test.code)),
        figures: ARCHIVE_TESTS.map(test),
    }
}

fn published(test: &SystemTest) -> ArchiveFigure {
    let rated = test.points.iter().filter_map(|point| Some((point.median()?, point)));
    let best: Option<(Rate, &SystemPoint)> = rated.reduce(|best, next| if next.0.0 > best.0.0 { next } else { best });
    ArchiveFigure {
        per_second: best.map(|(rate, _)| rate),
        unit: test.unit,
        at: best.map(|(_, point)| (point.degree, test.sweep)),
        verdict: None,
    }
}

/// `codes`, each once, in their order.
fn once<'a>(codes: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut known = std::collections::BTreeSet::new();
    codes.filter(|code| known.insert(code.as_str())).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{engine, faster, record, run};
    use crate::thin;

    #[test]
    fn an_entry_has_the_figures_and_verdicts_of_the_sheet() {
        let measured = Record { engine: Some(engine()), ..record(vec![run("T611", 1), faster(run("T611", 2), 3)]) };
        let entry = archive_entry(&measured);
        let line = &sheet(&measured).lines[0];
        let figure = entry.figures[2].expect("T611");
        assert_eq!(figure.per_second, line.best.as_ref().map(|best| best.operations_per_second));
        assert_eq!((figure.verdict, figure.unit), (Some(line.verdict), line.unit));
        assert_eq!(entry.figures.iter().flatten().count(), 1);
        assert!(entry.engine.starts_with(&engine().title) && !entry.is_published());
    }

    #[test]
    fn a_thin_record_has_the_same_entry() {
        let whole = record(vec![run("T611", 1), run("S22", 1)]);
        let mut thinned = whole.clone();
        thinned.runs.iter_mut().for_each(thin);
        assert_eq!(archive_entry(&thinned), archive_entry(&whole));
    }

    #[test]
    fn a_published_figure_has_no_verdict() {
        let measured = record(vec![run("T611", 1), run("T611", 2)]);
        let origin = Origin::Published { year: 2011, source: String::new() };
        let system = System { origin, ..crate::system(&measured) };
        let entry = archive_entry_of_system(&system);
        assert_eq!(entry.origin, ArchiveOrigin::Published { year: 2011 });
        let figure = entry.figures[2].expect("T611");
        assert!(figure.verdict.is_none() && figure.per_second.is_some());
        assert_eq!(entry.started_at(), None);
    }
}

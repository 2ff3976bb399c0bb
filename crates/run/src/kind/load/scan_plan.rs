//! The scans of a loaded table: each test at each degree of parallelism, first with empty caches.

use engine::Caps;
use record::{LoadModel, Scan, ScanKind, Skipped};
use workload::load::LoadTable;

use super::request::ScanRequest;
use crate::request::degrees;

/// One run: a scan of the table of the load before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedScan {
    /// What is computed of the rows.
    pub kind: ScanKind,
    /// How the table is stored.
    pub model: LoadModel,
    /// Threads inside the statement.
    pub threads: u32,
    /// Whether it starts with empty caches.
    pub is_cold: bool,
}

impl PlannedScan {
    /// The scan, as in the record.
    pub fn key(&self) -> Scan {
        Scan { kind: self.kind, model: self.model, is_cold: self.is_cold }
    }

    /// The code of the run.
    pub fn code(&self) -> String {
        self.key().code()
    }

    /// The title of the run.
    pub(super) fn title(&self) -> String {
        let what = match self.kind {
            ScanKind::Sum => "sums over",
            ScanKind::Report => "report by category and state over",
        };
        let caches = if self.is_cold { "empty caches" } else { "warm caches" };
        format!("{what} the loaded {} table, {caches}", self.model.word())
    }
}

/// What scans can use of engine and machine.
#[derive(Clone, Debug)]
pub(super) struct ScanContext {
    /// Processors that dbdyno may use.
    pub processors: u32,
    /// Why no scan can start with empty caches, as a clause; absent if one can.
    pub never_cold: Option<String>,
}

/// The scans of `table` on an engine with `caps`.
pub(super) fn scans(request: &ScanRequest, table: &LoadTable, caps: &Caps, context: &ScanContext) -> Vec<PlannedScan> {
    let (threads, _) = sweep(request, caps, context);
    let mut scans = Vec::new();
    for kind in ScanKind::ALL.into_iter().filter(|kind| table.unfit_for(*kind).is_none()) {
        for threads in &threads {
            for is_cold in [true, false].into_iter().filter(|is_cold| !is_cold || context.never_cold.is_none()) {
                scans.push(PlannedScan { kind, model: table.model(), threads: *threads, is_cold });
            }
        }
    }
    scans
}

/// The skipped scans of `table`, and why.
pub(super) fn skipped_scans(
    request: &ScanRequest,
    table: &LoadTable,
    caps: &Caps,
    context: &ScanContext,
) -> Vec<Skipped> {
    let (_, refused) = sweep(request, caps, context);
    let mut skipped = Vec::new();
    for kind in ScanKind::ALL {
        let mut skip = |code: String, reason: String| skipped.push(Skipped { test: code, reason });
        if let Some(reason) = table.unfit_for(kind) {
            skip(kind.code().to_owned(), reason);
            continue;
        }
        if !refused.is_empty() {
            let threads: Vec<String> = refused.iter().map(u32::to_string).collect();
            let reason = format!("at {} threads: this engine has no parallel query", threads.join(", "));
            skip(kind.code().to_owned(), reason);
        }
        if let Some(reason) = &context.never_cold {
            skip(format!("{},cold", kind.code()), reason.clone());
        }
    }
    skipped
}

/// Degrees of parallelism inside a statement that the engine supports, and the others.
fn sweep(request: &ScanRequest, caps: &Caps, context: &ScanContext) -> (Vec<u32>, Vec<u32>) {
    let requested = request.degrees.clone().unwrap_or_else(|| degrees(context.processors));
    match caps.parallel_query {
        true => (requested, Vec::new()),
        false => (vec![1], requested.into_iter().filter(|threads| *threads > 1).collect()),
    }
}

#[cfg(test)]
mod tests {
    use flat::{FieldKind, Layout};

    use super::super::tests::caps;
    use super::*;

    const SWEPT: ScanRequest = ScanRequest { degrees: None, probes: false };

    fn context(never_cold: Option<&str>) -> ScanContext {
        ScanContext { processors: 2, never_cold: never_cold.map(str::to_owned) }
    }

    fn table(layout: &Layout, model: LoadModel) -> LoadTable {
        LoadTable::new("cards", layout, model, &[1], &caps()).unwrap()
    }

    #[test]
    fn each_test_is_run_cold_and_then_warm_at_each_degree() {
        let table = table(&Layout::cards(), LoadModel::ALL[1]);
        let codes = |request: &ScanRequest, context: &ScanContext| -> Vec<(String, u32)> {
            scans(request, &table, &caps(), context).iter().map(|scan| (scan.code(), scan.threads)).collect()
        };
        let all = codes(&SWEPT, &context(None));
        assert_eq!(all.len(), 2 * 3 * 2);
        assert_eq!(all[0], ("L431@partitioned,cold".to_owned(), 1));
        assert_eq!(all[1], ("L431@partitioned".to_owned(), 1));
        assert_eq!(all[11], ("L441@partitioned".to_owned(), 4));
        let requested = ScanRequest { degrees: Some(vec![3]), ..SWEPT };
        assert_eq!(codes(&requested, &context(Some("it is elsewhere"))).len(), 2, "warm alone");
    }

    #[test]
    fn unsupported_scans_are_skipped_with_a_reason() {
        let cards = table(&Layout::cards(), LoadModel::default());
        assert_eq!(skipped_scans(&SWEPT, &cards, &caps(), &context(None)), []);
        let alone = engine::Caps { parallel_query: false, ..caps() };
        assert!(scans(&SWEPT, &cards, &alone, &context(None)).iter().all(|scan| scan.threads == 1));
        let reasons = |table: &LoadTable, context: &ScanContext| -> Vec<String> {
            let all = skipped_scans(&SWEPT, table, &alone, context);
            all.into_iter().map(|skip| format!("{}: {}", skip.test, skip.reason)).collect()
        };
        assert_eq!(reasons(&cards, &context(None))[0], "L431: at 2, 4 threads: this engine has no parallel query");
        assert_eq!(reasons(&cards, &context(Some("no")))[1], "L431,cold: no");
        let mut other = Layout::cards();
        other.fields.retain(|field| !matches!(field.kind, FieldKind::Text { size: 2 }));
        let other = table(&other, LoadModel::default());
        assert!(
            reasons(&other, &context(None))
                .contains(&"L441: the table has no column merchant_state to group rows by".to_owned())
        );
        assert!(scans(&SWEPT, &other, &caps(), &context(None)).iter().all(|scan| scan.kind == ScanKind::Sum));
    }
}

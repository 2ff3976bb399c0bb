//! The pages as files, to be opened from a disk or put on any server.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use model::archive::ArchiveFilter;
use model::history::{HistoryQuery, Metric};

use crate::index::Index;
use crate::selection::{records_of, selection};
use crate::snapshot::Source;
use crate::views::{ListPage, Medium, Views};
use crate::{Error, Result};

/// Writes the list, the page of each record and published system, the history of each test that several records have,
/// and the records as JSON into `out`. Returns the number of files.
///
/// # Errors
/// Where `out` is there and is not empty, and where it cannot be written.
pub fn export(index: &Index, views: &dyn Views, out: &Path) -> Result<usize> {
    let is_used = match fs::read_dir(out) {
        Ok(mut entries) => entries.next().is_some(),
        Err(_) => out.exists(),
    };
    if is_used {
        return Err(Error::user(format!("{} is there and is not empty", out.display()), "give a new directory"));
    }
    let mut files = Files { out: out.to_owned(), count: 0 };
    let snapshot = index.current(Duration::ZERO);
    let filter = ArchiveFilter::default();
    let chosen = selection(&snapshot, &filter, 1, usize::MAX);
    let list = views.list(&ListPage {
        medium: Medium::File,
        snapshot: &snapshot,
        filter: &filter,
        items: &chosen.items,
        found: chosen.found,
        pages: chosen.pages,
    });
    files.write("index.html", &list)?;
    files.write("api/v1/records.json", &views.list_json(&snapshot))?;
    for item in &snapshot.items {
        // A record that has vanished meanwhile has no page.
        if let Ok(page) = views.record(item, Medium::File) {
            files.write(&format!("r/{}.html", item.id), &page)?;
        }
        if let (Source::Record { .. }, Ok(text)) = (&item.source, views.record_json(item)) {
            files.write(&format!("api/v1/records/{}.json", item.id), &text)?;
        }
    }
    for test in snapshot.histories.iter().filter(|(_, count)| **count > 1).map(|(test, _)| test) {
        let query = HistoryQuery { test: test.clone(), jobs: None, metric: Metric::Throughput };
        if let Ok(page) = views.history(&query, &mut records_of(&snapshot, test, ""), Medium::File) {
            files.write(&format!("history/{}.html", views.history_file(test)), &page)?;
        }
    }
    Ok(files.count)
}

/// The files that are written.
struct Files {
    out: PathBuf,
    count: usize,
}

impl Files {
    fn write(&mut self, name: &str, text: &str) -> Result<()> {
        let path = self.out.join(name);
        let folder = path.parent().unwrap_or(&self.out);
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&path, text))
            .map_err(|error| Error::Environment(format!("{} cannot be written: {error}", path.display())))?;
        self.count += 1;
        Ok(())
    }
}

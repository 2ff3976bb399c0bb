//! The pages as files, to be opened from a disk or put on any server.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use model::archive::ArchiveFilter;
use model::history::{HistoryQuery, Metric};

use crate::index::Index;
use crate::selection::{records_of, selection};
use crate::snapshot::Source;
use crate::views::{Depth, HistoryPage, ListPage, Medium, Views};
use crate::{Error, Result};

/// Comparisons that are written, of the newest records with those before them: each is read twice and drawn once.
const COMPARISONS_MAX: usize = 1000;

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exported {
    /// Files.
    pub files: usize,
    /// Comparisons that were left out, because there are more than are written.
    pub comparisons_left_out: usize,
}

/// Writes the list, the page of each record and published system, the comparison of each record with the one before it
/// on the same host and target, the history of each test that several records have, and the records as JSON into `out`.
///
/// # Errors
/// Where `out` is there and is not empty, and where it cannot be written.
pub fn export(index: &Index, views: &dyn Views, out: &Path) -> Result<Exported> {
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
        compared_max: COMPARISONS_MAX,
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
    let pairs =
        snapshot.items.iter().enumerate().filter_map(|(place, item)| Some((place, snapshot.before(place)?, item)));
    let (written, left_out): (Vec<_>, Vec<_>) = pairs.partition(|(place, ..)| *place < COMPARISONS_MAX);
    for (_, before, item) in written {
        let page = views.compare(&[Arc::clone(before), Arc::clone(item)], Medium::File);
        // Where they have nothing in common, the page says so, as that of a server.
        let page = page.unwrap_or_else(|problem| views.problem(&problem.message, Medium::File, Depth::Below));
        files.write(&format!("compare/{}.html", item.id), &page)?;
    }
    let comparisons_left_out = left_out.len();
    for test in snapshot.histories.iter().filter(|(_, count)| **count > 1).map(|(test, _)| test) {
        let query = HistoryQuery { test: test.clone(), jobs: None, metric: Metric::Throughput };
        let page = HistoryPage { query: &query, hosts: &[], host: "", medium: Medium::File };
        if let Ok(page) = views.history(&page, &mut records_of(&snapshot, test, "")) {
            files.write(&format!("history/{}.html", views.history_file(test)), &page)?;
        }
    }
    Ok(Exported { files: files.count, comparisons_left_out })
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

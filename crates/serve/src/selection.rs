//! Which items of a snapshot a page shows.

use std::sync::Arc;
use std::time::SystemTime;

use model::archive::ArchiveFilter;
use record::Record;

use crate::snapshot::{Item, Snapshot, Source};
use crate::views::LiveItem;

/// Entries of a page of a served list.
pub(crate) const ENTRIES_MAX: usize = 100;

/// Records that are being written and shown, the newest.
const LIVE_MAX: usize = 8;

/// Entries of a page.
pub(crate) struct Selection {
    pub(crate) items: Vec<Arc<Item>>,
    pub(crate) found: usize,
    pub(crate) pages: (usize, usize),
}

/// The page with the number `page` of those entries that `filter` holds for, `most` on a page. A number beyond the last
/// page is the last one.
pub(crate) fn selection(snapshot: &Snapshot, filter: &ArchiveFilter, page: usize, most: usize) -> Selection {
    let holds = |item: &&Arc<Item>| {
        let note = snapshot.notes.get(&item.id);
        filter.holds(&item.entry, note.map_or(&[], |note| &note.tags), note.map_or("", |note| &note.text))
    };
    let found: Vec<&Arc<Item>> = snapshot.items.iter().filter(holds).collect();
    let last = found.len().div_ceil(most).max(1);
    let page = page.clamp(1, last);
    let items = found.iter().skip((page - 1) * most).take(most).map(|item| Arc::clone(item)).collect();
    Selection { items, found: found.len(), pages: (page, last) }
}

/// The records of `snapshot` with a plan of `test` on `host`, the oldest first.
pub(crate) fn records_of<'a>(
    snapshot: &'a Snapshot,
    test: &'a str,
    host: &'a str,
) -> impl Iterator<Item = Record> + 'a {
    let is_of = move |item: &&Arc<Item>| {
        (host.is_empty() || item.entry.host == host) && item.entry.tests.iter().any(|planned| planned == test)
    };
    snapshot.items.iter().rev().filter(is_of).filter_map(|item| item.record())
}

/// The records of `snapshot` that are being written, the newest first, at `now`.
pub(crate) fn live_items(snapshot: &Snapshot, now: SystemTime) -> Vec<LiveItem> {
    let item = |item: &Arc<Item>| {
        let Source::Record { changed_at, .. } = &item.source else { return None };
        let quiet_seconds = now.duration_since(*changed_at).unwrap_or_default().as_secs();
        let record = item.entry.is_running().then(|| item.record())??;
        Some(LiveItem { item: Arc::clone(item), record, quiet_seconds })
    };
    snapshot.items.iter().filter_map(item).take(LIVE_MAX).collect()
}

//! Entries of the fuzz targets: what the kernel hands over, read as it is read in earnest.

use crate::event::{Decoder, Event};
use crate::format::Format;
use crate::pairing::Pairing;
use crate::tracefs::PageLayout;
use crate::{collector, request};

/// What the kernel says of its tracepoints.
#[derive(Clone, Copy, Debug)]
pub struct Described<'a> {
    /// The device whose events are wanted.
    pub device: u32,
    /// The `format` files of the end, the return, the issue and the insertion of a request.
    pub formats: [&'a str; 4],
    /// The text of `events/header_page`, which says how a page of a ring is laid out.
    pub header_page: &'a str,
}

/// The rows of latencies in the events of pages of `trace_pipe_raw`.
pub fn latencies(described: &Described<'_>, pages: &[u8]) -> Vec<record::LayerLatency> {
    let Some(decoder) = Decoder::described(described.device, described.formats) else { return Vec::new() };
    let mut events = Vec::new();
    if let Some(layout) = PageLayout::of(&Format::parse(described.header_page)) {
        pages.chunks(layout.page_bytes()).for_each(|page| layout.events(page, &decoder, &mut events));
    }
    let mut pairing = Pairing::new();
    // As many looks at the rings as there are quarters.
    let until_ns = [1, 2, 3].map(|quarter| events.get(events.len() * quarter / 4).map_or(0, Event::at_ns));
    for until_ns in until_ns.into_iter().chain([u64::MAX]) {
        collector::take_until(&mut pairing, &mut events, until_ns);
    }
    request::counted(pairing).map(|counted| counted.latencies).unwrap_or_default()
}

/// Whether the text of a `format` file is read again as it was read once.
pub fn is_format_kept(text: &str) -> bool {
    let format = Format::parse(text);
    Format::parse(&format.to_string()) == format
}

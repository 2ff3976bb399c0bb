//! Entry points of the fuzz targets: events of the kernel, decoded and paired.

use crate::collector;
use crate::event::{Decoder, Event};
use crate::format::Format;
use crate::pairing::Pairing;
use crate::tracefs::PageLayout;

/// The descriptions of tracepoints by the kernel.
#[derive(Clone, Copy, Debug)]
pub struct Described<'a> {
    /// The device of the events.
    pub device: u32,
    /// The `format` files of completion, requeue, issue and insertion of a request.
    pub formats: [&'a str; 4],
    /// The text of `events/header_page`, the layout of a page of a ring buffer.
    pub header_page: &'a str,
}

/// The latencies in the events of pages of `trace_pipe_raw`.
pub fn latencies(described: &Described<'_>, pages: &[u8]) -> Vec<record::LayerLatency> {
    let Some(decoder) = Decoder::from_formats(described.device, described.formats) else { return Vec::new() };
    let mut events = Vec::new();
    if let Some(layout) = PageLayout::of(&Format::parse(described.header_page)) {
        pages.chunks(layout.page_bytes()).for_each(|page| layout.events(page, &decoder, &mut events));
    }
    let mut pairing = Pairing::new();
    // Four reads of the ring buffers.
    let until_ns = [1, 2, 3].map(|quarter| events.get(events.len() * quarter / 4).map_or(0, Event::at_ns));
    for until_ns in until_ns.into_iter().chain([u64::MAX]) {
        collector::take_until(&mut pairing, &mut events, until_ns);
    }
    pairing.counted().latencies
}

/// Whether a `format` file is the same after it was written and parsed again.
pub fn is_format_kept(text: &str) -> bool {
    let format = Format::parse(text);
    Format::parse(&format.to_string()) == format
}

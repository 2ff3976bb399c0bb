//! A chart in a document.

use crate::chart::Chart;

/// A chart with its name in the document.
pub(crate) struct Diagram {
    /// Unique in the document; also the name of the file of its data.
    pub(crate) id: String,
    /// The chart.
    pub(crate) chart: Box<dyn Chart>,
    /// A note below it; may be empty.
    pub(crate) note: String,
}

impl Diagram {
    /// A chart without a note.
    pub(crate) fn new(id: impl Into<String>, chart: impl Chart + 'static) -> Diagram {
        Diagram { id: id.into(), chart: Box::new(chart), note: String::new() }
    }
}

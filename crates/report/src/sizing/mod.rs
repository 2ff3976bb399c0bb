//! A production load, and what it needs of platforms: the sentence first, then every resource, times where the first is full,
//! hours of the day, and what makes it doubtful.

pub(crate) mod amount;
mod doubt;
mod json;
mod load;
mod platform;
mod verdict;

use model::sizing::{Growth, LoadHistory, Sizing};
use record::LoadProfile;

pub use json::sizing_json;

use crate::document::{Block, Document, Section, Tone};

/// What a view of a sizing is made of.
pub struct SizingView<'a> {
    /// The load, of all files.
    pub profile: &'a LoadProfile,
    /// Its rates over time.
    pub history: &'a LoadHistory,
    /// It on each platform.
    pub sizings: &'a [Sizing],
    /// What it is planned to grow by.
    pub growth: Growth,
    /// Name of the sheet of the old platform, if there is one.
    pub old_sheet: Option<&'a str>,
}

/// The view of a load, and of what it needs of each platform.
pub fn sizing(view: &SizingView<'_>) -> Document {
    let mut lead = Vec::new();
    for sizing in view.sizings {
        let tone = if verdict::is_short(sizing) { Tone::Invalid } else { Tone::Plain };
        lead.push(Block::note(tone, verdict::sentences(view, sizing)));
    }
    if view.sizings.is_empty() {
        lead.push(Block::list(load::summary(view)));
    }
    let warnings = doubt::warnings(view);
    if !warnings.is_empty() {
        lead.push(Block::note(Tone::Warning, warnings));
    }
    let sections = vec![
        Section::new("beside", "The platforms side by side", platform::beside(view)),
        Section::new("resources", "Resources: the fullest first", platform::resources(view)),
        Section::new("times", "Times at the load", platform::times(view)),
        Section::new("unknown", "Not held against each other", platform::unknown(view)),
        Section::new("next", "What to buy next", platform::next(view)),
        Section::new("cost", "Cost", platform::costs(view)),
        Section::new("load", "The load", load::load(view)),
        Section::new("hours", "Hours of the day", load::hours(view)),
        Section::new("absent", "What the sources do not tell", doubt::absent(view)),
    ];
    Document {
        subtitle: load::subtitle(view),
        lead,
        foot: vec![crate::document::drawn_by()],
        ..Document::new(title(view), sections)
    }
}

/// What makes the load doubtful, in sentences.
pub fn sizing_doubts(view: &SizingView<'_>) -> Vec<String> {
    doubt::warnings(view)
}

fn title(view: &SizingView<'_>) -> String {
    match view.sizings {
        [] => "A production load".to_owned(),
        [one] => format!("A production load on {}", one.platform.name),
        several => format!("A production load on {} platforms", several.len()),
    }
}

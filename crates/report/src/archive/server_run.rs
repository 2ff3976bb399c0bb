//! The run that a server carries out for its readers.

use super::problem::refusal;
use crate::document::{Block, Field, Form, Note, Section, Text, Tone};

/// A run of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerRun {
    /// Its number since the server began.
    pub number: u64,
    /// Target and options.
    pub words: String,
    /// When it began.
    pub started_at: String,
    /// What became of it.
    pub state: RunState,
}

/// What became of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunState {
    /// It goes on.
    Running,
    /// It was told to stop, and cleans up.
    Stopping,
    /// It has ended well, with what is said of it.
    Finished(String),
    /// It has not; what its process said.
    Failed(String),
}

/// The section of the run that goes on or was the last one; and the way to a next one.
pub(super) fn section(run: Option<&ServerRun>) -> Section {
    let plan =
        Form { id: "plan-run", action: "plan".to_owned(), is_post: false, fields: Vec::new(), button: "Plan a run" };
    let Some(run) = run else {
        return Section::new("own", "Run of this server", vec![Block::text("None yet."), Block::Form(plan)]);
    };
    let (tone, title) = match run.state {
        RunState::Running => (Tone::Good, "RUNNING"),
        RunState::Stopping => (Tone::Warning, "STOPPING: it cleans up"),
        RunState::Finished(_) => (Tone::Good, "FINISHED"),
        RunState::Failed(_) => (Tone::Invalid, "ENDED WITHOUT SUCCESS"),
    };
    let words = format!("Run {} since {}: {}", run.number, run.started_at, run.words);
    let mut sentences = vec![Text::from(words)];
    let said = match &run.state {
        RunState::Failed(text) => Some(refusal(text)),
        RunState::Finished(text) => {
            sentences.push(Text::from(text.as_str()));
            None
        }
        RunState::Running | RunState::Stopping => None,
    };
    let mut body = vec![Block::Note(Note { tone, title: title.to_owned(), sentences })];
    body.extend(said);
    body.push(Block::Form(match run.state {
        RunState::Running => Form {
            id: "cancel",
            action: "cancel".to_owned(),
            is_post: true,
            fields: vec![Field::Kept { name: "run", value: run.number.to_string() }],
            button: "Cancel the run",
        },
        _ => plan,
    }));
    Section::new("own", "Run of this server", body)
}

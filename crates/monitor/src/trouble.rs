//! What goes wrong beside the bursts, handed from the thread that meets it to the one that says so.

use std::sync::{Mutex, PoisonError};

/// The last trouble that was not said yet.
#[derive(Debug, Default)]
pub(crate) struct Trouble(Mutex<Option<String>>);

impl Trouble {
    /// Has `text` said.
    pub(crate) fn note(&self, text: String) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
    }

    /// What is to be said.
    pub(crate) fn take(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

//! What every verb that measures prints, and the page that it writes.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::page::page_beside;

/// Options of the output.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Output")]
pub struct OutputArguments {
    /// Print the summary and the sheet, and nothing else: no progress, no warnings
    #[arg(long, short, conflicts_with = "details")]
    pub quiet: bool,
    /// Print everything: settings, limits with their evidence, every run, I/O
    #[arg(long)]
    pub details: bool,
    /// The page with charts and all details [default: beside the record, ending in .html]
    #[arg(long, value_name = "FILE", conflicts_with = "no_html")]
    pub html: Option<PathBuf>,
    /// Write no page
    #[arg(long)]
    pub no_html: bool,
}

impl OutputArguments {
    /// The file of the page of the record at `record`; none where there is to be no page.
    pub fn page(&self, record: &Path) -> Option<PathBuf> {
        (!self.no_html).then(|| self.html.clone().unwrap_or_else(|| page_beside(record)))
    }
}

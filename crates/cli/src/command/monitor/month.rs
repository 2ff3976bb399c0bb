//! `dbdyno monitor report`: a month of each target.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use monitor::History;
use run::{Error, Result};

use super::DATA;
use crate::output::{print, print_data, style, width};
use crate::page::write_page;

/// Options of `dbdyno monitor report`.
#[derive(Args, Debug)]
pub struct MonitorReportArguments {
    /// The history
    #[arg(long, value_name = "FILE", default_value = DATA)]
    pub data: PathBuf,
    /// The month, UTC: 2026-11
    #[arg(long, value_name = "MONTH")]
    pub month: String,
    /// Only the targets whose name has this in it
    #[arg(long, value_name = "TEXT")]
    pub target: Option<String>,
    /// Write a self-contained HTML page of one target instead of printing
    #[arg(long, value_name = "FILE", conflicts_with = "format")]
    pub html: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t = MonthFormat::Text)]
    pub format: MonthFormat,
}

/// Formats of a month.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MonthFormat {
    /// Human-readable
    Text,
    /// Markdown
    Markdown,
    /// One line for each operation of each target
    Csv,
}

/// Carries out `dbdyno monitor report`.
///
/// # Errors
/// Where the history cannot be read, has no such target, or has several for one page.
pub fn report(arguments: &MonitorReportArguments) -> Result<()> {
    let mut months = History::to_read(&arguments.data)?.months(&arguments.data, &arguments.month)?;
    let known: Vec<String> = months.iter().map(|month| month.target.clone()).collect();
    months.retain(|month| arguments.target.as_ref().is_none_or(|part| month.target.contains(part)));
    if months.is_empty() {
        let error = Error::user(format!("history {} has no such target", arguments.data.display()));
        let known = if known.is_empty() { "none yet".to_owned() } else { known.join(", ") };
        return Err(error.hint(format!("it has {known}")));
    }
    if let Some(file) = &arguments.html {
        let [month] = &months[..] else {
            let names: Vec<&str> = months.iter().map(|month| month.target.as_str()).collect();
            let error = Error::user(format!("a page shows one target, and {} were found", months.len()));
            return Err(error.hint(format!("choose one by --target: {}", names.join(", "))));
        };
        return write_page(file, &report::month(month).html());
    }
    match arguments.format {
        MonthFormat::Text => months.iter().try_for_each(|month| print(&report::month(month).text(style(), width()))),
        MonthFormat::Markdown => months.iter().try_for_each(|month| print_data(&report::month(month).markdown())),
        MonthFormat::Csv => print_data(&report::month_csv(&months)),
    }
}

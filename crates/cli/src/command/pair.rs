//! `dbdyno pair`: two targets alternately on one machine, then the comparison.

use std::path::{Path, PathBuf};

use engine::Target;
use model::{CompareOptions, Gate};
use report::ComparisonView;
use run::{Error, MeasuredPair, Result};

use super::compare::violated;
use crate::arguments::output::OutputArguments;
use crate::arguments::pair::PairArguments;
use crate::engines::engine;
use crate::measuring::measuring;
use crate::new_record::{default_record, refuse_existing};
use crate::output::{note, print, style, width};
use crate::request;
use crate::sheet::{check_output, saved};

/// Minimum number of pairs for a verdict: with fewer, no difference can be significant.
const PAIRS_MIN: u32 = 6;

/// Carries out `dbdyno pair`.
///
/// # Errors
/// The user's mistakes, the environment's refusals, Ctrl-C.
pub fn pair(arguments: &PairArguments) -> Result<()> {
    let gate = arguments.fail_if.as_ref();
    let path = arguments.record.clone().unwrap_or_else(default_record);
    let records = records(&path);
    let judged = gate.into_iter().flat_map(Gate::tests).map(str::to_owned).collect();
    let [a, b] = [target(&arguments.a, "a")?, target(&arguments.b, "b")?];
    let request = request::pair(arguments, records, judged, [engine(&a)?, engine(&b)?])?;
    request.records.iter().try_for_each(|path| refuse_existing(path))?;
    if request.pairs < PAIRS_MIN && !arguments.output.quiet {
        note(&format!("{} pairs are fewer than the {PAIRS_MIN} that a verdict needs", request.pairs));
    }
    if arguments.dry_run {
        let plans =
            measuring(arguments.output.quiet, |measuring| run::dry_run_pair(&request, measuring.contexts([&a, &b])?))?;
        return print(&report::plan(&plans[0], width()));
    }
    check_output(&arguments.output)?;
    let measured = measuring(arguments.output.quiet, |measuring| run::pair(&request, measuring.contexts([&a, &b])?))?;
    show(measured, gate, &arguments.output, &path)
}

/// Prints the comparison, and writes its page beside `path`, from which the records have their names.
fn show(measured: MeasuredPair, gate: Option<&Gate>, output: &OutputArguments, path: &Path) -> Result<()> {
    let systems = measured.records.each_ref().map(model::system);
    let comparison = model::compare(&systems, CompareOptions::default());
    let view = ComparisonView { systems: &systems, comparison: &comparison, prices: &[], gate };
    let is_measured = measured.records.iter().all(|record| !record.runs.is_empty());
    let document = report::comparison(&view);
    let page = output.page(path).filter(|file| is_measured && saved(&document.html(), file));
    if is_measured {
        print(&match output.details {
            true => document.text(style(), width()),
            false => document.screen(style(), width()),
        })?;
    }
    let [a, b] = measured.paths.each_ref().map(|path| path.display());
    if !output.quiet {
        let page = page.map(|page| format!("\npage      {}", page.display())).unwrap_or_default();
        print(&format!("\nrecord    {a}\nrecord    {b}{page}\ndetails   dbdyno compare {a} {b} --details"))?;
    }
    if let Some(error) = measured.error {
        let hint = format!("compare the complete pairs with dbdyno compare {a} {b}");
        return Err(if error.hint.is_some() { error } else { error.hint(hint) });
    }
    violated(&view, &comparison)
}

/// The records of both sides: `NAME-a.jsonl` and `NAME-b.jsonl` for `NAME.jsonl` and for `NAME`.
fn records(path: &Path) -> [PathBuf; 2] {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let parts = name.rsplit_once('.').filter(|_| store::is_record_name(&name));
    let (stem, ending) = parts.unwrap_or((&name, "jsonl"));
    ["a", "b"].map(|side| path.with_file_name(format!("{stem}-{side}.{ending}")))
}

fn target(words: &str, side: &str) -> Result<Target> {
    crate::target::target(words).map_err(|error| Error { message: format!("--{side}: {}", error.message), ..error })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_side_has_a_record_of_its_own() {
        let names = |path: &str| records(Path::new(path)).map(|path| path.display().to_string());
        assert_eq!(names("r.jsonl"), ["r-a.jsonl", "r-b.jsonl"]);
        assert_eq!(names("r.json"), ["r-a.json", "r-b.json"]);
        assert_eq!(names("run.1"), ["run.1-a.jsonl", "run.1-b.jsonl"]);
        assert_eq!(names("there/r"), ["there/r-a.jsonl", "there/r-b.jsonl"]);
    }
}

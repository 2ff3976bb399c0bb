//! A request carried out, and its record shown.

use record::{Check, Finding, Outcome, Run, Verdict};
use report::FioJson;
use run::{Error, IoRequest, Result};

use crate::arguments::io::IoFormat;
use crate::measuring::measuring;
use crate::output::{print, style, width};

/// Measures, and shows the record.
///
/// # Errors
/// What measuring says; runs that failed or are invalid.
pub fn carry_out(request: &IoRequest, format: IoFormat, quiet: bool) -> Result<()> {
    // Nothing is asked of an engine; what one left in the directory is cleaned up.
    let target = "sqlite".parse().map_err(|error| Error::environment(format!("{error}")))?;
    let measured = measuring(quiet, |measuring| run::measure_io(request, measuring.context(&target)?))?;
    if !measured.record.runs.is_empty() {
        let place = measured.path.display().to_string();
        print(&match format {
            IoFormat::Text => report::text(&measured.record, &place, style(), width()),
            IoFormat::FioJson => report::fio_json(&measured.record, FioJson::Plain),
            IoFormat::FioJsonPlus => report::fio_json(&measured.record, FioJson::Plus),
            IoFormat::Csv => report::io_csv(&measured.record),
            IoFormat::Json => report::json(&measured.record),
        })?;
    }
    if let Some(error) = measured.error {
        return Err(error);
    }
    let invalid: Vec<&Run> = measured.record.runs.iter().filter(|run| model::is_invalid(run)).collect();
    let names: Vec<&str> = invalid.iter().map(|run| run.test.as_str()).collect();
    match invalid.iter().all(|run| is_spoilt_only(run)) {
        _ if invalid.is_empty() => Ok(()),
        true => Err(Error::environment(format!("spoilt from outside: {}", names.join(", ")))
            .hint("the report says by what; measure again on a quiet machine")),
        false => Err(Error::environment(format!("no measurement of the device: {}", names.join(", ")))
            .hint("the report says why")),
    }
}

/// Whether only the surroundings spoilt a run: other guests of the host, other programs.
fn is_spoilt_only(run: &Run) -> bool {
    let surroundings = [Check::Steal, Check::Swapping, Check::Throttling, Check::ClientShare, Check::RateLevels];
    let inner = |finding: &Finding| finding.verdict == Verdict::Fail && !surroundings.contains(&finding.check());
    run.outcome == Outcome::Done && !run.findings.iter().any(inner)
}

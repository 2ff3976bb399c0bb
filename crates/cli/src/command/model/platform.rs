//! `dbdyno model platform`: what a platform that is not there yet gives at best.

use std::fs;
use std::path::Path;

use model::platform_plan::{Money, PlatformPlan, recorded_plan};
use run::{Error, Result};

use crate::arguments::model::platform::PlatformArguments;
use crate::output::{print, style, width};
use crate::subject::price_book;
use crate::subject::unreadable;

/// The largest file that is read: a platform has some kilobytes.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// Carries out `dbdyno model platform`.
pub(super) fn platform(arguments: &PlatformArguments) -> Result<()> {
    let path = &arguments.platform;
    let is_record = store::is_record_name(&path.to_string_lossy());
    let plan = match (&arguments.record, is_record) {
        (Some(_), true) => {
            return Err(Error::user(format!("{} is a record, and --record gives another one", path.display()))
                .hint("give one record, and a TOML file with what is required"));
        }
        (Some(record), false) => of_file(path)?.completed_by(of_record(record)?),
        (None, true) => of_record(path)?,
        (None, false) => of_file(path)?,
    };
    let plan = match &arguments.prices {
        Some(path) => priced(plan, path)?,
        None => plan,
    };
    print(&report::platform_plan(&plan).text(style(), width()))
}

/// The plan with the prices of the book at `path`.
fn priced(plan: PlatformPlan, path: &Path) -> Result<PlatformPlan> {
    let book = price_book(path)?;
    if let Some(money) = plan.money.as_ref().filter(|money| money.currency != book.currency) {
        return Err(Error::user(format!(
            "price book {} is in {}, and the platform in {}",
            path.display(),
            book.currency,
            money.currency
        ))
        .hint("give both in one currency"));
    }
    let money = Money { currency: book.currency.clone(), date: book.date.clone(), source: book.source.clone() };
    Ok(PlatformPlan { money: Some(money), book: Some(book), ..plan })
}

fn of_record(path: &Path) -> Result<PlatformPlan> {
    Ok(recorded_plan(&store::read(path).map_err(unreadable)?))
}

fn of_file(path: &Path) -> Result<PlatformPlan> {
    let shown = path.display().to_string();
    let unreadable = |why: String| {
        Error::user(format!("platform {shown} cannot be read: {why}")).hint("give a TOML file, or a record (.jsonl)")
    };
    let size = fs::metadata(path).map_err(|error| unreadable(error.to_string()))?.len();
    if size > FILE_BYTES_MAX {
        return Err(unreadable(format!("it has {size} bytes, at most {FILE_BYTES_MAX} are read")));
    }
    let text = fs::read_to_string(path).map_err(|error| unreadable(error.to_string()))?;
    reference::platform_plan(&text, &shown).map_err(|error| Error::user(error.to_string()).hint(error.hint))
}

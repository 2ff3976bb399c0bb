//! `dbdyno model platform`: what a platform that is not there yet gives at best.

use std::path::Path;

use model::platform_plan::{Money, PlatformPlan, recorded_plan};
use run::{Error, Result};

use crate::arguments::model::platform::PlatformArguments;
use crate::output::{print, style, width};
use crate::subject::{platform_plan, price_book, unreadable};

/// Carries out `dbdyno model platform`.
pub(super) fn platform(arguments: &PlatformArguments) -> Result<()> {
    let path = &arguments.platform;
    let is_record = store::is_record_name(&path.to_string_lossy());
    let plan = match (&arguments.record, is_record) {
        (Some(_), true) => {
            return Err(Error::user(format!("{} is a record, and --record gives another one", path.display()))
                .hint("give one record, and a TOML file with what is required"));
        }
        (Some(record), false) => platform_plan(path)?.completed_by(of_record(record)?),
        (None, true) => of_record(path)?,
        (None, false) => platform_plan(path)?,
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

//! The platforms that a load is held against: records, published systems, planned platforms.

use std::path::Path;

use model::platform_plan::{PlatformPlan, recorded_plan};
use model::sizing::{
    Growth, LoadHistory, Platform, ProcessorSheet, planned_ceilings, processor_ratio, processor_sheet,
    published_ceilings, published_sheet, recorded_ceilings, recorded_curves, required_of,
};
use model::{PriceBook, System};
use record::{LoadProfile, Record};
use run::{Error, Result};

use super::SizingArguments;
use crate::output::note;
use crate::subject::{self, is_path, price_book, unreadable};

/// Ending of the files of planned platforms.
const PLAN_ENDING: &str = "toml";

/// The platforms of `--on`, each with its prices, and its processors against the sheet `old`.
///
/// # Errors
/// Where one cannot be read, and where there are more or fewer price books than platforms.
pub(super) fn platforms(
    arguments: &SizingArguments,
    profile: &LoadProfile,
    history: &LoadHistory,
    old: Option<&ProcessorSheet>,
    growth: Growth,
) -> Result<Vec<Platform>> {
    let (platforms, prices) = (arguments.on.len(), arguments.prices.len());
    if prices != 0 && prices != platforms {
        let message = format!("--prices names {prices} price books for {platforms} platforms");
        return Err(Error::user(message).hint("give one per platform in the same order, - for none"));
    }
    // Without a sheet of the old platform, a published one of the same processor bounds it.
    let published = if old.is_none() { published_of(profile) } else { None };
    let old = old.or(published.as_ref());
    let one = |(index, words): (usize, &String)| {
        let book = arguments.prices.get(index).filter(|path| path.as_os_str() != "-");
        let book = book.map(|path| price_book(path)).transpose()?;
        let platform = platform(words, history, old, growth)?;
        Ok(match book {
            Some(book) => priced(platform, book),
            None => platform,
        })
    };
    arguments.on.iter().enumerate().map(one).collect()
}

fn priced(mut platform: Platform, book: PriceBook) -> Platform {
    let (currency, date, source) = (book.currency.clone(), book.date.clone(), book.source.clone());
    platform.plan.money = Some(model::platform_plan::Money { currency, date, source });
    platform.plan.book = Some(book.clone());
    platform.prices = Some(book);
    platform
}

fn platform(words: &str, history: &LoadHistory, old: Option<&ProcessorSheet>, growth: Growth) -> Result<Platform> {
    let path = Path::new(words);
    let required = required_of(history, growth.factor());
    let against = |new: Option<&ProcessorSheet>| old.zip(new).and_then(|(old, new)| processor_ratio(old, new));
    if path.extension().is_some_and(|ending| ending == PLAN_ENDING) {
        let plan = PlatformPlan { required, ..subject::platform_plan(path)? };
        let processor = plan.processor.as_ref();
        let threads = processor.map(|one| one.cores_all() * f64::from(one.threads_per_core));
        let ceilings = planned_ceilings(&plan);
        let prices = model::platform_plan::prices(&plan);
        let name = words.to_owned();
        return Ok(Platform { name, ceilings, threads, plan, prices, is_planned: true, ..Platform::default() });
    }
    if path.exists() || is_path(words) {
        let record = read(path)?;
        let sheet = processor_sheet(&record);
        return Ok(Platform {
            name: words.to_owned(),
            ceilings: recorded_ceilings(&record),
            curves: recorded_curves(&record),
            processors: against(sheet.as_ref()),
            threads: sheet.map(|sheet| sheet.threads),
            plan: PlatformPlan { required, ..recorded_plan(&record) },
            ..Platform::default()
        });
    }
    let system = subject::published(words)?;
    let sheet = published_sheet(system);
    Ok(Platform {
        name: system.name.clone(),
        ceilings: published_ceilings(system),
        processors: against(sheet.as_ref()),
        threads: sheet.map(|sheet| sheet.threads),
        prices: system.price.clone(),
        ..Platform::default()
    })
}

fn read(path: &Path) -> Result<Record> {
    let record = store::read_without_series(path, &model::thin).map_err(unreadable)?;
    let warnings = subject::warnings(&path.display().to_string(), &record);
    warnings.iter().for_each(|warning| note(&format!("warning: {warning}")));
    Ok(record)
}

/// The sheet of processors of the platform that `words` name.
///
/// # Errors
/// Where it cannot be read, or has no test of processors.
pub(super) fn sheet(words: &str) -> Result<ProcessorSheet> {
    let path = Path::new(words);
    let sheet = match path.exists() || is_path(words) {
        true => processor_sheet(&read(path)?),
        false => published_sheet(subject::published(words)?),
    };
    sheet.filter(|sheet| !sheet.rates.is_empty()).ok_or_else(|| {
        Error::user(format!("{words} has no valid run of a test of processors (T131, T421, T611, C11, C13, C14)"))
            .hint("measure the old platform: dbdyno run --tests C11,T131,T421,T611")
    })
}

/// The published sheet of the processor that the load ran on, if there is one.
fn published_of(profile: &LoadProfile) -> Option<ProcessorSheet> {
    let models: Vec<&str> = profile.instances.iter().filter_map(|instance| instance.processor.as_deref()).collect();
    let is_same = |sheet: &ProcessorSheet| {
        let model = sheet.model.as_deref().unwrap_or_default();
        !sheet.rates.is_empty() && models.iter().any(|known| known.trim().eq_ignore_ascii_case(model.trim()))
    };
    let sheets = reference::published().iter().filter_map(|system: &System| published_sheet(system));
    sheets.into_iter().find(is_same)
}

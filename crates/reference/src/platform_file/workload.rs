//! What is required, what makes a commit durable, a second level of the buffer cache, licences and prices.

use model::platform::{Basis, FlashCache};
use model::platform_plan::{Commit, Licence, Misses, Money, PlatformPlan, Required, SecondLevel, prices};

use super::PlatformError;
use super::section::{File, Section};

type Read<T> = Result<T, PlatformError>;

/// Default block of a second-level cache.
const BLOCK: record::Bytes = record::Bytes(8_192);

/// What is required; nothing without the section.
pub(super) fn required(file: &mut File<'_>) -> Read<Required> {
    let Some(mut section) = file.one("required") else { return Ok(Required::default()) };
    let required = Required {
        source: section.words("source")?,
        iops: section.rate("iops", "\"400k\"")?,
        write_share: section.share("write_share", "0.3")?.unwrap_or(0.0),
        io_bytes: section.size("io_size", "\"8KiB\"")?.map(|size| size.0 as f64),
        scan_rate: section.data_rate("throughput", "\"10GB/s\"")?,
        transactions: section.rate("transactions", "\"20k\"")?,
        cpu_seconds: section.time("cpu", false, "\"0.4ms\"")?,
        ios: section.positive("ios", "8")?,
        log_bytes: section.size("log", "\"4KiB\"")?.map(|size| size.0 as f64),
        network_bytes: section.size("network", "\"2KiB\"")?.map(|size| size.0 as f64),
        commits: section.rate("commits", "\"20k\"")?,
        capacity: section.size("capacity", "\"20TB\"")?,
        logical_reads: section.rate("logical_reads", "\"1M\"")?,
        clients: section.positive("clients", "500")?,
        think_seconds: section.time("think", true, "\"100ms\"")?.unwrap_or(0.0),
    };
    let of_transaction = [
        ("log", required.log_bytes.is_some()),
        ("ios", required.ios.is_some()),
        ("network", required.network_bytes.is_some()),
        ("clients", required.clients.is_some()),
    ];
    if let Some((key, _)) = of_transaction.iter().find(|(_, is_there)| *is_there && required.transactions.is_none()) {
        let message = format!("{key} of required is there without transactions");
        return Err(section.wrong(message, "it is that of a transaction; give transactions per second"));
    }
    file.done(section);
    Ok(required)
}

/// How a commit becomes durable.
pub(super) fn commit(file: &mut File<'_>) -> Read<Option<Commit>> {
    let Some(mut section) = file.one("commit") else { return Ok(None) };
    let flush = section.time("flush", false, "\"30us\"")?;
    let commit = Commit {
        origin: section.origin(Basis::Assumed)?,
        flush_seconds: section.needed("flush", flush, "give the time of a write and flush, as in flush = \"30us\"")?,
        group: section.number("group", 1.0..=1e6, "4")?.unwrap_or(1.0),
        cpu_seconds: section.time("cpu", true, "\"10us\"")?.unwrap_or(0.0),
        remote_flush_seconds: section.time("remote_flush", true, "\"30us\"")?,
        is_parallel: section.switch("parallel")?,
    };
    file.done(section);
    Ok(Some(commit))
}

/// The second level of the buffer cache.
pub(super) fn cache(file: &mut File<'_>) -> Read<Option<SecondLevel>> {
    let Some(mut section) = file.one("cache") else { return Ok(None) };
    let (buffer, flash) = (section.size("buffer", "\"128GiB\"")?, section.size("flash", "\"1TiB\"")?);
    let flash_seconds = section.time("flash_time", false, "\"100us\"")?;
    let below_seconds = section.time("below_time", false, "\"2ms\"")?;
    let misses = misses(&mut section)?;
    let header = section.number("header", 0.0..=1e6, "100")?;
    let cache = SecondLevel {
        origin: section.origin(Basis::Assumed)?,
        cache: FlashCache {
            buffer: section.needed("buffer", buffer, "give the size of the buffer cache")?,
            flash: section.needed("flash", flash, "give the size of the second level")?,
            block: section.size("block", "\"8KiB\"")?.unwrap_or(BLOCK),
            header_bytes: section.needed("header", header, "give the bytes of memory per block, often 100 to 200")?,
            buffer_seconds: section.time("buffer_time", true, "\"1us\"")?.unwrap_or(0.0),
            flash_seconds: section.needed("flash_time", flash_seconds, "give the time of a read of flash")?,
            below_seconds: section.needed("below_time", below_seconds, "give the time of a read of what is below")?,
        },
        misses,
    };
    file.done(section);
    Ok(Some(cache))
}

fn misses(section: &mut Section<'_>) -> Read<Misses> {
    const HINT: &str = "give miss = [[\"64GiB\", 0.2], [\"1TiB\", 0.02]], or all_miss_up_to = \"1GiB\" and theta = 0.5";
    let points = section.curve("miss")?;
    let law = (section.size("all_miss_up_to", "\"1GiB\"")?, section.number("theta", 0.01..=10.0, "0.5")?);
    match (points, law) {
        (Some(points), (None, None)) => Ok(Misses::Points(points)),
        (None, (Some(all_miss_up_to), Some(theta))) => Ok(Misses::PowerLaw { all_miss_up_to, theta }),
        (None, _) => Err(section.wrong("cache has no curve of misses".to_owned(), HINT)),
        (Some(_), _) => Err(section.wrong("cache has two curves of misses".to_owned(), HINT)),
    }
}

/// The licence.
pub(super) fn licence(file: &mut File<'_>) -> Read<Option<Licence>> {
    let Some(mut section) = file.one("licence") else { return Ok(None) };
    let price = section.price()?;
    let licence = Licence {
        price: section.needed("price", price, "give the price of a licence")?,
        core_factor: section.number("core_factor", 0.001..=1_000.0, "0.5")?.unwrap_or(1.0),
    };
    file.done(section);
    Ok(Some(licence))
}

/// What prices have in common.
pub(super) fn money(file: &mut File<'_>) -> Read<Option<Money>> {
    let (currency, date, source) = (file.top.words("currency")?, file.top.words("date")?, file.top.words("source")?);
    let Some(currency) = currency else { return Ok(None) };
    if currency.len() != 3 || !currency.bytes().all(|letter| letter.is_ascii_uppercase()) {
        let shown: String = currency.chars().take(40).collect();
        let message = format!("currency {shown:?} is not a code of three capital letters");
        return Err(file.top.wrong(message, "give an ISO 4217 code such as \"USD\" or \"EUR\""));
    }
    let date = file.top.needed("date", date, "prices need the date of the offer")?;
    let source = file.top.needed("source", source, "prices need a source, such as the offer")?;
    Ok(Some(Money { currency, date, source }))
}

/// Refuses prices without a currency.
pub(super) fn check_prices(file: &File<'_>, plan: &PlatformPlan) -> Read<()> {
    let money = Money { currency: String::new(), date: String::new(), source: String::new() };
    let priced = prices(&PlatformPlan { money: Some(money), ..plan.clone() });
    match priced.is_some() && plan.money.is_none() {
        true => {
            let hint = "add currency, date and source of the prices before the first section";
            Err(file.top.wrong("prices have no currency".to_owned(), hint))
        }
        false => Ok(()),
    }
}

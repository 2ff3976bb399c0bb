//! Whose processor time the tables of think time show.

use model::{ThinkPoint, ThinkStudy, Whose};

use crate::figure::count;
use crate::words::list;

/// One sentence, of the tables of all `studies`. The capacity is that of the host, and so is what is used of it.
pub(crate) fn whose(studies: &[ThinkStudy<'_>]) -> String {
    const OWN: &str = "processors used and their time are those of dbdyno and the engine";
    const HOST: &str = "of the whole host, of whatever else was busy too, because the time of the engine is not known";
    let points = || studies.iter().flat_map(|study| &study.points).filter(|point| point.processors.is_some());
    let is_host = |point: &&ThinkPoint<'_>| point.whose == Whose::Host;
    let hosts: Vec<String> = points().filter(is_host).map(|point| count(point.run.number.into())).collect();
    let capacity = match points().any(|point| point.used.is_some()) {
        true => "; capacity used is what the whole host uses",
        false => "",
    };
    match hosts.len() {
        0 => format!("{OWN}{capacity}"),
        all if all == points().count() => format!("processors used and their time are those {HOST}"),
        1 => format!("{OWN}, but in run {} {HOST}{capacity}", list(hosts)),
        _ => format!("{OWN}, but in runs {} {HOST}{capacity}", list(hosts)),
    }
}

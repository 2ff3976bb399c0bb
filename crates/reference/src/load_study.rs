//! The published plan of a load, figure by figure.

use serde::Deserialize;

use crate::lookup::{FILES, find};
use crate::publication;

/// What a publication says of a load: a goal, and what it needs. Units are those in which it was published.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadStudy {
    /// Terabytes of flat file an hour.
    pub goal_tb_per_hour: f64,
    /// The same in megabytes per second.
    pub goal_mb_s: f64,
    /// Flat file over its gzip.
    pub gzip_ratio: f64,
    /// Megabytes of gzip per second.
    pub compressed_input_mb_s: f64,
    /// Megabytes of flat file per second that a quarter of a core inflates.
    pub inflate_mb_s_per_quarter_core: f64,
    /// Quarters of a core that inflating needs.
    pub inflate_units: f64,
    /// Cores that inflating needs.
    pub inflate_cores: f64,
    /// What two links of a gigabit carry, megabytes per second.
    pub network_mb_s: f64,
    /// Seconds that a terabyte takes over them.
    pub network_seconds_per_tb: f64,
}

/// The plan of a load in the publication that `name` means; none where it means none, and where that has no such plan.
pub fn load_study(name: &str) -> Option<LoadStudy> {
    let system = find(name).ok()?;
    let (_, text) = FILES.iter().find(|(file, _)| *file == system.name)?;
    publication::parse(text).ok()?.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_publication_has_a_plan() {
        let study = load_study("closson").expect("a plan");
        assert_eq!((study.goal_mb_s, study.inflate_units, study.network_mb_s), (291.0, 15.0, 230.0));
        assert_eq!((load_study("hp-dl980"), load_study("nobody")), (None, None));
    }
}

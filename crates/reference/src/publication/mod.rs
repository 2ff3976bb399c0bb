//! The form in which publications are kept: what a file of `published/` may say. Unknown keys are refused.

mod study;
mod table;

use std::collections::BTreeMap;

use serde::Deserialize;

pub(crate) use study::{
    Calibration, FileServer, IoFigures, LatencyByLayer, ScaleOut, SecondLevelCache, SingleInstance, TableScan,
    ThinkTimeStudy, WaitEvent,
};
pub(crate) use table::{TestFigures, WaitShare};

/// Figures that stand once, by their key; which keys there are, and what they mean, is a matter of `label`.
pub(crate) type Section = BTreeMap<String, toml::Value>;

/// One file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Publication {
    pub(crate) system: Head,
    #[serde(default)]
    pub(crate) platform: Section,
    #[serde(default)]
    pub(crate) price_usd: BTreeMap<String, f64>,
    #[serde(default, rename = "test")]
    pub(crate) tests: Vec<TestFigures>,
    #[serde(default)]
    pub(crate) io: Vec<IoFigures>,
    pub(crate) calibrate_io: Option<Calibration>,
    pub(crate) table_scan: Option<TableScan>,
    #[serde(default)]
    pub(crate) wait_event: Vec<WaitEvent>,
    pub(crate) smt: Option<ThinkTimeStudy>,
    pub(crate) single_instance: Option<SingleInstance>,
    pub(crate) scale_out: Option<ScaleOut>,
    #[serde(default)]
    pub(crate) latency_by_layer: Vec<LatencyByLayer>,
    pub(crate) second_level_cache: Option<SecondLevelCache>,
    #[serde(default)]
    pub(crate) load: Section,
    pub(crate) nfs: Option<FileServer>,
    #[serde(default)]
    pub(crate) numa: Section,
    #[serde(default)]
    pub(crate) file_streams: Section,
    /// Per generation, for 1, 4 and 16 lanes, and the year.
    #[serde(default)]
    pub(crate) pcie_gb_s: BTreeMap<String, [f64; 4]>,
    /// Per kind of module, and the year.
    #[serde(default)]
    pub(crate) ram_mb_s: BTreeMap<String, [f64; 2]>,
    #[serde(default)]
    pub(crate) shared_storage_contention: Section,
}

impl Publication {
    /// The publication that `text` is, or what is wrong with it.
    pub(crate) fn parse(text: &str) -> Result<Publication, String> {
        let publication: Publication = toml::from_str(text).map_err(|error| error.to_string())?;
        publication.tests.iter().try_for_each(TestFigures::check)?;
        if let Some(study) = &publication.smt {
            study.check()?;
        }
        Ok(publication)
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Head {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) year: u32,
    pub(crate) source: String,
    /// As of when its prices are, where it has any.
    pub(crate) price_date: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "[system]\nid = \"a\"\nname = \"A\"\nyear = 2012\nsource = \"B\"\n";
    const TEST: &str = "[[test]]\ncode = \"T611\"\nname = \"x\"\nunit = \"row\"\njobs = [1, 2]\n";

    fn refused(rest: &str) -> String {
        Publication::parse(&format!("{HEAD}{rest}")).expect_err(rest)
    }

    #[test]
    fn what_has_no_place_is_refused() {
        assert!(Publication::parse(&format!("{HEAD}{TEST}rps = [1, 2.5]")).is_ok());
        assert!(refused("[tset]").contains("unknown field `tset`"));
        assert!(refused(&format!("{TEST}rpm = [1]")).contains("unknown field `rpm`"));
        assert_eq!(refused(&format!("{TEST}rps = [1.0]")), "rps of T611 has 1 figures, 2 are needed");
        assert_eq!(refused(&format!("{TEST}threads = [1, 2]")), "T611 varies jobs and threads");
        assert_eq!(refused(&TEST.replace("[1, 2]", "[2, 1]")), "the degrees of parallelism of T611 are not ascending");
        let nothing = refused(&format!("{TEST}time = [9.0, 0.0]"));
        assert_eq!(nothing, "time of T611 has the figure 0, it has to be above 0");
        for figures in ["service_ms = [0.0, 1.0]", "service_s_at_max = 0.0", "rps = [-1.0, 1.0]", "ops = [nan, 1.0]"] {
            assert!(refused(&format!("{TEST}{figures}")).contains(" of T611 has the figure "), "{figures}");
        }
        assert!(Publication::parse(&format!("{HEAD}{TEST}read_iops = [0.0, 2.0]")).is_ok());
        assert!(refused("[[test]]\ncode = \"T611\"").contains("lacks code, name or unit"));
    }
}

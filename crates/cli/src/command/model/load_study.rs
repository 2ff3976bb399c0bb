//! A published plan of a load, recalculated.

use model::Remark;
use model::load_plan::{Basis, Input, Plan, RateSource, Stage, StageCost, StageRate, Units};
use record::{Bytes, Rate, Ratio};
use reference::LoadStudy;
use report::{ByteUnits, LoadPlanView};
use run::{Error, Result};

use super::load_rates::cores;
use crate::arguments::model::load::LoadPlanArguments;
use crate::subject;

/// The published figures are consistent with prefixes of 1024.
const MEBIBYTE: f64 = 1_048_576.0;

/// The plan of a publication.
pub(super) fn plan_of(name: &str, has_goal: bool, arguments: &LoadPlanArguments) -> Result<LoadPlanView> {
    let system = subject::published(name)?;
    let Some(study) = reference::load_study(name) else {
        return Err(Error::user(format!("{} has no load plan", system.name)).hint("closson has one"));
    };
    if has_goal || arguments.check.is_some() {
        return Err(
            Error::user(format!("{} has its own goal", system.name)).hint("leave --goal, --data and --check out")
        );
    }
    let inflate = StageRate {
        worker_cores: 0.25,
        ..StageRate::per_core(
            Stage::Decompress,
            Rate(study.inflate_mb_s_per_quarter_core * MEBIBYTE),
            RateSource::Given,
        )
    };
    let plan = Plan {
        volume: Bytes((study.goal_tb_per_hour * 1024f64.powi(4)).round() as u64),
        window_seconds: 3_600.0,
        input: Input { name: Some("gzip".to_owned()), ratio: study.gzip_ratio },
        stages: vec![StageCost::Rate(inflate)],
        cores: cores(arguments),
        utilisation: Ratio(1.0),
        network: Some(Units {
            count: 2,
            each: Rate(study.network_mb_s * MEBIBYTE / 2.0),
            name: "1 GbE".to_owned(),
            basis: Basis::Published,
        }),
        disks: None,
        written_per_byte: None,
        log_per_byte: None,
        replicas: 0,
    };
    let mut remarks = vec![published(&study)];
    remarks.extend(system.remarks.iter().filter_map(|remark| match remark {
        Remark::Published { text, .. } if text.starts_with("load: ") => Some(text.clone()),
        _ => None,
    }));
    Ok(LoadPlanView::new(plan, ByteUnits::Binary, remarks))
}

/// The published figures, for comparison.
fn published(study: &LoadStudy) -> String {
    format!(
        "published: {} TB/h is {} MB/s; 2 x gigabit Ethernet carry {} MB/s, {} s for a TB; gzip at {} makes it {} MB/s; \
         inflating that needs {} quarters of a core at {} MB/s, {} cores",
        study.goal_tb_per_hour,
        study.goal_mb_s,
        study.network_mb_s,
        study.network_seconds_per_tb,
        study.gzip_ratio,
        study.compressed_input_mb_s,
        study.inflate_units,
        study.inflate_mb_s_per_quarter_core,
        study.inflate_cores
    )
}

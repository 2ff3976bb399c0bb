//! Rates, links, disks and processors of the options of `dbdyno model load`, as the model takes them.

use base::data_rate::Each;
use model::load_plan::{Basis, Cores, RateSource, Stage, StageCost, StageRate, Units};
use model::platform::ethernet_goodput;
use record::Rate;

use crate::arguments::model::figure::{CoreRate, Named};
use crate::arguments::model::load::{LoadPlanArguments, RateArguments};

/// The given costs of stages.
pub(super) fn stages(arguments: &RateArguments) -> Vec<StageCost> {
    let given = [
        (Stage::Read, arguments.read),
        (Stage::Decompress, arguments.inflate),
        (Stage::Parse, arguments.parse),
        (Stage::Convert, arguments.convert),
        (Stage::Send, arguments.send),
        (Stage::Insert, arguments.insert),
        (Stage::Index, arguments.index),
        (Stage::Verify, arguments.verify),
    ];
    let cost = |(stage, rate): (Stage, Option<CoreRate>)| {
        let times = if stage == Stage::Index { arguments.indexes.unwrap_or(1) } else { 1 };
        Some(match rate? {
            CoreRate::Skipped => StageCost::Skipped(stage),
            CoreRate::Bytes { per_second, worker_cores } => {
                let per_worker = StageRate::per_core(stage, Rate(per_second), RateSource::Given);
                StageCost::Rate(StageRate { worker_cores, times, ..per_worker })
            }
        })
    };
    given.into_iter().filter_map(cost).collect()
}

pub(super) fn cores(arguments: &LoadPlanArguments) -> Cores {
    match (arguments.client_cores, arguments.server_cores) {
        (None, None) => Cores::Shared(arguments.cores),
        (client, server) => Cores::Apart { client, server },
    }
}

/// The links; Ethernet links with the goodput of TCP.
pub(super) fn network(arguments: &LoadPlanArguments) -> Option<Units> {
    let (links, mtu) = (arguments.network.as_ref()?, arguments.mtu);
    Some(match links.several.each {
        Each::Ethernet { gigabits } => Units {
            count: links.several.count,
            each: ethernet_goodput(gigabits, mtu),
            name: format!("{gigabits} GbE"),
            basis: Basis::TcpGoodput { mtu_bytes: mtu },
        },
        Each::Data(_) => plain(links),
    })
}

pub(super) fn disks(arguments: &LoadPlanArguments) -> Option<Units> {
    arguments.disks.as_ref().map(plain)
}

/// Units with a given rate.
fn plain(found: &Named) -> Units {
    let each = match found.several.each {
        Each::Data(speed) => speed.per_second(),
        Each::Ethernet { gigabits } => gigabits * 1e9 / 8.0,
    };
    Units { count: found.several.count, each: Rate(each), name: found.name.clone(), basis: Basis::Given }
}

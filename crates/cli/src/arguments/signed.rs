//! Numbers with a minus.

use std::any::TypeId;
use std::net::IpAddr;

use base::data_rate::{Speed, Volume};
use clap::{Arg, Command};
use model::scalability::SharedCeiling;
use record::{Bytes, Nanos};

use super::model::figure::{CoreRate, Named};
use super::value::{AtJobs, Rate, Setting};

/// `command`, whose numbers may begin with a minus: it is the number that is refused then, and not an unknown option.
pub fn signed(command: Command) -> Command {
    let numbers = [
        TypeId::of::<u16>(),
        TypeId::of::<u32>(),
        TypeId::of::<u64>(),
        TypeId::of::<f64>(),
        TypeId::of::<AtJobs>(),
        TypeId::of::<Bytes>(),
        TypeId::of::<CoreRate>(),
        TypeId::of::<IpAddr>(),
        TypeId::of::<Named>(),
        TypeId::of::<Nanos>(),
        TypeId::of::<Rate>(),
        TypeId::of::<Setting>(),
        TypeId::of::<SharedCeiling>(),
        TypeId::of::<Speed>(),
        TypeId::of::<Volume>(),
    ];
    let sign = |arg: Arg| {
        let found = arg.get_value_parser().type_id();
        if numbers.iter().any(|number| found == *number) { arg.allow_hyphen_values(true) } else { arg }
    };
    command.mut_args(sign).mut_subcommands(signed)
}

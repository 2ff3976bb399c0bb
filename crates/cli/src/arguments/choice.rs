//! Choices that several verbs share.

use clap::ValueEnum;

/// Presets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PresetArgument {
    /// Checks that everything works, within a minute; its figures mean nothing
    Smoke,
    /// A first look: 2 seconds a run, tables of megabytes
    Quick,
    /// Figures to work with: 30 seconds a run, the large table twice the engine's cache
    Standard,
    /// Figures to publish: 5 minutes a run, each test six times, then its latency at 50 to 90 % of its capacity
    Publish,
}

impl From<PresetArgument> for record::Preset {
    fn from(preset: PresetArgument) -> record::Preset {
        match preset {
            PresetArgument::Smoke => record::Preset::Smoke,
            PresetArgument::Quick => record::Preset::Quick,
            PresetArgument::Standard => record::Preset::Standard,
            PresetArgument::Publish => record::Preset::Publish,
        }
    }
}

/// CPU pinning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PlacementArgument {
    /// None: the kernel decides
    Kernel,
    /// Each job on a processor of its own, its server process on the next one
    Spread,
    /// Each job on a processor of its own, its server process on the same one
    Paired,
}

impl From<PlacementArgument> for record::Placement {
    fn from(placement: PlacementArgument) -> record::Placement {
        match placement {
            PlacementArgument::Kernel => record::Placement::Kernel,
            PlacementArgument::Spread => record::Placement::Spread,
            PlacementArgument::Paired => record::Placement::Paired,
        }
    }
}

/// Arrival process of an open loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Arrival {
    /// Exponential intervals, as from many independent users
    #[default]
    Poisson,
    /// Constant intervals
    Fixed,
}

impl From<Arrival> for record::Arrival {
    fn from(arrival: Arrival) -> record::Arrival {
        match arrival {
            Arrival::Poisson => record::Arrival::Poisson,
            Arrival::Fixed => record::Arrival::Fixed,
        }
    }
}

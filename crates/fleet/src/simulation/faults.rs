//! What happens in a history, as its seed says.

/// What happens in one history.
#[derive(Clone, Debug, Default)]
pub(crate) struct Faults {
    /// The shortest and the longest way of a message, nanoseconds.
    pub delay: (u64, u64),
    /// Chances in a thousand: of each message to be lost, to arrive twice, and to be followed by a forged one.
    pub lost: u64,
    pub doubled: u64,
    pub forged: u64,
    /// How long a part that is given up takes to its end, and its result until it is kept, at most; nanoseconds.
    pub gives_up: u64,
    pub keeps: u64,
    /// When the coordinator is stopped, and for how long; nanoseconds from the beginning.
    pub coordinator_stops: Option<(u64, u64)>,
    /// One agent with a fault of its own.
    pub faulty: Option<(usize, Fault)>,
}

/// The fault of an agent, from a moment on, nanoseconds from the beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It is stopped for so long.
    Stops { at: u64, for_time: u64 },
    /// It says much, and all of it can be read.
    Floods { at: u64 },
    /// It says what cannot be read.
    SaysNonsense { at: u64 },
    /// Its results have no end.
    EndlessResults { at: u64 },
    /// Its process is gone. Where that is said, another one begins with the same ticket so long after it.
    Ends { at: u64, another_after: Option<u64> },
}

impl Faults {
    /// The fault of the agent at `index`, if it has one of its own.
    pub(super) fn of(&self, index: usize) -> Option<Fault> {
        self.faulty.filter(|(faulty, _)| *faulty == index).map(|(_, fault)| fault)
    }
}

/// Numbers that a seed gives.
#[derive(Clone, Debug)]
pub(crate) struct Chance(pub u64);

impl Chance {
    /// The next number (SplitMix64).
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from `least` to `most`.
    pub(crate) fn between(&mut self, least: u64, most: u64) -> u64 {
        least + self.next() % (most - least + 1)
    }

    /// A number up to `most`; where that is 0, no number is taken.
    pub(crate) fn up_to(&mut self, most: u64) -> u64 {
        if most == 0 { 0 } else { self.between(0, most) }
    }

    /// Whether something happens that happens so often in a thousand.
    pub(crate) fn of_thousand(&mut self, chance: u64) -> bool {
        self.next() % 1_000 < chance
    }
}

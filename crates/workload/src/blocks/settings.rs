//! The settings of random blocks: those of `slob.conf` with their documented meaning.

use record::Nanos;

use super::value::{
    BLOCK, RedoStress, SCALE_MAX, Wrong, blocks, frequency, number, redo_stress, scan_table, seconds, switch,
};

/// The most sessions of all schemas: beyond it, one thread per session is itself the limit.
const SESSIONS_MAX: u64 = 8_192;
const SCHEMAS_MAX: u32 = 4_096;
const WORK_UNIT_MAX: u64 = 1_024;
const SCALE_MIN: u64 = 100;

/// The hot spot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HotSpot {
    /// Its first key, less 1.
    pub offset_blocks: u64,
    /// Its number of keys.
    pub blocks: u64,
    /// One operation in this many goes there.
    pub frequency: u64,
}

/// The think time of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Think {
    /// One operation in this many has a pause before it.
    pub frequency: u64,
    /// The shortest pause.
    pub least_ns: Nanos,
    /// The longest.
    pub most_ns: Nanos,
}

/// The settings. The names are ours, with those of the file in the comments.
#[derive(Clone, Debug, PartialEq)]
pub struct BlocksSettings {
    /// `UPDATE_PCT`: percentage of updates among the operations of a session.
    pub update_percent: u32,
    /// `SCAN_PCT`: percentage of scans of a whole scan table among the operations that only read.
    pub scan_percent: u32,
    /// `RUN_TIME`: length of the window; ignored if `work_loop` is not 0.
    pub run_time: Nanos,
    /// `WORK_LOOP`: operations of each session; 0 for no limit but the run time.
    pub work_loop: u64,
    /// `SCALE`: blocks of each schema, with a row each.
    pub scale_blocks: u64,
    /// `SCAN_TABLE_SZ`: blocks of each scan table; 0 for none.
    pub scan_blocks: u64,
    /// `WORK_UNIT`: blocks that an operation visits, exactly.
    pub work_unit: u64,
    /// `REDO_STRESS`.
    pub redo_stress: RedoStress,
    /// `LOAD_PARALLEL_DEGREE`: sessions that load.
    pub load_jobs: u32,
    /// `THREADS_PER_SCHEMA`: sessions that work in each schema.
    pub threads_per_schema: u32,
    /// Number of schemas, each with tables of its own.
    pub schemas: u32,
    /// `HOT_SCHEMA_FREQUENCY`: one operation in this many goes to the first schema; 0 for none.
    pub hot_schema_frequency: u64,
    /// `OBFUSCATE_COLUMNS`: texts are random, so that storage can neither compress them nor find them equal.
    pub obfuscated: bool,
    hot_spot_wanted: bool,
    hot_spot_mib: u64,
    hot_spot_offset_mib: u64,
    hot_spot_frequency: u64,
    think_frequency: u64,
    think_least_ns: Nanos,
    think_most_ns: Nanos,
}

impl Default for BlocksSettings {
    /// The documented defaults.
    fn default() -> BlocksSettings {
        BlocksSettings {
            update_percent: 10,
            scan_percent: 0,
            run_time: Nanos::from_seconds(300.0),
            work_loop: 0,
            scale_blocks: (80 << 20) / BLOCK.0,
            scan_blocks: (1 << 20) / BLOCK.0,
            work_unit: 64,
            redo_stress: RedoStress::Lite,
            load_jobs: 2,
            threads_per_schema: 1,
            schemas: 1,
            hot_schema_frequency: 0,
            obfuscated: false,
            hot_spot_wanted: false,
            hot_spot_mib: 8,
            hot_spot_offset_mib: 16,
            hot_spot_frequency: 3,
            think_frequency: 0,
            think_least_ns: Nanos::from_seconds(0.1),
            think_most_ns: Nanos::from_seconds(0.5),
        }
    }
}

/// Settings that are read, as the file names them.
pub(super) const KNOWN: [&str; 20] = [
    "UPDATE_PCT",
    "SCAN_PCT",
    "RUN_TIME",
    "WORK_LOOP",
    "SCALE",
    "SCAN_TABLE_SZ",
    "WORK_UNIT",
    "REDO_STRESS",
    "LOAD_PARALLEL_DEGREE",
    "THREADS_PER_SCHEMA",
    "DO_HOTSPOT",
    "HOTSPOT_MB",
    "HOTSPOT_OFFSET_MB",
    "HOTSPOT_FREQUENCY",
    "HOT_SCHEMA_FREQUENCY",
    "THINK_TM_FREQUENCY",
    "THINK_TM_MIN",
    "THINK_TM_MAX",
    "OBFUSCATE_COLUMNS",
    "SCHEMAS",
];

/// Settings without effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Idle {
    /// Their names in the file.
    pub names: &'static [&'static str],
    /// Why, as a clause.
    pub reason: &'static str,
    /// What would give them an effect.
    pub hint: &'static str,
}

const HOT_SPOT: Idle = Idle {
    names: &["HOTSPOT_MB", "HOTSPOT_OFFSET_MB", "HOTSPOT_FREQUENCY"],
    reason: "there is no hot spot",
    hint: "give --hotspot (DO_HOTSPOT=TRUE) too",
};

const THINK_TIME: Idle = Idle {
    names: &["THINK_TM_MIN", "THINK_TM_MAX"],
    reason: "no operation has a pause before it",
    hint: "give --think-frequency (THINK_TM_FREQUENCY) too",
};

const HOT_SCHEMA: Idle =
    Idle { names: &["HOT_SCHEMA_FREQUENCY"], reason: "there is only one schema", hint: "give --schemas 2 or more" };

impl BlocksSettings {
    /// Sets `name` of the file; `shown` is its name in errors (an option, for example).
    ///
    /// # Errors
    /// For an unknown name, and for an impossible value.
    pub fn set(&mut self, name: &str, shown: &str, value: &str) -> Result<(), Wrong> {
        match name {
            "UPDATE_PCT" => self.update_percent = number(shown, value, 0..=100, "the updates in a hundred operations")?,
            "SCAN_PCT" => self.scan_percent = number(shown, value, 0..=100, "the scans in a hundred reads")?,
            "RUN_TIME" => self.run_time = seconds(shown, value, 0.1)?,
            "WORK_LOOP" => self.work_loop = number(shown, value, 0..=u64::MAX, "operations of each session")?,
            "SCALE" => self.scale_blocks = blocks(shown, value, SCALE_MIN..=SCALE_MAX)?,
            "SCAN_TABLE_SZ" => self.scan_blocks = scan_table(shown, value)?,
            "WORK_UNIT" => self.work_unit = number(shown, value, 1..=WORK_UNIT_MAX, "blocks of an operation")?,
            "REDO_STRESS" => self.redo_stress = redo_stress(shown, value)?,
            "LOAD_PARALLEL_DEGREE" => self.load_jobs = number(shown, value, 1..=1_024, "sessions that load")?,
            "THREADS_PER_SCHEMA" => {
                self.threads_per_schema = number(shown, value, 1..=SESSIONS_MAX as u32, "sessions of each schema")?;
            }
            "SCHEMAS" => self.schemas = number(shown, value, 1..=SCHEMAS_MAX, "schemas")?,
            "DO_HOTSPOT" => self.hot_spot_wanted = switch(shown, value)?,
            "HOTSPOT_MB" => self.hot_spot_mib = number(shown, value, 1..=SCALE_MAX / 128, "MiB of the hot spot")?,
            "HOTSPOT_OFFSET_MB" => {
                self.hot_spot_offset_mib = number(shown, value, 0..=SCALE_MAX / 128, "MiB before the hot spot")?;
            }
            "HOTSPOT_FREQUENCY" => self.hot_spot_frequency = frequency(shown, value, 1)?,
            "HOT_SCHEMA_FREQUENCY" => self.hot_schema_frequency = frequency(shown, value, 0)?,
            "THINK_TM_FREQUENCY" => self.think_frequency = frequency(shown, value, 0)?,
            "THINK_TM_MIN" => self.think_least_ns = seconds(shown, value, 0.0)?,
            "THINK_TM_MAX" => self.think_most_ns = seconds(shown, value, 0.0)?,
            "OBFUSCATE_COLUMNS" => self.obfuscated = switch(shown, value)?,
            _ => return Err(Wrong::new(format!("{shown} is not a setting of this method"), known())),
        }
        Ok(())
    }

    /// All settings as lines of the file, from which [`super::settings_of`] makes the same.
    pub fn conf(&self) -> String {
        let switch = |is_on: bool| if is_on { "TRUE" } else { "FALSE" }.to_owned();
        let seconds = |time: Nanos| format!("{}.{:09}", time.0 / 1_000_000_000, time.0 % 1_000_000_000);
        let value = |name: &str| match name {
            "UPDATE_PCT" => self.update_percent.to_string(),
            "SCAN_PCT" => self.scan_percent.to_string(),
            "RUN_TIME" => seconds(self.run_time),
            "WORK_LOOP" => self.work_loop.to_string(),
            "SCALE" => self.scale_blocks.to_string(),
            "SCAN_TABLE_SZ" => self.scan_blocks.to_string(),
            "WORK_UNIT" => self.work_unit.to_string(),
            "REDO_STRESS" => if self.redo_stress == RedoStress::Heavy { "HEAVY" } else { "LITE" }.to_owned(),
            "LOAD_PARALLEL_DEGREE" => self.load_jobs.to_string(),
            "THREADS_PER_SCHEMA" => self.threads_per_schema.to_string(),
            "SCHEMAS" => self.schemas.to_string(),
            "DO_HOTSPOT" => switch(self.hot_spot_wanted),
            "HOTSPOT_MB" => self.hot_spot_mib.to_string(),
            "HOTSPOT_OFFSET_MB" => self.hot_spot_offset_mib.to_string(),
            "HOTSPOT_FREQUENCY" => self.hot_spot_frequency.to_string(),
            "HOT_SCHEMA_FREQUENCY" => self.hot_schema_frequency.to_string(),
            "THINK_TM_FREQUENCY" => self.think_frequency.to_string(),
            "THINK_TM_MIN" => seconds(self.think_least_ns),
            "THINK_TM_MAX" => seconds(self.think_most_ns),
            "OBFUSCATE_COLUMNS" => switch(self.obfuscated),
            _ => unreachable!("every known name has a value"),
        };
        KNOWN.iter().map(|name| format!("{name}={}\n", value(name))).collect()
    }

    /// The hot spot, where one is wanted.
    pub fn hot_spot(&self) -> Option<HotSpot> {
        let of_mib = |mib: u64| mib * ((1 << 20) / BLOCK.0);
        self.hot_spot_wanted.then(|| HotSpot {
            offset_blocks: of_mib(self.hot_spot_offset_mib),
            blocks: of_mib(self.hot_spot_mib),
            frequency: self.hot_spot_frequency,
        })
    }

    /// The pauses, where there are any.
    pub fn think(&self) -> Option<Think> {
        let (frequency, least_ns, most_ns) = (self.think_frequency, self.think_least_ns, self.think_most_ns);
        (frequency > 0 && most_ns > Nanos(0)).then_some(Think { frequency, least_ns, most_ns })
    }

    /// Sessions of all schemas together.
    pub fn sessions(&self) -> u32 {
        self.schemas.saturating_mul(self.threads_per_schema)
    }

    /// Whether an operation changes rows.
    pub fn changes(&self) -> bool {
        self.update_percent > 0
    }

    /// Whether an operation scans.
    pub fn scans(&self) -> bool {
        self.scan_percent > 0 && self.update_percent < 100
    }

    /// Refuses contradictory settings.
    ///
    /// # Errors
    /// With the two settings that contradict each other.
    pub fn check(&self) -> Result<(), Wrong> {
        let sessions = u64::from(self.schemas) * u64::from(self.threads_per_schema);
        if sessions > SESSIONS_MAX {
            let message = format!(
                "{} schemas with {} threads each are {sessions} sessions, more than {SESSIONS_MAX}",
                self.schemas, self.threads_per_schema
            );
            return Err(Wrong::new(message, "give fewer --schemas or --threads"));
        }
        if self.work_unit > self.scale_blocks {
            let message = format!("a work unit of {} does not fit a scale of {}", self.work_unit, self.scale_blocks);
            return Err(Wrong::new(message, "both are blocks: give a larger --scale or a smaller --work-unit"));
        }
        if self.scans() && self.scan_blocks == 0 {
            let message = format!("{} % of the reads are scans, and there is no scan table", self.scan_percent);
            return Err(Wrong::new(message, "give --scan-table-size, or --scan-pct 0"));
        }
        if self.think_frequency > 0 && self.think_least_ns > self.think_most_ns {
            let (least, most) = (self.think_least_ns.seconds(), self.think_most_ns.seconds());
            let message = format!("the shortest think time {least} s is longer than the longest, {most} s");
            return Err(Wrong::new(message, "give --think-min and --think-max in this order"));
        }
        self.check_hot_spot()
    }

    fn check_hot_spot(&self) -> Result<(), Wrong> {
        let Some(spot) = self.hot_spot() else { return Ok(()) };
        if spot.blocks < self.work_unit {
            let message =
                format!("the hot spot has {} blocks, fewer than the {} of an operation", spot.blocks, self.work_unit);
            return Err(Wrong::new(message, "give a larger --hotspot-mb or a smaller --work-unit"));
        }
        let end = spot.offset_blocks.saturating_add(spot.blocks);
        if end > self.scale_blocks {
            let message =
                format!("the hot spot ends at block {end}, and the scale is {} blocks of 8 KiB", self.scale_blocks);
            return Err(Wrong::new(message, "give a larger --scale, or smaller --hotspot-mb and --hotspot-offset-mb"));
        }
        Ok(())
    }

    /// The settings without effect, whether or not they were given, grouped by the setting that they depend on.
    pub fn idle(&self) -> Vec<Idle> {
        let idle = [
            (HOT_SPOT, !self.hot_spot_wanted),
            (THINK_TIME, self.think_frequency == 0),
            (HOT_SCHEMA, self.hot_schema_frequency > 0 && self.schemas == 1),
        ];
        idle.into_iter().filter_map(|(which, is_idle)| is_idle.then_some(which)).collect()
    }

    /// One operation in this many goes to the first schema, if there are others; none otherwise.
    pub fn hot_schema(&self) -> Option<u64> {
        (self.hot_schema_frequency > 0 && self.schemas > 1).then_some(self.hot_schema_frequency)
    }

    /// Remarks on settings outside the recommended range of the method.
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if self.scale_blocks < 10_000 {
            remarks
                .push(format!("a scale of {} blocks is small: the method asks for 10000 or more", self.scale_blocks));
        }
        if self.work_loop == 0 && self.run_time < Nanos::from_seconds(30.0) {
            let seconds = self.run_time.seconds();
            remarks.push(format!("a run time of {seconds} s is short: the method asks for 30 s or more"));
        }
        remarks
    }
}

/// The names of all settings, for a hint.
pub(super) fn known() -> String {
    format!("known are {}", KNOWN.join(", "))
}

#[cfg(test)]
mod tests;

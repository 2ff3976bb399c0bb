//! What a measurement of random blocks is asked for: the settings of a `slob.conf` with their documented meaning.

use record::{Bytes, Nanos};

use super::value::{blocks, frequency, number, redo_stress, scan_table, seconds, switch};

/// The block that sizes are counted in: a size in a file stands for so many blocks, whatever the engine's own are.
pub(super) const BLOCK: Bytes = Bytes(8192);

/// Sessions of all schemas together, at most: beyond it, one thread per session is itself the limit.
const SESSIONS_MAX: u64 = 8_192;
const SCHEMAS_MAX: u32 = 4_096;
const WORK_UNIT_MAX: u64 = 1_024;
const SCALE_MIN: u64 = 100;
pub(super) const SCALE_MAX: u64 = 1 << 40;

/// How much each updated row changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RedoStress {
    /// Two of its 19 columns.
    #[default]
    Lite,
    /// All 19.
    Heavy,
}

/// Where every so many operations go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HotSpot {
    /// Its first key, less 1.
    pub offset_blocks: u64,
    /// How many keys it has.
    pub blocks: u64,
    /// One operation in so many goes there.
    pub frequency: u64,
}

/// When a session pauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Think {
    /// Before one operation in so many.
    pub frequency: u64,
    /// The shortest pause.
    pub least_ns: Nanos,
    /// The longest.
    pub most_ns: Nanos,
}

/// What is asked for. The names are those of the file, in our words.
#[derive(Clone, Debug, PartialEq)]
pub struct BlocksSettings {
    /// `UPDATE_PCT`: of a hundred operations of a session, how many change rows.
    pub update_percent: u32,
    /// `SCAN_PCT`: of a hundred operations that only read, how many read a whole scan table.
    pub scan_percent: u32,
    /// `RUN_TIME`: length of the window; of no account where `work_loop` is not 0.
    pub run_time: Nanos,
    /// `WORK_LOOP`: operations of each session; 0 for as many as fit the run time.
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
    /// How many schemas: tables of their own.
    pub schemas: u32,
    /// `HOT_SCHEMA_FREQUENCY`: one operation in so many goes to the first schema; 0 for none.
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
    /// What the documents of the file say holds where nothing is said.
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

/// A setting that cannot be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Wrong {
    /// Thing, value and limit.
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

impl Wrong {
    pub(super) fn new(message: impl Into<String>, hint: impl Into<String>) -> Wrong {
        Wrong { message: message.into(), hint: hint.into() }
    }
}

/// What became of a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Noted {
    /// It is taken.
    Taken,
    /// It is known and means nothing here, for this reason.
    WithoutMeaning(&'static str),
}

/// Settings of the file that are known and mean nothing here, and why.
const WITHOUT_MEANING: &[(&str, &str)] = &[
    ("DATABASE_STATISTICS_TYPE", "the counters of every engine are read at both ends of the window"),
    ("EXTERNAL_SCRIPT", "dbdyno runs no scripts"),
    ("ADMIN_SQLNET_SERVICE", "where the database is, --target says"),
    ("SQLNET_SERVICE_BASE", "where the database is, --target says"),
    ("SQLNET_SERVICE_MAX", "where the database is, --target says"),
    ("DBA_PRIV_USER", "who connects, --target says"),
    ("SYSDBA_PASSWD", "who connects, --target says; the password was not kept"),
    ("NO_OS_PERF_DATA", "the counters of the host are always read"),
    ("UNIQUE_INDEX", "the index of keys is the same on every engine"),
    ("BLOCK_SZ", "sizes are counted in blocks of 8 KiB"),
];

/// Settings that are read, as the file names them.
const KNOWN: [&str; 20] = [
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

impl BlocksSettings {
    /// Takes the setting `name` of a file, which `shown` is called where it is wrong (an option, say).
    ///
    /// # Errors
    /// For a name that is not known, and for a value that cannot be.
    pub fn set(&mut self, name: &str, shown: &str, value: &str) -> Result<Noted, Wrong> {
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
            _ => return without_meaning(name, shown),
        }
        Ok(Noted::Taken)
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

    /// Refuses what contradicts itself.
    ///
    /// # Errors
    /// With the two settings that do.
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

    /// What a reader of the result has to know: where a setting is outside of what the method is known for.
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

/// Whether `name` is a setting of the file that is known and means nothing here.
pub(super) fn means_nothing(name: &str) -> bool {
    WITHOUT_MEANING.iter().any(|(known, _)| *known == name)
}

fn without_meaning(name: &str, shown: &str) -> Result<Noted, Wrong> {
    if let Some((_, reason)) = WITHOUT_MEANING.iter().find(|(known, _)| *known == name) {
        return Ok(Noted::WithoutMeaning(reason));
    }
    let hint = format!("known are {}", KNOWN.join(", "));
    Err(Wrong::new(format!("{shown} is not a setting of this method"), hint))
}

mod idle;

pub use idle::Idle;

#[cfg(test)]
mod tests;

//! The steps of an invocation, the same for all kinds of runs: claim the directory, inspect the machine, open the
//! engine, plan, create the record, carry out the runs, close.

use std::array;
use std::path::{Path, PathBuf};

use measure::clock;
use record::{Nanos, Plan, Record, SCHEMA_VERSION, Status, Tool};

use crate::directory::MeasuredDirectory;
use crate::hands::Fleet;
use crate::platform::{Access, Context, Machine, OpenOptions, Platform};
use crate::recorder::{Recorder, timestamp};
use crate::resumption;
use crate::{Error, Event, Result, Setup, clean_up_tracing};

/// The result of an invocation.
#[derive(Debug)]
pub struct Measured {
    /// The record as last written.
    pub record: Record,
    /// Path of the record.
    pub path: PathBuf,
    /// Why it was aborted, if it was.
    pub error: Option<Error>,
}

/// The result of an invocation with `SIDES` sides.
pub(crate) struct InvocationResult<const SIDES: usize> {
    pub records: [Record; SIDES],
    pub error: Option<Error>,
}

/// A kind of run: its plan, and how that is carried out. An invocation measures one platform, or two in a comparison in
/// pairs; each side has a plan and a record.
pub(crate) trait Kind<const SIDES: usize = 1> {
    /// What directory and engine are opened with; its record is that of the first side.
    fn setup(&self) -> Setup;

    /// The highest degree of parallelism of its runs; 0 where the runs follow the processors.
    fn jobs_max(&self) -> u32;

    /// Paths of the records, where there are several sides.
    fn records(&self) -> [PathBuf; SIDES] {
        array::from_fn(|_| self.setup().record)
    }

    /// Refuses impossible requests before anything is created.
    fn check(&self, _contexts: &[Context<'_>; SIDES]) -> Result<()> {
        Ok(())
    }

    /// Whether an engine is opened.
    fn needs_engine(&self) -> bool {
        true
    }

    /// Whether the content of the measured directory stays after the invocation.
    fn keeps_directory(&self) -> bool {
        self.setup().keep
    }

    /// How the engine of the next side is opened; `opened` are the sides that are open already.
    fn options(
        &self,
        directory: &MeasuredDirectory,
        _context: &Context<'_>,
        _opened: &[Platform<'_>],
    ) -> Result<OpenOptions> {
        Ok(OpenOptions::of(directory))
    }

    /// The plan of each side.
    fn plan(&mut self, directory: &MeasuredDirectory, platforms: &mut [Platform<'_>; SIDES]) -> Result<[Plan; SIDES]>;

    /// Carries out the runs; each is added to its record when it has ended.
    fn measure(&mut self, platforms: &mut [Platform<'_>; SIDES], records: &mut [Recorder; SIDES]) -> Result<()>;

    /// Ends one side and removes what was created. `end` is the record and the error that ended it; absent if there is
    /// no record.
    fn close(
        &mut self,
        platform: &mut Platform<'_>,
        _directory: &mut MeasuredDirectory,
        _end: Option<(&Record, Option<&Error>)>,
    ) -> Result<()> {
        platform.close()
    }

    /// `error`, with the name of its side where there are two.
    fn of_side(&self, _side: usize, error: Error) -> Error {
        error
    }
}

/// Carries out an invocation of `kind`; `resumed` is a record to be completed.
pub(crate) fn invoke<'a, const SIDES: usize>(
    kind: &mut impl Kind<SIDES>,
    contexts: [Context<'a>; SIDES],
    resumed: Option<[Recorder; SIDES]>,
) -> Result<InvocationResult<SIDES>> {
    kind.check(&contexts)?;
    let origin = clock::now();
    let (mut directory, mut platforms) = prepare(kind, contexts, origin, Access::Claim)?;
    let records = match resumed {
        Some(records) => resumption::compare(&records[0], &platforms[0]).map(|()| records),
        None => kind.plan(&directory, &mut platforms).map(|plans| {
            platforms.iter_mut().for_each(Platform::measure_local_round_trips);
            begin(kind, plans, &platforms)
        }),
    };
    let mut records = match records {
        Ok(records) => records,
        Err(error) => {
            // The first error is the one that is reported.
            for platform in &mut platforms {
                let _ = kind.close(platform, &mut directory, None);
            }
            return Err(error);
        }
    };
    platforms.iter_mut().zip(&records).for_each(|(platform, record)| platform.record = record.key());
    let started = records.iter_mut().try_for_each(Recorder::begin);
    let viewers = records[0].viewers();
    if viewers > 0 {
        let who = if viewers == 1 { "1 viewer follows".to_owned() } else { format!("{viewers} viewers follow") };
        let note = format!("{who} this record live through dbdyno serve on this host; its runs say so");
        platforms[0].context.listener.on_event(&Event::Note(&note));
    }
    let error = started.and_then(|()| kind.measure(&mut platforms, &mut records)).err();
    records.iter_mut().for_each(|record| record.conclude(error.as_ref()));
    let error = close(kind, &mut directory, &mut platforms, &mut records, error);
    Ok(InvocationResult { records: records.map(Recorder::into_record), error })
}

/// The plans of an invocation of `kind`, without carrying it out. The engines are opened to query their capabilities,
/// and closed again.
pub(crate) fn survey<'a, const SIDES: usize>(
    kind: &mut impl Kind<SIDES>,
    contexts: [Context<'a>; SIDES],
) -> Result<[Plan; SIDES]> {
    kind.check(&contexts)?;
    let (directory, mut platforms) = prepare(kind, contexts, clock::now(), Access::Survey)?;
    let plans = kind.plan(&directory, &mut platforms);
    let closed: Vec<Result<()>> = platforms.iter_mut().map(Platform::close).collect();
    let plans = plans?;
    closed.into_iter().collect::<Result<()>>()?;
    Ok(plans)
}

/// Claims the directory, inspects the machine, and opens what is needed, for `access`. If one side cannot be opened,
/// nothing stays open.
fn prepare<'a, const SIDES: usize>(
    kind: &mut impl Kind<SIDES>,
    contexts: [Context<'a>; SIDES],
    origin: Nanos,
    access: Access<'static>,
) -> Result<(MeasuredDirectory, [Platform<'a>; SIDES])> {
    let mut directory = claim(&kind.setup().directory, kind.keeps_directory(), &contexts[0])?;
    let machine = match Machine::inspect(directory.path()) {
        Ok(machine) => machine,
        Err(error) => {
            directory.reset_keep();
            return Err(error);
        }
    };
    let mut platforms =
        contexts.map(|context| Platform::new(context, kind.setup(), kind.jobs_max(), &directory, &machine, origin));
    for side in 0..SIDES {
        let (opened, rest) = platforms.split_at_mut(side);
        let options = kind.options(&directory, &rest[0].context, opened);
        let platform = &mut rest[0];
        let watched = platform.watch_storage();
        let open = |options| if kind.needs_engine() { platform.open(options, access) } else { Ok(()) };
        let proof = kind.setup().durability;
        if let Err(error) = watched.and(options).and_then(open).and_then(|()| platform.show_durability(proof.as_ref()))
        {
            for platform in &mut platforms {
                // The first error is the one that is reported.
                let _ = kind.close(platform, &mut directory, None);
            }
            return Err(kind.of_side(side, error));
        }
    }
    Ok((directory, platforms))
}

/// Creates or takes over the measured directory, and reports what was cleaned up.
fn claim(parent: &Path, keep: bool, context: &Context<'_>) -> Result<MeasuredDirectory> {
    let mut directory = MeasuredDirectory::claim(parent, keep)?;
    let cleaned = directory.prepare(context.engines)?;
    for line in cleaned.into_iter().chain(host::remove_stale_groups()).chain(clean_up_tracing()) {
        context.listener.on_event(&Event::Note(&line));
    }
    Ok(directory)
}

/// The records of `plans`, without runs.
fn begin<const SIDES: usize>(
    kind: &impl Kind<SIDES>,
    plans: [Plan; SIDES],
    platforms: &[Platform<'_>; SIDES],
) -> [Recorder; SIDES] {
    let setup = kind.setup();
    let paths = kind.records();
    let mut plans = plans.into_iter();
    array::from_fn(|side| {
        let plan = plans.next().unwrap_or_else(|| unreachable!("one plan for each side"));
        let record = new_record(&paths[side], &setup, plan, &platforms[side]);
        Recorder::new(&paths[side], record)
    })
}

fn new_record(path: &Path, setup: &Setup, plan: Plan, platform: &Platform<'_>) -> Record {
    let opened = platform.engine.as_ref();
    Record {
        schema_version: SCHEMA_VERSION,
        id: store::id_of(path),
        tool: Tool { version: setup.version.clone(), optimised: !cfg!(debug_assertions), build: setup.build.clone() },
        started_at: timestamp(),
        ended_at: None,
        status: Status::Running,
        reason: None,
        plan,
        host: platform.host.clone(),
        server_hosts: platform.server_hosts.clone(),
        storage_hosts: platform.storage_hosts.clone(),
        agent_hosts: platform.context.fleet.map(Fleet::agent_hosts).unwrap_or_default(),
        engine: opened.map(|opened| opened.inventory.clone()),
        instrument: platform.instrument.clone(),
        nodes: opened.map_or(Vec::new(), |opened| opened.nodes.inventory()),
        local_round_trips: platform.local_round_trips.clone(),
        unproved: Vec::new(),
        data_sets: Vec::new(),
        runs: Vec::new(),
    }
}

/// Closes every side in any case, and ends the records; returns the first error.
fn close<const SIDES: usize>(
    kind: &mut impl Kind<SIDES>,
    directory: &mut MeasuredDirectory,
    platforms: &mut [Platform<'_>; SIDES],
    records: &mut [Recorder; SIDES],
    error: Option<Error>,
) -> Option<Error> {
    let mut later = Vec::new();
    for (side, platform) in platforms.iter_mut().enumerate() {
        let closed = kind.close(platform, directory, Some((&records[side], error.as_ref())));
        later.extend(closed.err().map(|second| kind.of_side(side, second)));
    }
    if error.is_some() {
        for second in &later {
            let note = format!("clean-up failed: {second}");
            platforms[0].context.listener.on_event(&Event::Note(&note));
        }
    }
    let written = records.iter_mut().map(Recorder::end).filter_map(Result::err);
    error.or(written.chain(later).next())
}

impl InvocationResult<1> {
    /// The one side, whose record lies at `path`.
    pub(crate) fn measured(self, path: &Path) -> Measured {
        let InvocationResult { records: [record], error } = self;
        Measured { record, path: path.to_owned(), error }
    }
}

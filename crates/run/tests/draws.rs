//! What the jobs of a plan draw: keys, blocks, orders, addresses and intended starts. No two streams of a plan share it, of one
//! run or of several, and none can be told from another.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex};

use dbdyno_run::{
    BlocksRequest, Context, Event, Goal, Interrupt, IoRequest, Listener, Measured, Observers, PairRequest, Permission,
    Request, Selection, Setup, measure, measure_blocks, measure_io, pair,
};
use engine::null::NULL;
use engine::{
    Canceller, Caps, Description, Engine, LineForm, Node, Processes, Result, RowSource, Session, Statement, Target,
    Value, Workspace,
};
use record::{Bytes, EngineInventory, IoJob, IoMode, IoPhase, IoPlan, Nanos, Pace, Placement, Preset, Variation};
use workload::blocks::{BlocksSettings, Mode};

/// Jobs of every run.
const JOBS: u32 = 8;

/// Values of a session that are kept.
const KEPT_MAX: usize = 400;

/// Sessions with fewer values are not those of jobs: they set up and check.
const KEPT_MIN: usize = 100;

/// The chance that any two of independent streams seem correlated.
const CHANCE: f64 = 0.001;

/// The first numbers that each session was given, session by session.
type Given = Arc<Mutex<Vec<Arc<Mutex<Vec<f64>>>>>>;

/// The null engine, which keeps what its sessions are given.
#[derive(Default)]
struct Keeping(Given);

impl Keeping {
    /// The streams of jobs.
    fn streams(&self) -> Vec<Vec<f64>> {
        let sessions = self.0.lock().unwrap();
        let all = sessions.iter().map(|session| session.lock().unwrap().clone());
        all.filter(|values| values.len() >= KEPT_MIN).collect()
    }
}

/// Neither shares threads nor pipelines.
static DESCRIPTION: LazyLock<Description> = LazyLock::new(|| Description {
    harmless_parameters: &[],
    is_in_process: false,
    shares_threads: false,
    pipelines: false,
    ..*NULL.about()
});

impl Engine for Keeping {
    fn about(&self) -> &Description {
        &DESCRIPTION
    }
    fn open(&self, target: &Target, workspace: &Workspace) -> Result<Box<dyn Node>> {
        let node = NULL.open(target, workspace)?;
        Ok(Box::new(KeepingNode { node, given: Arc::clone(&self.0), cache_bytes: workspace.cache_bytes }))
    }
}

struct KeepingNode {
    node: Box<dyn Node>,
    given: Given,
    cache_bytes: Option<Bytes>,
}

impl Node for KeepingNode {
    fn caps(&self) -> &Caps {
        self.node.caps()
    }
    fn claim(&self) -> Result<()> {
        self.node.claim()
    }
    fn connect(&self) -> Result<Box<dyn Session>> {
        let values = Arc::new(Mutex::new(Vec::with_capacity(KEPT_MAX)));
        self.given.lock().unwrap().push(Arc::clone(&values));
        Ok(Box::new(KeepingSession { session: self.node.connect()?, values }))
    }
    fn inventory(&self) -> Result<EngineInventory> {
        Ok(EngineInventory { cache_bytes: self.cache_bytes, ..self.node.inventory()? })
    }
    fn counters(&self, session: &mut dyn Session) -> Result<(BTreeMap<String, u64>, u64)> {
        self.node.counters(session)
    }
    fn settle(&self, session: &mut dyn Session) -> Result<Vec<record::SettlingStep>> {
        self.node.settle(session)
    }
    fn processes(&self) -> Processes {
        self.node.processes()
    }
    fn data_directory(&self) -> Option<&Path> {
        None
    }
    fn close(self: Box<Self>) -> Result<()> {
        self.node.close()
    }
}

struct KeepingSession {
    session: Box<dyn Session>,
    values: Arc<Mutex<Vec<f64>>>,
}

impl KeepingSession {
    /// Keeps the first number of `binds`.
    fn keep(&self, binds: &[Value<'_>]) {
        let first = binds.iter().find_map(|value| match value {
            Value::Int(number) => Some(*number as f64),
            _ => None,
        });
        let mut values = self.values.lock().unwrap();
        if values.len() < KEPT_MAX {
            values.extend(first);
        }
    }
}

impl Session for KeepingSession {
    fn batch(&mut self, sql: &str) -> Result<()> {
        self.session.batch(sql)
    }
    fn prepare(&mut self, sql: &str) -> Result<Statement> {
        self.session.prepare(sql)
    }
    fn execute(&mut self, statement: Statement, binds: &[Value<'_>]) -> Result<u64> {
        self.keep(binds);
        self.session.execute(statement, binds)
    }
    fn query(&mut self, statement: Statement, binds: &[Value<'_>]) -> Result<Vec<Vec<Value<'static>>>> {
        self.keep(binds);
        self.session.query(statement, binds)
    }
    fn begin(&mut self) -> Result<()> {
        self.session.begin()
    }
    fn commit(&mut self) -> Result<()> {
        self.session.commit()
    }
    fn rollback(&mut self) -> Result<()> {
        self.session.rollback()
    }
    fn bulk(&mut self, table: &str, rows: &mut dyn RowSource) -> Result<u64> {
        self.session.bulk(table, rows)
    }
    fn append(&mut self, table: &str, rows: &mut dyn RowSource) -> Result<u64> {
        self.session.append(table, rows)
    }
    fn append_lines(&mut self, table: &str, form: &LineForm, lines: &[u8]) -> Result<u64> {
        self.session.append_lines(table, form, lines)
    }
    fn publish_counters(&mut self) -> Result<u64> {
        self.session.publish_counters()
    }
    fn canceller(&self) -> Option<Box<dyn Canceller>> {
        self.session.canceller()
    }
}

struct Silent;

impl Listener for Silent {
    fn on_event(&self, _event: &Event<'_>) {}
}

fn setup(directory: &Path, record: &str) -> Setup {
    Setup {
        directory: directory.to_owned(),
        preset: Preset::Smoke,
        seed: 42,
        placement: Placement::Kernel,
        sample_sessions: false,
        script_log: None,
        client_threads: None,
        durability: None,
        keep: false,
        database_per_agent: false,
        record: directory.join(record),
        version: "0".to_owned(),
        build: None,
    }
}

/// Three repeats of one test with eight jobs, each in a closed loop and at two rates.
fn catalogue(setup: Setup) -> Request {
    let paced =
        |steps_per_second| Variation::Paced { pace: Pace::Poisson { steps_per_second }, one_thread_per_core: false };
    Request {
        setup,
        scripts: None,
        in_kind: None,
        loads_beside: Vec::new(),
        tests: Selection { words: vec!["T611".to_owned()] },
        degrees: Some(vec![JOBS]),
        nodes: None,
        window: Some(Nanos(300_000_000)),
        warm_up: Some(Nanos(20_000_000)),
        steps: Some(300),
        repeats: Some(3),
        tracer: None,
        pace: Pace::Unthrottled,
        variations: vec![paced(8_000.0), paced(12_000.0)],
        until: None,
        one_thread_per_core: false,
        small_rows: Some(100_000),
        large_rows: None,
        warehouses: None,
        prove: false,
        network: None,
        jobs_per_agent: None,
        trace: None,
    }
}

/// `body` on an engine that keeps what it is given, and its streams.
fn given(body: impl FnOnce(Context<'_>) -> dbdyno_run::Result<Measured>) -> Vec<Vec<f64>> {
    let (engine, target, interrupt) = (Keeping::default(), "null".parse().unwrap(), Interrupt::default());
    let measured = body(context(&engine, &target, &interrupt)).unwrap_or_else(|error| panic!("{}", error.message));
    assert!(measured.error.is_none(), "{:?}", measured.error.map(|error| error.message));
    engine.streams()
}

fn context<'a>(engine: &'a Keeping, target: &'a Target, interrupt: &'a Interrupt) -> Context<'a> {
    Context { engine, target, engines: &[], listener: &Silent, interrupt, fleet: None, observers: Observers::default() }
}

/// Pearson's correlation of the values that both have.
fn correlation(one: &[f64], other: &[f64]) -> f64 {
    let count = one.len().min(other.len());
    let centred = |values: &[f64]| -> Vec<f64> {
        let mean = values[..count].iter().sum::<f64>() / count as f64;
        values[..count].iter().map(|value| value - mean).collect()
    };
    let (one, other) = (centred(one), centred(other));
    let sum = |one: &[f64], other: &[f64]| one.iter().zip(other).map(|(one, other)| one * other).sum::<f64>();
    sum(&one, &other) / (sum(&one, &one) * sum(&other, &other)).sqrt()
}

/// No two of `streams` begin alike, and none is correlated with another one beyond chance, corrected for the number of pairs.
fn hold_apart(what: &str, streams: &[Vec<f64>]) {
    let mut beginnings = BTreeSet::new();
    for stream in streams {
        let beginning: Vec<u64> = stream.iter().take(4).map(|value| value.to_bits()).collect();
        assert!(beginnings.insert(beginning), "{what}: two streams begin with {:?}", &stream[..4]);
    }
    let pairs = (streams.len() * (streams.len() - 1) / 2) as f64;
    let errors = model::normal_quantile(1.0 - CHANCE / 2.0 / pairs);
    for (at, one) in streams.iter().enumerate() {
        for other in &streams[..at] {
            let limit = errors / (one.len().min(other.len()) as f64).sqrt();
            let found = correlation(one, other);
            assert!(found.abs() < limit, "{what}: two streams have a correlation of {found:.3}, limit {limit:.3}");
        }
    }
}

#[test]
fn keys_of_the_runs_of_a_catalogue_and_of_its_rates_are_apart() {
    let directory = tempfile::tempdir().unwrap();
    let request = catalogue(setup(directory.path(), "r.jsonl"));
    let streams = given(|context| measure(&request, context));
    assert_eq!(streams.len(), 3 * 3 * JOBS as usize);
    hold_apart("keys", &streams);
}

#[test]
fn a_run_at_a_rate_warms_up_at_it() {
    let directory = tempfile::tempdir().unwrap();
    let request = Request {
        degrees: Some(vec![2]),
        window: Some(Nanos(500_000_000)),
        warm_up: Some(Nanos(500_000_000)),
        steps: None,
        repeats: Some(1),
        pace: Pace::Rate { steps_per_second: 400.0 },
        variations: Vec::new(),
        ..catalogue(setup(directory.path(), "r.jsonl"))
    };
    let streams = given(|context| measure(&request, context));
    // 100 of each job in the warm-up and in the window; unthrottled, the null engine takes thousands in a warm-up.
    assert_eq!(streams.len(), 2);
    assert!(
        streams.iter().all(|values| (150..=202).contains(&values.len())),
        "{:?}",
        streams.iter().map(Vec::len).collect::<Vec<usize>>()
    );
}

#[test]
fn the_runs_of_pairs_are_apart_and_both_sides_of_a_pair_draw_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let request = Request { variations: Vec::new(), ..catalogue(setup(directory.path(), "r.jsonl")) };
    let records = ["a.jsonl", "b.jsonl"].map(|name| directory.path().join(name));
    let request = PairRequest { request, loads_beside: Default::default(), pairs: 3, records, judged: Vec::new() };
    let (engines, interrupt) = ([Keeping::default(), Keeping::default()], Interrupt::default());
    let targets: [Target; 2] = ["null", "null?rows=1"].map(|target| target.parse().unwrap());
    let contexts = [0, 1].map(|side| context(&engines[side], &targets[side], &interrupt));
    let measured = pair(&request, contexts).unwrap_or_else(|error| panic!("{}", error.message));
    assert!(measured.error.is_none(), "{:?}", measured.error.map(|error| error.message));
    let [one, other] = engines.map(|engine| engine.streams());
    assert_eq!((one.len(), other.len()), (3 * JOBS as usize, 3 * JOBS as usize));
    hold_apart("keys of one side", &one);
    let beginnings = |streams: &[Vec<f64>]| -> BTreeSet<Vec<u64>> {
        streams.iter().map(|stream| stream.iter().take(4).map(|value| value.to_bits()).collect()).collect()
    };
    assert_eq!(beginnings(&one), beginnings(&other));
}

#[test]
fn blocks_of_the_runs_with_each_cache_are_apart_also_where_each_is_visited_once() {
    for cold in [false, true] {
        let directory = tempfile::tempdir().unwrap();
        let mut settings = BlocksSettings::default();
        (settings.update_percent, settings.scan_blocks, settings.work_unit) = (20, 0, 1);
        (settings.work_loop, settings.scale_blocks) = (250, 40_000);
        (settings.threads_per_schema, settings.schemas) = (JOBS / 2, 2);
        let request = BlocksRequest {
            setup: setup(directory.path(), "r.jsonl"),
            settings,
            mode: Mode::Client,
            cold,
            caches: [16, 32, 64].map(|size| Bytes::MIB.times(size)).to_vec(),
            page_cached: None,
            warm_up: Some(Nanos(0)),
            probes: false,
        };
        let streams = given(|context| measure_blocks(&request, context));
        assert_eq!(streams.len(), 3 * JOBS as usize, "cold {cold}");
        hold_apart(if cold { "order of blocks" } else { "blocks" }, &streams);
    }
}

#[test]
fn addresses_and_arrivals_of_the_sections_of_a_job_file_are_apart() {
    let directory = tempfile::tempdir().unwrap();
    let section = |name: &str| IoJob {
        name: name.to_owned(),
        clones: JOBS / 2,
        mode: IoMode::Null,
        files: vec![name.to_owned()],
        file_size: Some(Bytes::GIB),
        time_based: true,
        run_time: Some(Nanos(500_000_000)),
        ramp_time: Nanos(100_000_000),
        pace: Pace::Poisson { steps_per_second: 1_600.0 },
        ..IoJob::default()
    };
    let phase = IoPhase { name: "both".to_owned(), jobs: ["one", "other"].map(section).to_vec() };
    let log = directory.path().join("log.csv");
    let request = IoRequest {
        setup: setup(directory.path(), "r.jsonl"),
        plan: IoPlan { phases: vec![phase], ..IoPlan::default() },
        goal: Goal::Measure,
        permission: Permission::default(),
        precondition: None,
        network: None,
        log: Some(log.clone()),
        sweeps_agents: false,
        repeats: 3,
    };
    given(|context| measure_io(&request, context));
    let text = std::fs::read_to_string(log).unwrap();
    // By run and lane: intended start and offset.
    let mut lanes: BTreeMap<(u64, u64), Vec<(u64, u64)>> = BTreeMap::new();
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |at: usize| fields[at].parse::<u64>().unwrap();
        lanes.entry((number(0), number(8))).or_default().push((number(3), number(6)));
    }
    assert_eq!(lanes.len(), 3 * JOBS as usize);
    let (mut offsets, mut distances) = (Vec::new(), Vec::new());
    for lane in lanes.values_mut() {
        lane.sort_unstable();
        offsets.push(lane.iter().map(|(_, offset)| *offset as f64).collect());
        distances.push(lane.windows(2).map(|pair| (pair[1].0 - pair[0].0) as f64).collect::<Vec<f64>>());
    }
    hold_apart("addresses", &offsets);
    hold_apart("distances of arrivals", &distances);
    // Within a run no two lanes have an intended start in common.
    for run in 1..=3 {
        let of_run = lanes.iter().filter(|((number, _), _)| *number == run);
        let dues: Vec<u64> = of_run.flat_map(|(_, lane)| lane.iter().map(|(due, _)| *due)).collect();
        let distinct: BTreeSet<u64> = dues.iter().copied().collect();
        assert_eq!(distinct.len(), dues.len(), "run {run}");
    }
}

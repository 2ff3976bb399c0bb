use super::*;
use crate::Done;

struct Sleeper<'a> {
    steps: &'a AtomicU64,
    sleep: Nanos,
    break_at: u64,
}

impl Work for Sleeper<'_> {
    fn step(&mut self, number: u64) -> Result<Done, Broken> {
        if number == self.break_at {
            return Err(Broken { message: "gone".to_owned() });
        }
        self.steps.fetch_add(1, Ordering::Relaxed);
        std::thread::sleep(self.sleep.into());
        Ok(Done { operations: 1, rows: 1, transactions: 1, ..Done::default() })
    }
}

struct NoHooks;
impl Observer for NoHooks {}

/// All jobs of a run.
fn run_whole(
    works: &mut [Box<dyn Work + '_>],
    settings: &JobSettings,
    observer: &dyn Observer,
    interrupt: &AtomicBool,
) -> Outcome {
    let share = JobShare::whole(works.len() as u32);
    run_jobs(works, share, settings, observer, interrupt)
}

fn settings(pace: Pace) -> JobSettings {
    JobSettings {
        pace,
        window: Nanos(200_000_000),
        drain: Nanos::SECOND,
        seed: RunSeed { plan: 1, run: 1 },
        ..JobSettings::default()
    }
}

fn workers<'a>(jobs: usize, steps: &'a AtomicU64, break_at: u64) -> Vec<Box<dyn Work + 'a>> {
    let sleep = Nanos(2_000_000);
    (0..jobs).map(|_| Box::new(Sleeper { steps, sleep, break_at }) as Box<dyn Work>).collect()
}

/// Work at a pace of its own.
struct AtItsPace<'a>(Box<dyn Work + 'a>, (u32, u32));

impl Work for AtItsPace<'_> {
    fn step(&mut self, number: u64) -> Result<Done, Broken> {
        self.0.step(number)
    }

    fn own_pace(&self) -> Option<(Pace, (u32, u32))> {
        Some((Pace::Rate { steps_per_second: 100.0 }, self.1))
    }
}

#[test]
fn jobs_with_a_pace_of_their_own_share_its_rate_beside_others() {
    let (paced, free) = (AtomicU64::new(0), AtomicU64::new(0));
    let mut works = workers(2, &free, u64::MAX);
    let throttled = workers(2, &paced, u64::MAX).into_iter().zip(0..);
    works.extend(throttled.map(|(work, place)| Box::new(AtItsPace(work, (place, 2))) as Box<dyn Work>));
    let outcome = run_whole(&mut works, &settings(Pace::Unthrottled), &NoHooks, &AtomicBool::new(false));
    drop(works);
    let (paced, free) = (paced.into_inner(), free.into_inner());
    assert_eq!(paced, 20 + 2, "in a fifth of a second, and one step each to warm up");
    assert!(free > 2 * paced, "{free} steps of the others");
    assert_eq!(outcome.tally.totals().steps, paced - 2 + free - 2);
}

#[test]
fn the_number_of_steps_is_exact_and_tallied() {
    let steps = AtomicU64::new(0);
    let settings = JobSettings { steps: 23, window: Nanos(60_000_000_000), ..settings(Pace::Unthrottled) };
    let outcome = run_whole(&mut workers(2, &steps, u64::MAX), &settings, &NoHooks, &AtomicBool::new(false));
    assert_eq!(outcome.tally.totals().steps, 46);
    assert_eq!(outcome.tally.totals().unfinished, 0);
    assert_eq!(steps.load(Ordering::Relaxed), 46 + 2, "and one step each to warm up");
}

#[test]
fn an_open_loop_keeps_its_rate_and_drains_what_is_late() {
    let steps = AtomicU64::new(0);
    let settings = settings(Pace::Rate { steps_per_second: 100.0 });
    let outcome = run_whole(&mut workers(2, &steps, u64::MAX), &settings, &NoHooks, &AtomicBool::new(false));
    assert_eq!(outcome.tally.totals().steps, 20);
    assert_eq!(outcome.tally.totals().unfinished, 0);
}

#[test]
fn a_warm_up_has_the_pace_of_the_window() {
    let in_warm_up = |pace: Pace, warm_up: u64| {
        let steps = AtomicU64::new(0);
        let settings = JobSettings { warm_up: Nanos(warm_up), ..settings(pace) };
        let outcome = run_whole(&mut workers(2, &steps, u64::MAX), &settings, &NoHooks, &AtomicBool::new(false));
        steps.load(Ordering::Relaxed) - outcome.tally.totals().steps
    };
    // Unthrottled, two jobs with steps of 2 ms do up to 200 in this time.
    let rate = Pace::Rate { steps_per_second: 100.0 };
    let found = in_warm_up(rate, 200_000_000);
    assert!((14..=20).contains(&found), "20 are due, and late ones of a busy machine are left: {found}");
    let think = Pace::ThinkTime { think_ns: Nanos(40_000_000) };
    let found = in_warm_up(think, 200_000_000);
    assert!((2..=10).contains(&found), "a step of each job every 42 ms: {found}");
    let seldom = Pace::Rate { steps_per_second: 0.1 };
    assert_eq!(in_warm_up(seldom, 1_000_000), 2, "one step each, though only the first job has one due");
}

#[test]
fn arrivals_of_the_window_are_the_same_whatever_the_length_of_the_warm_up() {
    let pace = Pace::Poisson { steps_per_second: 200.0 };
    let in_window = |warm_up: u64| {
        let steps = AtomicU64::new(0);
        let settings = JobSettings { warm_up: Nanos(warm_up), drain: Nanos(60_000_000_000), ..settings(pace) };
        let outcome = run_whole(&mut workers(2, &steps, u64::MAX), &settings, &NoHooks, &AtomicBool::new(false));
        outcome.tally.totals().steps
    };
    let dues = |purpose: Purpose| -> Vec<Nanos> {
        let settings = settings(pace);
        let of = |job: u32| {
            settings.pacer_for(purpose, job, (settings.pace, (job, 2)), Nanos(0)).unfinished(settings.window).collect()
        };
        (0..2).flat_map(|job| -> Vec<Nanos> { of(job) }).collect()
    };
    let (window, warm_up) = (dues(Purpose::Arrivals), dues(Purpose::WarmUpArrivals));
    for length in [0, 20_000_000, 150_000_000] {
        assert_eq!(in_window(length), window.len() as u64, "{length}");
    }
    assert!(!warm_up.is_empty() && warm_up.iter().all(|due| !window.contains(due)), "{warm_up:?} {window:?}");
}

#[test]
fn a_warm_up_has_arrivals_of_its_own() {
    let of_run = |run: u32| JobSettings {
        window: Nanos(1),
        warm_up_step: false,
        seed: RunSeed { plan: 1, run },
        ..settings(Pace::Poisson { steps_per_second: 5.0 })
    };
    let first = |settings: &JobSettings, purpose: Purpose| {
        settings
            .pacer_for(purpose, 0, (settings.pace, (0, 1)), Nanos(0))
            .unfinished(Nanos(60_000_000_000))
            .next()
            .unwrap()
            .0
    };
    // A run whose first arrival of the warm-up is long before that of the window: the warm-up ends between them.
    let parted = (1..).map(of_run).find_map(|settings| {
        let (own, window) = (first(&settings, Purpose::WarmUpArrivals), first(&settings, Purpose::Arrivals));
        let is_parted = own < 100_000_000 && (own + 300_000_000..1_000_000_000).contains(&window);
        is_parted.then_some(JobSettings { warm_up: Nanos((own + window) / 2), ..settings })
    });
    let steps = AtomicU64::new(0);
    run_whole(&mut workers(1, &steps, u64::MAX), &parted.unwrap(), &NoHooks, &AtomicBool::new(false));
    assert!(steps.load(Ordering::Relaxed) > 0, "the arrivals of the window come later");
}

#[test]
fn more_than_can_be_done_is_counted_as_unfinished_with_its_age() {
    let steps = AtomicU64::new(0);
    let settings = JobSettings { drain: Nanos(0), ..settings(Pace::Rate { steps_per_second: 5_000.0 }) };
    let outcome = run_whole(&mut workers(1, &steps, u64::MAX), &settings, &NoHooks, &AtomicBool::new(false));
    let totals = outcome.tally.totals();
    assert_eq!(totals.steps + totals.unfinished, 1_000);
    assert!(totals.steps < 150, "2 ms each: {}", totals.steps);
    assert_eq!(outcome.tally.response().count(), 1_000);
    assert_eq!(outcome.tally.service().count(), totals.steps);
}

#[test]
fn one_job_that_cannot_continue_ends_the_run() {
    let steps = AtomicU64::new(0);
    let mut works = workers(1, &steps, u64::MAX);
    works.extend(workers(1, &steps, 1));
    let settings = JobSettings { window: Nanos(60_000_000_000), ..settings(Pace::Unthrottled) };
    let outcome = run_whole(&mut works, &settings, &NoHooks, &AtomicBool::new(false));
    assert_eq!(outcome.broken, Some(Broken { message: "gone".to_owned() }));
    assert!(outcome.tally.window() < Nanos(30_000_000_000));
}

#[test]
fn a_job_that_the_run_continues_without_is_counted_until_its_end() {
    struct Tolerant(AtomicU64);
    impl Observer for Tolerant {
        fn continues_without(&self, job: u32, broken: &Broken) -> bool {
            assert_eq!((job, broken.message.as_str()), (1, "gone"));
            self.0.fetch_add(1, Ordering::Relaxed) == 0
        }
    }
    for (pace, break_at) in [(Pace::Unthrottled, 3), (Pace::Rate { steps_per_second: 100.0 }, 3)] {
        let (steps, watch) = (AtomicU64::new(0), Tolerant(AtomicU64::new(0)));
        let mut works = workers(1, &steps, u64::MAX);
        works.extend(workers(1, &steps, break_at));
        let outcome = run_whole(&mut works, &settings(pace), &watch, &AtomicBool::new(false));
        assert_eq!(outcome.broken, None);
        assert_eq!(outcome.tally.totals().steps + 2, steps.load(Ordering::Relaxed), "one step each to warm up");
        assert!(outcome.tally.window() >= Nanos(200_000_000), "the window is that of the job that is left");
    }
    let (steps, watch) = (AtomicU64::new(0), Tolerant(AtomicU64::new(0)));
    let mut works = workers(1, &steps, u64::MAX);
    works.extend(workers(1, &steps, 0));
    let outcome = run_whole(&mut works, &settings(Pace::Unthrottled), &watch, &AtomicBool::new(false));
    assert_eq!(outcome.broken, None, "not even in the warm-up");
    assert!(outcome.tally.totals().steps > 10);
}

#[test]
fn a_thread_that_cannot_run_its_jobs_ends_the_run() {
    fn refuses_the_second<'a>(jobs: Vec<Box<dyn FnOnce() + 'a>>, with_ring: bool) -> io::Result<Shared> {
        static CALLS: AtomicU64 = AtomicU64::new(0);
        match CALLS.fetch_add(1, Ordering::Relaxed) {
            1 => Err(io::ErrorKind::OutOfMemory.into()),
            _ => multiplex::run(jobs, with_ring),
        }
    }
    let steps = AtomicU64::new(0);
    let mut works = workers(4, &steps, u64::MAX);
    let settings = JobSettings { window: Nanos(60_000_000_000), threads: Some(2), ..settings(Pace::Unthrottled) };
    let workers = works.iter_mut().zip(0..);
    let workers = workers.map(|(work, job)| Worker { work: work.as_mut(), settings, place: (job, 4), meter: None });
    let outcome = run_workers_by(refuses_the_second, workers.collect(), &NoHooks, &AtomicBool::new(false));
    assert_eq!(outcome.broken.unwrap().message, "no thread for several sessions: out of memory");
    assert!(outcome.tally.window() < Nanos(30_000_000_000), "the other thread ends early");
}

#[test]
fn an_error_in_the_warm_up_is_no_deadlock() {
    let steps = AtomicU64::new(0);
    let outcome =
        run_whole(&mut workers(2, &steps, 0), &settings(Pace::Unthrottled), &NoHooks, &AtomicBool::new(false));
    assert!(outcome.broken.is_some());
    assert_eq!(outcome.tally.totals().steps, 0);
}

/// Source of a panic outside of steps.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Source {
    Enter,
    Begin,
    GoesOn,
    Aborted,
    StreamOfUnfinished,
}

struct Panicking(Source);

impl Observer for Panicking {
    fn enter(&self, job: u32, _thread: u32) {
        assert!(job != 1 || self.0 != Source::Enter, "enter");
    }

    fn begin(&self) -> Result<(), Broken> {
        assert!(self.0 != Source::Begin, "begin");
        Ok(())
    }

    fn continues_without(&self, _job: u32, _broken: &Broken) -> bool {
        assert!(self.0 != Source::GoesOn, "goes on");
        true
    }
}

impl Work for Panicking {
    fn step(&mut self, number: u64) -> Result<Done, Broken> {
        let breaks = matches!(self.0, Source::GoesOn | Source::Aborted);
        std::thread::sleep(Nanos(1_000_000).into());
        if breaks && number == 0 { Err(Broken { message: "gone".to_owned() }) } else { Ok(Done::default()) }
    }

    fn aborted(&mut self) {
        assert!(self.0 != Source::Aborted, "aborted");
    }

    fn stream_of_unfinished(&self, _number: u64) -> usize {
        assert!(self.0 != Source::StreamOfUnfinished, "stream of unfinished");
        0
    }
}

#[test]
fn a_panic_outside_of_steps_is_the_error_of_the_run_and_blocks_no_job() {
    use Source::*;
    let expected = [
        (Enter, "enter"),
        (Begin, "begin"),
        (GoesOn, "goes on"),
        (Aborted, "aborted"),
        (StreamOfUnfinished, "stream of unfinished"),
    ];
    for (source, words) in expected {
        let (over, waits) = std::sync::mpsc::channel();
        // Not joined: a hanging run would block this test instead of failing it.
        std::thread::spawn(move || {
            let drain = if source == StreamOfUnfinished { Nanos(0) } else { Nanos::SECOND };
            let settings = JobSettings { drain, ..settings(Pace::Rate { steps_per_second: 5_000.0 }) };
            let settings =
                JobSettings { window: if source == StreamOfUnfinished { settings.window } else { LONG }, ..settings };
            let mut works: Vec<Box<dyn Work>> = (0..2).map(|_| Box::new(Panicking(source)) as Box<dyn Work>).collect();
            let outcome = run_whole(&mut works, &settings, &Panicking(source), &AtomicBool::new(false));
            let _ = over.send(outcome.broken);
        });
        let broken = waits.recv_timeout(std::time::Duration::from_secs(120)).expect("the run ends");
        assert_eq!(broken.map(|broken| broken.message), Some(format!("a job panicked: {words}")));
    }
}

/// Longer than any test.
const LONG: Nanos = Nanos(600_000_000_000);

#[test]
fn an_interrupt_ends_the_window_early() {
    let steps = AtomicU64::new(0);
    let interrupt = AtomicBool::new(false);
    let settings = JobSettings { window: Nanos(60_000_000_000), ..settings(Pace::Unthrottled) };
    let outcome = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(std::time::Duration::from_millis(50));
            interrupt.store(true, Ordering::Relaxed);
        });
        run_whole(&mut workers(2, &steps, u64::MAX), &settings, &NoHooks, &interrupt)
    });
    assert!(outcome.tally.window() < Nanos(30_000_000_000));
}

/// Pauses before every step, and alternates between two streams.
struct Pausing;

impl Work for Pausing {
    fn step(&mut self, number: u64) -> Result<Done, Broken> {
        let start = clock::now();
        std::thread::sleep(Nanos(3_000_000).into());
        let paused = clock::now() - start;
        Ok(Done { operations: 1, stream: (number % 2) as u32, paused, ..Done::default() })
    }

    fn streams(&self) -> Vec<usize> {
        vec![0, 1]
    }
}

#[test]
fn steps_are_tallied_by_stream_and_a_pause_is_no_part_of_their_time() {
    let mut works = [Box::new(Pausing) as Box<dyn Work>];
    let settings = JobSettings { steps: 5, window: Nanos(60_000_000_000), ..settings(Pace::Unthrottled) };
    let outcome = run_whole(&mut works, &settings, &NoHooks, &AtomicBool::new(false));
    let steps: Vec<u64> = outcome.streams.iter().map(|tally| tally.totals().steps).collect();
    assert_eq!((outcome.tally.totals().steps, steps), (5, vec![3, 2]));
    assert!(outcome.tally.window() >= Nanos(15_000_000), "the pauses are in the window");
    // The median, because a busy machine may delay a step after its pause.
    assert!(outcome.tally.service().latency().p50_ns < Nanos(3_000_000));
}

/// Work with a few steps in total, which jobs take from a shared counter, and none before their release.
struct Heap<'a> {
    left: &'a AtomicU64,
    released: bool,
}

impl Work for Heap<'_> {
    fn step(&mut self, _number: u64) -> Result<Done, Broken> {
        let taken = |left: u64| left.checked_sub(1);
        if !self.released || self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, taken).is_err() {
            return Ok(Done::over());
        }
        Ok(Done { rows: 5, ..Done::default() })
    }

    fn finish(&mut self) -> Result<(), Broken> {
        self.released = true;
        Ok(())
    }
}

#[test]
fn finished_work_ends_the_run_and_is_no_step() {
    let left = AtomicU64::new(7);
    let mut works: Vec<Box<dyn Work + '_>> =
        (0..3).map(|_| Box::new(Heap { left: &left, released: false }) as Box<dyn Work>).collect();
    let settings = JobSettings { window: Nanos(60_000_000_000), ..settings(Pace::Unthrottled) };
    let outcome = run_whole(&mut works, &settings, &NoHooks, &AtomicBool::new(false));
    assert_eq!((outcome.tally.totals().steps, outcome.tally.totals().rows), (7, 35));
    assert!(outcome.broken.is_none() && outcome.tally.window() < Nanos(30_000_000_000));
}

//! A coordinator and agents in this process, with a real message server between them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use measure::clock;
use record::{
    AgentStart, Attempt, CgroupLimits, Cpu, Dop, FromAgent, GivenPart, HostInventory, JobShare, KeptPart, Memory,
    Nanos, Outcome, PROTOCOL_VERSION, Pace, Part, PartResult, Plan, PlannedRun, Preset, Run, RunKind, SCHEMA_VERSION,
    Seed, Ticket, Timestamp, Tool,
};
use run::{AgentProgress, FleetWatch, Interrupt, Release};

use super::*;
use crate::link::Link;
use crate::signed::{Place, Sender, Signer};
use crate::subject::Subjects;
use crate::wire::{Arrival, Message, Wire};

const WITHIN: Duration = Duration::from_secs(20);

pub(crate) fn hello() -> record::Hello {
    let host = HostInventory {
        cpu: Cpu { threads: 1, ..Cpu::default() },
        memory: Memory { total_bytes: record::Bytes::GIB, ..Memory::default() },
        cgroup: CgroupLimits::default(),
        ..HostInventory::default()
    };
    record::Hello {
        protocol_version: PROTOCOL_VERSION,
        schema_version: SCHEMA_VERSION,
        catalogue_crc32c: 23,
        tool: Tool { version: "1.2.3".to_owned(), optimised: false, build: None },
        boot_id: None,
        host,
    }
}

/// The part of run `run` that `agent` kept for `record`.
pub(crate) fn kept_part(record: &str, run: u32, agent: &str) -> KeptPart {
    let planned = PlannedRun { number: run, ..PlannedRun::new("T611", RunKind::Test, Dop::jobs(1)) };
    KeptPart {
        record: record.to_owned(),
        fleet: "f".to_owned(),
        attempt: Attempt { epoch: 1, run },
        agent: agent.to_owned(),
        share: JobShare::whole(1),
        start: AgentStart::default(),
        result: PartResult { run: Run::new(&planned, Pace::Unthrottled, Timestamp::default()), host_threads: 2 },
    }
}

/// Where nothing can be kept.
pub(crate) fn nowhere() -> KeptParts {
    KeptParts::below(Path::new("/dev/null"))
}

fn names(count: usize) -> Vec<String> {
    (1..=count).map(|number| format!("a{number}")).collect()
}

/// Carries out nothing.
struct Idle;

impl PartWork for Idle {
    fn carry_out(&self, _: &Part, _: &Interrupt, _: &dyn Release) -> run::Result<PartResult> {
        Err(run::Error::environment("it has no work"))
    }
}

/// An agent in a thread, which says `hello`.
fn spawn(ticket: Ticket, hello: record::Hello) -> JoinHandle<Result<()>> {
    std::thread::spawn(move || Agent::join(&ticket, &hello, Arc::new(Idle), nowhere())?.follow())
}

fn not_interrupted() -> bool {
    false
}

/// What arrives at `link` before it is silent for a second.
fn arrivals(link: &Link) -> Vec<Arrival> {
    std::iter::from_fn(|| link.receive(Duration::from_secs(1))).collect()
}

fn refusals(link: &Link) -> usize {
    arrivals(link).iter().filter(|arrival| matches!(arrival, Arrival::Refused(_))).count()
}

#[test]
fn agents_join_tell_their_clocks_and_start_together() {
    let (mut coordinator, tickets) = Coordinator::start(&names(3)).unwrap();
    let agents: Vec<_> = tickets.into_iter().map(|ticket| spawn(ticket, hello())).collect();
    coordinator.gather(&hello(), WITHIN, &not_interrupted, &mut || None).unwrap();
    let joined: Vec<&str> = coordinator.agents().iter().map(|agent| agent.name.as_str()).collect();
    assert_eq!(joined, ["a1", "a2", "a3"]);
    for clock in coordinator.clocks(3, &|| false).unwrap() {
        // All have one clock, whose true offset is zero.
        assert!(clock.offset.0.unsigned_abs() <= clock.error.0, "{clock:?}");
        assert!(clock.error < Nanos(50_000_000), "{clock:?}");
    }
    for run in 1..=2 {
        let starts = coordinator.start_together(run, Nanos(5_000_000_000), &not_interrupted).unwrap();
        for start in starts.iter().map(|started| &started.start) {
            // A thread that spins until the agreed moment is late only by what the machine takes from it.
            assert!(start.offset_ns.0 >= -(start.clock_error_ns.0 as i64), "{start:?}");
            assert!(start.offset_ns.0 <= start.clock_error_ns.0 as i64 + 500_000_000, "{start:?}");
        }
        assert_eq!(starts.len(), 3);
    }
    coordinator.dismiss();
    assert!(agents.into_iter().all(|agent| agent.join().unwrap().is_ok()));
}

/// Memory of this process, bytes.
fn resident_bytes() -> u64 {
    let pages: u64 = fs::read_to_string("/proc/self/statm").unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    pages * rustix::param::page_size() as u64
}

#[test]
fn three_hundred_agents_start_together_in_bounded_memory() {
    const AGENTS: usize = 300;
    let before = resident_bytes();
    let (mut coordinator, tickets) = Coordinator::start(&names(AGENTS)).unwrap();
    let agents: Vec<_> = tickets.into_iter().map(|ticket| spawn(ticket, hello())).collect();
    coordinator.gather(&hello(), WITHIN + WITHIN, &not_interrupted, &mut || None).unwrap();
    let starts = coordinator.start_together(1, Nanos(60_000_000_000), &not_interrupted).unwrap();
    assert_eq!(starts.len(), AGENTS);
    // They share two processors here: the spread is that of the scheduler, and bounded all the same.
    let offsets = || starts.iter().map(|started| started.start.offset_ns.0);
    assert!(offsets().max().unwrap() - offsets().min().unwrap() < 10_000_000_000, "{:?}", offsets().max());
    // Both ends of each connection, with their threads, are in this process.
    let grown = resident_bytes().saturating_sub(before);
    assert!(grown < AGENTS as u64 * 2_000_000, "{grown} bytes");
    coordinator.dismiss();
    assert!(agents.into_iter().all(|agent| agent.join().unwrap().is_ok()));
}

#[test]
fn an_agent_of_another_version_is_turned_away_by_name() {
    type Change = fn(&mut record::Hello);
    let others: [(Change, &str); 4] = [
        (|hello| hello.protocol_version = 11, "protocol 11, and the coordinator has 10"),
        (|hello| hello.schema_version += 1, "format of records"),
        (|hello| hello.catalogue_crc32c = 24, "catalogue 00000018, and the coordinator has 00000017"),
        (|hello| hello.tool.version = "1.2.4".to_owned(), "version 1.2.4 (unknown commit)"),
    ];
    for (change, reason) in others {
        let (mut coordinator, tickets) = Coordinator::start(&names(1)).unwrap();
        let mut other = hello();
        change(&mut other);
        let agents: Vec<_> = tickets.into_iter().map(|ticket| spawn(ticket, other.clone())).collect();
        let error = coordinator.gather(&hello(), WITHIN, &not_interrupted, &mut || None).unwrap_err();
        assert!(error.message.starts_with("agent a1: ") && error.message.contains(reason), "{error}");
        for agent in agents {
            let error = agent.join().unwrap().unwrap_err();
            assert!(error.message.starts_with("turned away: ") && error.message.contains(reason), "{error}");
        }
    }
}

#[test]
fn agents_that_do_not_join_are_named() {
    let (mut coordinator, mut tickets) = Coordinator::start(&names(2)).unwrap();
    let agent = spawn(tickets.remove(0), hello());
    let error = coordinator.gather(&hello(), Duration::from_secs(2), &not_interrupted, &mut || None).unwrap_err();
    assert_eq!(error.message, "not joined within 2 s: agents a2");
    coordinator.dismiss();
    agent.join().unwrap().unwrap();
}

#[test]
fn a_key_opens_only_the_subjects_of_its_agent() {
    // The others leave room for the connections of this test.
    let (mut coordinator, tickets) = Coordinator::start(&names(8)).unwrap();
    let (own, other) = (tickets[0].clone(), tickets[1].clone());
    let subjects = Subjects::of(&own.fleet);
    let link = Link::connect(&other.url, &other.seed, subjects.of_agent("a2")).unwrap();
    // In the name of another agent, to another agent, and to the coordinator's answers.
    for subject in [subjects.hello("a1"), subjects.reply("a1", 1), subjects.to("a1"), subjects.all()] {
        link.send(subject, None, b"{}".to_vec());
    }
    assert_eq!(refusals(&link), 4);
    // It says hello all the time: the coordinator does not answer yet.
    let _agent = spawn(own, hello());
    for subject in [subjects.to("a1"), subjects.all(), ">".to_owned(), subjects.hello("a1")] {
        let spy = Link::connect(&other.url, &other.seed, vec![subject.clone()]).unwrap();
        let seen = arrivals(&spy);
        assert!(seen.iter().any(|arrival| matches!(arrival, Arrival::Refused(_))), "{subject}");
        assert!(!seen.iter().any(|arrival| matches!(arrival, Arrival::Message(_))), "{subject}");
    }
    // Its own subject it may use, and needs the key of its messages for it.
    let (subject, place) = (subjects.hello("a2"), subjects.hello("a2"));
    let content = serde_json::to_vec(&record::FromAgent::Hello(Box::new(hello()))).unwrap();
    link.send(subject.clone(), None, content.clone());
    let error = coordinator.gather(&hello(), Duration::from_secs(1), &not_interrupted, &mut || None).unwrap_err();
    assert!(error.message.ends_with("agents a2, a3, a4, a5, a6, a7, a8"), "{error}");
    let mut signer = Signer::new(&other.message_key, Sender::Agent);
    link.send(subject, None, signer.sign(Place { subject: &place, reply: None }, &content));
    assert_eq!(refusals(&link), 0);
    let error = coordinator.gather(&hello(), Duration::from_secs(1), &not_interrupted, &mut || None).unwrap_err();
    assert!(error.message.ends_with("agents a3, a4, a5, a6, a7, a8"), "{error}");
}

#[test]
fn without_a_key_of_the_fleet_nothing_is_served() {
    let (coordinator, tickets) = Coordinator::start(&names(1)).unwrap();
    let (_other, others) = Coordinator::start(&names(1)).unwrap();
    let stolen = Ticket { seed: others[0].seed.clone(), ..tickets[0].clone() };
    let error = Agent::join(&stolen, &hello(), Arc::new(Idle), nowhere()).err().unwrap();
    assert!(error.message.contains("cannot be used"), "{error}");
    let nonsense = Ticket { seed: Seed("SUA".to_owned()), ..tickets[0].clone() };
    assert!(Agent::join(&nonsense, &hello(), Arc::new(Idle), nowhere()).is_err());
    drop(coordinator);
    let late = Agent::join(&tickets[0], &hello(), Arc::new(Idle), nowhere()).err().unwrap();
    assert!(late.message.contains("cannot be used") && late.hint.is_some(), "a ticket ends with its fleet: {late}");
}

#[test]
fn no_secret_is_in_arguments_environment_or_debug_text() {
    let (coordinator, tickets) = Coordinator::start(&names(2)).unwrap();
    let process = coordinator.server_process().unwrap();
    let shown: BTreeMap<&str, String> = ["cmdline", "environ"]
        .into_iter()
        .map(|file| (file, String::from_utf8_lossy(&fs::read(format!("/proc/{process}/{file}")).unwrap()).into_owned()))
        .chain([("debug", format!("{tickets:?}"))])
        .collect();
    for (place, text) in &shown {
        let holds = |ticket: &Ticket| text.contains(&ticket.seed.0) || text.contains(&ticket.message_key.0);
        assert!(!text.is_empty() && !tickets.iter().any(holds), "{place}");
    }
    drop(coordinator);
    assert!(!fs::exists(format!("/proc/{process}")).unwrap(), "the server ends with the coordinator");
}

#[test]
fn names_that_cannot_be_used_are_refused() {
    let refused = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        Coordinator::start(&names).err().map(|error| error.message)
    };
    assert_eq!(refused(&["a", "a"]).unwrap(), "two agents are named a");
    assert_eq!(refused(&["a.b"]).unwrap(), "\"a.b\" cannot be the name of an agent");
}

/// Answers each question of the coordinator with a clock that runs backwards, until the connection ends.
fn run_backwards(ticket: &Ticket) {
    let subjects = Subjects::of(&ticket.fleet);
    let link = Link::connect(&ticket.url, &ticket.seed, subjects.of_agent(&ticket.agent)).unwrap();
    let mut signer = Signer::new(&ticket.message_key, Sender::Agent);
    let mut say = |subject: String, says: &FromAgent| {
        let content = serde_json::to_vec(says).unwrap();
        let payload = signer.sign(Place { subject: &subject, reply: None }, &content);
        link.send(subject, None, payload);
    };
    say(subjects.hello(&ticket.agent), &FromAgent::Hello(Box::new(hello())));
    loop {
        match link.receive(WITHIN) {
            Some(Arrival::Message(Message { reply: Some(reply), .. })) => {
                say(reply, &FromAgent::Time { received_ns: Nanos(9), answered_ns: Nanos(5) });
            }
            Some(Arrival::Message(_) | Arrival::Refused(_)) => {}
            Some(Arrival::Over) | None => return,
        }
    }
}

#[test]
fn a_clock_that_runs_backwards_costs_its_own_agent() {
    let (mut coordinator, tickets) = Coordinator::start(&names(2)).unwrap();
    let agent = spawn(tickets[0].clone(), hello());
    let ticket = tickets[1].clone();
    let strange = std::thread::spawn(move || run_backwards(&ticket));
    coordinator.gather(&hello(), WITHIN, &not_interrupted, &mut || None).unwrap();
    let error = coordinator.start_together(1, Nanos(5_000_000_000), &not_interrupted).unwrap_err();
    assert_eq!(error.message, format!("agent {} is lost: its clock runs backwards", tickets[1].agent));
    assert_eq!(coordinator.forget_lost(), [tickets[1].agent.as_str()]);
    assert_eq!(coordinator.start_together(2, Nanos(5_000_000_000), &not_interrupted).unwrap().len(), 1);
    coordinator.dismiss();
    agent.join().unwrap().unwrap();
    drop(coordinator);
    strange.join().unwrap();
}

#[test]
fn an_agent_stays_as_long_as_it_is_greeted() {
    let (mut coordinator, tickets) = Coordinator::start(&names(1)).unwrap();
    let ticket = tickets[0].clone();
    let agent = std::thread::spawn(move || {
        let mut agent = Agent::join(&ticket, &hello(), Arc::new(Idle), nowhere())?;
        agent.silence_max = Duration::from_millis(1_500);
        agent.follow()
    });
    coordinator.gather(&hello(), WITHIN, &not_interrupted, &mut || None).unwrap();
    for _ in 0..60 {
        coordinator.greet();
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(!agent.is_finished());
    let error = agent.join().unwrap().unwrap_err();
    assert!(error.message.starts_with("no coordinator for"), "{error:?}");
}

/// Holds its jobs for four seconds.
struct Slow;

impl PartWork for Slow {
    fn carry_out(&self, part: &Part, _: &Interrupt, release: &dyn Release) -> run::Result<PartResult> {
        release.ready().map_err(|broken| run::Error::environment(broken.message))?;
        release.wait();
        release.progress(23);
        std::thread::sleep(Duration::from_secs(4));
        let run = Run::new(&part.planned, Pace::Unthrottled, Timestamp::default());
        Ok(PartResult { run, host_threads: 2 })
    }
}

/// Keeps what it was told.
#[derive(Default)]
struct Told {
    begun: Mutex<Vec<Nanos>>,
    operations: AtomicU64,
}

impl FleetWatch for Told {
    fn begin(&self) {
        self.begun.lock().unwrap().push(clock::now());
    }

    fn progress(&self, agents: &[AgentProgress<'_>]) {
        assert!(agents.iter().all(|agent| agent.agent == "a1" && agent.silent < Nanos(3_000_000_000)), "{agents:?}");
        self.operations.store(agents.iter().map(|agent| agent.operations).sum(), Ordering::Relaxed);
    }

    fn is_interrupted(&self) -> bool {
        false
    }
}

pub(crate) fn part(jobs: u32) -> Part {
    let (plan, dop) = (Plan::new("null", "/measured", Preset::Smoke), Dop::jobs(jobs));
    let planned = PlannedRun { number: 7, ..PlannedRun::new("T611", RunKind::Test, dop) };
    Part {
        record: "r".to_owned(),
        nodes: Vec::new(),
        plan,
        planned,
        share: JobShare::whole(jobs),
        kind: record::PartKind::Catalogue { test_file: None, scripts: None },
    }
}

#[test]
fn a_part_is_carried_out_while_an_agent_without_one_waits() {
    let (mut coordinator, tickets) = Coordinator::start(&names(2)).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let kept = KeptParts::below(directory.path());
    let agents: Vec<_> = tickets
        .into_iter()
        .map(|ticket| {
            let kept = kept.clone();
            std::thread::spawn(move || {
                let mut agent = Agent::join(&ticket, &hello(), Arc::new(Slow), kept)?;
                agent.silence_max = Duration::from_millis(2_500);
                agent.follow()
            })
        })
        .collect();
    coordinator.gather(&hello(), WITHIN, &not_interrupted, &mut || None).unwrap();
    let told = Told::default();
    let ended = coordinator.carry_out(7, &[part(3)], Nanos(5_000_000_000), &told).unwrap();
    assert_eq!((told.begun.lock().unwrap().len(), told.operations.load(Ordering::Relaxed)), (1, 23));
    let interrupted = coordinator.results(&ended, &|| true).unwrap_err();
    assert_eq!(interrupted.message, "interrupted", "nobody has to wait for them");
    let results = coordinator.results(&ended, &not_interrupted).unwrap();
    let [(agent, start, result)] = results.as_slice() else { panic!("{results:?}") };
    assert_eq!((agent.as_str(), result.run.number, result.run.dop.jobs, result.host_threads), ("a1", 7, 3, 2));
    assert!(start.offset_ns.0.abs() < 1_000_000_000, "{start:?}");
    let found = kept.of_record("r");
    let [GivenPart { part, .. }] = found.parts.as_slice() else { panic!("{found:?}") };
    assert_eq!(
        (part.agent.as_str(), part.attempt.run, part.share, &part.result),
        ("a1", 7, JobShare::whole(3), result)
    );
    assert!(part.start.offset_ns.0.abs() < 1_000_000_000, "{part:?}");
    coordinator.release();
    assert!(!agents[1].is_finished(), "the second one has nothing to do, and stays");
    coordinator.dismiss();
    for agent in agents {
        agent.join().unwrap().unwrap();
    }
    assert!(!kept.folder().exists(), "it was kept until it was released");
}

/// Ends before its jobs are warm, with a run that failed.
struct Refused;

impl PartWork for Refused {
    fn carry_out(&self, part: &Part, _: &Interrupt, _: &dyn Release) -> run::Result<PartResult> {
        let mut run = Run::new(&part.planned, Pace::Unthrottled, Timestamp::default());
        run.outcome = Outcome::Failed { message: "no connection is left; hint: raise max_connections".to_owned() };
        Ok(PartResult { run, host_threads: 2 })
    }
}

#[test]
fn a_part_that_fails_before_its_start_says_why_and_loses_no_agent() {
    let (mut coordinator, tickets) = Coordinator::start(&names(1)).unwrap();
    let ticket = tickets[0].clone();
    let join = move || Agent::join(&ticket, &hello(), Arc::new(Refused), nowhere())?.follow();
    let agent = std::thread::spawn(join);
    coordinator.gather(&hello(), WITHIN, &not_interrupted, &mut || None).unwrap();
    let error = coordinator.carry_out(7, &[part(1)], Nanos(30_000_000_000), &Told::default()).err().unwrap();
    assert!(error.message.contains("raise max_connections"), "{error:?}");
    assert!(coordinator.lost().is_empty(), "{:?}", coordinator.lost());
    coordinator.dismiss();
    agent.join().unwrap().unwrap();
}

/// Work that does not hear that it is given up, and ends when it is let go.
#[derive(Default)]
struct Stubborn {
    is_let_go: Mutex<bool>,
    let_go: Condvar,
    under_way: AtomicU64,
    most_under_way: AtomicU64,
}

impl PartWork for Stubborn {
    fn carry_out(&self, part: &Part, _: &Interrupt, release: &dyn Release) -> run::Result<PartResult> {
        let under_way = self.under_way.fetch_add(1, Ordering::SeqCst) + 1;
        self.most_under_way.fetch_max(under_way, Ordering::SeqCst);
        let ready = release.ready();
        if ready.is_ok() {
            release.wait();
        } else {
            let is_let_go = self.is_let_go.lock().unwrap();
            drop(self.let_go.wait_timeout_while(is_let_go, WITHIN + WITHIN, |is_let_go| !*is_let_go));
        }
        self.under_way.fetch_sub(1, Ordering::SeqCst);
        ready.map_err(|broken| run::Error::environment(broken.message))?;
        let run = Run::new(&part.planned, Pace::Unthrottled, Timestamp::default());
        Ok(PartResult { run, host_threads: 2 })
    }
}

/// Interrupts a run as soon as all jobs are warm.
#[derive(Default)]
struct Impatient(AtomicBool);

impl FleetWatch for Impatient {
    fn prepare(&self) -> bool {
        self.0.store(true, Ordering::Relaxed);
        false
    }

    fn is_interrupted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Lets the work go that is under way, after many looks at the agents.
struct LetsGo<'a>(&'a Stubborn, AtomicU64);

impl FleetWatch for LetsGo<'_> {
    fn is_interrupted(&self) -> bool {
        if self.1.fetch_add(1, Ordering::Relaxed) == 100 {
            *self.0.is_let_go.lock().unwrap() = true;
            self.0.let_go.notify_all();
        }
        false
    }
}

#[test]
fn an_agent_answers_while_a_part_does_not_end_and_begins_no_other_beside_it() {
    let (mut coordinator, tickets) = Coordinator::start(&names(1)).unwrap();
    let (work, ticket) = (Arc::<Stubborn>::default(), tickets[0].clone());
    let on = Arc::clone(&work);
    let agent = std::thread::spawn(move || Agent::join(&ticket, &hello(), on, nowhere())?.follow());
    coordinator.gather(&hello(), WITHIN, &not_interrupted, &mut || None).unwrap();
    let within = Nanos(30_000_000_000);
    let error = coordinator.carry_out(7, &[part(1)], within, &Impatient::default()).err().unwrap();
    assert_eq!(error.message, "interrupted");
    assert_eq!(work.under_way.load(Ordering::SeqCst), 1, "it does not end");
    assert!(coordinator.clocks(1, &not_interrupted).is_ok(), "{:?}", coordinator.lost());
    let watch = LetsGo(&work, AtomicU64::new(0));
    let mut next = part(1);
    next.planned.number = 8;
    let ended = coordinator.carry_out(8, &[next], within, &watch).unwrap();
    assert_eq!(coordinator.results(&ended, &not_interrupted).unwrap().len(), 1);
    assert_eq!(work.most_under_way.load(Ordering::SeqCst), 1);
    coordinator.dismiss();
    agent.join().unwrap().unwrap();
}

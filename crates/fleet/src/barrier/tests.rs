use proptest::prelude::*;
use record::{Answer, Attempt, Nanos, Order, Refusal, Says, SignedNanos, Step};

use super::*;
use crate::ClockOffset;

const MILLISECOND: u64 = 1_000_000;
const ATTEMPT: Attempt = Attempt { epoch: 7, run: 3 };

/// What happens to one message: lost, or delivered after these delays, once or twice.
#[derive(Clone, Copy, Debug)]
struct Fate {
    lost: bool,
    delay_ms: u64,
    again_after_ms: Option<u64>,
}

fn fate(loss: f64, delay_ms: u64) -> impl Strategy<Value = Fate> {
    (prop::bool::weighted(loss), 0..=delay_ms, prop::option::weighted(0.2, 0..=4 * delay_ms))
        .prop_map(|(lost, delay_ms, again_after_ms)| Fate { lost, delay_ms, again_after_ms })
}

/// An agent of the simulation: its clock, how long it prepares, and what it did.
struct Simulated {
    barrier: AgentBarrier,
    /// Its clock less that of the coordinator.
    offset: i64,
    warm_at_ms: Option<u64>,
    prepares_ms: u64,
    was_armed: bool,
    /// Moments of its starts, by the clock of the coordinator.
    started_ms: Vec<u64>,
    has_disarmed: bool,
}

impl Simulated {
    fn clock(&self, now_ms: u64) -> Nanos {
        Nanos((now_ms * MILLISECOND).checked_add_signed(self.offset).unwrap())
    }
}

enum Message {
    Order(Order),
    Answer(Answer),
}

/// Selects orders.
type Which = fn(&Order) -> bool;

struct Simulation {
    barrier: Barrier,
    agents: Vec<Simulated>,
    /// Delivery, agent, message.
    on_the_way: Vec<(u64, usize, Message)>,
    fates: Vec<Fate>,
    sent: usize,
    /// The order of which no copy reaches this agent, if there is one.
    never: Option<(usize, Which)>,
}

const BEGIN_MS: u64 = 100_000;
const RUN_MS: u64 = 3_000;

impl Simulation {
    /// Agents with these clocks, which are known to within `error_ms` and are off by half of that.
    fn new(offsets: &[i64], prepares_ms: &[u64], error_ms: u64, fates: Vec<Fate>) -> Simulation {
        let member = |(index, offset): (usize, &i64)| Member {
            name: format!("a{index}"),
            clock: ClockOffset {
                at: Nanos(BEGIN_MS * MILLISECOND),
                offset: SignedNanos(offset + (error_ms * MILLISECOND / 2) as i64),
                error: Nanos(error_ms * MILLISECOND),
            },
        };
        let agent = |(offset, prepares_ms): (&i64, &u64)| Simulated {
            barrier: AgentBarrier::default(),
            offset: *offset,
            warm_at_ms: None,
            prepares_ms: *prepares_ms,
            was_armed: false,
            started_ms: Vec::new(),
            has_disarmed: false,
        };
        let members = offsets.iter().enumerate().map(member).collect();
        let barrier = Barrier::new(ATTEMPT, members, Nanos(BEGIN_MS * MILLISECOND), Nanos(10_000 * MILLISECOND));
        let agents = offsets.iter().zip(prepares_ms).map(agent).collect();
        Simulation { barrier, agents, on_the_way: Vec::new(), fates, sent: 0, never: None }
    }

    fn send(&mut self, now_ms: u64, index: usize, message: impl Fn() -> Message) {
        let fate = self.fates[self.sent % self.fates.len()];
        self.sent += 1;
        let is_never = match (message(), self.never) {
            (Message::Order(order), Some((agent, which))) => agent == index && which(&order),
            _ => false,
        };
        if fate.lost || is_never {
            return;
        }
        self.on_the_way.push((now_ms + fate.delay_ms, index, message()));
        if let Some(again) = fate.again_after_ms {
            self.on_the_way.push((now_ms + fate.delay_ms + again, index, message()));
        }
    }

    fn answer(&mut self, now_ms: u64, index: usize, answer: Option<Answer>) {
        if let Some(answer) = answer {
            self.send(now_ms, index, || Message::Answer(answer.clone()));
        }
    }

    /// Half a minute, in steps of a millisecond; orders are repeated five times a second until they are answered.
    fn run(mut self) -> Simulation {
        for now_ms in BEGIN_MS..BEGIN_MS + 30_000 {
            let now = Nanos(now_ms * MILLISECOND);
            let (due, later) = std::mem::take(&mut self.on_the_way).into_iter().partition(|(at, ..)| *at <= now_ms);
            self.on_the_way = later;
            for (_, index, message) in due {
                match message {
                    Message::Answer(answer) => self.barrier.take(index, &answer, now),
                    Message::Order(order) => self.deliver(now_ms, index, &order),
                }
            }
            (0..self.agents.len()).for_each(|index| self.live(now_ms, index));
            self.barrier.tick(now);
            self.barrier.arm(now);
            if now_ms % 200 == 0 {
                for (index, order) in self.barrier.orders() {
                    self.send(now_ms, index, || Message::Order(order.clone()));
                }
            }
        }
        self
    }

    fn deliver(&mut self, now_ms: u64, index: usize, order: &Order) {
        let agent = &mut self.agents[index];
        let now = agent.clock(now_ms);
        let taken = agent.barrier.take(order, now);
        if taken.prepares {
            agent.warm_at_ms = Some(now_ms + agent.prepares_ms);
        }
        agent.was_armed |= matches!(agent.barrier.phase(), AgentPhase::Armed { .. });
        self.answer(now_ms, index, taken.answer);
    }

    /// What an agent does by itself.
    fn live(&mut self, now_ms: u64, index: usize) {
        let agent = &mut self.agents[index];
        let now = agent.clock(now_ms);
        let warm = agent.warm_at_ms.filter(|at| *at <= now_ms).and_then(|_| agent.barrier.prepared(ATTEMPT, None));
        let due = agent.barrier.due(now);
        let disarmed = match due {
            Some(Due::Start) => {
                agent.started_ms.push(now_ms);
                None
            }
            Some(Due::Disarm) => {
                agent.has_disarmed = true;
                agent.barrier.says(Says::Disarmed)
            }
            None => None,
        };
        let ended =
            agent.started_ms.last().filter(|at| **at + RUN_MS <= now_ms).and_then(|_| agent.barrier.ended(now, None));
        [warm, disarmed, ended].into_iter().for_each(|answer| self.answer(now_ms, index, answer));
    }

    fn all_started(&self) -> bool {
        self.agents.iter().all(|agent| agent.started_ms.len() == 1)
    }
}

fn simulated(loss: f64, delay_ms: u64) -> impl Strategy<Value = Simulation> {
    let agents = prop::collection::vec((-90_000_000_000i64..90_000_000_000, 0u64..3_000), 1..6);
    (agents, 1u64..60, prop::collection::vec(fate(loss, delay_ms), 1..200)).prop_map(|(agents, error_ms, fates)| {
        let (offsets, prepares): (Vec<i64>, Vec<u64>) = agents.into_iter().unzip();
        Simulation::new(&offsets, &prepares, error_ms, fates)
    })
}

impl std::fmt::Debug for Simulation {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{:?} {:?}", self.barrier, self.fates)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn a_network_that_delivers_starts_all_agents_together(simulation in simulated(0.0, 100)) {
        let ended = simulation.run();
        prop_assert!(ended.all_started(), "{:?}", ended.barrier.phase());
        let BarrierPhase::Over { start } = *ended.barrier.phase() else { panic!("{:?}", ended.barrier.phase()) };
        for (agent, member) in ended.agents.iter().zip(ended.barrier.members()) {
            let at = agent.started_ms[0] * MILLISECOND;
            prop_assert!(at.abs_diff(start.0) <= member.clock.error.0 + MILLISECOND, "{at} is not {start:?}");
        }
        prop_assert!(ended.barrier.behind(&Says::Confirmed).is_empty());
    }

    #[test]
    fn whatever_the_network_does_no_agent_starts_unless_all_were_armed(simulation in simulated(0.4, 900)) {
        let ended = simulation.run();
        let any_started = ended.agents.iter().any(|agent| !agent.started_ms.is_empty());
        prop_assert!(!any_started || ended.agents.iter().all(|agent| agent.was_armed));
        prop_assert!(ended.agents.iter().all(|agent| agent.started_ms.len() <= 1), "a start happens once");
        prop_assert!(ended.agents.iter().all(|agent| agent.started_ms.is_empty() || !agent.has_disarmed));
        match ended.barrier.phase() {
            BarrierPhase::Over { .. } => prop_assert!(ended.all_started() && ended.barrier.behind(&Says::Confirmed).is_empty()),
            BarrierPhase::Failed(_) => {}
            // Some answers did not arrive within half a minute: it is known whose.
            BarrierPhase::Started { .. } => {
                let behind = ended.barrier.behind(&Says::Held { started_ns: Nanos(0), not_kept: None });
                prop_assert!(!behind.is_empty());
            }
            unfinished => panic!("{unfinished:?}"),
        }
    }

    #[test]
    fn an_agent_that_no_confirmation_reaches_disarms_and_is_named(
        simulation in simulated(0.0, 100),
        which in any::<prop::sample::Index>(),
    ) {
        let index = which.index(simulation.agents.len());
        // The question after the start does not reach it either.
        let never: (usize, Which) = (index, |order| order.step == Step::Confirm);
        let ended = Simulation { never: Some(never), ..simulation }.run();
        prop_assert!(ended.agents[index].started_ms.is_empty() && ended.agents[index].has_disarmed);
        let failure = BarrierFailure::Disarmed { agent: format!("a{index}") };
        prop_assert_eq!(ended.barrier.phase(), &BarrierPhase::Failed(failure));
        prop_assert!(ended.agents.iter().all(|agent| *agent.barrier.phase() == AgentPhase::Joined), "all were abandoned");
    }

    #[test]
    fn an_order_twice_is_an_order_once_and_an_older_epoch_is_none(
        orders in prop::collection::vec((order(), 0u64..6_000, any::<bool>()), 1..25),
    ) {
        let (mut agent, mut highest) = (AgentBarrier::default(), 0);
        let mut now = Nanos(0);
        for (order, later, warm) in orders {
            now = now + Nanos(later);
            let before = agent.clone();
            let first = agent.take(&order, now);
            let after = agent.clone();
            let second = agent.take(&order, now);
            prop_assert_eq!((agent.phase(), agent.attempt()), (after.phase(), after.attempt()));
            prop_assert!(!second.prepares && !second.gives_up, "{:?}", second);
            let epoch = agent.attempt().map_or(0, |attempt| attempt.epoch);
            prop_assert!(epoch >= highest);
            highest = epoch;
            if before.attempt().is_some_and(|attempt| attempt.epoch > order.attempt.epoch) {
                prop_assert_eq!((before.phase(), before.attempt()), (agent.phase(), agent.attempt()));
                let refusal = Says::Refused(Refusal::OlderEpoch { current: highest });
                prop_assert_eq!(first.answer.map(|answer| answer.says), Some(refusal));
            }
            if let (true, Some(attempt)) = (warm, agent.attempt()) {
                agent.prepared(attempt, None);
            }
            let is_confirmed = matches!(agent.phase(), AgentPhase::Armed { confirmed: true, .. });
            if agent.due(now) == Some(Due::Start) {
                prop_assert!(is_confirmed);
            }
        }
    }
}

fn order() -> impl Strategy<Value = Order> {
    let step = prop_oneof![
        3 => Just(Step::Prepare),
        3 => (0u64..20_000).prop_map(|start| Step::Arm { start_ns: Nanos(start), clock_error_ns: Nanos(0) }),
        3 => Just(Step::Confirm),
        1 => Just(Step::Abandon),
    ];
    (1u64..4, 1u32..3, step).prop_map(|(epoch, run, step)| Order { attempt: Attempt { epoch, run }, step })
}

/// A member with this round trip.
fn member(round_trip_ms: u64) -> Member {
    let error = Nanos(round_trip_ms * MILLISECOND / 2);
    Member { name: "a".to_owned(), clock: ClockOffset { at: Nanos(0), offset: SignedNanos(0), error } }
}

#[test]
fn the_start_is_two_seconds_or_ten_round_trips_ahead() {
    for (round_trip_ms, lead_ms) in [(1, 2_000), (200, 2_000), (600, 6_000)] {
        let mut barrier = Barrier::new(ATTEMPT, vec![member(1), member(round_trip_ms)], Nanos(5), Nanos(1_000));
        let ready = Answer { attempt: ATTEMPT, says: Says::Ready };
        barrier.take(0, &ready, Nanos(7));
        assert_eq!(*barrier.phase(), BarrierPhase::Preparing);
        barrier.take(1, &Answer { attempt: Attempt { epoch: 6, run: 3 }, ..ready.clone() }, Nanos(7));
        assert_eq!(*barrier.phase(), BarrierPhase::Preparing, "an answer about another attempt");
        barrier.arm(Nanos(8));
        assert_eq!(*barrier.phase(), BarrierPhase::Preparing, "not all are ready");
        barrier.take(1, &ready, Nanos(8));
        assert_eq!((barrier.phase(), barrier.orders()), (&BarrierPhase::Ready, Vec::new()), "the coordinator is not");
        barrier.arm(Nanos(9));
        assert_eq!(*barrier.phase(), BarrierPhase::Arming { start: Nanos(9 + lead_ms * MILLISECOND) });
    }
}

#[test]
fn agents_that_are_not_ready_in_time_are_named() {
    let other = Member { name: "b".to_owned(), ..member(1) };
    let mut barrier = Barrier::new(ATTEMPT, vec![member(1), other], Nanos(0), Nanos(3_000_000_000));
    barrier.take(0, &Answer { attempt: ATTEMPT, says: Says::Ready }, Nanos(1));
    barrier.tick(Nanos(2_999_999_999));
    assert_eq!(*barrier.phase(), BarrierPhase::Preparing);
    barrier.pause(Nanos(500_000_000));
    barrier.tick(Nanos(3_499_999_999));
    assert_eq!(*barrier.phase(), BarrierPhase::Preparing, "what the coordinator missed is not theirs");
    barrier.tick(Nanos(3_500_000_000));
    let BarrierPhase::Failed(failure) = barrier.phase() else { panic!("{barrier:?}") };
    assert_eq!(failure.to_string(), "not ready within 3 s: agents b");
    let steps: Vec<Step> = barrier.orders().into_iter().map(|(_, order)| order.step).collect();
    assert_eq!(steps, [Step::Abandon, Step::Abandon]);
}

#[test]
fn an_agent_that_cannot_prepare_fails_the_attempt_with_its_reason() {
    let mut agent = AgentBarrier::default();
    let prepare = Order { attempt: ATTEMPT, step: Step::Prepare };
    assert_eq!(agent.take(&prepare, Nanos(0)), Taken { prepares: true, ..Taken::default() });
    let refused = agent.prepared(ATTEMPT, Some("no session".to_owned())).unwrap();
    assert_eq!(agent.take(&prepare, Nanos(1)).answer, Some(refused.clone()), "and says so again");
    let mut barrier = Barrier::new(ATTEMPT, vec![member(1)], Nanos(0), Nanos(1_000));
    barrier.take(0, &refused, Nanos(2));
    let BarrierPhase::Failed(failure) = barrier.phase() else { panic!("{barrier:?}") };
    assert_eq!(failure.to_string(), "agent a: no session");
}

/// Two members that have started, and when.
fn started() -> (Barrier, Nanos) {
    let mut barrier =
        Barrier::new(ATTEMPT, vec![member(1), Member { name: "b".to_owned(), ..member(1) }], Nanos(0), Nanos(9));
    for says in [Says::Ready, Says::Armed, Says::Confirmed] {
        (0..2).for_each(|index| barrier.take(index, &Answer { attempt: ATTEMPT, says: says.clone() }, Nanos(0)));
        barrier.arm(Nanos(0));
    }
    let BarrierPhase::Confirming { start } = *barrier.phase() else { panic!("{barrier:?}") };
    barrier.tick(start);
    (barrier, start)
}

#[test]
fn after_the_start_the_others_end_before_a_lost_one_fails_the_attempt() {
    let (mut barrier, start) = started();
    barrier.lose(1, Loss::Silent(Nanos(7)));
    barrier.tick(start + Nanos(1));
    assert_eq!(*barrier.phase(), BarrierPhase::Started { start }, "the first one is still at work");
    assert_eq!(barrier.orders().iter().map(|(index, _)| *index).collect::<Vec<_>>(), [0]);
    let held = Answer { attempt: ATTEMPT, says: Says::Held { started_ns: start, not_kept: None } };
    barrier.take(0, &held, start + Nanos(2));
    let lost = BarrierFailure::Lost { agent: "b".to_owned(), loss: Loss::Silent(Nanos(7)) };
    assert_eq!(*barrier.phase(), BarrierPhase::Failed(lost));
    assert!(barrier.orders().iter().all(|(index, _)| *index == 0), "what is lost works on");
}

#[test]
fn an_attempt_ends_where_all_are_lost() {
    let (mut barrier, start) = started();
    barrier.lose(1, Loss::Silent(Nanos(7)));
    barrier.lose(0, Loss::Unreadable);
    barrier.tick(start + Nanos(1));
    assert!(matches!(barrier.phase(), BarrierPhase::Failed(BarrierFailure::Lost { .. })), "{:?}", barrier.phase());
    assert_eq!(barrier.orders(), []);
}

#[test]
fn a_lost_one_that_had_ended_is_lost_with_its_result() {
    let (mut barrier, start) = started();
    let held = Answer { attempt: ATTEMPT, says: Says::Held { started_ns: start, not_kept: None } };
    barrier.take(1, &held, start + Nanos(1));
    barrier.lose(1, Loss::Silent(Nanos(7)));
    barrier.take(0, &held, start + Nanos(2));
    assert!(matches!(barrier.phase(), BarrierPhase::Failed(BarrierFailure::Lost { .. })), "its result cannot be had");
}

#[test]
fn a_newer_attempt_gives_up_the_one_before() {
    let mut agent = AgentBarrier::default();
    agent.take(&Order { attempt: ATTEMPT, step: Step::Prepare }, Nanos(0));
    let newer = Attempt { epoch: 8, run: 3 };
    let taken = agent.take(&Order { attempt: newer, step: Step::Prepare }, Nanos(1));
    assert!(taken.gives_up && taken.prepares);
    assert_eq!(agent.prepared(ATTEMPT, None), None, "the older one became warm too late");
    assert_eq!(agent.prepared(newer, None), Some(Answer { attempt: newer, says: Says::Ready }));
}

#[test]
fn orders_that_arrive_after_the_agreed_start_are_too_late() {
    let order = |step| Order { attempt: ATTEMPT, step };
    let mut agent = AgentBarrier::default();
    agent.take(&order(Step::Prepare), Nanos(0));
    agent.prepared(ATTEMPT, None);
    let too_late = |by| Some(Answer { attempt: ATTEMPT, says: Says::Refused(Refusal::TooLate { by_ns: Nanos(by) }) });
    let armed = agent.take(&order(Step::Arm { start_ns: Nanos(50), clock_error_ns: Nanos(0) }), Nanos(57));
    assert_eq!((armed.answer, agent.phase()), (too_late(7), &AgentPhase::Prepared));
    agent.take(&order(Step::Arm { start_ns: Nanos(80), clock_error_ns: Nanos(0) }), Nanos(57));
    let confirmed = agent.take(&order(Step::Confirm), Nanos(80));
    assert_eq!((confirmed.answer, agent.phase()), (too_late(0), &AgentPhase::Disarmed));
    assert_eq!(agent.due(Nanos(81)), None);
}

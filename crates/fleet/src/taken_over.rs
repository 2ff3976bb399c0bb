//! Somebody else in the place of the message server: another user of the host, who takes its port when it has ended, or
//! answers in its place from the beginning. Agents and coordinators obey nobody there.

use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use record::{Attempt, Nanos, Order, Part, PartNode, PartResult, Step, Ticket, ToAgent};
use run::{FleetWatch, Interrupt, Release};
use rustix::process::{Pid, Signal, kill_process};

use crate::subject::Subjects;
use crate::tests::{hello, nowhere, part};
use crate::{Agent, Coordinator, PartWork};

/// Counts the parts that it is asked for.
#[derive(Default)]
struct Counting(AtomicUsize);

impl PartWork for Counting {
    fn carry_out(&self, _: &Part, _: &Interrupt, _: &dyn Release) -> run::Result<PartResult> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Err(run::Error::environment("it only counts"))
    }
}

/// What a hostile server says to whoever subscribes: `subject` and content of each message.
fn serve(mut stream: TcpStream, messages: &[(String, Vec<u8>)]) {
    let info = "{\"server_id\":\"x\",\"version\":\"2.9.10\",\"proto\":1,\"headers\":true,\"max_payload\":8388608,\"nonce\":\"n\",\
                \"connect_urls\":[\"127.0.0.1:1\"]}";
    write!(stream, "INFO {info}\r\n").unwrap();
    let mut subscription = None;
    for line in BufReader::new(stream.try_clone().unwrap()).lines() {
        let Ok(line) = line else { return };
        if let Some(subscribed) = line.strip_prefix("SUB ") {
            subscription = subscribed.rsplit(' ').next().map(str::to_owned);
        }
        if line.starts_with("PING") {
            let _ = write!(stream, "PONG\r\n");
            for (subject, content) in messages {
                let Some(number) = &subscription else { continue };
                let _ = write!(stream, "MSG {subject} {number} {}\r\n", content.len());
                let _ = stream.write_all(content).and_then(|()| stream.write_all(b"\r\n"));
            }
        }
    }
}

/// Messages that an agent with `ticket` would obey if it obeyed anybody.
fn orders(ticket: &Ticket) -> Vec<(String, Vec<u8>)> {
    let attempt = Attempt { epoch: u64::MAX, run: 1 };
    let messages = [
        ToAgent::Welcome,
        ToAgent::Assign { attempt, part: Box::new(part(1)) },
        ToAgent::Order(Order { attempt, step: Step::Prepare }),
    ];
    let subject = Subjects::of(&ticket.fleet).to(&ticket.agent);
    messages.iter().map(|message| (subject.clone(), serde_json::to_vec(message).unwrap())).collect()
}

#[test]
fn who_takes_the_port_of_a_message_server_that_has_ended_has_no_agent() {
    let (mut coordinator, tickets) = Coordinator::start(&["a".to_owned()]).unwrap();
    let (work, ticket) = (Arc::<Counting>::default(), tickets[0].clone());
    let on = Arc::clone(&work);
    let agent = std::thread::spawn(move || Agent::join(&ticket, &hello(), on, nowhere())?.follow());
    coordinator.gather(&hello(), Duration::from_secs(20), &|| false, &mut || None).unwrap();
    let address = coordinator.server_address().to_owned();
    let server = Pid::from_raw(coordinator.server_process().unwrap() as i32).unwrap();
    kill_process(server, Signal::KILL).unwrap();
    let start = Instant::now();
    let listener = loop {
        match TcpListener::bind(&address) {
            Ok(listener) => break listener,
            Err(error) => assert!(start.elapsed() < Duration::from_secs(30), "{error}"),
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    listener.set_nonblocking(true).unwrap();
    // It neither connects anew nor waits for somebody to answer.
    while !agent.is_finished() {
        match listener.accept() {
            Ok((stream, _)) => {
                stream.set_nonblocking(false).unwrap();
                let orders = orders(&tickets[0]);
                std::thread::spawn(move || serve(stream, &orders));
                panic!("the agent has connected to whoever listens");
            }
            Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
        }
        assert!(start.elapsed() < Duration::from_secs(60), "the agent stays");
        std::thread::sleep(Duration::from_millis(5));
    }
    let error = agent.join().unwrap().unwrap_err();
    assert_eq!(error.message, "the connection to the coordinator has ended");
    assert_eq!(work.0.load(Ordering::Relaxed), 0);
    let error = coordinator.start_together(1, Nanos(1), &|| false).unwrap_err();
    assert_eq!(error.message, "the message server has ended");
}

#[test]
fn an_agent_obeys_no_server_that_is_not_its_coordinators() {
    let (coordinator, tickets) = Coordinator::start(&["a".to_owned()]).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let ticket = Ticket { url: format!("nats://{}", listener.local_addr().unwrap()), ..tickets[0].clone() };
    let (work, orders) = (Arc::<Counting>::default(), orders(&ticket));
    let on = Arc::clone(&work);
    let agent = std::thread::spawn(move || Agent::join(&ticket, &hello(), on, nowhere()).map(drop));
    let (stream, _) = listener.accept().unwrap();
    let ends = stream.try_clone().unwrap();
    let server = std::thread::spawn(move || serve(stream, &orders));
    std::thread::sleep(Duration::from_secs(1));
    assert!(!agent.is_finished(), "it waits for its coordinator");
    ends.shutdown(std::net::Shutdown::Both).unwrap();
    let error = agent.join().unwrap().unwrap_err();
    assert_eq!(error.message, "the connection to the coordinator has ended");
    assert_eq!(work.0.load(Ordering::Relaxed), 0);
    server.join().unwrap();
    drop(coordinator);
}

#[test]
fn a_coordinator_believes_no_agent_that_has_not_its_key() {
    let (mut coordinator, tickets) = Coordinator::start(&["a".to_owned()]).unwrap();
    // It has the key for the message server alone.
    let stolen = Ticket { message_key: record::Seed("another".to_owned()), ..tickets[0].clone() };
    let agent =
        std::thread::spawn(move || Agent::join(&stolen, &hello(), Arc::<Counting>::default(), nowhere()).map(drop));
    let error = coordinator.gather(&hello(), Duration::from_secs(2), &|| false, &mut || None).unwrap_err();
    assert_eq!(error.message, "not joined within 2 s: agents a");
    drop(coordinator);
    assert!(agent.join().unwrap().is_err());
}

#[test]
fn a_part_that_asks_for_more_than_was_named_is_not_begun() {
    let (mut coordinator, tickets) = Coordinator::start(&["a".to_owned()]).unwrap();
    let (work, ticket) = (Arc::<Counting>::default(), tickets[0].clone());
    let on = Arc::clone(&work);
    let agent = std::thread::spawn(move || Agent::join(&ticket, &hello(), on, nowhere())?.follow());
    coordinator.gather(&hello(), Duration::from_secs(20), &|| false, &mut || None).unwrap();
    let node = PartNode { number: 1, target: "null".to_owned() };
    let asked = Part { nodes: vec![node], ..part(1) };
    let error = coordinator.carry_out(1, &[asked], Nanos(10_000_000_000), &Patient).err().unwrap();
    assert_eq!(error.message, "agent a: no target was named when the agent was started");
    assert_eq!(work.0.load(Ordering::Relaxed), 0);
    coordinator.dismiss();
    agent.join().unwrap().unwrap();
}

/// Interrupts nothing.
struct Patient;

impl FleetWatch for Patient {
    fn is_interrupted(&self) -> bool {
        false
    }
}

//! Test of an agent whose clock is a day ahead, over a way that takes longer in one direction than in the other.

use std::io::{BufReader, Read, Write, stdin};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use record::{Nanos, Part, PartResult};
use run::{Interrupt, Release};

use crate::tests::{hello, nowhere};
use crate::ticket::{read_ticket, ticket_line};
use crate::{Agent, Coordinator, PartWork};

/// How far the clock of the agent is ahead, seconds.
const AHEAD_SECONDS: u64 = 86_400;

/// How long messages to the agent are on their way; those from it arrive at once.
const DELAY: Duration = Duration::from_millis(100);

/// What tells this program that it is the agent.
const IS_AGENT: &str = "DBDYNO_TEST_OTHER_CLOCK";

struct Idle;

impl PartWork for Idle {
    fn carry_out(&self, _: &Part, _: &Interrupt, _: &dyn Release) -> run::Result<PartResult> {
        Err(run::Error::environment("it has no work"))
    }
}

#[test]
fn a_clock_a_day_ahead_is_known_within_the_error_that_is_stated() {
    if std::env::var_os(IS_AGENT).is_some() {
        let ticket = read_ticket(&mut BufReader::new(stdin())).unwrap();
        return Agent::join(&ticket, &hello(), Arc::new(Idle), nowhere()).unwrap().follow().unwrap();
    }
    let ahead = AHEAD_SECONDS.to_string();
    let own = ["unshare", "-T", "--monotonic", &ahead, "--"];
    let is_possible = Command::new(own[0]).args(&own[1..]).arg("true").stderr(Stdio::null()).status();
    if !is_possible.is_ok_and(|status| status.success()) {
        assert!(!rustix::process::getuid().is_root(), "no time namespace could be made");
        return;
    }
    let (mut coordinator, mut tickets) = Coordinator::start(&["a".to_owned()]).unwrap();
    let mut ticket = tickets.remove(0);
    ticket.url = format!("nats://{}", delaying(coordinator.server_address().to_owned()));
    let name = "other_clock::a_clock_a_day_ahead_is_known_within_the_error_that_is_stated";
    let mut command = Command::new(own[0]);
    command.args(&own[1..]).arg(std::env::current_exe().unwrap()).args(["--exact", name]);
    let mut agent = command.env(IS_AGENT, "1").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    writeln!(agent.stdin.take().unwrap(), "{}", ticket_line(&ticket)).unwrap();
    coordinator.gather(&hello(), Duration::from_secs(60), &|| false, &mut || None).unwrap();
    let clock = coordinator.clocks(1, &|| false).unwrap()[0];
    let wrong_by = clock.offset.0.abs_diff(AHEAD_SECONDS as i64 * 1_000_000_000);
    assert!(wrong_by <= clock.error.0, "{clock:?}");
    // The delay is in one direction alone, and half of it is all that can be wrong.
    let half = DELAY.as_nanos() as u64 / 2;
    assert!(wrong_by > half * 9 / 10 && clock.error > Nanos(half * 9 / 10), "the delay has no effect: {clock:?}");
    let started = coordinator.start_together(1, Nanos(10_000_000_000), &|| false).unwrap();
    let start = started[0].start;
    assert!(start.clock_error_ns >= Nanos(wrong_by) && start.offset_ns.0.abs() < 500_000_000, "{start:?}");
    coordinator.dismiss();
    assert!(agent.wait().unwrap().success());
}

/// An address from which one connection is passed on to `server`; what the server says arrives [`DELAY`] later.
fn delaying(server: String) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let (client, _) = listener.accept().unwrap();
        let server = TcpStream::connect(server).unwrap();
        [&client, &server].iter().for_each(|stream| stream.set_nodelay(true).unwrap());
        let (to_server, from_client) = (server.try_clone().unwrap(), client.try_clone().unwrap());
        std::thread::spawn(move || pass(from_client, to_server, Duration::ZERO));
        pass(server, client, DELAY);
    });
    address
}

/// Passes on each piece `delay` after it came.
fn pass(mut from: TcpStream, mut to: TcpStream, delay: Duration) {
    let (pieces, waiting) = std::sync::mpsc::channel::<(Instant, Vec<u8>)>();
    std::thread::spawn(move || {
        for (at, piece) in waiting {
            std::thread::sleep(at.saturating_duration_since(Instant::now()));
            if to.write_all(&piece).is_err() {
                return;
            }
        }
    });
    let mut piece = vec![0; 1 << 16];
    while let Ok(length @ 1..) = from.read(&mut piece) {
        if pieces.send((Instant::now() + delay, piece[..length].to_vec())).is_err() {
            return;
        }
    }
}

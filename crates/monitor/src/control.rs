//! Control probes: the host of the monitor itself, measured just before a burst. A client that became slow is not taken
//! for a slow database.

use std::hint::black_box;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use model::promise::Control;
use record::Nanos;

/// Rounds of arithmetic: about a tenth of a millisecond.
const ROUNDS: u64 = 50_000;
/// How long the timer is set to.
const TIMER: Duration = Duration::from_micros(200);
/// Round trips, of which the fastest counts: the first one wakes the other end.
const ROUND_TRIPS: usize = 8;

/// What is needed for them.
pub(crate) struct Controls {
    /// To a thread that sends back what it gets; absent where there is no loopback.
    echo: Option<TcpStream>,
}

impl Controls {
    pub(crate) fn new() -> Controls {
        Controls { echo: echo().ok() }
    }

    /// Each control, as far as it can be measured.
    pub(crate) fn measure(&mut self) -> Vec<(Control, Nanos)> {
        let loopback = self.echo.as_mut().and_then(|echo| round_trip(echo).ok());
        let found = [
            (Control::Processor, Some(arithmetic())),
            (Control::Timer, Some(lateness())),
            (Control::Loopback, loopback),
        ];
        found.into_iter().filter_map(|(control, time)| Some((control, time?))).collect()
    }
}

fn arithmetic() -> Nanos {
    let begin = Instant::now();
    let mut state = 1u64;
    for round in 0..ROUNDS {
        state = black_box(state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(round));
    }
    black_box(state);
    begin.elapsed().into()
}

fn lateness() -> Nanos {
    let begin = Instant::now();
    thread::sleep(TIMER);
    begin.elapsed().saturating_sub(TIMER).into()
}

/// A connection to a thread of this process that sends back each byte; it ends with the connection.
fn echo() -> io::Result<TcpStream> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let near = TcpStream::connect(listener.local_addr()?)?;
    // Somebody else may have been faster.
    let (mut far, peer) = listener.accept()?;
    if peer != near.local_addr()? {
        return Err(io::ErrorKind::ConnectionRefused.into());
    }
    near.set_nodelay(true)?;
    far.set_nodelay(true)?;
    thread::spawn(move || {
        let mut byte = [0];
        while far.read_exact(&mut byte).is_ok() && far.write_all(&byte).is_ok() {}
    });
    Ok(near)
}

fn round_trip(echo: &mut TcpStream) -> io::Result<Nanos> {
    let mut fastest = Nanos(u64::MAX);
    for _ in 0..ROUND_TRIPS {
        let begin = Instant::now();
        echo.write_all(&[1])?;
        echo.read_exact(&mut [0])?;
        fastest = fastest.min(begin.elapsed().into());
    }
    Ok(fastest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_control_is_measured_and_takes_time() {
        let mut controls = Controls::new();
        let found = controls.measure();
        assert_eq!(found.iter().map(|(control, _)| *control).collect::<Vec<_>>(), Control::ALL);
        assert!(found.iter().all(|(_, time)| time.0 > 100), "{found:?}");
    }
}

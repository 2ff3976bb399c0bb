//! TCP keepalive: detection of a lost host.
//!
//! A host that loses power or its network sends nothing. By default TCP waits forever on an idle connection, and about
//! 15 minutes with unacknowledged data (Linux, `tcp_retries2`); a session has no timeout, because a statement may take
//! hours. Therefore the kernel probes the peer. A server that is only busy is not affected: its kernel responds.

use std::io;
use std::net::TcpStream;
use std::time::Duration;

use engine::{Error, Kind, Result, shown};
use rustix::io::Errno;
use rustix::net::sockopt;

/// Idle time before the first probe,
const IDLE: Duration = Duration::from_secs(10);
/// time between probes,
const INTERVAL: Duration = Duration::from_secs(5);
/// and number of probes: in total the 25 s after which a silent host is considered lost.
const PROBES: u32 = 3;

/// The longest times and the largest number that Linux takes (`TCP_KEEPIDLE`, `TCP_KEEPINTVL`, `TCP_KEEPCNT` in tcp(7)).
const SECONDS_MAX: u32 = 32_767;
const PROBES_MAX: u32 = 127;

/// When a host that sends nothing is considered lost. What is absent is left to the operating system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keepalive {
    /// Whether an idle connection is probed.
    pub is_probed: bool,
    /// Idle time before the first probe.
    pub idle: Option<Duration>,
    /// Time between probes.
    pub interval: Option<Duration>,
    /// Number of unanswered probes.
    pub count: Option<u32>,
    /// The longest time that sent data remain unacknowledged (`TCP_USER_TIMEOUT`).
    pub unacknowledged_max: Option<Duration>,
}

impl Default for Keepalive {
    /// 25 s, for probes and for data.
    fn default() -> Keepalive {
        let (idle, interval, count) = (Some(IDLE), Some(INTERVAL), Some(PROBES));
        Keepalive { is_probed: true, idle, interval, count, unacknowledged_max: Some(IDLE + INTERVAL * PROBES) }
    }
}

impl Keepalive {
    /// From the parameters `keepalives`, `keepalives_idle`, `keepalives_interval`, `keepalives_count` and
    /// `tcp_user_timeout`, with the meaning and units of libpq; 0 is the default of the operating system.
    ///
    /// # Errors
    /// `Usage` for a value that is no number, or that the operating system does not take.
    pub fn of<'a>(parameter: impl Fn(&str) -> Option<&'a str>) -> Result<Keepalive> {
        let number = |name: &str, most: u32| match parameter(name) {
            None => Ok(None),
            Some(text) => match text.trim().parse::<u32>() {
                Ok(value) if value <= most => Ok(Some(value)),
                _ => Err(Error::new(Kind::Usage, format!("{name} {} is not a number from 0 to {most}", shown(text)))
                    .hint("omit it, or give 0 for the default of the operating system")),
            },
        };
        let mut chosen = Keepalive::default();
        let seconds = |value: u32| (value > 0).then(|| Duration::from_secs(value.into()));
        chosen.is_probed = number("keepalives", 1)? != Some(0);
        let (idle, interval) = (number("keepalives_idle", SECONDS_MAX)?, number("keepalives_interval", SECONDS_MAX)?);
        let count = number("keepalives_count", PROBES_MAX)?;
        chosen.idle = idle.map_or(chosen.idle, seconds);
        chosen.interval = interval.map_or(chosen.interval, seconds);
        chosen.count = count.map_or(chosen.count, |count| Some(count).filter(|count| *count > 0));
        // On Linux this limit also ends a connection whose probes are unanswered: it follows them unless it is given.
        chosen.unacknowledged_max = match number("tcp_user_timeout", u32::MAX)? {
            Some(0) => None,
            Some(milliseconds) => Some(Duration::from_millis(milliseconds.into())),
            None => chosen.probing_time(),
        };
        Ok(chosen)
    }

    /// The time after which unanswered probes end an idle connection, if it is known.
    fn probing_time(&self) -> Option<Duration> {
        Some(self.idle? + self.interval? * self.count?)
    }

    /// Sets these limits on `stream`.
    pub(crate) fn set(&self, stream: &TcpStream) -> io::Result<()> {
        sockopt::set_socket_keepalive(stream, self.is_probed)?;
        if let Some(idle) = self.idle {
            sockopt::set_tcp_keepidle(stream, idle)?;
        }
        if let Some(interval) = self.interval {
            sockopt::set_tcp_keepintvl(stream, interval)?;
        }
        if let Some(count) = self.count {
            sockopt::set_tcp_keepcnt(stream, count)?;
        }
        let limit_ms = self.unacknowledged_max.map_or(0, |limit| u32::try_from(limit.as_millis()).unwrap_or(u32::MAX));
        Ok(sockopt::set_tcp_user_timeout(stream, limit_ms)?)
    }
}

/// The limit on unacknowledged data of a connection, while it is lifted; absent on a Unix socket, where both ends are on
/// the same host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use = "the limit is to be set again"]
pub struct BacklogLimit(Option<u32>);

/// Lets the peer leave sent data unread, as long as its kernel responds; returns the limit before.
///
/// On Linux, the limit on unacknowledged data (`TCP_USER_TIMEOUT`) also limits how long the peer's receive window may
/// be closed. Without it, a lost host is noticed only after `tcp_retries2` while data are unacknowledged.
pub(crate) fn allow_backlog(stream: &TcpStream) -> io::Result<BacklogLimit> {
    let before = sockopt::tcp_user_timeout(stream)?;
    sockopt::set_tcp_user_timeout(stream, 0)?;
    Ok(BacklogLimit(Some(before)))
}

/// Sets the `limit` again.
pub(crate) fn limit_backlog(stream: &TcpStream, limit: BacklogLimit) -> io::Result<()> {
    limit.0.map_or(Ok(()), |limit_ms| Ok(sockopt::set_tcp_user_timeout(stream, limit_ms)?))
}

/// Replaces the message of a keepalive timeout of `stream`; other errors are unchanged.
#[cold]
pub(crate) fn explain(stream: &TcpStream, error: io::Error) -> io::Error {
    if error.raw_os_error() != Some(Errno::TIMEDOUT.raw_os_error()) {
        return error;
    }
    let message = match silence(stream) {
        Some(silence) => format!("no response for at least {} s", silence.as_secs_f64()),
        None => "no response within the limits of the operating system".to_owned(),
    };
    io::Error::new(io::ErrorKind::TimedOut, message)
}

/// The shorter one of the limits of `stream`, if it has one.
fn silence(stream: &TcpStream) -> Option<Duration> {
    let limit_ms = sockopt::tcp_user_timeout(stream).ok().filter(|limit_ms| *limit_ms > 0);
    let unacknowledged = limit_ms.map(|limit_ms| Duration::from_millis(limit_ms.into()));
    let probing = || {
        let is_probed = sockopt::socket_keepalive(stream).ok()?;
        let probes = sockopt::tcp_keepintvl(stream).ok()? * sockopt::tcp_keepcnt(stream).ok()?;
        is_probed.then_some(sockopt::tcp_keepidle(stream).ok()? + probes)
    };
    unacknowledged.into_iter().chain(probing()).min()
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::net::TcpListener;

    use super::*;
    use crate::{Deadline, TIMEOUT, Transport, connect, plain_message};

    /// Both ends of a connection.
    fn connection(keepalive: &Keepalive) -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let near = connect("127.0.0.1", port, None, Some(TIMEOUT), keepalive).unwrap();
        (near, listener.accept().unwrap().0)
    }

    fn keepalive(given: &[(&str, &'static str)]) -> Result<Keepalive> {
        Keepalive::of(|name| given.iter().find(|(known, _)| *known == name).map(|(_, value)| *value))
    }

    /// More than both kernels buffer.
    const LARGE_BYTES: usize = 32 << 20;

    #[test]
    fn keepalive_is_enabled() {
        let (near, _far) = connection(&keepalive(&[]).unwrap());
        assert!(sockopt::socket_keepalive(&near).unwrap());
        assert_eq!(sockopt::tcp_keepidle(&near).unwrap(), IDLE);
        assert_eq!(sockopt::tcp_keepintvl(&near).unwrap(), INTERVAL);
        assert_eq!(sockopt::tcp_keepcnt(&near).unwrap(), PROBES);
        assert_eq!(sockopt::tcp_user_timeout(&near).unwrap(), 25_000, "both limits are the same");
    }

    #[test]
    fn given_limits_are_those_of_the_socket() {
        let given = [("keepalives_idle", "60"), ("keepalives_interval", "7"), ("keepalives_count", "2")];
        let (near, _far) = connection(&keepalive(&given).unwrap());
        assert_eq!(sockopt::tcp_keepidle(&near).unwrap(), Duration::from_secs(60));
        assert_eq!(sockopt::tcp_keepintvl(&near).unwrap(), Duration::from_secs(7));
        assert_eq!(sockopt::tcp_keepcnt(&near).unwrap(), 2);
        assert_eq!(sockopt::tcp_user_timeout(&near).unwrap(), 74_000, "data have the time of the probes");
        let (near, _far) = connection(&keepalive(&[("keepalives", "0"), ("tcp_user_timeout", "1500")]).unwrap());
        assert!(!sockopt::socket_keepalive(&near).unwrap());
        assert_eq!(sockopt::tcp_user_timeout(&near).unwrap(), 1500);
        assert_eq!(keepalive(&[("tcp_user_timeout", "0")]).unwrap().unacknowledged_max, None);
        for (name, value) in [("keepalives", "2"), ("keepalives_idle", "40000"), ("keepalives_count", "x")] {
            let error = keepalive(&[(name, value)]).unwrap_err();
            assert!(error.kind == Kind::Usage && error.message.starts_with(&format!("{name} {value} ")), "{error}");
        }
    }

    #[test]
    fn a_timeout_is_reported() {
        let (near, _far) = connection(&keepalive(&[("tcp_user_timeout", "500")]).unwrap());
        let error = Transport::Tcp(near).send(&vec![0; LARGE_BYTES], Deadline::NONE).unwrap_err();
        assert_eq!(
            (error.kind(), plain_message(&error).as_str()),
            (io::ErrorKind::TimedOut, "no response for at least 0.5 s")
        );
    }

    #[test]
    fn a_busy_peer_may_have_a_backlog() {
        // As short as above, where it aborts the connection.
        let (near, mut far) = connection(&keepalive(&[("tcp_user_timeout", "500")]).unwrap());
        let mut near = Transport::Tcp(near);
        let limit = near.allow_backlog().unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_secs(2));
                far.read_exact(&mut vec![0; LARGE_BYTES]).unwrap();
            });
            near.send(&vec![0; LARGE_BYTES], Deadline::NONE).unwrap();
        });
        near.limit_backlog(limit).unwrap();
        let Transport::Tcp(near) = near else { panic!("it was TCP") };
        assert_eq!(sockopt::tcp_user_timeout(&near).unwrap(), 500, "it is as it was");
    }
}

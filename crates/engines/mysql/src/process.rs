//! The server's process, where it is on this host.

use std::fs;
use std::path::Path;

use transport::Way;

/// How far the server's word for its age and that of `/proc` may be apart.
const AGE_TOLERANCE_SECONDS: f64 = 10.0;

/// Ticks of `/proc/PID/stat` in a second (`USER_HZ`, the same on every machine that Linux is built for here).
const TICKS_PER_SECOND: f64 = 100.0;

/// The process of the server that was reached by `way`, by the file in which it wrote its number.
///
/// That is a number on this host only if the server shares its name space of processes, so it is believed only where a
/// server of that name runs there and is as old as the one that answers.
pub(crate) fn of_server(way: &Way, pid_file: &Path, age_seconds: f64) -> Option<u32> {
    let is_here = match (way.peer, way.own) {
        (None, None) => true,
        (Some(peer), own) => peer.ip().is_loopback() || own.is_some_and(|own| own.ip() == peer.ip()),
        _ => false,
    };
    if !is_here {
        return None;
    }
    let process: u32 = fs::read_to_string(pid_file).ok()?.trim().parse().ok()?;
    let name = fs::read_to_string(format!("/proc/{process}/comm")).ok()?;
    let is_server = matches!(name.trim(), "mariadbd" | "mysqld");
    let age =
        age_of(&fs::read_to_string(format!("/proc/{process}/stat")).ok()?, &fs::read_to_string("/proc/uptime").ok()?)?;
    (is_server && (age - age_seconds).abs() < AGE_TOLERANCE_SECONDS).then_some(process)
}

/// Seconds since a process began: field 22 of its `stat`, the name before which may hold anything, and the machine's
/// own age.
fn age_of(stat: &str, uptime: &str) -> Option<f64> {
    let begun: f64 = stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(19)?.parse().ok()?;
    let now: f64 = uptime.split_ascii_whitespace().next()?.parse().ok()?;
    Some(now - begun / TICKS_PER_SECOND)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_read_behind_a_name_that_may_hold_anything() {
        let stat = "7 (a ) b (c) S 1 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 4700 1000 20";
        assert_eq!(age_of(stat, "100.5 90.0\n"), Some(53.5));
        assert_eq!(age_of("7 (short) S 1", "1 1"), None);
    }

    #[test]
    fn what_is_elsewhere_or_no_server_is_out_of_sight() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("pid");
        fs::write(&file, format!("{}\n", std::process::id())).unwrap();
        assert_eq!(of_server(&Way::default(), &file, 0.0), None, "this test is no server");
        let (peer, own) = ("192.0.2.1:3306".parse().ok(), "192.0.2.2:40000".parse().ok());
        assert_eq!(of_server(&Way { peer, own, encryption: None }, &file, 0.0), None);
    }
}

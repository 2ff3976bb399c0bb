//! The server's process, where it is on this host.

use std::fs;
use std::path::Path;

use base::Root;
use base::process::Stat;
use transport::Way;

/// How far the server's word for its age and that of `/proc` may be apart.
const AGE_TOLERANCE_SECONDS: f64 = 10.0;

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
    let proc = Root::host().proc;
    let stat = Stat::of(&proc, process)?;
    let is_server = matches!(stat.name.as_str(), "mariadbd" | "mysqld");
    let age = stat.age_seconds(&proc)?;
    (is_server && (age - age_seconds).abs() < AGE_TOLERANCE_SECONDS).then_some(process)
}

#[cfg(test)]
mod tests {
    use super::*;

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

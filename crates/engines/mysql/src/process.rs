//! The server process, if it runs on this host.

use std::fs;
use std::path::Path;

use base::Root;
use base::process::Stat;
use transport::Route;

/// Maximum difference between the server's uptime and the age of the process.
const AGE_TOLERANCE_SECONDS: f64 = 10.0;

/// The process of the server at `route`, from its pid file.
///
/// The process id is valid on this host only in the same pid namespace, so it is accepted only if that process has the
/// name of a server and the same age.
pub(crate) fn of_server(route: &Route, pid_file: &Path, age_seconds: f64) -> Option<u32> {
    let is_here = match (route.peer, route.own) {
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
    fn other_hosts_and_processes_are_not_visible() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("pid");
        fs::write(&file, format!("{}\n", std::process::id())).unwrap();
        assert_eq!(of_server(&Route::default(), &file, 0.0), None, "this test is not a server");
        let (peer, own) = ("192.0.2.1:3306".parse().ok(), "192.0.2.2:40000".parse().ok());
        assert_eq!(of_server(&Route { peer, own, encryption: None }, &file, 0.0), None);
    }
}

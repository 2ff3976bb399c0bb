//! The server's processes, where they are on this host.

use std::fs;

use base::Root;
use base::process::Stat;
use transport::Way;

/// The process that serves a session, and its parent, which is the postmaster; none where they are out of sight.
///
/// The server tells its own number for the process. That is a number on this host only if the server shares its name
/// space of processes, so it is believed only where the title of that process names this very connection.
pub(crate) fn of_session(number: u32, way: &Way) -> Option<(u32, u32)> {
    let mark = match (way.peer, way.own) {
        (Some(peer), Some(own)) if peer.ip().is_loopback() || peer.ip() == own.ip() => format!("({})", own.port()),
        (None, None) => "[local]".to_owned(),
        _ => return None,
    };
    let title = fs::read(format!("/proc/{number}/cmdline")).ok()?;
    if !is_title_of(&String::from_utf8_lossy(&title), &mark) {
        return None;
    }
    let proc = Root::host().proc;
    let session = Stat::of(&proc, number)?;
    // The postmaster has the name of its children.
    (Stat::of(&proc, session.parent)?.name == session.name).then_some((number, session.parent))
}

/// `postgres: 15/main: role database 127.0.0.1(54321) idle`.
fn is_title_of(title: &str, mark: &str) -> bool {
    title.starts_with("postgres: ") && title.contains(mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_names_the_connection() {
        assert!(is_title_of("postgres: 15/main: ann shop 127.0.0.1(40000) idle\0\0", "(40000)"));
        assert!(is_title_of("postgres: ann shop [local] idle", "[local]"));
        assert!(!is_title_of("postgres: ann shop 127.0.0.1(40001) idle", "(40000)"));
        assert!(!is_title_of("vim notes(40000)", "(40000)"));
    }

    #[test]
    fn a_process_on_another_host_is_out_of_sight() {
        let (peer, own) = ("192.0.2.1:5432".parse().ok(), "192.0.2.2:40000".parse().ok());
        assert_eq!(of_session(std::process::id(), &Way { peer, own, encryption: None }), None);
        assert_eq!(of_session(std::process::id(), &Way { peer: None, own: None, encryption: None }), None);
    }
}

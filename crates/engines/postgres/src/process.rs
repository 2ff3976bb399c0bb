//! The server's processes, if they run on this host.

use std::fs;

use base::Root;
use base::process::Stat;
use transport::Route;

/// The backend process of a session, and its parent, the postmaster; `None` if they are not visible.
///
/// The process id that the server reports is valid on this host only in the same pid namespace, so it is accepted only
/// if the title of that process names this connection.
pub(crate) fn of_session(number: u32, route: &Route) -> Option<(u32, u32)> {
    let mark = match (route.peer, route.own) {
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
    // The postmaster has the same name as its children.
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
    fn a_process_on_another_host_is_not_visible() {
        let (peer, own) = ("192.0.2.1:5432".parse().ok(), "192.0.2.2:40000".parse().ok());
        assert_eq!(of_session(std::process::id(), &Route { peer, own, encryption: None }), None);
        assert_eq!(of_session(std::process::id(), &Route { peer: None, own: None, encryption: None }), None);
    }
}

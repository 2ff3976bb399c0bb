//! The processes of a server on this host, found by the port on which it listens or by the name of its program.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use base::Root;
use base::process::{Stat, every};
use base::root;

/// The kernel truncates names of programs to this many characters.
const NAME_LENGTH_MAX: usize = 15;

/// State `TCP_LISTEN` in `/proc/net/tcp`.
const LISTENING: &str = "0A";

/// The processes of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerProcesses {
    /// Name of the program of its first process.
    pub program: String,
    /// The processes that are not children of others of it.
    pub roots: Vec<u32>,
    /// Working directory of the first process, which is that of its data for many servers; absent if it is not shown.
    pub directory: Option<PathBuf>,
}

impl ServerProcesses {
    /// Those of the program of this name; none if there is none.
    pub fn of_program(program: &str) -> Option<ServerProcesses> {
        ServerProcesses::at(&Root::host(), |name, _| {
            name == program.chars().take(NAME_LENGTH_MAX).collect::<String>().as_str()
        })
    }

    /// Those that listen on `port`; none if none does, or if it is not shown which. Only root and the owner of a
    /// process see its sockets.
    pub fn listening_on(port: u16) -> Option<ServerProcesses> {
        let root = Root::host();
        let listening = ["net/tcp", "net/tcp6"].map(|file| root::text(root.proc.join(file)).unwrap_or_default());
        let inodes: BTreeSet<String> =
            listening.iter().flat_map(|text| listeners(text, port)).map(|inode| format!("socket:[{inode}]")).collect();
        if inodes.is_empty() {
            return None;
        }
        ServerProcesses::at(&root, |_, pid| {
            let opened = fs::read_dir(root.proc.join(format!("{pid}/fd"))).into_iter().flatten().flatten();
            let mut targets = opened.filter_map(|entry| fs::read_link(entry.path()).ok());
            targets.any(|target| target.to_str().is_some_and(|target| inodes.contains(target)))
        })
    }

    fn at(root: &Root, is_of_it: impl Fn(&str, u32) -> bool) -> Option<ServerProcesses> {
        let stats = every(&root.proc).filter_map(|pid| Some((pid, Stat::of(&root.proc, pid)?)));
        let own: BTreeMap<u32, Stat> =
            stats.filter(|(pid, stat)| !stat.is_of_kernel && stat.runs() && is_of_it(&stat.name, *pid)).collect();
        let roots: Vec<u32> =
            own.iter().filter(|(_, stat)| !own.contains_key(&stat.parent)).map(|(pid, _)| *pid).collect();
        let first = *roots.first()?;
        let directory = fs::read_link(root.proc.join(format!("{first}/cwd"))).ok();
        Some(ServerProcesses { program: own[&first].name.clone(), roots, directory })
    }
}

/// The inodes of the sockets that listen on `port`, in the text of `/proc/net/tcp`.
fn listeners(text: &str, port: u16) -> impl Iterator<Item = &str> {
    text.lines().skip(1).filter_map(move |line| {
        let mut fields = line.split_ascii_whitespace();
        let (local, state) = (fields.nth(1)?, fields.nth(1)?);
        let (_, own) = local.rsplit_once(':')?;
        let is_it = state == LISTENING && u16::from_str_radix(own, 16) == Ok(port);
        is_it.then(|| fields.nth(5)).flatten()
    })
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use proptest::prelude::*;

    use super::*;

    const TCP: &str = "\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1538 00000000:0000 0A 00000000:00000000 00:00000000 00000000   105        0 23456 1 0000000000000000 100 0 0 10 0
   1: 0100007F:1538 0100007F:8F12 01 00000000:00000000 00:00000000 00000000   105        0 34567 1 0000000000000000 20 4 30 10 -1
   2: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 11111 1 0000000000000000 100 0 0 10 0
";

    #[test]
    fn a_listening_socket_is_found_by_its_port() {
        assert_eq!(listeners(TCP, 5432).collect::<Vec<_>>(), ["23456"]);
        assert_eq!(listeners(TCP, 22).collect::<Vec<_>>(), ["11111"]);
        assert_eq!(listeners(TCP, 36_626).count(), 0, "a peer is no listener");
    }

    #[test]
    fn this_process_is_found_by_its_port_and_by_its_name() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let found = ServerProcesses::listening_on(listener.local_addr().unwrap().port()).unwrap();
        assert_eq!(found.roots, [std::process::id()]);
        assert_eq!(found.directory, std::env::current_dir().ok());
        let name = Stat::of(&Root::host().proc, std::process::id()).unwrap().name;
        assert_eq!(found.program, name);
        assert!(ServerProcesses::of_program(&name).unwrap().roots.contains(&std::process::id()));
        assert_eq!(ServerProcesses::of_program("no-such-program"), None);
        drop(listener);
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "(( [0-9A-F]{1,8}:?){0,14}|\\PC*\n)*", port in any::<u16>()) {
            let _ = listeners(&text, port).count();
        }
    }
}

//! A network of its own, which a link leads to.

use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::fleet_hosts::{is_root, system};

/// A network namespace with an address at the other end of a link; it goes with this value.
pub struct Namespace {
    pub name: String,
    /// The address of the other end.
    pub address: String,
    /// The near end of the link.
    link: String,
}

impl Namespace {
    /// None where no namespace can be made, which only root may.
    pub fn make() -> Option<Namespace> {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let name = format!("dbdyno-t{}-{number}", std::process::id());
        let made = Command::new("ip").args(["netns", "add", &name]).stderr(Stdio::null()).status();
        if !made.is_ok_and(|status| status.success()) {
            assert!(!is_root(), "no network namespace could be made");
            return None;
        }
        let third = (std::process::id() * 2 + number) % 250;
        let (near, address) = (format!("10.211.{third}.1/24"), format!("10.211.{third}.2"));
        let far = format!("{address}/24");
        let made = Namespace { name, address, link: format!("vt{}n{number}", std::process::id()) };
        system("ip", &["link", "add", &made.link, "type", "veth", "peer", "name", "far0", "netns", &made.name]);
        system("ip", &["addr", "add", &near, "dev", &made.link]);
        made.set_link(true);
        for words in
            [&["addr", "add", &far, "dev", "far0"][..], &["link", "set", "far0", "up"], &["link", "set", "lo", "up"]]
        {
            system("ip", &[&["-n", &made.name], words].concat());
        }
        Some(made)
    }

    /// Takes the link up or down.
    pub fn set_link(&self, is_up: bool) {
        system("ip", &["link", "set", &self.link, if is_up { "up" } else { "down" }]);
    }

    /// A command with `program` in it.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.name, program]);
        command
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        let _ = Command::new("ip").args(["netns", "del", &self.name]).status();
    }
}

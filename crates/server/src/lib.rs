//! Temporary servers behind `local:NAME`: data in the measured directory, reached over a private Unix socket, run by an
//! unprivileged user, and removed at the end; what a killed invocation left is found and removed by the next one.
//!
//! What is the same for every server stands here: whose the place is, who runs the server and its programs, how long it is
//! waited for, what its log says, what is written down about it, how it is ended. Which programs these are, how data are
//! made and how a server is set is a matter of its engine.
//!
//! A crate of its own because it has two consumers, and nobody else has a use for it.

mod identity;
mod leftover;
mod place;
mod process;
mod reason;
mod runner;
mod running;
mod search;
mod settings;
mod state;

pub use self::identity::Identity;
pub use self::leftover::clean_up;
pub use self::place::{Lock, Place};
pub use self::process::end_process;
pub use self::reason::{Reason, Speech};
pub use self::runner::{Answer, Runner, Wait};
pub use self::running::{Running, end};
pub use self::search::{Search, version_said};
pub use self::settings::{Line, Setting, SettingNames, Sizing, configuration, setting};
pub use self::state::State;
pub use base::Process;
pub use rustix::process::Signal;

/// What is particular to the servers of one engine.
#[derive(Debug)]
pub struct Product {
    /// Name of its folder in the measured directory.
    pub name: &'static str,
    /// Name of the socket's file.
    pub socket_name: &'static str,
    /// Users of the operating system that are tried in this order where dbdyno is root and none was asked for.
    pub users: &'static [&'static str],
    /// Beginnings of the names of variables of the environment that mean something to its programs.
    pub variables: &'static [&'static str],
    /// The option that names the data directory to its programs; its value follows, or is joined by an equals sign.
    pub data_option: &'static str,
    /// How its programs say why they fail.
    pub speech: &'static Speech,
    /// Ends a server so that the next start has nothing to repair.
    pub stop_in_order: Signal,
    /// Ends a server whose data go anyway.
    pub stop_at_once: Signal,
}

#[cfg(test)]
mod fixture {
    use super::{Product, Signal, Speech};

    fn after(line: &str, mark: &str) -> Option<String> {
        line.strip_prefix(mark).map(str::to_owned)
    }

    /// A product for tests.
    pub(super) static PRODUCT: Product = Product {
        name: "somebase",
        socket_name: "somebase.socket",
        users: &["somebase", "nobody"],
        variables: &["SB"],
        data_option: "-D",
        speech: &Speech {
            failure: |line| after(line, "error: "),
            cause: |lines| lines.iter().find_map(|line| after(line, "error: ")),
            advice: |lines| lines.iter().find_map(|line| after(line, "advice: ")),
        },
        stop_in_order: Signal::INT,
        stop_at_once: Signal::QUIT,
    };
}

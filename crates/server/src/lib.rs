//! Temporary servers behind `local:NAME`: data in the measured directory, reached over a private Unix socket, run by an
//! unprivileged user, and removed at the end; what a killed invocation left is found and removed by the next one.
//!
//! It contains what all servers have in common: ownership of the directory, the user that runs the server and its
//! programs, timeouts, errors in its log, the state file, shutdown. The programs, the initialisation of data and the
//! settings are defined by each engine.
//!
//! A crate of its own because it has two consumers.

mod identity;
mod leftover;
mod paths;
mod process;
mod reason;
mod runner;
mod running;
mod search;
mod settings;
mod state;
mod written;

pub use self::identity::Identity;
pub use self::leftover::clean_up_all;
pub use self::paths::{Lock, Paths};
pub use self::process::terminate_process;
pub use self::reason::{ErrorPatterns, Reason};
pub use self::runner::{Readiness, Runner, Wait};
pub use self::running::{RunningServer, terminate};
pub use self::search::{Search, version_output};
pub use self::settings::{ConfigLine, Setting, SettingNames, Sizing, configuration, setting};
pub use self::state::State;
pub use self::written::is_written;
pub use base::Process;
pub use rustix::process::Signal;

/// Properties of the servers of one engine.
#[derive(Debug)]
pub struct Product {
    /// Name of its subdirectory of the measured directory.
    pub name: &'static str,
    /// File name of the socket.
    pub socket_name: &'static str,
    /// Operating system users, tried in this order if dbdyno is root and none was requested.
    pub users: &'static [&'static str],
    /// The option that gives its programs the data directory; the value is the next argument, or follows an equals
    /// sign.
    pub data_option: &'static str,
    /// How errors of its programs are recognised.
    pub error_patterns: &'static ErrorPatterns,
    /// Signal for a clean shutdown: the next start needs no recovery.
    pub shutdown_signal: Signal,
    /// Signal for an immediate shutdown of a server whose data are removed.
    pub immediate_signal: Signal,
}

#[cfg(test)]
mod fixture {
    use super::{ErrorPatterns, Product, Signal};

    fn after(line: &str, mark: &str) -> Option<String> {
        line.strip_prefix(mark).map(str::to_owned)
    }

    /// A product for tests.
    pub(super) static PRODUCT: Product = Product {
        name: "somebase",
        socket_name: "somebase.socket",
        users: &["somebase", "nobody"],
        data_option: "-D",
        error_patterns: &ErrorPatterns {
            failure: |line| after(line, "error: "),
            cause: |lines| lines.iter().find_map(|line| after(line, "error: ")),
            hint: |lines| lines.iter().find_map(|line| after(line, "advice: ")),
        },
        shutdown_signal: Signal::INT,
        immediate_signal: Signal::QUIT,
    };
}

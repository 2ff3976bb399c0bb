//! Throwaway servers behind `local:NAME`: data in the measured directory, reached over a private Unix socket, run by an
//! unprivileged user, and removed at the end; what a killed invocation left is found and removed by the next one.
//!
//! What is the same for every server stands here: whose the place is, who runs the server, what is written down about
//! it, how it is ended. How its data are made and how it is set is a matter of its engine.

mod identity;
mod leftover;
mod machine;
mod place;
mod process;
mod running;
mod state;

pub use self::identity::Identity;
pub use self::leftover::clean_up;
pub use self::machine::Machine;
pub use self::place::{Lock, Place, refused, shared_socket_parents};
pub use self::process::end_process;
pub use self::running::{Running, end, log_tail, open_log};
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
    /// Ends a server so that the next start has nothing to repair.
    pub stop_in_order: Signal,
    /// Ends a server whose data go anyway.
    pub stop_at_once: Signal,
}

#[cfg(test)]
mod fixture {
    use super::{Product, Signal};

    /// A product for tests.
    pub(super) static PRODUCT: Product = Product {
        name: "somebase",
        socket_name: "somebase.socket",
        users: &["somebase", "nobody"],
        variables: &["SB"],
        data_option: "-D",
        stop_in_order: Signal::INT,
        stop_at_once: Signal::QUIT,
    };
}

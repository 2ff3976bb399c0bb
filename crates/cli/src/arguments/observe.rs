//! Options of every verb that measures what is on other hosts: who observes them.

use clap::Args;
use fleet::RemoteHost;

/// Who observes the hosts of a server and of its storage.
#[derive(Args, Clone, Debug)]
pub struct ObserveArguments {
    /// Host of a remote server, as ssh knows it: an agent there counts its processors, its device and its other
    /// programs. Options after it as in a file of hosts: 'db1 server=postgres dir=/srv/data'. With several nodes once for
    /// each of them, in the order of the target
    #[arg(long, value_name = "HOST", value_parser = host, help_heading = "Location")]
    pub observe: Vec<RemoteHost>,
    /// Hosts of storage
    #[command(flatten)]
    pub storage: ObserveStorageArguments,
}

/// Who observes the hosts of storage.
#[derive(Args, Clone, Debug, Default)]
pub struct ObserveStorageArguments {
    /// Host of storage on a network (the target of a fabric, a file server), as ssh knows it: an agent there counts its
    /// processors; may be repeated. 'filer dir=/export' or 'target dir=/dev/nvme0n1' also counts a device; server=PROGRAM
    /// names what serves it, if that is not the kernel
    #[arg(long, value_name = "HOST", value_parser = host, help_heading = "Location")]
    pub observe_storage: Vec<RemoteHost>,
}

fn host(text: &str) -> Result<RemoteHost, String> {
    RemoteHost::parse(text).map_err(|error| match error.hint {
        Some(hint) => format!("{}; hint: {hint}", error.message),
        None => error.message,
    })
}

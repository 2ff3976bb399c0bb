//! Option of every verb that measures a server: who observes its host.

use clap::Args;
use fleet::RemoteHost;

/// Who observes the host of the server.
#[derive(Args, Clone, Debug)]
pub struct ObserveArguments {
    /// Host of a remote server, as ssh knows it: an agent there counts its processors, its device and its other
    /// programs. Options after it as in a file of hosts: 'db1 server=postgres dir=/srv/data'
    #[arg(long, value_name = "HOST", value_parser = host, help_heading = "Location")]
    pub observe: Option<RemoteHost>,
}

fn host(text: &str) -> Result<RemoteHost, String> {
    RemoteHost::parse(text).map_err(|error| match error.hint {
        Some(hint) => format!("{}; hint: {hint}", error.message),
        None => error.message,
    })
}

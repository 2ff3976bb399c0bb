//! `dbdyno fabric`: targets and connections of NVMe over fabrics, as scripts or carried out.

mod script;
mod words;

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;

use base::Wrong;
use clap::builder::TypedValueParser;
use clap::{Args, Subcommand};
use host::fabric::{
    self, ConnectionRequest, Endpoint, FabricError, FabricFault, FabricLock, SERVICE, Transport, plan_connection,
    plan_removal, plan_target,
};
use run::{Error, Result};

use self::script::script;
use crate::arguments::{choice, value};
use crate::output::print;

/// Upper limit of `--connections`.
const QUEUES_MAX: u32 = 1_024;

const FABRIC_NOTE: &str = "\
Without --apply nothing is changed: the steps are printed as a shell script. The kernel keeps what is
made, under names that begin with nqn.2024-01.org.dbdyno, until `dbdyno fabric remove --apply` or a
restart of the machine. What others made is never changed.";

const TARGET_EXAMPLES: &str = "\
Examples:
  dbdyno fabric target /dev/nvme1n1                     the steps as a script
  dbdyno fabric target /dev/nvme1n1 --apply             for this host itself, at 127.0.0.1
  dbdyno fabric target a.img --address 10.0.0.1 --apply for all that reach this address

Whoever connects may read and write the device: there is no password. It must not be in use: not
mounted, no member of an array, no signature of a file system. RDMA has not been tested on hardware.";

const CONNECT_EXAMPLES: &str = "\
Examples:
  dbdyno fabric connect --apply                         to the target of dbdyno on this host
  dbdyno fabric connect --connections 4 --apply         with 4 queues for I/O
  dbdyno fabric connect --address 10.0.0.1 --nqn nqn.2024-01.org.dbdyno:store:nvme1n1 --apply

The target prints address, port and nqn. RDMA has not been tested on hardware.";

/// Options of `dbdyno fabric`.
#[derive(Args, Debug)]
#[command(after_help = FABRIC_NOTE)]
pub struct FabricArguments {
    /// What to do; without it, what there is of dbdyno is listed.
    #[command(subcommand)]
    pub command: Option<FabricCommand>,
}

/// What can be done.
#[derive(Debug, Subcommand)]
pub enum FabricCommand {
    /// Offer a block device or file over NVMe over fabrics
    Target(TargetArguments),
    /// Connect this host to a target: its device becomes a block device here
    Connect(ConnectArguments),
    /// Remove all targets and connections of dbdyno from this host
    Remove(RemoveArguments),
}

/// Options of `dbdyno fabric target`.
#[derive(Args, Debug)]
#[command(after_help = TARGET_EXAMPLES)]
pub struct TargetArguments {
    /// A block device without use, or a file
    #[arg(value_name = "DEVICE|FILE")]
    pub backing: PathBuf,
    /// Transport
    #[arg(long, default_value = "tcp", value_parser = transport())]
    pub transport: Transport,
    /// Address of this host to listen at; 0.0.0.0 or :: for all [default: 127.0.0.1]
    #[arg(long, value_name = "ADDR", value_parser = address)]
    pub address: Option<IpAddr>,
    /// Port to listen at
    #[arg(long, value_name = "PORT", default_value_t = SERVICE, value_parser = service)]
    pub port: u16,
    /// Carry the steps out (root) in place of printing them
    #[arg(long)]
    pub apply: bool,
}

/// Options of `dbdyno fabric connect`.
#[derive(Args, Debug)]
#[command(after_help = CONNECT_EXAMPLES)]
pub struct ConnectArguments {
    /// Transport [default: that of the target on this host, or tcp]
    #[arg(long, value_parser = transport())]
    pub transport: Option<Transport>,
    /// Address of the target [default: that of the target on this host, or 127.0.0.1]
    #[arg(long, value_name = "ADDR", value_parser = address)]
    pub address: Option<IpAddr>,
    /// Port of the target [default: that of the target on this host, or 4420]
    #[arg(long, value_name = "PORT", value_parser = service)]
    pub port: Option<u16>,
    /// Subsystem to connect to [default: the only target of dbdyno on this host]
    #[arg(long, value_name = "NQN")]
    pub nqn: Option<String>,
    /// Connections for I/O, each a queue of its own [default: one per processor]
    #[arg(long, value_name = "N", value_parser = value::count_32("connections", 1..=QUEUES_MAX))]
    pub connections: Option<u32>,
    /// Carry the steps out (root) in place of printing them
    #[arg(long)]
    pub apply: bool,
}

/// Options of `dbdyno fabric remove`.
#[derive(Args, Debug)]
pub struct RemoveArguments {
    /// Carry the steps out (root) in place of printing them
    #[arg(long)]
    pub apply: bool,
}

/// Transports.
fn transport() -> impl TypedValueParser<Value = Transport> {
    choice::of([
        ("tcp", "TCP", Transport::Tcp),
        ("rdma", "RDMA (RoCE, InfiniBand, iWARP); not tested on hardware", Transport::Rdma),
    ])
}

/// A port of TCP, or of the RDMA connection manager.
fn service(text: &str) -> std::result::Result<u16, Wrong> {
    let found = text.trim().parse().ok().filter(|port| *port > 0);
    found.ok_or_else(|| Wrong::new("port", text, "is not a TCP port", "use 1 to 65535"))
}

/// An address as numbers: the kernel resolves no names.
fn address(text: &str) -> std::result::Result<IpAddr, Wrong> {
    let hint =
        "use numbers such as 192.168.1.5 or fd00::5: the kernel resolves no names; `ip address` lists those of a host";
    text.trim().parse().map_err(|_| Wrong::new("address", text, "is not an IP address", hint))
}

/// Carries out `dbdyno fabric`.
///
/// # Errors
/// Where something is in use, cannot be found, or is refused by the kernel.
pub fn fabric(arguments: &FabricArguments) -> Result<()> {
    match &arguments.command {
        None => print(&words::listing(&fabric::state())),
        Some(FabricCommand::Target(arguments)) => target(arguments),
        Some(FabricCommand::Connect(arguments)) => connect(arguments),
        Some(FabricCommand::Remove(arguments)) => remove(arguments),
    }
}

fn target(arguments: &TargetArguments) -> Result<()> {
    let transport = arguments.transport;
    // By default nobody else reaches it.
    let address = arguments.address.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
    let endpoint = Endpoint { transport, address, service: arguments.port };
    if !arguments.apply {
        let (plan, pending) = plan_target(&arguments.backing, endpoint).map_err(error)?;
        return print(&script(&words::target_head(&plan, &pending), &pending));
    }
    // Another invocation may make or remove something: what is planned holds while the lock is held.
    let lock = FabricLock::acquire().map_err(error)?;
    let (plan, pending) = plan_target(&arguments.backing, endpoint).map_err(error)?;
    if !pending.is_empty() {
        lock.make_target(&plan).map_err(error)?;
    }
    print(&words::target(&plan, !pending.is_empty()))
}

fn connect(arguments: &ConnectArguments) -> Result<()> {
    let request = ConnectionRequest {
        transport: arguments.transport,
        address: arguments.address,
        service: arguments.port,
        nqn: arguments.nqn.clone(),
        queues: arguments.connections,
    };
    if !arguments.apply {
        let plan = plan_connection(&request).map_err(error)?;
        return print(&script(&words::connection_head(&plan), &plan.steps));
    }
    let lock = FabricLock::acquire().map_err(error)?;
    let plan = plan_connection(&request).map_err(error)?;
    let connection = lock.connect(&plan).map_err(error)?;
    print(&words::connection(&connection, plan.existing.is_none()))
}

fn remove(arguments: &RemoveArguments) -> Result<()> {
    if fabric::state().ours().is_empty() {
        return print(words::NOTHING);
    }
    if !arguments.apply {
        let state = fabric::state();
        return print(&script(&words::listing(&state), &plan_removal().map_err(error)?));
    }
    let lock = FabricLock::acquire().map_err(error)?;
    let before = fabric::state().ours();
    lock.remove(&plan_removal().map_err(error)?).map_err(error)?;
    print(&words::removed(&before, &fabric::state()))
}

/// The error that ends the invocation.
fn error(error: FabricError) -> Error {
    let made = match error.fault {
        FabricFault::User => Error::user(error.message),
        FabricFault::Environment => Error::environment(error.message),
    };
    made.hint(error.hint)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ports_and_addresses_are_checked() {
        assert_eq!((service("4420"), service(" 1 "), service("65535")), (Ok(4420), Ok(1), Ok(65_535)));
        for text in ["0", "70000", "-1", "4420.0", "nvme", ""] {
            assert_eq!(service(text).unwrap_err().hint, "use 1 to 65535", "{text}");
        }
        assert_eq!(service("70000").unwrap_err().to_string(), "port 70000 is not a TCP port\nhint: use 1 to 65535");
        assert_eq!(address("::1"), Ok(IpAddr::V6(std::net::Ipv6Addr::LOCALHOST)));
        for text in ["localhost", "10.0.0", "10.0.0.256", "fe80::1%eth0", "", "10.0.0.1:4420"] {
            assert!(address(text).unwrap_err().message.ends_with("is not an IP address"), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "\\PC{0,40}|[0-9a-f:.]{0,40}") {
            let _ = (service(&text), address(&text));
        }
    }
}

//! `dbdyno fabric`: targets and connections of NVMe over fabrics, as scripts or carried out.

mod script;
mod words;

use std::net::{IpAddr, Ipv4Addr};

use host::fabric::{
    self, ConnectionRequest, Endpoint, FabricError, FabricFault, FabricLock, plan_connection, plan_removal, plan_target,
};
use run::{Error, Result};

use self::script::script;
use crate::arguments::fabric::{ConnectArguments, FabricArguments, FabricCommand, RemoveArguments, TargetArguments};
use crate::output::print;

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

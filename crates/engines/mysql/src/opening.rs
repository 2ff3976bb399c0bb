//! Opens the nodes of a target: one, several by name, those that a server reports, or temporary servers.

use std::sync::Arc;

use engine::{Address, Error, Kind, Result, Target, Workspace};
use transport::Environment;

use crate::connect::{Login, SOCKETS, canonical};
use crate::flavour::Flavour;
use crate::node::MysqlNode;
use crate::replication;
use crate::server::{self, Cluster, Kept};
use crate::session::{MysqlSession, SessionCounts};

/// Connects to the server at `target`, or starts one in `workspace`.
pub(crate) fn open(flavour: Flavour, target: &Target, workspace: &Workspace) -> Result<MysqlNode> {
    let mut nodes = match target.local {
        true => start(flavour, target, workspace, Kept::First)?,
        false => return connect_to(target, workspace),
    };
    match (nodes.pop(), nodes.len()) {
        (Some(node), 0) => Ok(node),
        _ => Err(Error::new(Kind::Usage, format!("target {target} has several nodes, expected one"))),
    }
}

/// Connects to the server at `target`.
fn connect_to(target: &Target, workspace: &Workspace) -> Result<MysqlNode> {
    MysqlNode::of(Login::of(target, &Environment::here(&SOCKETS))?, None, workspace.keep)
}

/// Starts the servers of `target`, whose data are `kept`.
pub(crate) fn start(flavour: Flavour, target: &Target, workspace: &Workspace, kept: Kept) -> Result<Vec<MysqlNode>> {
    // Dropping a cluster on an error stops it.
    let node = |cluster: Cluster| {
        let login = Login::of_socket(&cluster.socket, server::USER);
        MysqlNode::of(login, Some(cluster), workspace.keep)
    };
    server::start(flavour, target, workspace, kept)?.into_iter().map(node).collect()
}

/// Connects to every server that `target` names, or that its server reports (`nodes=all`), or starts them.
pub(crate) fn open_all(flavour: Flavour, target: &Target, workspace: &Workspace) -> Result<Vec<MysqlNode>> {
    if target.local {
        return start(flavour, target, workspace, Kept::First);
    }
    let target = discovered(target)?;
    if target.addresses.len() < 2 {
        return Ok(vec![connect_to(&target, workspace)?]);
    }
    // Nothing is claimed yet, so that open nodes are just dropped on an error.
    let of_address = |address: &Address| {
        let one = Target { addresses: vec![address.clone()], ..target.clone() };
        let mut node = connect_to(&one, workspace).map_err(|error| {
            let message = format!("node {address}: {}", error.message);
            Error { message, ..error }
        })?;
        node.name = address.to_string();
        Ok(node)
    };
    target.addresses.iter().map(of_address).collect()
}

/// `target` without the parameter `nodes`, with the addresses of all nodes for `nodes=all`.
fn discovered(target: &Target) -> Result<Target> {
    let if_permitted = target.parameter("nodes").map(str::to_owned);
    let mut target = target.clone();
    target.parameters.retain(|(name, _)| name != "nodes");
    let target = canonical(&target, &Environment::here(&SOCKETS))?;
    match (if_permitted.as_deref(), target.addresses.as_slice()) {
        (None, _) => Ok(target),
        (Some("all"), [own]) => {
            let login = Arc::new(Login::of(&target, &Environment::here(&SOCKETS))?);
            let mut session = MysqlSession::start(login.open(None)?, login.clone(), &SessionCounts::default())?;
            Ok(Target { addresses: replication::addresses(&mut session, own)?, ..target })
        }
        (Some("all"), addresses) => {
            let message = format!("nodes=all needs one server, but the target has {}", addresses.len());
            Err(Error::new(Kind::Usage, message).hint("give one, or omit nodes=all"))
        }
        (Some(other), _) => Err(Error::new(Kind::Usage, format!("nodes={other} is not valid for a running server"))
            .hint("use nodes=all, or local:mariadb?nodes=3 to start a cluster")),
    }
}

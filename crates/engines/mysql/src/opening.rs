//! From a target to its nodes: one, several by name, those that a server knows of, or new ones.

use std::sync::Arc;

use engine::{Address, Error, Kind, Result, Target, Workspace};
use transport::Surroundings;

use crate::connect::{Login, SOCKETS};
use crate::flavour::Flavour;
use crate::node::MysqlNode;
use crate::replication;
use crate::server::{self, Cluster};
use crate::session::{MysqlSession, SessionCounts};

/// Reaches the server at `target`, or starts one in `site`.
pub(crate) fn open(flavour: Flavour, target: &Target, workspace: &Workspace) -> Result<MysqlNode> {
    let mut nodes = match target.local {
        true => start(flavour, target, workspace)?,
        false => return reach(target, workspace),
    };
    match (nodes.pop(), nodes.len()) {
        (Some(node), 0) => Ok(node),
        _ => Err(Error::new(Kind::Usage, format!("target {target} is of several nodes, and one is asked for"))),
    }
}

/// Reaches the server at `target`.
fn reach(target: &Target, workspace: &Workspace) -> Result<MysqlNode> {
    MysqlNode::of(Login::of(target, &Surroundings::here(&SOCKETS))?, None, workspace.keep)
}

/// Starts the servers of `flavour` that `target` asks for.
fn start(flavour: Flavour, target: &Target, workspace: &Workspace) -> Result<Vec<MysqlNode>> {
    // Dropping a cluster on an error stops it.
    let node = |cluster: Cluster| {
        let login = Login::of_socket(&cluster.socket, server::USER);
        MysqlNode::of(login, Some(cluster), workspace.keep)
    };
    server::start(flavour, target, workspace)?.into_iter().map(node).collect()
}

/// Reaches every server that `target` names, or that the one it names knows of (`nodes=all`), or starts them.
pub(crate) fn open_all(flavour: Flavour, target: &Target, workspace: &Workspace) -> Result<Vec<MysqlNode>> {
    if target.local {
        return start(flavour, target, workspace);
    }
    let target = expanded(target)?;
    if target.addresses.len() < 2 {
        return Ok(vec![reach(&target, workspace)?]);
    }
    // Nothing is claimed yet, so that those that are open need only be dropped on an error.
    let of_address = |address: &Address| {
        let one = Target { addresses: vec![address.clone()], ..target.clone() };
        let mut node = reach(&one, workspace).map_err(|error| {
            let message = format!("node {address}: {}", error.message);
            Error { message, ..error }
        })?;
        node.name = address.to_string();
        Ok(node)
    };
    target.addresses.iter().map(of_address).collect()
}

/// `target` with all addresses where it says `nodes=all`, and without that word.
fn expanded(target: &Target) -> Result<Target> {
    let asked = target.parameter("nodes").map(str::to_owned);
    let mut target = target.clone();
    target.parameters.retain(|(name, _)| name != "nodes");
    match (asked.as_deref(), target.addresses.as_slice()) {
        (None, _) => Ok(target),
        (Some("all"), [own]) => {
            let login = Arc::new(Login::of(&target, &Surroundings::here(&SOCKETS))?);
            let mut session = MysqlSession::start(login.open(None)?, login.clone(), &SessionCounts::default())?;
            Ok(Target { addresses: replication::addresses(&mut session, own)?, ..target })
        }
        (Some("all"), addresses) => {
            let message = format!("nodes=all asks the server that the target names, and it names {}", addresses.len());
            Err(Error::new(Kind::Usage, message).hint("name one, or leave nodes=all away"))
        }
        (Some(other), _) => Err(Error::new(Kind::Usage, format!("nodes={other} is not known of a server that runs"))
            .hint("use nodes=all, or local:mariadb?nodes=3 to have a cluster started")),
    }
}

//! Starts the servers of a cluster: data, position, copies, and then one server after the other. Two that join at the
//! same time would wait for each other.

use std::path::Path;
use std::process::Child;

use engine::{Error, Kind, Result, Workspace};
use server::{Runner, RunningServer, Sizing, State, terminate};

use super::find;
use super::galera::{self, Group, Position};
use super::launcher::Launcher;
use super::parameter::Parameters;
use super::spec::ServerSpec;

/// Bootstraps a cluster instead of joining one.
const NEW_CLUSTER: &str = "--wsrep-new-cluster";

/// Common properties of the servers.
struct Plan<'a> {
    spec: &'static ServerSpec,
    group: Group,
    workspace: &'a Workspace,
    sizing: Sizing,
    /// Settings of the target.
    settings: &'a [(String, String)],
    /// The same with the replication options: named as possible causes if a server does not start.
    requested: Vec<(String, String)>,
}

/// Starts the servers of `parameters`; the data of the first one are kept.
pub(super) fn start(parameters: &Parameters, workspace: &Workspace) -> Result<Vec<RunningServer>> {
    let spec = parameters.spec;
    let options = parameters.provider_options.iter().map(|value| ("wsrep_provider_options".to_owned(), value.clone()));
    let plan = Plan {
        spec,
        group: Group::of(parameters)?,
        workspace,
        sizing: Sizing::of(workspace, parameters.nodes as u64),
        settings: &parameters.settings,
        requested: parameters.settings.iter().cloned().chain(options).collect(),
    };
    let mut copies = Vec::new();
    let first = RunningServer::start(&spec.products[0], workspace, |paths, state, kept| {
        let runner = Runner::of(paths, kept, parameters.os_user.as_deref())?;
        let programs = find::find(spec, parameters.bin.as_deref(), Some(&runner.identity))?;
        let launcher = Launcher { spec, programs: &programs, runner };
        let socket = launcher.prepare(state, plan.settings)?;
        if !kept {
            launcher.init(plan.settings, None)?;
        }
        plan.give_position(&launcher, state, &socket, kept)?;
        for index in 1..parameters.nodes {
            copies.push(plan.start_copy(&launcher, index)?);
        }
        // The first node joins last: its data must not change until all are copied.
        let peers: Vec<usize> = (1..parameters.nodes).collect();
        plan.join(&launcher, state, &socket, (0, &peers))
    })?;
    Ok(std::iter::once(first).chain(copies).collect())
}

impl Plan<'_> {
    /// Starts the first node alone to assign a replication position to its data, and writes the SST script with it.
    fn give_position(&self, launcher: &Launcher<'_>, state: &mut State, socket: &Path, kept: bool) -> Result<()> {
        let data = &launcher.runner.paths.data;
        galera::allow_bootstrap(data, &launcher.runner.identity)?;
        self.configure(launcher, socket, (0, &[]))?;
        // Keeps the copies small.
        let arguments: &[&str] = if kept { &[NEW_CLUSTER] } else { &[NEW_CLUSTER, "--innodb-log-file-size=8M"] };
        let ready = |child: &mut Child| launcher.await_joined(child, socket, &self.requested);
        let mut child = launcher.launch(state, arguments, kept, ready)?;
        if !terminate(&mut child, launcher.runner.paths.product.shutdown_signal) {
            let message = format!("server process {} cannot be stopped", child.id());
            return Err(Error::new(Kind::Lost, message).hint("stop it manually"));
        }
        galera::allow_bootstrap(data, &launcher.runner.identity)?;
        launcher.write_script(&Position::script_name(), &Position::of(data)?.script())
    }

    /// Starts node `index` on a copy of the data of the first node, whose launcher is `first`.
    fn start_copy(&self, first: &Launcher<'_>, index: usize) -> Result<RunningServer> {
        let workspace = Workspace { keep: false, ..self.workspace.clone() };
        RunningServer::start(&self.spec.products[index], &workspace, |own, state, _| {
            let launcher = Launcher { runner: Runner { paths: own, ..first.runner.clone() }, ..first.clone() };
            let socket = launcher.prepare(state, &[])?;
            launcher.copy(&first.runner.paths.data)?;
            let peers: Vec<usize> = (1..index).collect();
            self.join(&launcher, state, &socket, (index, &peers))
        })
    }

    /// Starts the node `node.0` on its data; it joins the nodes `node.1`.
    fn join(
        &self,
        launcher: &Launcher<'_>,
        state: &mut State,
        socket: &Path,
        node: (usize, &[usize]),
    ) -> Result<Child> {
        self.configure(launcher, socket, node)?;
        let arguments: &[&str] = if node.1.is_empty() { &[NEW_CLUSTER] } else { &[] };
        let kept = state.kept;
        launcher.launch(state, arguments, kept, |child| launcher.await_joined(child, socket, &self.requested))
    }

    fn configure(&self, launcher: &Launcher<'_>, socket: &Path, (index, peers): (usize, &[usize])) -> Result<()> {
        let own = self.group.settings(index, peers, &self.sizing);
        let socket = socket.to_string_lossy();
        launcher.configure(&self.spec.configuration(&self.sizing, &socket, &own, self.settings))
    }
}

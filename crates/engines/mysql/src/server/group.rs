//! Starts the servers of a cluster: data, position, copies, and then one server after the other. Two that join at the
//! same time would wait for each other.

use std::path::Path;
use std::process::Child;

use engine::{Error, Kind, Result, Workspace};
use server::{Paths, Runner, RunningServer, Sizing, State, terminate};

use super::Kept;
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
    /// Whether the data of all servers stay, if those of the workspace do.
    keeps_copies: bool,
    sizing: Sizing,
    /// Settings of the target.
    settings: &'a [(String, String)],
    /// The same with the replication options: named as possible causes if a server does not start.
    requested: Vec<(String, String)>,
}

/// Starts the servers of `parameters`: the first one on its data, the others on copies of them.
pub(super) fn start(parameters: &Parameters, workspace: &Workspace, copies_are: Kept) -> Result<Vec<RunningServer>> {
    let spec = parameters.spec;
    let plan = Plan::of(parameters, workspace)?;
    let plan = Plan { keeps_copies: workspace.keep && copies_are == Kept::All, ..plan };
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

/// Starts the servers of `parameters` on data that were kept of each, whatever way they have ended; on new data where there are none.
///
/// As an administrator does where no node is left: the position of each is found, the most advanced one begins a new cluster, and the
/// others join it. One that is behind gets a copy of its data first, because what it lacks is in no cache any more.
pub(super) fn start_kept(parameters: &Parameters, workspace: &Workspace) -> Result<Vec<RunningServer>> {
    let spec = parameters.spec;
    let paths = spec.products[..parameters.nodes].iter().map(|product| Paths::of(product, &workspace.directory));
    let paths: Vec<Paths> = paths.collect::<Result<_>>()?;
    if !paths.iter().all(|paths| paths.data.exists()) {
        return start(parameters, workspace, Kept::All);
    }
    let plan = Plan::of(parameters, workspace)?;
    let runner = Runner::of(&paths[0], true, parameters.os_user.as_deref())?;
    let programs = find::find(spec, parameters.bin.as_deref(), Some(&runner.identity))?;
    let first = Launcher { spec, programs: &programs, runner };
    let at =
        |index: usize| Launcher { runner: Runner { paths: &paths[index], ..first.runner.clone() }, ..first.clone() };
    let positions = (0..paths.len()).map(|index| at(index).position()).collect::<Result<Vec<Position>>>()?;
    let best = (0..paths.len()).rev().max_by_key(|index| positions[*index].sequence()).unwrap_or(0);
    for index in 0..paths.len() {
        let launcher = at(index);
        if positions[index] != positions[best] {
            launcher.copy_again(&paths[best].data)?;
        }
        galera::set_position(&paths[index].data, &launcher.runner.identity, &positions[best])?;
        launcher.write_script(&Position::script_name(), &positions[best].script())?;
    }
    let order: Vec<usize> = std::iter::once(best).chain((0..paths.len()).filter(|index| *index != best)).collect();
    let mut running = Vec::new();
    for (earlier, index) in order.iter().enumerate() {
        let started = RunningServer::start(&spec.products[*index], workspace, |_, state, _| {
            let launcher = at(*index);
            let socket = launcher.prepare(state, if earlier == 0 { plan.settings } else { &[] })?;
            plan.join(&launcher, state, &socket, (*index, &order[..earlier]))
        })?;
        running.push((*index, started));
    }
    running.sort_by_key(|(index, _)| *index);
    Ok(running.into_iter().map(|(_, running)| running).collect())
}

impl<'a> Plan<'a> {
    fn of(parameters: &'a Parameters, workspace: &'a Workspace) -> Result<Plan<'a>> {
        let options =
            parameters.provider_options.iter().map(|value| ("wsrep_provider_options".to_owned(), value.clone()));
        Ok(Plan {
            spec: parameters.spec,
            group: Group::of(parameters)?,
            workspace,
            keeps_copies: false,
            sizing: Sizing::of(workspace, parameters.nodes as u64),
            settings: &parameters.settings,
            requested: parameters.settings.iter().cloned().chain(options).collect(),
        })
    }
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
        let workspace = Workspace { keep: self.keeps_copies, ..self.workspace.clone() };
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

//! Starts several servers that replicate to each other: data, position, copies, and then one after the other. Two that
//! joined at the same moment would wait for each other.

use std::path::Path;
use std::process::Child;

use engine::{Error, Kind, Result, Workspace};
use server::{Runner, Running, Sizing, State, end};

use super::blueprint::Blueprint;
use super::find;
use super::galera::{self, Group, Position};
use super::launcher::Launcher;
use super::parameter::Parameters;
use super::settings;

/// Has a server begin a cluster instead of joining one.
const BEGIN: &str = "--wsrep-new-cluster";

/// What the servers have in common.
struct Plan<'a> {
    blueprint: &'static Blueprint,
    group: Group,
    workspace: &'a Workspace,
    sizing: Sizing,
    /// Settings of the target.
    settings: &'a [(String, String)],
    /// The same, and options of replication: a server that does not start may not like one of these.
    asked: Vec<(String, String)>,
}

/// Starts the servers that `parameters` ask for, the first of which is the one whose data are kept.
///
/// # Errors
/// As [`super::start`] says.
pub(super) fn start(parameters: &Parameters, workspace: &Workspace) -> Result<Vec<Running>> {
    let blueprint = parameters.blueprint;
    let programs = find::find(blueprint, parameters.bin.as_deref())?;
    let options = parameters.provider_options.iter().map(|value| ("wsrep_provider_options".to_owned(), value.clone()));
    let plan = Plan {
        blueprint,
        group: Group::of(parameters)?,
        workspace,
        sizing: Sizing::of(workspace, parameters.nodes as u64),
        settings: &parameters.settings,
        asked: parameters.settings.iter().cloned().chain(options).collect(),
    };
    let mut copies = Vec::new();
    let first = Running::start(&blueprint.products[0], workspace, |place, state, kept| {
        let runner = Runner::of(place, kept, parameters.os_user.as_deref())?;
        let launcher = Launcher { blueprint, programs: &programs, runner };
        let socket = super::move_in(&launcher, state, plan.settings)?;
        if !kept {
            launcher.make(plan.settings)?;
        }
        plan.give_position(&launcher, state, &socket, kept)?;
        for place in 1..parameters.nodes {
            copies.push(plan.start_copy(&launcher, place)?);
        }
        // It joins the others, though it was first: its data had to stay as they were until all were copied.
        let peers: Vec<usize> = (1..parameters.nodes).collect();
        plan.join(&launcher, state, &socket, (0, &peers))
    })?;
    Ok(std::iter::once(first).chain(copies).collect())
}

impl Plan<'_> {
    /// Gives the data of the first node a position in the replication, by a start of it alone, and the script that
    /// tells it.
    fn give_position(&self, launcher: &Launcher<'_>, state: &mut State, socket: &Path, kept: bool) -> Result<()> {
        let data = &launcher.runner.place.data;
        galera::let_begin(data, &launcher.runner.identity)?;
        self.configure(launcher, socket, (0, &[]))?;
        // What is copied should be small.
        let arguments: &[&str] = if kept { &[BEGIN] } else { &[BEGIN, "--innodb-log-file-size=8M"] };
        let ready = |child: &mut Child| launcher.await_joined(child, socket, &self.asked);
        let mut child = launcher.launch(state, arguments, kept, ready)?;
        if !end(&mut child, launcher.runner.place.product.stop_in_order) {
            let message = format!("server process {} cannot be stopped", child.id());
            return Err(Error::new(Kind::Lost, message).hint("stop it by hand"));
        }
        galera::let_begin(data, &launcher.runner.identity)?;
        launcher.write_script(&Position::script_name(), &Position::of(data)?.script())
    }

    /// Starts the node at `place` on a copy of the data of the first, whose launcher is `first`.
    fn start_copy(&self, first: &Launcher<'_>, place: usize) -> Result<Running> {
        let workspace = Workspace { keep: false, ..self.workspace.clone() };
        Running::start(&self.blueprint.products[place], &workspace, |own, state, _| {
            let launcher = Launcher { runner: Runner { place: own, ..first.runner.clone() }, ..first.clone() };
            let socket = super::move_in(&launcher, state, &[])?;
            launcher.copy(&first.runner.place.data)?;
            let peers: Vec<usize> = (1..place).collect();
            self.join(&launcher, state, &socket, (place, &peers))
        })
    }

    /// Starts the node at the first of `node` on its data; it joins those at the second.
    fn join(
        &self,
        launcher: &Launcher<'_>,
        state: &mut State,
        socket: &Path,
        node: (usize, &[usize]),
    ) -> Result<Child> {
        self.configure(launcher, socket, node)?;
        let arguments: &[&str] = if node.1.is_empty() { &[BEGIN] } else { &[] };
        let kept = state.kept;
        launcher.launch(state, arguments, kept, |child| launcher.await_joined(child, socket, &self.asked))
    }

    fn configure(&self, launcher: &Launcher<'_>, socket: &Path, (place, peers): (usize, &[usize])) -> Result<()> {
        let own = self.group.settings(place, peers, &self.sizing);
        let socket = socket.to_string_lossy();
        launcher.configure(&settings::configuration(self.blueprint, &self.sizing, &socket, &own, self.settings))
    }
}

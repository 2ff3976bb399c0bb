//! Finds and removes what an invocation that died left behind.

use std::path::Path;

use super::identity::set_mode;
use super::place::Place;
use super::{Product, State, process};
use engine::{Error, Kind, Result};

/// Stops and removes what a dead invocation left of `product` in `directory`; says what it did, a line each. Leaves
/// alone what a living one works with, what was kept on purpose, and what it does not know.
///
/// # Errors
/// `NotOurs` where the state file is not dbdyno's, `Space` or `Usage` where something cannot be stopped or removed.
pub fn clean_up(product: &'static Product, directory: &Path) -> Result<Vec<String>> {
    if !directory.join(product.name).is_dir() {
        return Ok(Vec::new());
    }
    let place = Place::of(product, directory)?;
    let Some(state) = State::read(&place)? else { return Ok(Vec::new()) };
    if state.is_put_away() || state.owner_is_alive() {
        return Ok(Vec::new());
    }
    let Some(lock) = place.lock()? else { return Ok(Vec::new()) };
    let said = sweep(&place, &state);
    place.leave(lock);
    said
}

/// Does what [`clean_up`] says, once it is known that the owner is dead.
pub(crate) fn sweep(place: &Place, state: &State) -> Result<Vec<String>> {
    let mut said = stop(place, state)?;
    if let Some(mode) = state.workspace_mode {
        set_mode(&place.workspace, mode)?;
    }
    if state.kept {
        // The data were complete before this invocation took them, and a server that crashed repairs its own.
        let socket = state.socket.as_deref().filter(|path| place.is_socket_directory(path));
        let socket_place = socket.filter(|path| path.exists());
        if let Some(path) = socket_place {
            std::fs::remove_dir_all(path).map_err(|error| Error::of_path("remove", path, &error))?;
        }
        let kept = State { owner: None, server: None, socket: None, workspace_mode: None, ..state.clone() };
        kept.write(place)?;
        said.push(format!("kept the cluster {}", place.data.display()));
    } else {
        said.extend(place.remove(state.socket.as_deref())?);
    }
    Ok(said)
}

/// Stops every program that was started on the data directory: a server, or the one that was still making the data.
fn stop(place: &Place, state: &State) -> Result<Vec<String>> {
    let mut said = Vec::new();
    let mut found = process::on_data_directory(place.product, &place.data);
    if state.data != place.data {
        // The directory was moved; the recorded path may be another server's now, unless the process is the one.
        let moved = process::on_data_directory(place.product, &state.data);
        found.extend(moved.into_iter().filter(|process| Some(*process) == state.server));
    }
    // Data that go anyway need no last checkpoint.
    let signal = if state.kept { place.product.stop_in_order } else { place.product.stop_at_once };
    for process in found {
        if !process::end_process(process, signal) {
            let message = format!("server process {} of {} cannot be stopped", process.pid, place.data.display());
            return Err(Error::new(Kind::Usage, message).hint("stop it as the user that it belongs to, or as root"));
        }
        said.push(format!("stopped server process {}, left by an invocation that did not end", process.pid));
    }
    Ok(said)
}

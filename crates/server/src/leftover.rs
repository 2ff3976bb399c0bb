//! Finds and removes what a crashed invocation left behind.

use std::path::Path;

use super::identity::set_mode;
use super::paths::Paths;
use super::{Product, State, process};
use engine::{Error, Kind, Result};

/// Stops and removes what a crashed invocation left of `product` in `directory`; returns a line per action. Does not
/// touch what a running invocation uses, what was kept on purpose, and unknown files.
///
/// # Errors
/// `NotOurs` if the state file was not written by dbdyno, `Space` or `Usage` if something cannot be stopped or removed.
pub fn clean_up(product: &'static Product, directory: &Path) -> Result<Vec<String>> {
    if !directory.join(product.name).is_dir() {
        return Ok(Vec::new());
    }
    let paths = Paths::of(product, directory)?;
    let Some(state) = State::read(&paths)? else { return Ok(Vec::new()) };
    if state.is_kept_and_stopped() || state.owner_is_alive() {
        return Ok(Vec::new());
    }
    let Some(lock) = paths.lock()? else { return Ok(Vec::new()) };
    let messages = remove_leftovers(&paths, &state);
    paths.release(lock);
    messages
}

/// The same for all of `products`: what cannot be cleaned up of one leaves the others none the worse.
///
/// # Errors
/// The first of `clean_up`.
pub fn clean_up_all(products: impl IntoIterator<Item = &'static Product>, directory: &Path) -> Result<Vec<String>> {
    let (mut actions, mut failure) = (Vec::new(), None);
    for product in products {
        match clean_up(product, directory) {
            Ok(more) => actions.extend(more),
            Err(error) => failure = failure.or(Some(error)),
        }
    }
    failure.map_or(Ok(actions), Err)
}

/// As [`clean_up`], once it is known that the owner has exited.
pub(crate) fn remove_leftovers(paths: &Paths, state: &State) -> Result<Vec<String>> {
    let mut messages = stop(paths, state)?;
    if let Some(mode) = state.workspace_mode {
        set_mode(&paths.workspace, mode)?;
    }
    if state.kept {
        // The data were complete before this invocation used them, and a crashed server recovers its data.
        let socket = state.socket.as_deref().filter(|path| paths.is_socket_directory(path));
        if let Some(path) = socket.filter(|path| path.exists()) {
            std::fs::remove_dir_all(path).map_err(|error| Error::of_path("remove", path, &error))?;
        }
        let kept = State { owner: None, server: None, socket: None, workspace_mode: None, ..state.clone() };
        kept.write(paths)?;
        messages.push(format!("kept the cluster {}", paths.data.display()));
    } else {
        messages.extend(paths.remove(state.socket.as_deref())?);
    }
    Ok(messages)
}

/// Stops every program that was started on the data directory: a server, or the program that was initialising it.
fn stop(paths: &Paths, state: &State) -> Result<Vec<String>> {
    let mut messages = Vec::new();
    let mut found = process::on_data_directory(paths.product, &paths.data);
    if state.data != paths.data {
        // The directory was moved; the recorded path may belong to another server now, unless it is the recorded
        // process.
        let moved = process::on_data_directory(paths.product, &state.data);
        found.extend(moved.into_iter().filter(|process| Some(*process) == state.server));
    }
    // Data that are removed need no shutdown checkpoint.
    let signal = if state.kept { paths.product.shutdown_signal } else { paths.product.immediate_signal };
    for process in found {
        if !process::terminate_process(process, signal) {
            let message = format!("server process {} of {} cannot be stopped", process.pid, paths.data.display());
            return Err(Error::new(Kind::Usage, message).hint("stop it as its owner, or as root"));
        }
        messages.push(format!("stopped server process {}, left by a crashed invocation", process.pid));
    }
    Ok(messages)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::PRODUCT;

    #[test]
    fn one_that_cannot_be_cleaned_up_leaves_the_others_none_the_worse() {
        static OTHER: Product = Product { name: "otherbase", ..PRODUCT };
        let workspace = tempfile::tempdir().expect("temporary directory");
        for product in [&PRODUCT, &OTHER] {
            let paths = Paths::of(product, workspace.path()).expect("place");
            std::fs::create_dir_all(&paths.data).expect("directories");
            State { data: paths.data.clone(), ..State::default() }.write(&paths).expect("state");
        }
        let (broken, other) = (workspace.path().join(PRODUCT.name), workspace.path().join(OTHER.name));
        std::fs::write(Paths::of(&PRODUCT, workspace.path()).expect("place").state, "of somebody").expect("state");
        let error = clean_up_all([&PRODUCT, &OTHER], workspace.path()).expect_err("not ours");
        assert_eq!(error.kind, Kind::NotOurs, "{error:?}");
        assert!(broken.exists() && !other.exists());
    }
}

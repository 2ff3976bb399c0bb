//! The processes of agents: children on this machine, and commands to others.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use record::Ticket;

use crate::error::{Error, Result};
use crate::host_agent::{self, Program};
use crate::host_command::{ErrorLines, end};
use crate::remote_host::RemoteHost;
use crate::ticket::ticket_line;

/// How long agents may take to end after the fleet has.
const END_TIMEOUT: Duration = Duration::from_secs(3);

/// Agents, each with a child of this process: itself, or the command to its host. They are ended when this is dropped.
#[derive(Debug, Default)]
pub struct AgentProcesses {
    processes: Vec<AgentProcess>,
}

#[derive(Debug)]
struct AgentProcess {
    name: String,
    child: Child,
    /// Its standard input, where it is an agent of this machine: it stays open as long as this.
    _input: Option<ChildStdin>,
    /// What a command to a host writes to its standard error.
    error_lines: ErrorLines,
}

impl AgentProcesses {
    /// Starts `program` with `arguments` on this machine for each of `tickets`, which goes over its standard input.
    ///
    /// # Errors
    /// Where one cannot be started.
    pub fn on_this_machine(program: &Path, arguments: &[&str], tickets: &[Ticket]) -> Result<AgentProcesses> {
        let mut agents = AgentProcesses::default();
        for ticket in tickets {
            let failed = |error| Error::new(format!("agent {} cannot be started: {error}", ticket.agent));
            let mut command = Command::new(program);
            command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::null());
            // Ctrl-C reaches the coordinator alone, which ends the fleet in order.
            let mut child = command.process_group(0).spawn().map_err(failed)?;
            let mut input = child.stdin.take();
            let written = input.as_mut().map_or(Ok(()), |pipe| writeln!(pipe, "{}", ticket_line(ticket)));
            let (name, error_lines) = (ticket.agent.clone(), ErrorLines::default());
            agents.processes.push(AgentProcess { name, child, _input: input, error_lines });
            written.map_err(failed)?;
        }
        Ok(agents)
    }

    /// Starts an agent on each of `hosts`, all at once, for the ticket at its place. Their messages go to the server at
    /// `address`.
    ///
    /// # Errors
    /// Where one cannot be started; it is named.
    pub fn on_hosts(
        hosts: &[RemoteHost],
        tickets: &[Ticket],
        address: &str,
        is_interrupted: &(dyn Fn() -> bool + Sync),
    ) -> Result<AgentProcesses> {
        let program = &Program::own()?;
        let started: Vec<Result<(Child, ErrorLines)>> = std::thread::scope(|scope| {
            let start =
                |(host, ticket)| scope.spawn(move || host_agent::start(host, ticket, program, address, is_interrupted));
            let threads: Vec<_> = hosts.iter().zip(tickets).map(start).collect();
            let ended = |thread: std::thread::ScopedJoinHandle<'_, _>| {
                thread.join().unwrap_or_else(|_| Err(Error::new("the start of an agent panicked")))
            };
            threads.into_iter().map(ended).collect()
        });
        let (mut agents, mut failed) = (AgentProcesses::default(), None);
        for (host, started) in hosts.iter().zip(started) {
            match started {
                Ok((child, error_lines)) => {
                    let name = host.name.clone();
                    agents.processes.push(AgentProcess { name, child, _input: None, error_lines });
                }
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        failed.map_or(Ok(agents), Err)
    }

    /// The children of this process.
    pub fn processes(&self) -> Vec<u32> {
        self.processes.iter().map(|agent| agent.child.id()).collect()
    }

    /// Lets the agent with this name end by itself: what it does is not known.
    pub(crate) fn let_go(&mut self, name: &str) {
        let (gone, left) = std::mem::take(&mut self.processes).into_iter().partition(|agent| agent.name == name);
        self.processes = left;
        for mut agent in Vec::into_iter(gone) {
            // Its end is waited for, whenever it comes, so that nothing is left of it. Its input stays open until then.
            let wait = move || drop((agent.child.wait(), agent));
            let _ = std::thread::Builder::new().name("let-go".to_owned()).spawn(wait);
        }
    }

    /// The first agent whose process has ended, with what it said.
    pub fn ended(&mut self) -> Option<Error> {
        let has_ended = |agent: &mut AgentProcess| matches!(agent.child.try_wait(), Ok(Some(_)));
        let index = self.processes.iter_mut().position(has_ended)?;
        let agent = &self.processes[index];
        let said = agent.error_lines.text().map(|text| format!(": {text}")).unwrap_or_default();
        Some(Error::new(format!("agent {} has ended{said}", agent.name)))
    }
}

impl Drop for AgentProcesses {
    fn drop(&mut self) {
        let until = Instant::now() + END_TIMEOUT;
        self.processes.iter_mut().for_each(|agent| end(&mut agent.child, until));
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use record::{Permitted, Seed};

    use super::*;

    #[test]
    fn nothing_is_left_of_an_agent_that_was_let_go_and_has_ended() {
        let secret = || Seed("SECRET".to_owned());
        let (url, fleet, agent) = ("stdio:".to_owned(), "f".to_owned(), "a".to_owned());
        let ticket =
            Ticket { url, fleet, agent, seed: secret(), message_key: secret(), permitted: Permitted::default() };
        let arguments = ["-c", "read ticket; exec sleep 0.2"];
        let mut agents = AgentProcesses::on_this_machine(Path::new("/bin/sh"), &arguments, &[ticket]).unwrap();
        let place = format!("/proc/{}", agents.processes()[0]);
        agents.let_go("a");
        assert!(agents.processes().is_empty() && agents.ended().is_none());
        let start = Instant::now();
        while fs::exists(&place).unwrap() {
            assert!(start.elapsed() < Duration::from_secs(60), "it is left as a process that nobody waits for");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

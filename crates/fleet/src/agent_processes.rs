//! The processes of agents: children on this machine, commands to others, and the way of a ticket to an agent.

use std::io::{BufRead, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use record::Ticket;

use crate::error::{Error, Result};
use crate::host_agent::{self, Complaints, Program};
use crate::remote_host::RemoteHost;

/// How long agents may take to end after the fleet has.
const END_TIMEOUT: Duration = Duration::from_secs(3);

/// The longest ticket.
const TICKET_BYTES_MAX: u64 = 4_096;

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
    complaints: Complaints,
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
            let (name, complaints) = (ticket.agent.clone(), Complaints::default());
            agents.processes.push(AgentProcess { name, child, _input: input, complaints });
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
        let started: Vec<Result<(Child, Complaints)>> = std::thread::scope(|scope| {
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
                Ok((child, complaints)) => {
                    let name = host.name.clone();
                    agents.processes.push(AgentProcess { name, child, _input: None, complaints });
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

    /// The first agent whose process has ended, with what it said.
    pub fn ended(&mut self) -> Option<Error> {
        let has_ended = |agent: &mut AgentProcess| matches!(agent.child.try_wait(), Ok(Some(_)));
        let index = self.processes.iter_mut().position(has_ended)?;
        let agent = &self.processes[index];
        let said = agent.complaints.text().map(|text| format!(": {text}")).unwrap_or_default();
        Some(Error::new(format!("agent {} has ended{said}", agent.name)))
    }
}

impl Drop for AgentProcesses {
    fn drop(&mut self) {
        let start = Instant::now();
        for AgentProcess { child, .. } in &mut self.processes {
            while matches!(child.try_wait(), Ok(None)) && start.elapsed() < END_TIMEOUT {
                std::thread::sleep(Duration::from_millis(10));
            }
            // It may have ended by itself.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

pub(crate) fn ticket_line(ticket: &Ticket) -> String {
    serde_json::to_string(ticket).expect("a ticket is plain data")
}

/// Reads a ticket: one line.
///
/// # Errors
/// Where it is none. The text is never part of the error.
pub fn read_ticket(from: &mut impl BufRead) -> Result<Ticket> {
    let mut line = String::new();
    let hint = "it is what the coordinator writes: one line";
    Read::take(from, TICKET_BYTES_MAX)
        .read_line(&mut line)
        .map_err(|error| Error::new(format!("no ticket on the standard input: {error}")).hint(hint))?;
    // The error of the parser may quote the text.
    serde_json::from_str(&line).map_err(|_| Error::new("no ticket on the standard input").hint(hint))
}

#[cfg(test)]
mod tests {
    use record::Seed;

    use super::*;

    #[test]
    fn a_ticket_is_one_line_and_what_is_none_is_not_shown() {
        let (url, fleet, agent) = ("nats://h:1".to_owned(), "f".to_owned(), "a".to_owned());
        let ticket = Ticket { url, fleet, agent, seed: Seed("SUSECRET".to_owned()) };
        let line = ticket_line(&ticket);
        assert!(!line.contains('\n'));
        let text = format!("{line}\nmore");
        let mut rest = text.as_bytes();
        assert_eq!(read_ticket(&mut rest), Ok(ticket));
        assert_eq!(rest, b"more", "what follows is left");
        for text in ["", "\n", "SUSECRET", "{\"url\":\"SUSECRET\"}", &"S".repeat(9_999)] {
            let error = read_ticket(&mut text.as_bytes()).unwrap_err();
            assert_eq!(error.message, "no ticket on the standard input");
        }
        assert!(read_ticket(&mut &[0xff, 0xfe][..]).is_err());
    }
}

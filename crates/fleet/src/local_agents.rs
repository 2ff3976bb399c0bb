//! Agents on this machine, as children, and the way of a ticket to an agent.

use std::io::{BufRead, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use record::Ticket;

use crate::error::{Error, Result};

/// How long agents may take to end after the fleet has.
const END_TIMEOUT: Duration = Duration::from_secs(3);

/// The longest ticket.
const TICKET_BYTES_MAX: u64 = 4_096;

/// Agents that are children of this process. They are ended when this is dropped.
#[derive(Debug)]
pub struct LocalAgents {
    children: Vec<(String, Child, ChildStdin)>,
}

impl LocalAgents {
    /// Starts `program` with `arguments` for each of `tickets`, which goes over its standard input.
    ///
    /// # Errors
    /// Where one cannot be started.
    pub fn start(program: &Path, arguments: &[&str], tickets: &[Ticket]) -> Result<LocalAgents> {
        let mut agents = LocalAgents { children: Vec::new() };
        for ticket in tickets {
            let failed = |error| Error::new(format!("agent {} cannot be started: {error}", ticket.agent));
            let mut command = Command::new(program);
            command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::null());
            // Ctrl-C reaches the coordinator alone, which ends the fleet in order.
            let mut child = command.process_group(0).spawn().map_err(failed)?;
            let Some(mut pipe) = child.stdin.take() else { continue };
            let written = writeln!(pipe, "{}", ticket_line(ticket));
            agents.children.push((ticket.agent.clone(), child, pipe));
            written.map_err(failed)?;
        }
        Ok(agents)
    }

    /// Their processes.
    pub fn processes(&self) -> Vec<u32> {
        self.children.iter().map(|(_, child, _)| child.id()).collect()
    }
}

impl Drop for LocalAgents {
    fn drop(&mut self) {
        let start = Instant::now();
        for (_, child, _) in &mut self.children {
            while matches!(child.try_wait(), Ok(None)) && start.elapsed() < END_TIMEOUT {
                std::thread::sleep(Duration::from_millis(10));
            }
            // It may have ended by itself.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn ticket_line(ticket: &Ticket) -> String {
    serde_json::to_string(ticket).expect("a ticket is plain data")
}

/// Reads a ticket: one line.
///
/// # Errors
/// Where it is none. The text is never part of the error.
pub fn read_ticket(from: impl BufRead) -> Result<Ticket> {
    let mut line = String::new();
    let hint = "it is what the coordinator writes: one line";
    from.take(TICKET_BYTES_MAX)
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
        assert_eq!(read_ticket(format!("{line}\nmore").as_bytes()), Ok(ticket));
        for text in ["", "\n", "SUSECRET", "{\"url\":\"SUSECRET\"}", &"S".repeat(9_999)] {
            let error = read_ticket(text.as_bytes()).unwrap_err();
            assert_eq!(error.message, "no ticket on the standard input");
        }
        assert!(read_ticket(&[0xff, 0xfe][..]).is_err());
    }
}

//! An agent on another host: the program is put there, started, and given its ticket and its messages over one command.

use std::fs;
use std::net::TcpStream;
use std::process::{Child, ChildStdin};
use std::time::Duration;

use record::Ticket;

use crate::bridge::{STANDARD_STREAMS, pass};
use crate::error::{Error, Result};
pub(crate) use crate::host_command::HostCommand;
use crate::host_command::{ErrorLines, Patience, READY};
use crate::piece::sha256;
use crate::remote_host::RemoteHost;
use crate::ticket::ticket_line;

/// What the shell of a host does: it says what the host is, takes the program if it has none with this size and checksum,
/// and becomes the agent. The words after it: checksum, size, the path of a program that is there already or nothing, and
/// the arguments of the agent. It has no `${` and no `$$`, which a manager of services would replace before the shell.
const SCRIPT: &str = "\
echo \"dbdyno-host $(uname -s) $(uname -m)\"; p=$3; \
if [ -z \"$p\" ]; then d=$XDG_CACHE_HOME; [ -n \"$d\" ] || d=$HOME/.cache; d=$d/dbdyno/$1; p=$d/dbdyno; \
is_whole() { [ -x \"$1\" ] && [ \"$(wc -c <\"$1\")\" -eq \"$3\" ] && \
{ ! command -v sha256sum >/dev/null || [ \"$(sha256sum <\"$1\" | cut -d ' ' -f 1)\" = \"$2\" ]; }; }; \
if is_whole \"$p\" \"$1\" \"$2\"; then :; else echo absent; \
if mkdir -p \"$d\" && t=$(mktemp \"$d/new.XXXXXX\") && head -c \"$2\" >\"$t\" && chmod 755 \"$t\" && \
{ sync \"$t\" 2>/dev/null || sync; } && is_whole \"$t\" \"$1\" \"$2\" && mv -f \"$t\" \"$p\"; then :; \
else rm -f \"$t\"; exit 1; fi; fi; fi; \
if [ -x \"$p\" ]; then echo ready; shift 3; exec \"$p\" agent \"$@\"; fi; \
echo \"no program $p\" >&2; exit 1";

/// How long a host may take to answer, and to take the program.
pub(crate) const INSTALL_TIMEOUT: Duration = Duration::from_secs(300);

/// What a host says before it says what it is.
const KIND: &str = "dbdyno-host ";

/// This program, as it is put on hosts.
pub(crate) struct Program {
    content: Vec<u8>,
    sha256: String,
}

impl Program {
    /// The program of this process.
    pub(crate) fn own() -> Result<Program> {
        let content = fs::read("/proc/self/exe")
            .map_err(|error| Error::new(format!("this program cannot be read, to copy it to hosts: {error}")))?;
        let sha256 = sha256(&content);
        Ok(Program { content, sha256 })
    }
}

/// Starts the agent of `ticket` on `host`, with a copy of `program` where it has none. Its messages go to the server at
/// `address`.
pub(crate) fn start(
    host: &RemoteHost,
    ticket: &Ticket,
    program: &Program,
    address: &str,
    is_interrupted: &dyn Fn() -> bool,
) -> Result<(Child, ErrorLines)> {
    let directory = host.directory.as_deref().unwrap_or(".");
    let mut command = HostCommand::begin(host, program, &["--join", "-", "--dir", directory], is_interrupted)?;
    let ticket = Ticket { url: STANDARD_STREAMS.to_owned(), ..ticket.clone() };
    let line = format!("{}\n", ticket_line(&ticket));
    command.write_all(line.as_bytes(), Patience::new(INSTALL_TIMEOUT, is_interrupted))?;
    let connection = TcpStream::connect(address).and_then(|stream| Ok((stream.try_clone()?, stream)));
    let (outward, inward) = connection.map_err(|error| command.error(&format!("no connection: {error}")))?;
    command.keep_messages(inward);
    let ended = command.error("it has ended");
    let (input, child, error_lines) = command.into_parts();
    bridge_input(outward, input);
    Ok((child.ok_or(ended)?, error_lines))
}

/// Passes messages of the server on to the standard input of an agent.
fn bridge_input(mut from: TcpStream, input: Option<ChildStdin>) {
    let _ = from.set_nodelay(true);
    let pump = move || input.map(|mut input| pass(&mut from, &mut input));
    // Without it nothing reaches the agent, which then does not join.
    let _ = std::thread::Builder::new().name("to-agent".to_owned()).spawn(pump);
}

impl<'a> HostCommand<'a> {
    /// Starts the program with `arguments` as agent of `host`, with a copy of `program` where it has none.
    pub(crate) fn begin(
        host: &'a RemoteHost,
        program: &Program,
        arguments: &[&str],
        is_interrupted: &dyn Fn() -> bool,
    ) -> Result<HostCommand<'a>> {
        let size = program.content.len().to_string();
        let at = host.program.as_deref().unwrap_or("");
        let script = ["sh", "-c", SCRIPT, "dbdyno", &program.sha256, &size, at];
        let words = host.command(&[&script[..], arguments].concat());
        let mut command = HostCommand::spawn(host, &words)?;
        // One for all steps: a host that says a little now and then gains no time by it.
        install(&mut command, host, program, Patience::new(INSTALL_TIMEOUT, is_interrupted))?;
        Ok(command)
    }
}

/// Puts the program on the host, if it is not there, and waits until it starts.
fn install(command: &mut HostCommand<'_>, host: &RemoteHost, program: &Program, patience: Patience<'_>) -> Result<()> {
    let (kind, own) = (command.line_after(KIND, patience)?, format!("Linux {}", std::env::consts::ARCH));
    if kind != own && host.program.is_none() {
        return Err(command
            .error(&format!("it is {kind}, and this program is for {own}"))
            .hint("put a program for it there, and name it on its line: program=PATH"));
    }
    let mut said = command.line(patience)?;
    if said == "absent" {
        command.write_all(&program.content, patience)?;
        said = command.line(patience)?;
    }
    if said == READY { Ok(()) } else { Err(command.error(&format!("it said {said:?} in place of {READY:?}"))) }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::path::{Path, PathBuf};

    use super::*;
    use crate::remote_host::Way;

    fn program() -> Program {
        let content = b"#!/bin/sh\necho started \"$@\"\n".to_vec();
        let sha256 = sha256(&content);
        Program { content, sha256 }
    }

    /// What the agent on a host whose home is at `home` says first.
    fn started(home: &Path, program: &Program) -> Result<String> {
        let words = ["env", "-u", "XDG_CACHE_HOME", &format!("HOME={}", home.display())].map(str::to_owned).to_vec();
        let host = RemoteHost { way: Way::Command(words), ..RemoteHost::parse("x")? };
        let command = HostCommand::begin(&host, program, &["--parts"], &|| false)?;
        command.keep_lines();
        command.line(Patience::new(Duration::from_secs(30), &|| false))
    }

    fn place(home: &Path, program: &Program) -> PathBuf {
        home.join(".cache/dbdyno").join(&program.sha256).join("dbdyno")
    }

    #[test]
    fn a_program_that_is_not_whole_is_taken_anew() {
        let (home, program) = (tempfile::tempdir().unwrap(), program());
        let path = place(home.path(), &program);
        let damaged: [&[u8]; 4] = [b"", b"#!/bin/sh\n", &vec![b'x'; program.content.len()], &program.content];
        for content in damaged {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, content).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
            assert_eq!(started(home.path(), &program).as_deref(), Ok("started agent --parts"), "{content:?}");
            assert_eq!(fs::read(&path).unwrap(), program.content);
        }
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "nothing else is left");
    }

    #[test]
    fn what_a_host_says_of_itself_is_bounded_and_a_host_of_another_kind_is_refused() {
        let refused = |script: &str| {
            let words = ["sh", "-c", script].map(str::to_owned).to_vec();
            let host = RemoteHost { way: Way::Command(words), ..RemoteHost::parse("x").unwrap() };
            HostCommand::begin(&host, &program(), &[], &|| false).err().unwrap().message
        };
        assert!(refused("echo dbdyno-host Linux riscv64; cat").starts_with("host x: it is Linux riscv64, and this"));
        assert_eq!(refused("echo hello; exit 1"), "host x: the command has ended");
    }

    #[test]
    fn a_manager_of_services_replaces_nothing_in_the_script() {
        assert!(!SCRIPT.contains("${") && !SCRIPT.contains("$$"), "{SCRIPT}");
    }
}

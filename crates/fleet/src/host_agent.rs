//! An agent on another host: the program is put there, started, and given its ticket and its messages over one command.

use std::collections::VecDeque;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use record::Ticket;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::bridge::{STANDARD_STREAMS, pass, pass_on};
use crate::error::{Error, Result};
use crate::piece::sha256;
use crate::remote_host::{RemoteHost, key};
use crate::ticket::ticket_line;

/// What the shell of a host does: it says what the host is, takes the program if it has none with this checksum, and
/// becomes the agent. The words after it: checksum, size, the path of a program that is there already or nothing, and
/// the arguments of the agent.
const SCRIPT: &str = "\
echo \"dbdyno-host $(uname -s) $(uname -m)\"; p=$3; \
if [ -z \"$p\" ]; then d=${XDG_CACHE_HOME:-$HOME/.cache}/dbdyno/$1; p=$d/dbdyno; \
if [ -x \"$p\" ]; then :; else echo absent; t=$p.$$; \
if mkdir -p \"$d\" && head -c \"$2\" >\"$t\" && [ \"$(wc -c <\"$t\")\" -eq \"$2\" ] && chmod 755 \"$t\" && mv \"$t\" \"$p\"; then :; \
else rm -f \"$t\"; exit 1; fi; fi; fi; \
if [ -x \"$p\" ]; then echo ready; shift 3; exec \"$p\" agent \"$@\"; fi; \
echo \"no program $p\" >&2; exit 1";

/// How long a host may take to answer, and to take the program.
const INSTALL_TIMEOUT: Duration = Duration::from_secs(300);

/// How long is waited for a line before an interruption is looked for.
const LOOK: Duration = Duration::from_millis(50);

/// How long a command may take to end after its input has.
const END_TIMEOUT: Duration = Duration::from_secs(1);

/// What a host says last before it becomes the agent.
const READY: &str = "ready";

/// Lines of the standard error that are kept.
const ERROR_LINES_MAX: usize = 5;

/// This program, as it is put on hosts.
pub(crate) struct Program {
    content: Vec<u8>,
    sha256: String,
}

impl Program {
    /// The program of this process.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub(crate) fn own() -> Result<Program> {
        let content = fs::read("/proc/self/exe")
            .map_err(|error| Error::new(format!("this program cannot be read, to copy it to hosts: {error}")))?;
        let sha256 = sha256(&content);
        Ok(Program { content, sha256 })
    }
}

/// The last lines that a command wrote to its standard error.
#[derive(Clone, Debug, Default)]
pub(crate) struct ErrorLines(Arc<Mutex<VecDeque<String>>>);

impl ErrorLines {
    fn follow(&self, errors: ChildStderr) {
        let kept = self.clone();
        let read = move || {
            for line in BufReader::new(errors).lines().map_while(std::result::Result::ok) {
                let mut lines = kept.0.lock().unwrap_or_else(PoisonError::into_inner);
                lines.push_back(line);
                if lines.len() > ERROR_LINES_MAX {
                    lines.pop_front();
                }
            }
        };
        // Without it, errors have no reason beside them.
        let _ = std::thread::Builder::new().name("errors".to_owned()).spawn(read);
    }

    /// Them in one line; None where there are none.
    pub(crate) fn text(&self) -> Option<String> {
        let lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let text = lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ");
        (!text.is_empty()).then_some(text)
    }
}

/// The error of an agent on `host` that does not answer what it was asked. What it said is not shown: it may be anything.
pub(crate) fn unexpected(host: &RemoteHost) -> Error {
    Error::new(format!("host {}: the agent says what is no answer", host.name))
}

/// A command to a host, whose output is lines until they become messages. It is ended when this is dropped.
pub(crate) struct HostCommand<'a> {
    host: &'a RemoteHost,
    child: Option<Child>,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    /// Where messages go after the first lines; None if all are lines.
    messages: SyncSender<Option<TcpStream>>,
    error_lines: ErrorLines,
}

/// Starts the agent of `ticket` on `host`, with a copy of `program` where it has none. Its messages go to the server at
/// `address`.
///
/// # Errors
/// Where the host is not reached, is of another kind, or cannot take the program.
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
    command.write(&ticket_line(&ticket))?;
    let connection = TcpStream::connect(address).and_then(|stream| Ok((stream.try_clone()?, stream)));
    let (outward, inward) = connection.map_err(|error| command.error(&format!("no connection: {error}")))?;
    // The thread that reads waits for it.
    let _ = command.messages.send(Some(inward));
    bridge_input(outward, command.input.take());
    let child = command.child.take().ok_or_else(|| command.error("it has ended"))?;
    Ok((child, command.error_lines.clone()))
}

/// Passes messages of the server on to the standard input of an agent.
fn bridge_input(mut from: TcpStream, input: Option<ChildStdin>) {
    let _ = from.set_nodelay(true);
    let pump = move || input.map(|mut input| pass(&mut from, &mut input));
    // Without it nothing reaches the agent, which then does not join.
    let _ = std::thread::Builder::new().name("to-agent".to_owned()).spawn(pump);
}

/// Reads lines, and after the one that the agent is ready, messages if there is a place for them.
fn read(output: ChildStdout, lines: &Sender<String>, messages: &Receiver<Option<TcpStream>>) {
    let mut output = BufReader::new(output);
    let mut line = String::new();
    while output.read_line(&mut line).is_ok_and(|length| length > 0) {
        let said = std::mem::take(&mut line).trim().to_owned();
        let is_ready = said == READY;
        if lines.send(said).is_err() {
            return;
        }
        if is_ready {
            match messages.recv() {
                Ok(Some(stream)) => return pass_on(output, &stream),
                Ok(None) => {}
                Err(_) => return,
            }
        }
    }
}

impl<'a> HostCommand<'a> {
    /// Starts the program with `arguments` as agent of `host`, with a copy of `program` where it has none.
    ///
    /// # Errors
    /// Where the host is not reached, is of another kind, or cannot take the program.
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
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Ctrl-C reaches the coordinator alone, which ends the fleet in order.
        let spawned = command.process_group(0).spawn();
        let mut child = spawned.map_err(|error| {
            Error::new(format!("host {}: {} cannot be started: {error}", host.name, key(&words[0])))
        })?;
        let error_lines = ErrorLines::default();
        let _ = child.stderr.take().map(|errors| error_lines.follow(errors));
        let (to_lines, lines) = channel();
        let (messages, streams) = sync_channel(1);
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let reader = move || output.map(|output| read(output, &to_lines, &streams));
        let thread = std::thread::Builder::new().name("from-agent".to_owned()).spawn(reader);
        let mut command = HostCommand { host, child: Some(child), input, lines, messages, error_lines };
        thread.map_err(|error| command.error(&format!("no thread for it: {error}")))?;
        command.install(program, is_interrupted)?;
        Ok(command)
    }

    /// Puts the program on the host, if it is not there, and waits until it starts.
    fn install(&mut self, program: &Program, is_interrupted: &dyn Fn() -> bool) -> Result<()> {
        self.check_kind(is_interrupted)?;
        let mut said = self.line(INSTALL_TIMEOUT, is_interrupted)?;
        if said == "absent" {
            let taken = self.input.as_mut().map_or(Ok(()), |input| input.write_all(&program.content));
            taken.map_err(|error| self.error(&format!("the program is not taken: {error}")))?;
            said = self.line(INSTALL_TIMEOUT, is_interrupted)?;
        }
        if said == READY { Ok(()) } else { Err(self.error(&format!("it said {said:?} in place of {READY:?}"))) }
    }

    /// Everything that it says from now on are lines.
    pub(crate) fn keep_lines(&self) {
        // The thread that reads waits for it.
        let _ = self.messages.send(None);
    }

    /// The next line.
    ///
    /// # Errors
    /// Where none comes `within` this time, and where the command has ended.
    pub(crate) fn line(&self, within: Duration, is_interrupted: &dyn Fn() -> bool) -> Result<String> {
        let since = Instant::now();
        while since.elapsed() < within {
            match self.lines.recv_timeout(LOOK) {
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Disconnected) => return Err(self.has_ended()),
                Err(RecvTimeoutError::Timeout) if is_interrupted() => return Err(Error::new("interrupted")),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
        Err(self.error(&format!("no answer within {} s", within.as_secs())))
    }

    /// Writes a line to its standard input.
    ///
    /// # Errors
    /// Where it is not taken.
    pub(crate) fn write(&mut self, line: &str) -> Result<()> {
        let written = self.input.as_mut().map_or(Ok(()), |input| writeln!(input, "{line}"));
        written.map_err(|error| match error.kind() {
            std::io::ErrorKind::BrokenPipe => self.has_ended(),
            _ => self.error(&format!("it takes no message: {error}")),
        })
    }

    /// The answer to `question`, which may take so long.
    ///
    /// # Errors
    /// Where the question is not taken, and as [`HostCommand::answer`].
    pub(crate) fn ask<Answer: DeserializeOwned>(
        &mut self,
        question: &impl Serialize,
        within: Duration,
    ) -> Result<Answer> {
        self.write(&serde_json::to_string(question).expect("questions are plain data"))?;
        self.answer(within)
    }

    /// The next answer.
    ///
    /// # Errors
    /// Where none comes `within` this time, and where it cannot be read.
    pub(crate) fn answer<Answer: DeserializeOwned>(&self, within: Duration) -> Result<Answer> {
        let line = self.line(within, &|| false)?;
        serde_json::from_str(&line).map_err(|_| unexpected(self.host))
    }

    fn has_ended(&self) -> Error {
        // What it says of that may still be on its way.
        std::thread::sleep(LOOK);
        self.error("the command has ended")
    }

    /// Whether the host can run this program. A shell may greet its user before.
    fn check_kind(&self, is_interrupted: &dyn Fn() -> bool) -> Result<()> {
        let own = format!("Linux {}", std::env::consts::ARCH);
        loop {
            if let Some(kind) = self.line(INSTALL_TIMEOUT, is_interrupted)?.strip_prefix("dbdyno-host ") {
                let is_own = kind == own || self.host.program.is_some();
                let refused = || {
                    self.error(&format!("it is {kind}, and this program is for {own}"))
                        .hint("put a program for it there, and name it on its line: program=PATH")
                };
                return if is_own { Ok(()) } else { Err(refused()) };
            }
        }
    }

    /// The error of this host, with what its command said.
    pub(crate) fn error(&self, what: &str) -> Error {
        let said = self.error_lines.text().map(|text| format!(": {text}")).unwrap_or_default();
        Error::new(format!("host {}: {what}{said}", self.host.name))
    }
}

impl Drop for HostCommand<'_> {
    fn drop(&mut self) {
        // An agent ends with its input.
        self.input = None;
        if let Some(mut child) = self.child.take() {
            end(&mut child, Instant::now() + END_TIMEOUT);
        }
    }
}

/// Lets `child` end by itself `until` this moment, and ends it then.
pub(crate) fn end(child: &mut Child, until: Instant) {
    while matches!(child.try_wait(), Ok(None)) && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(10));
    }
    // It may have ended by itself.
    let _ = child.kill();
    let _ = child.wait();
}

//! A command to a host: its lines, what is written to it, and its end. A host may say and take anything, or nothing: all
//! that is kept of it is bounded, and every wait ends at a deadline or with the user's patience.

use std::collections::VecDeque;
use std::io::{BufReader, Write};
use std::net::TcpStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::bridge::pass_on;
use crate::error::{Error, Result};
use crate::host_lines::{Line, next_line};
use crate::piece::RESULT_BYTES_MAX;
use crate::remote_host::{RemoteHost, key};

/// How long is waited for a line, or for room, before an interruption is looked for.
const LOOK: Duration = Duration::from_millis(50);

/// How long a command may take to end after its input has.
const END_TIMEOUT: Duration = Duration::from_secs(1);

/// How long a line may take that is written to a host which has answered before.
const WRITE_TIMEOUT: Duration = Duration::from_secs(60);

/// What a host says last before it becomes the agent.
pub(crate) const READY: &str = "ready";

/// The longest line before that: greetings of a shell, and what the host is.
const GREETING_BYTES_MAX: usize = 64 << 10;

/// The longest line after it: an answer, which may hold a part.
const ANSWER_BYTES_MAX: usize = RESULT_BYTES_MAX as usize + (2 << 20);

/// Lines of the standard error that are kept.
const ERROR_LINES_MAX: usize = 5;

/// What is kept of each of them.
const ERROR_BYTES_MAX: usize = 1 << 10;

/// A pipe that is ready for writing takes so much without a wait.
const WRITTEN_AT_ONCE: usize = 4 << 10;

/// The last lines that a command wrote to its standard error.
#[derive(Clone, Debug, Default)]
pub(crate) struct ErrorLines(Arc<Mutex<VecDeque<String>>>);

impl ErrorLines {
    fn follow(&self, errors: ChildStderr) {
        let kept = self.clone();
        let read = move || {
            let mut errors = BufReader::new(errors);
            while let Ok(Some(line)) = next_line(&mut errors, ERROR_BYTES_MAX) {
                let mut lines = kept.0.lock().unwrap_or_else(PoisonError::into_inner);
                lines.push_back(line.text);
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
        let text = lines.iter().filter(|line| !line.is_empty()).cloned().collect::<Vec<_>>().join("; ");
        (!text.is_empty()).then_some(text)
    }
}

/// The error of an agent on `host` that does not answer what it was asked. What it said is not shown: it may be anything.
pub(crate) fn unexpected(host: &RemoteHost) -> Error {
    Error::new(format!("host {}: the agent says what is no answer", host.name))
}

/// Until when is waited, and whether the user still waits.
#[derive(Clone, Copy)]
pub(crate) struct Patience<'a> {
    since: Instant,
    within: Duration,
    is_interrupted: &'a dyn Fn() -> bool,
}

impl<'a> Patience<'a> {
    /// From now on, `within` this time.
    pub(crate) fn new(within: Duration, is_interrupted: &'a dyn Fn() -> bool) -> Patience<'a> {
        Patience { since: Instant::now(), within, is_interrupted }
    }

    /// Whether it goes on; what is missing otherwise is `what`.
    fn check(&self, what: &str) -> std::result::Result<(), String> {
        if (self.is_interrupted)() {
            return Err("interrupted".to_owned());
        }
        match self.since.elapsed() < self.within {
            true => Ok(()),
            false => Err(format!("{what} within {} s", self.within.as_secs())),
        }
    }
}

/// A command to a host, whose output is lines until they become messages. It is ended when this is dropped.
pub(crate) struct HostCommand<'a> {
    host: &'a RemoteHost,
    child: Option<Child>,
    input: Option<ChildStdin>,
    lines: Receiver<Line>,
    /// Where messages go after the first lines; None if all are lines.
    messages: SyncSender<Option<TcpStream>>,
    error_lines: ErrorLines,
}

/// Reads lines, and after the one that the agent is ready, messages if there is a place for them.
fn read(output: ChildStdout, lines: &SyncSender<Line>, messages: &Receiver<Option<TcpStream>>) {
    let mut output = BufReader::new(output);
    let mut bytes_max = GREETING_BYTES_MAX;
    while let Ok(Some(line)) = next_line(&mut output, bytes_max) {
        let is_ready = line.text == READY;
        if lines.send(line).is_err() {
            return;
        }
        if is_ready {
            match messages.recv() {
                Ok(Some(stream)) => return pass_on(output, &stream),
                Ok(None) => bytes_max = ANSWER_BYTES_MAX,
                Err(_) => return,
            }
        }
    }
}

impl<'a> HostCommand<'a> {
    /// Starts `words`, the command to `host`.
    pub(crate) fn spawn(host: &'a RemoteHost, words: &[String]) -> Result<HostCommand<'a>> {
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Ctrl-C reaches the coordinator alone, which ends the fleet in order.
        let spawned = command.process_group(0).spawn();
        let mut child = spawned.map_err(|error| {
            Error::new(format!("host {}: {} cannot be started: {error}", host.name, key(&words[0])))
        })?;
        let error_lines = ErrorLines::default();
        let _ = child.stderr.take().map(|errors| error_lines.follow(errors));
        // One that talks without end waits until it is listened to.
        let (to_lines, lines) = sync_channel(1);
        let (messages, streams) = sync_channel(1);
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let reader = move || output.map(|output| read(output, &to_lines, &streams));
        let thread = std::thread::Builder::new().name("from-agent".to_owned()).spawn(reader);
        let command = HostCommand { host, child: Some(child), input, lines, messages, error_lines };
        thread.map_err(|error| command.error(&format!("no thread for it: {error}")))?;
        Ok(command)
    }

    /// Everything that it says from now on are lines.
    pub(crate) fn keep_lines(&self) {
        // The thread that reads waits for it.
        let _ = self.messages.send(None);
    }

    /// Everything that it says from now on are messages, which go to `stream`.
    pub(crate) fn keep_messages(&self, stream: TcpStream) {
        // The thread that reads waits for it.
        let _ = self.messages.send(Some(stream));
    }

    /// Its standard input and its process, which are not ended with this.
    pub(crate) fn into_parts(mut self) -> (Option<ChildStdin>, Option<Child>, ErrorLines) {
        (self.input.take(), self.child.take(), self.error_lines.clone())
    }

    /// The next line.
    pub(crate) fn line(&self, patience: Patience<'_>) -> Result<String> {
        loop {
            match self.lines.recv_timeout(LOOK) {
                Ok(Line { is_cut: true, .. }) => return Err(self.error("a line of it is too long")),
                Ok(Line { text, .. }) => return Ok(text),
                Err(RecvTimeoutError::Disconnected) => return Err(self.has_ended()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            patience.check("no answer").map_err(|what| self.error(&what))?;
        }
    }

    /// The rest of the first line that begins with `prefix`. A shell may greet its user before, for as long as patience
    /// lasts.
    pub(crate) fn line_after(&self, prefix: &str, patience: Patience<'_>) -> Result<String> {
        loop {
            match self.lines.recv_timeout(LOOK) {
                Ok(Line { text, is_cut: false }) if text.starts_with(prefix) => {
                    return Ok(text[prefix.len()..].to_owned());
                }
                Err(RecvTimeoutError::Disconnected) => return Err(self.has_ended()),
                Ok(_) | Err(RecvTimeoutError::Timeout) => {}
            }
            patience.check("no answer").map_err(|what| self.error(&what))?;
        }
    }

    /// Writes a line to its standard input.
    pub(crate) fn write(&mut self, line: &str) -> Result<()> {
        self.write_all(format!("{line}\n").as_bytes(), Patience::new(WRITE_TIMEOUT, &|| false))
    }

    /// Writes `content` to its standard input.
    pub(crate) fn write_all(&mut self, content: &[u8], patience: Patience<'_>) -> Result<()> {
        let Some(input) = &mut self.input else { return Err(self.has_ended()) };
        written(input, content, patience).map_err(|failed| match failed {
            NotWritten::Broken(error) if error.kind() == std::io::ErrorKind::BrokenPipe => self.has_ended(),
            NotWritten::Broken(error) => self.error(&format!("it takes no input: {error}")),
            NotWritten::Late(what) => self.error(&what),
        })
    }

    /// The answer to `question`, which may take so long.
    pub(crate) fn ask<Answer: DeserializeOwned>(
        &mut self,
        question: &impl Serialize,
        within: Duration,
    ) -> Result<Answer> {
        self.write(&serde_json::to_string(question).expect("questions are plain data"))?;
        self.answer(within)
    }

    /// The same, with the size of the answer in bytes.
    pub(crate) fn ask_sized<Answer: DeserializeOwned>(
        &mut self,
        question: &impl Serialize,
        within: Duration,
    ) -> Result<(Answer, usize)> {
        self.write(&serde_json::to_string(question).expect("questions are plain data"))?;
        self.read_answer(Patience::new(within, &|| false))
    }

    /// The next answer.
    pub(crate) fn answer<Answer: DeserializeOwned>(&self, within: Duration) -> Result<Answer> {
        self.answer_unless(within, &|| false)
    }

    /// The same, unless the user interrupts it.
    pub(crate) fn answer_unless<Answer: DeserializeOwned>(
        &self,
        within: Duration,
        is_interrupted: &dyn Fn() -> bool,
    ) -> Result<Answer> {
        self.read_answer(Patience::new(within, is_interrupted)).map(|(answer, _)| answer)
    }

    /// The next answer and its size in bytes.
    fn read_answer<Answer: DeserializeOwned>(&self, patience: Patience<'_>) -> Result<(Answer, usize)> {
        let line = self.line(patience)?;
        let answer = serde_json::from_str(&line).map_err(|_| unexpected(self.host))?;
        Ok((answer, line.len()))
    }

    fn has_ended(&self) -> Error {
        // What it says of that may still be on its way.
        std::thread::sleep(LOOK);
        self.error("the command has ended")
    }

    /// The error of this host, with what its command said.
    pub(crate) fn error(&self, what: &str) -> Error {
        let said = self.error_lines.text().map(|text| format!(": {text}")).unwrap_or_default();
        Error::new(format!("host {}: {what}{said}", self.host.name))
    }
}

/// Why something was not written.
enum NotWritten {
    /// The pipe fails.
    Broken(std::io::Error),
    /// Patience has ended.
    Late(String),
}

/// Writes `content`, waiting for room before each piece.
fn written(input: &mut ChildStdin, content: &[u8], patience: Patience<'_>) -> std::result::Result<(), NotWritten> {
    let look = Timespec { tv_sec: 0, tv_nsec: i64::from(LOOK.subsec_nanos()) };
    let mut left = content;
    while !left.is_empty() {
        let mut ready = [PollFd::new(&*input, PollFlags::OUT)];
        match poll(&mut ready, Some(&look)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => {}
            Ok(_) => {
                let piece = &left[..left.len().min(WRITTEN_AT_ONCE)];
                left = &left[input.write(piece).map_err(NotWritten::Broken)?..];
            }
            Err(error) => return Err(NotWritten::Broken(error.into())),
        }
        patience.check("it does not take its input").map_err(NotWritten::Late)?;
    }
    Ok(())
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    /// A command of a shell in place of one to a host.
    fn with<T>(script: &str, body: impl FnOnce(&mut HostCommand<'_>) -> T) -> T {
        let host = RemoteHost::parse("x").unwrap();
        let words = ["sh", "-c", script].map(str::to_owned);
        body(&mut HostCommand::spawn(&host, &words).unwrap())
    }

    fn patient<'a>() -> Patience<'a> {
        Patience::new(Duration::from_secs(30), &|| false)
    }

    #[test]
    fn a_host_that_takes_no_input_is_given_up_with_the_users_patience_or_at_the_deadline() {
        // More than a pipe holds.
        let content = vec![0; 1 << 20];
        with("exec sleep 60", |command| {
            let interrupted = AtomicBool::new(false);
            let error = std::thread::scope(|scope| {
                scope.spawn(|| interrupted.store(true, Ordering::Relaxed));
                command.write_all(
                    &content,
                    Patience::new(Duration::from_secs(3_600), &|| interrupted.load(Ordering::Relaxed)),
                )
            });
            assert_eq!(error.unwrap_err().message, "host x: interrupted");
            let error = command.write_all(&content, Patience::new(Duration::from_secs(1), &|| false)).unwrap_err();
            assert_eq!(error.message, "host x: it does not take its input within 1 s");
        });
        with("exit 3", |command| {
            assert_eq!(command.write_all(&content, patient()).unwrap_err().message, "host x: the command has ended");
        });
    }

    #[test]
    fn what_is_written_arrives_whole() {
        with("wc -c", |command| {
            command.write_all(&vec![7; 1 << 20], patient()).unwrap();
            command.input = None;
            assert_eq!(command.line(patient()).unwrap(), "1048576");
        });
    }

    #[test]
    fn greetings_without_end_are_waited_for_no_longer_than_for_silence() {
        for script in ["yes", "head -c 100000000 /dev/zero; exec sleep 60", "printf 'gr\\374\\337e\\n'; exec sleep 60"]
        {
            with(script, |command| {
                let error = command.line_after("dbdyno-host ", Patience::new(Duration::from_secs(1), &|| false));
                assert_eq!(error.unwrap_err().message, "host x: no answer within 1 s", "{script}");
            });
        }
        with("echo gr\u{fc}\u{df}e; yes x | head -c 200000 | tr -d '\\n'; echo; echo dbdyno-host Linux", |command| {
            assert_eq!(command.line_after("dbdyno-host ", patient()).unwrap(), "Linux");
        });
    }

    #[test]
    fn an_answer_that_is_too_long_is_refused_and_errors_are_cut() {
        with("head -c 70000 /dev/zero; echo; exec sleep 60", |command| {
            assert_eq!(command.line(patient()).unwrap_err().message, "host x: a line of it is too long");
        });
        with("head -c 3000000 /dev/zero | tr '\\0' e >&2; exit 1", |command| {
            let error = command.line(patient()).unwrap_err();
            assert!(error.message.len() < 2 * ERROR_BYTES_MAX, "{} bytes", error.message.len());
        });
    }
}

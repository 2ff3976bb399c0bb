//! A command of the user's that is told of alerts: as JSON on its standard input, and in its environment. No shell
//! reads it.

use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::trouble::Trouble;

/// A command that takes longer is killed.
const TIMEOUT: Duration = Duration::from_secs(30);
/// How often its end is looked for.
const LOOK_INTERVAL: Duration = Duration::from_millis(20);

/// What a command is told. Each alert is told when it begins and when it ends, and not again meanwhile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AlertMessage {
    /// `firing` or `resolved`.
    pub state: &'static str,
    /// The target, without a password.
    pub target: String,
    /// The operation.
    pub operation: &'static str,
    /// Its name.
    pub name: &'static str,
    /// `page` or `ticket`.
    pub severity: &'static str,
    /// When it began, RFC 3339.
    pub since: String,
    /// When this was decided, RFC 3339.
    pub at: String,
    /// The evidence, in a sentence.
    pub why: String,
    /// The record that the promise is made from.
    pub record: String,
}

impl AlertMessage {
    /// Its fields as variables of an environment.
    fn variables(&self) -> [(&'static str, &str); 9] {
        [
            ("DBDYNO_ALERT_STATE", self.state),
            ("DBDYNO_ALERT_TARGET", &self.target),
            ("DBDYNO_ALERT_OPERATION", self.operation),
            ("DBDYNO_ALERT_NAME", self.name),
            ("DBDYNO_ALERT_SEVERITY", self.severity),
            ("DBDYNO_ALERT_SINCE", &self.since),
            ("DBDYNO_ALERT_AT", &self.at),
            ("DBDYNO_ALERT_WHY", &self.why),
            ("DBDYNO_ALERT_RECORD", &self.record),
        ]
    }
}

/// The thread that starts the command, for one alert after the other.
pub struct AlertCommand {
    alerts: Sender<AlertMessage>,
    trouble: Arc<Trouble>,
    thread: JoinHandle<()>,
}

impl AlertCommand {
    /// Of the program and the arguments in `words`, the first of which there has to be.
    pub fn new(words: Vec<String>) -> AlertCommand {
        let (alerts, received) = channel::<AlertMessage>();
        let trouble = Arc::<Trouble>::default();
        let met = Arc::clone(&trouble);
        let thread = std::thread::spawn(move || {
            for alert in received {
                if let Err(error) = tell(&words, &alert) {
                    met.note(error);
                }
            }
        });
        AlertCommand { alerts, trouble, thread }
    }

    /// Has the command started, without waiting for it.
    pub(crate) fn send(&self, alert: AlertMessage) {
        // The thread ends after this value alone.
        let _ = self.alerts.send(alert);
    }

    /// Why an alert was not told, since this was asked last.
    pub(crate) fn trouble(&self) -> Option<String> {
        self.trouble.take()
    }

    /// Waits until everything is told.
    pub(crate) fn end(self) {
        drop(self.alerts);
        // A thread that panicked has said so.
        let _ = self.thread.join();
    }
}

/// Starts the command and waits for its end.
fn tell(words: &[String], alert: &AlertMessage) -> Result<(), String> {
    let Some((program, arguments)) = words.split_first() else { return Ok(()) };
    let refused = |error: &dyn std::fmt::Display| format!("alert command {program} was not told: {error}");
    let mut command = Command::new(program);
    command.args(arguments).envs(alert.variables()).stdin(Stdio::piped()).stdout(Stdio::null());
    let mut child = command.spawn().map_err(|error| refused(&error))?;
    let text = serde_json::to_string(alert).map_err(|error| refused(&error))?;
    if let Some(mut input) = child.stdin.take() {
        // One that does not read it has it in its environment. What is written fits into a pipe, so that nothing waits.
        let _ = input.write_all(text.as_bytes());
    }
    let begin = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return Err(refused(&status)),
            Ok(None) if begin.elapsed() < TIMEOUT => std::thread::sleep(LOOK_INTERVAL),
            Ok(None) => {
                // It is gone already, or it goes now.
                let _ = child.kill().and_then(|()| child.wait());
                return Err(refused(&format!("it took more than {} s and was killed", TIMEOUT.as_secs())));
            }
            Err(error) => return Err(refused(&error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alert() -> AlertMessage {
        AlertMessage {
            state: "firing",
            target: "engine://me@h1/shop".to_owned(),
            operation: "read",
            name: "down",
            severity: "page",
            since: "2026-11-30T04:00:00.000Z".to_owned(),
            at: "2026-11-30T04:01:00.000Z".to_owned(),
            why: "3 in a row; $(touch x) \"quoted\"".to_owned(),
            record: "r1".to_owned(),
        }
    }

    #[test]
    fn a_command_gets_json_and_variables_and_no_shell_reads_them() {
        let directory = tempfile::tempdir().unwrap();
        let (script, out) = (directory.path().join("told"), directory.path().join("out"));
        std::fs::write(&script, "cat > \"$1\"; printf '\\n%s' \"$DBDYNO_ALERT_WHY\" >> \"$1\"").unwrap();
        let words = ["sh", &script.display().to_string(), &out.display().to_string()].map(str::to_owned);
        let command = AlertCommand::new(words.into());
        command.send(alert());
        command.end();
        let text = std::fs::read_to_string(out).unwrap();
        let (json, why) = text.split_once('\n').unwrap();
        let json: serde_json::Value = serde_json::from_str(json).unwrap();
        assert_eq!((json["name"].as_str(), json["severity"].as_str()), (Some("down"), Some("page")));
        assert_eq!((json["why"].as_str(), why), (Some(alert().why.as_str()), alert().why.as_str()));
    }

    #[test]
    fn a_command_that_fails_or_is_not_there_is_said() {
        for (words, word) in [(vec!["false"], "exit status: 1"), (vec!["/nowhere/told"], "No such file")] {
            let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
            let error = tell(&words, &alert()).unwrap_err();
            assert!(error.contains(word), "{error}");
        }
    }
}

//! The agent on the host of a server or of storage, as the measuring host asks it.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use measure::clock;
use record::{ForeignLoad, FromObserver, Hello, Nanos, ObservedHost, ToObserver};
use run::{HostObserver, Observed};

use crate::coordinator::mismatch;
use crate::error::{Error, Result};
use crate::host_agent::{HostCommand, Program};
use crate::host_command::unexpected;
use crate::remote_host::RemoteHost;

/// How long an answer may take before anything is measured: the agent starts, and reads what its host is. On a host whose
/// processors are emulated and shared, that takes more than five seconds.
const START_TIMEOUT: Duration = Duration::from_secs(60);

/// How long an answer may take where a window waits for it.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

/// An agent that observes its host. It ends when this is dropped.
pub struct RemoteObserver<'a> {
    host: &'a RemoteHost,
    is_same_machine: bool,
    /// None once an answer was missing: a late one would be taken for that of the next question.
    command: Mutex<Option<HostCommand<'a>>>,
}

impl<'a> RemoteObserver<'a> {
    /// Starts an agent on `host`, where `own` is what one of this program says of itself.
    ///
    /// # Errors
    /// Where the host cannot be reached or used, and for an agent of another version.
    pub fn start(
        host: &'a RemoteHost,
        own: &Hello,
        is_interrupted: &(dyn Fn() -> bool + Sync),
    ) -> Result<RemoteObserver<'a>> {
        let command = HostCommand::begin(host, &Program::own()?, &["--observe"], is_interrupted)?;
        command.keep_lines();
        let observer = RemoteObserver { host, is_same_machine: false, command: Mutex::new(Some(command)) };
        let first = observer.speak(|command| command.answer_unless(START_TIMEOUT, is_interrupted))?;
        let FromObserver::Hello(hello) = first else { return Err(unexpected(host)) };
        match mismatch(own, &hello) {
            Some(reason) => {
                Err(Error::new(format!("host {}: {reason}", host.name)).hint("use the same program everywhere"))
            }
            None => Ok(RemoteObserver {
                is_same_machine: hello.boot_id.is_some() && hello.boot_id == own.boot_id,
                ..observer
            }),
        }
    }

    fn ask(&self, question: &ToObserver, within: Duration) -> Result<FromObserver> {
        self.speak(|command| command.ask(question, within))
    }

    fn speak<T>(&self, speak: impl FnOnce(&mut HostCommand<'a>) -> Result<T>) -> Result<T> {
        let mut command = self.command.lock().unwrap_or_else(PoisonError::into_inner);
        let gone = || Error::new(format!("host {}: the agent is gone", self.host.name));
        let spoken = command.as_mut().ok_or_else(gone).and_then(speak);
        if spoken.is_err() {
            *command = None;
        }
        spoken
    }

    fn watch(&self, question: &ToObserver) -> run::Result<ObservedHost> {
        match self.ask(question, START_TIMEOUT)? {
            FromObserver::Watching { program, directory, host } => {
                let (name, is_same_machine) = (self.host.name.clone(), self.is_same_machine);
                Ok(ObservedHost { name, program, is_same_machine, directory, host: *host })
            }
            FromObserver::Refused { message } => {
                Err(run::Error::environment(format!("host {}: {message}", self.host.name)))
            }
            _ => Err(unexpected(self.host).into()),
        }
    }
}

impl HostObserver for RemoteObserver<'_> {
    fn name(&self) -> &str {
        &self.host.name
    }

    fn watch_server(&self, port: Option<u16>) -> run::Result<ObservedHost> {
        let RemoteHost { server, directory, .. } = self.host;
        self.watch(&ToObserver::Watch { program: server.clone(), port, directory: directory.clone() })
    }

    fn watch_storage(&self) -> run::Result<ObservedHost> {
        let RemoteHost { server, directory, .. } = self.host;
        self.watch(&ToObserver::WatchStorage { program: server.clone(), directory: directory.clone() })
    }

    fn scan(&self) -> bool {
        matches!(self.ask(&ToObserver::Scan, ANSWER_TIMEOUT), Ok(FromObserver::Scanned))
    }

    fn read(&self) -> Option<Observed> {
        let asked = clock::now();
        let Ok(FromObserver::Counters(values)) = self.ask(&ToObserver::Read, ANSWER_TIMEOUT) else { return None };
        let error = Nanos((clock::now() - asked).0 / 2);
        Some(Observed { values, at: asked + error, error })
    }

    fn load(&self) -> Option<ForeignLoad> {
        match self.ask(&ToObserver::Load, ANSWER_TIMEOUT) {
            Ok(FromObserver::Load(load)) => Some(load),
            _ => None,
        }
    }
}

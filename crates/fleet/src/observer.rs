//! An agent that observes its host: it answers questions over its standard input and output, one line each.

use std::io::{BufRead, Write};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use host::{Counters, Processes, ServerProcesses};
use record::{FromObserver, Hello, ToObserver};

use crate::error::Result;
use crate::question::{answer_each, say};

/// What is observed.
#[derive(Default)]
struct Watched {
    roots: Vec<u32>,
    counters: Option<Counters>,
    /// Whether the counted device is that of the server's data.
    has_device: bool,
    processes: Option<Processes>,
}

/// Says `hello`, and answers the questions of `input` on `output` until there are no more.
///
/// # Errors
/// Where a question cannot be read, or an answer cannot be written.
pub fn observe(hello: &Hello, input: impl BufRead, mut output: impl Write) -> Result<()> {
    let mut watched = Watched::default();
    say(&mut output, &FromObserver::Hello(Box::new(hello.clone())))?;
    answer_each(input, output, |question| {
        watched.answer(question).unwrap_or_else(|message| FromObserver::Refused { message })
    })
}

impl Watched {
    fn answer(&mut self, question: ToObserver) -> std::result::Result<FromObserver, String> {
        match question {
            ToObserver::Watch { program, port, directory } => {
                let found = find(program.as_deref(), port)?;
                let directory = directory.map(PathBuf::from).or(found.directory);
                self.watch(Some(found.program), found.roots, directory)
            }
            ToObserver::WatchStorage { program, directory } => {
                let found = program.as_deref().map(|program| find(Some(program), None)).transpose()?;
                let (program, roots) = found.map(|found| (found.program, found.roots)).unzip();
                self.watch(program, roots.unwrap_or_default(), directory.map(PathBuf::from))
            }
            ToObserver::Scan => {
                self.processes = Some(Processes::read());
                Ok(FromObserver::Scanned)
            }
            ToObserver::Read => {
                let counters = self.counters.as_mut().ok_or("nothing is observed")?;
                let mut values = counters.read(&self.roots);
                if !self.has_device {
                    values.retain(|name, _| !name.starts_with("device_") && !name.starts_with("mount_"));
                }
                Ok(FromObserver::Counters(values))
            }
            ToObserver::Load => {
                let before = self.processes.take().ok_or("no processes were listed")?;
                Ok(FromObserver::Load(Processes::read().foreign_load_since(&before, &self.roots)))
            }
        }
    }

    fn watch(
        &mut self,
        program: Option<String>,
        roots: Vec<u32>,
        directory: Option<PathBuf>,
    ) -> std::result::Result<FromObserver, String> {
        if let Some(directory) = directory.as_ref().filter(|directory| !is_measurable(directory)) {
            return Err(format!(
                "{} is no directory and no block device; name where the data are: dir=DIR",
                directory.display()
            ));
        }
        let at = directory.as_deref().unwrap_or(Path::new("/"));
        self.roots = roots;
        self.counters = Some(Counters::new(at));
        self.has_device = directory.is_some();
        let mut host = host::inventory(at);
        if !self.has_device {
            (host.devices, host.file_system) = (Vec::new(), None);
        }
        let directory = directory.as_ref().map(|directory| directory.display().to_string());
        Ok(FromObserver::Watching { program, directory, host: Box::new(host) })
    }
}

fn is_measurable(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.is_dir() || metadata.file_type().is_block_device())
}

/// The processes of the server.
fn find(program: Option<&str>, port: Option<u16>) -> std::result::Result<ServerProcesses, String> {
    match (program, port) {
        (Some(program), _) => {
            ServerProcesses::of_program(program).ok_or_else(|| format!("no process of program {program:?} runs there"))
        }
        (None, Some(port)) => ServerProcesses::listening_on(port).ok_or_else(|| {
            format!(
                "the processes that listen on port {port} are not seen; let the agent run as root or as the owner of the \
                 server, or name its program: server=PROGRAM"
            )
        }),
        (None, None) => Err("the port of the server is not known; name its program: server=PROGRAM".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use record::name;

    use super::*;
    use crate::tests::hello;

    fn answers(questions: &[ToObserver]) -> Vec<FromObserver> {
        let lines: String = questions.iter().map(|one| serde_json::to_string(one).unwrap() + "\n").collect();
        let mut output = Vec::new();
        observe(&hello(), lines.as_bytes(), &mut output).unwrap();
        String::from_utf8(output).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn a_server_is_found_and_counted() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().ok().map(|address| address.port());
        let watch = ToObserver::Watch { program: None, port, directory: None };
        let questions = [watch, ToObserver::Scan, ToObserver::Read, ToObserver::Read, ToObserver::Load];
        let answers = answers(&questions);
        let [FromObserver::Hello(_), FromObserver::Watching { directory, .. }, FromObserver::Scanned, rest @ ..] =
            &answers[..]
        else {
            panic!("{answers:?}")
        };
        assert_eq!(*directory, Some(std::env::current_dir().unwrap().display().to_string()));
        let [FromObserver::Counters(first), FromObserver::Counters(second), FromObserver::Load(_)] = rest else {
            panic!("{rest:?}")
        };
        for counter in [name::SERVER_CPU_NS, name::HOST_CPU_IDLE_NS] {
            assert!(second[counter] >= first[counter], "{counter}");
        }
    }

    #[test]
    fn what_is_not_there_is_refused_with_what_to_do() {
        let watch = |program: Option<&str>, port, directory: Option<&str>| ToObserver::Watch {
            program: program.map(str::to_owned),
            port,
            directory: directory.map(str::to_owned),
        };
        let questions = [
            watch(None, Some(1), None),
            watch(Some("no-such-program"), Some(1), None),
            watch(None, None, None),
            ToObserver::Read,
            ToObserver::Load,
        ];
        let messages =
            ["server=PROGRAM", "no process of program", "server=PROGRAM", "nothing is observed", "no processes"];
        for (answer, message) in answers(&questions)[1..].iter().zip(messages) {
            let FromObserver::Refused { message: refused } = answer else { panic!("{answer:?}") };
            assert!(refused.contains(message), "{refused}");
        }
        let error = observe(&hello(), &b"{\"erase\":1}\n"[..], Vec::new()).unwrap_err();
        assert!(error.message.starts_with("a question cannot be read"), "{error}");
    }
}

//! The parts that an agent kept on a host, as they are asked for later: one line each.

use std::io::{BufRead, Write};
use std::time::Duration;

use record::{FromKeeper, KeptPart, ToKeeper};

use crate::error::{Error, Result};
use crate::host_agent::{HostCommand, Program};
use crate::kept_parts::KeptParts;
use crate::question::answer_each;
use crate::remote_host::RemoteHost;

/// How long an answer may take: a part may be large.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);

impl KeptParts {
    /// Answers the questions of `input` on `output` until there are no more.
    ///
    /// # Errors
    /// Where a question cannot be read, or an answer cannot be written.
    pub fn answer(&self, input: impl BufRead, output: impl Write) -> Result<()> {
        let mut giving = Giving::default();
        answer_each(input, output, |question| match question {
            ToKeeper::Next { record } => giving.next(self, &record),
            ToKeeper::Remove => {
                self.remove_all(&giving.given);
                FromKeeper::Removed
            }
        })
    }
}

/// Parts that are given one after the other.
#[derive(Default)]
struct Giving {
    given: Vec<KeptPart>,
    /// None before the first question.
    left: Option<Vec<KeptPart>>,
}

impl Giving {
    fn next(&mut self, kept: &KeptParts, record: &str) -> FromKeeper {
        if self.left.is_none() {
            match kept.of_record(record) {
                Ok(parts) => self.left = Some(parts),
                Err(error) => return FromKeeper::Refused { message: error.message },
            }
        }
        let next = self.left.as_mut().and_then(Vec::pop);
        self.given.extend(next.clone());
        next.map_or(FromKeeper::NoMore, |part| FromKeeper::Part(Box::new(part)))
    }
}

/// The keeper of parts on another host. It ends when this is dropped.
pub struct RemoteKeeper<'a> {
    host: &'a RemoteHost,
    command: HostCommand<'a>,
}

impl<'a> RemoteKeeper<'a> {
    /// Starts one on `host`.
    ///
    /// # Errors
    /// Where the host cannot be reached or used.
    pub fn start(host: &'a RemoteHost, is_interrupted: &(dyn Fn() -> bool + Sync)) -> Result<RemoteKeeper<'a>> {
        let directory = host.directory.as_deref().unwrap_or(".");
        let command = HostCommand::begin(host, &Program::own()?, &["--parts", "--dir", directory], is_interrupted)?;
        command.keep_lines();
        Ok(RemoteKeeper { host, command })
    }

    /// Its parts of `record`.
    ///
    /// # Errors
    /// Where it does not answer, and where its parts cannot be read.
    pub fn parts(&mut self, record: &str) -> Result<Vec<KeptPart>> {
        let mut parts = Vec::new();
        while let FromKeeper::Part(part) = self.ask(&ToKeeper::Next { record: record.to_owned() })? {
            parts.push(*part);
        }
        Ok(parts)
    }

    /// Has it remove the parts that it gave.
    ///
    /// # Errors
    /// Where it does not answer.
    pub fn remove(&mut self) -> Result<()> {
        self.ask(&ToKeeper::Remove).map(drop)
    }

    fn ask(&mut self, question: &ToKeeper) -> Result<FromKeeper> {
        match self.command.ask(question, ANSWER_TIMEOUT)? {
            FromKeeper::Refused { message } => Err(Error::new(format!("host {}: {message}", self.host.name))),
            answer => Ok(answer),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::kept_part;

    #[test]
    fn parts_are_given_once_each_and_removed_when_they_are_not_needed() {
        let directory = tempfile::tempdir().unwrap();
        let kept = KeptParts::below(directory.path());
        for part in [kept_part("r", 1, "a"), kept_part("r", 2, "a"), kept_part("other", 3, "a")] {
            kept.keep(&part).unwrap();
        }
        let ask = |questions: &[ToKeeper]| -> Vec<FromKeeper> {
            let lines: String = questions.iter().map(|one| serde_json::to_string(one).unwrap() + "\n").collect();
            let mut output = Vec::new();
            kept.answer(lines.as_bytes(), &mut output).unwrap();
            String::from_utf8(output).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
        };
        let next = || ToKeeper::Next { record: "r".to_owned() };
        let answers = ask(&[next(), next(), next()]);
        assert!(matches!(answers[..], [FromKeeper::Part(_), FromKeeper::Part(_), FromKeeper::NoMore]), "{answers:?}");
        assert_eq!(kept.of_record("r").unwrap().len(), 2, "they stay until that is told");
        assert_eq!(ask(&[ToKeeper::Remove]), [FromKeeper::Removed]);
        assert_eq!(kept.of_record("r").unwrap().len(), 2, "none was given to this one");
        ask(&[next(), next(), ToKeeper::Remove]);
        assert_eq!((kept.of_record("r").unwrap().len(), kept.of_record("other").unwrap().len()), (0, 1));
    }
}

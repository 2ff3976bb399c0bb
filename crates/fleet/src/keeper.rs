//! The parts that an agent kept on a host, as they are asked for later: one line each.

use std::collections::BTreeSet;
use std::io::{BufRead, Write};
use std::time::{Duration, Instant};

use record::{FromKeeper, PartKey, ToKeeper};

use crate::error::{Error, Result};
use crate::host_agent::{HostCommand, Program};
use crate::kept_parts::{FoundParts, KeptParts};
use crate::question::answer_each;
use crate::remote_host::RemoteHost;

/// How long an answer may take: a part may be large.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);

/// What is taken of one host: more is not what agents have kept.
const TAKEN_MAX: Taken = Taken { answers: 100_000, bytes: 1 << 30, within: Duration::from_secs(600) };

/// Bounds of what one host gives.
#[derive(Clone, Copy)]
struct Taken {
    /// An agent keeps one part for each attempt at a run.
    answers: usize,
    /// They are all in memory until they are in the record.
    bytes: usize,
    /// How long it may take.
    within: Duration,
}

impl KeptParts {
    /// Answers the questions of `input` on `output` until there are no more.
    ///
    /// # Errors
    /// Where a question cannot be read, or an answer cannot be written.
    pub fn answer(&self, input: impl BufRead, output: impl Write) -> Result<()> {
        let mut giving = Giving::default();
        answer_each(input, output, |question| match question {
            ToKeeper::Next { record } => giving.next(self, &record),
            ToKeeper::Remove { mut parts } => {
                parts.retain(|key| giving.given.contains(key));
                self.remove_given(&parts);
                FromKeeper::Removed
            }
        })
    }
}

/// Parts that are given one after the other.
#[derive(Default)]
struct Giving {
    given: BTreeSet<PartKey>,
    /// None before the first question.
    left: Option<FoundParts>,
}

impl Giving {
    fn next(&mut self, kept: &KeptParts, record: &str) -> FromKeeper {
        let FoundParts { parts, passed_over } = self.left.get_or_insert_with(|| kept.of_record(record));
        if let Some(part) = parts.pop() {
            self.given.insert(part.key());
            return FromKeeper::Part(Box::new(part));
        }
        passed_over.pop().map_or(FromKeeper::NoMore, |message| FromKeeper::PassedOver { message })
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
    /// Where it does not answer, and where it does not come to an end.
    pub fn parts(&mut self, record: &str) -> Result<FoundParts> {
        let question = ToKeeper::Next { record: record.to_owned() };
        all_parts(&self.host.name, TAKEN_MAX, &mut |within| self.command.ask_sized(&question, within))
    }

    /// Has it remove those of `parts` that it gave.
    ///
    /// # Errors
    /// Where it does not answer.
    pub fn remove(&mut self, parts: &[PartKey]) -> Result<()> {
        self.ask(&ToKeeper::Remove { parts: parts.to_vec() }).map(drop)
    }

    fn ask(&mut self, question: &ToKeeper) -> Result<FromKeeper> {
        not_refused(&self.host.name, self.command.ask(question, ANSWER_TIMEOUT)?)
    }
}

fn not_refused(host: &str, answer: FromKeeper) -> Result<FromKeeper> {
    match answer {
        FromKeeper::Refused { message } => Err(Error::new(format!("host {host}: {message}"))),
        answer => Ok(answer),
    }
}

/// The parts that `next` gives one after the other, each within a time and with its size in bytes. A host may give parts
/// without end.
fn all_parts(
    host: &str,
    taken_max: Taken,
    next: &mut dyn FnMut(Duration) -> Result<(FromKeeper, usize)>,
) -> Result<FoundParts> {
    let (start, mut found, mut bytes) = (Instant::now(), FoundParts::default(), 0_usize);
    let exceeds = |what: String| Err(Error::new(format!("host {host}: it gives {what}")));
    for _ in 0..taken_max.answers {
        let Some(left) = taken_max.within.checked_sub(start.elapsed()).filter(|left| !left.is_zero()) else {
            return exceeds(format!("parts for more than {} s", taken_max.within.as_secs()));
        };
        let (answer, size) = next(ANSWER_TIMEOUT.min(left))?;
        bytes = bytes.saturating_add(size);
        if bytes > taken_max.bytes {
            return exceeds(format!("more than {} bytes of parts", taken_max.bytes));
        }
        match not_refused(host, answer)? {
            FromKeeper::Part(part) => found.parts.push(*part),
            FromKeeper::PassedOver { message } => found.passed_over.push(message),
            _ => return Ok(found),
        }
    }
    exceeds(format!("more than {} parts", taken_max.answers))
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
        let left = |record: &str| kept.of_record(record).parts.len();
        std::fs::write(kept.folder().join("broken.part"), "{").unwrap();
        let answers = ask(&[next(), next(), next(), next()]);
        let [FromKeeper::Part(one), FromKeeper::Part(other), FromKeeper::PassedOver { message }, FromKeeper::NoMore] =
            &answers[..]
        else {
            panic!("{answers:?}")
        };
        assert!(message.contains("broken.part"), "{message}");
        assert_eq!(left("r"), 2, "they stay until that is told");
        let keys = vec![one.key(), other.key()];
        assert_eq!(ask(&[ToKeeper::Remove { parts: keys.clone() }]), [FromKeeper::Removed]);
        assert_eq!(left("r"), 2, "none was given to this one");
        ask(&[next(), next(), ToKeeper::Remove { parts: keys[..1].to_vec() }]);
        assert_eq!((left("r"), left("other")), (1, 1), "one was named");
        ask(&[next(), next(), ToKeeper::Remove { parts: keys }]);
        assert_eq!((left("r"), left("other")), (0, 1));
    }

    #[test]
    fn a_host_that_gives_parts_without_end_is_left() {
        let dir = tempfile::tempdir().unwrap();
        let kept = KeptParts::below(dir.path());
        kept.keep(&kept_part("r", 1, "a")).unwrap();
        let FromKeeper::Part(part) = Giving::default().next(&kept, "r") else { panic!("it is kept") };
        let bounds = Taken { answers: 1_000, bytes: 10_000, within: Duration::from_secs(60) };
        let (mut asked, mut longest) = (0, Duration::ZERO);
        let mut left = |bounds: Taken, answer: &FromKeeper, size: usize, takes: Duration| {
            (asked, longest) = (0, Duration::ZERO);
            let mut next = |within: Duration| {
                (asked, longest) = (asked + 1, longest.max(within));
                std::thread::sleep(takes);
                Ok((answer.clone(), size))
            };
            let error = all_parts("h", bounds, &mut next).unwrap_err().message;
            (error, asked, longest)
        };
        let many = FromKeeper::Part(part);
        let (error, asked, longest) = left(bounds, &many, 1_001, Duration::ZERO);
        assert_eq!((error.as_str(), asked), ("host h: it gives more than 10000 bytes of parts", 10));
        assert!(longest <= ANSWER_TIMEOUT);
        let (error, asked, _) = left(bounds, &FromKeeper::PassedOver { message: "x".to_owned() }, 1, Duration::ZERO);
        assert_eq!((error.as_str(), asked), ("host h: it gives more than 1000 parts", 1_000));
        assert_eq!(left(bounds, &many, usize::MAX, Duration::ZERO).1, 1);
        let short = Taken { within: Duration::from_millis(50), ..bounds };
        let (error, asked, longest) = left(short, &many, 1, Duration::from_millis(20));
        assert_eq!(error, "host h: it gives parts for more than 0 s");
        assert!(asked <= 3 && longest <= short.within, "{asked} answers, {longest:?}");
        let (error, asked, _) = left(bounds, &FromKeeper::Refused { message: "no".to_owned() }, 1, Duration::ZERO);
        assert_eq!((error.as_str(), asked), ("host h: no", 1));
    }
}

//! Questions to an agent over its standard input, and its answers over its standard output: one line each.

use std::io::{BufRead, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{Error, Result};

/// Answers the questions of `input` on `output` until there are no more.
pub(crate) fn answer_each<Question: DeserializeOwned, Answer: Serialize>(
    input: impl BufRead,
    mut output: impl Write,
    mut answer: impl FnMut(Question) -> Answer,
) -> Result<()> {
    for line in input.lines() {
        let line = line.map_err(|error| Error::new(format!("no question can be read: {error}")))?;
        let question =
            serde_json::from_str(&line).map_err(|error| Error::new(format!("a question cannot be read: {error}")))?;
        say(&mut output, &answer(question))?;
    }
    Ok(())
}

/// Writes `answer` to `output`.
pub(crate) fn say(output: &mut impl Write, answer: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string(answer).expect("answers are plain data");
    let written = writeln!(output, "{text}").and_then(|()| output.flush());
    written.map_err(|error| Error::new(format!("an answer cannot be written: {error}")))
}

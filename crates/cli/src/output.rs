//! Standard output, standard error, and the exit codes.
//!
//! The one place through which every line reaches a terminal. Parts of what is printed were said by servers, hosts, agents and
//! records: no escape sequence of theirs passes (`Style::printable`).

use std::io::{self, IsTerminal, Write, stdout};
use std::process::ExitCode;

use report::Style;
use run::{Error, Fault, Result};

use crate::secret::without_passwords;

/// Default width of a page.
const WIDTH: usize = 80;

/// A terminal that reports fewer columns does not know its width.
const TERMINAL_MIN: usize = 40;

/// Writes `text`, which is for a reader, to the standard output. A closed pipe (`| head`) is no error.
///
/// # Errors
/// Where the stream cannot be written.
pub fn print(text: &str) -> Result<()> {
    write_out(&style().printable(text))
}

/// Writes `text`, which is for a program, to the standard output: as it is, unless that is a terminal.
///
/// # Errors
/// As for [`print()`].
pub fn print_data(text: &str) -> Result<()> {
    if stdout().is_terminal() { print(text) } else { write_out(text) }
}

fn write_out(text: &str) -> Result<()> {
    let mut stream = stdout().lock();
    let newline = if text.ends_with('\n') { "" } else { "\n" };
    match write!(stream, "{text}{newline}").and_then(|()| stream.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Error::environment(format!("standard output cannot be written: {error}"))),
    }
}

/// Writes a line to standard error.
pub fn note(text: &str) {
    write_error(text, "\n");
}

/// Asks a question on standard error; the answer is on the same line.
pub fn ask(question: &str) {
    write_error(question, " ");
}

/// A line as a terminal may show it, where something else writes it to standard error, such as a progress bar.
pub fn shown_line(text: &str) -> String {
    Style::default().printable(&without_passwords(text))
}

/// Writes `text` and `end` to standard error.
fn write_error(text: &str, end: &str) {
    // A closed stream is no error.
    let _ = write!(io::stderr(), "{}{end}", shown_line(text));
}

/// Colour only on a capable terminal, and never if `NO_COLOR` is set (see no-color.org).
pub fn style() -> Style {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
    Style { colour: stdout().is_terminal() && !refused && !dumb, ascii: stdout().is_terminal() && !is_utf8_locale() }
}

/// Whether the locale is UTF-8, by the order of variables of POSIX.
fn is_utf8_locale() -> bool {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let locale = set("LC_ALL").or_else(|| set("LC_CTYPE")).or_else(|| set("LANG"));
    locale.is_none_or(|locale| locale.to_lowercase().replace('-', "").contains("utf8"))
}

/// Columns of a page: those of [`columns`], or else 80.
pub fn width() -> usize {
    columns().unwrap_or(WIDTH)
}

/// The columns of `COLUMNS`, which overrides the terminal (POSIX), or else of the terminal. None where neither is
/// known: output to a file or pipe is not wrapped.
pub fn columns() -> Option<usize> {
    let given = std::env::var("COLUMNS").ok().and_then(|columns| columns.trim().parse().ok());
    let terminal = || rustix::termios::tcgetwinsize(stdout()).ok().map(|size| usize::from(size.ws_col));
    given.filter(|columns| *columns > 0).or_else(|| terminal().filter(|columns| *columns >= TERMINAL_MIN))
}

/// Prints what the parser of the command line says: help and version, or what is wrong, without words that may hold a
/// password.
pub fn refused(error: &clap::Error) -> ExitCode {
    // A closed stream is no error.
    let _ = match error.use_stderr() {
        true => {
            let (text, colour) = (error.render(), stderr_has_colour());
            let text = if colour { text.ansi().to_string() } else { text.to_string() };
            let shown = Style { colour, ascii: false }.printable(&without_passwords(&text));
            write!(io::stderr(), "{shown}")
        }
        false => error.print(),
    };
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// As [`style`], for the standard error.
fn stderr_has_colour() -> bool {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
    io::stderr().is_terminal() && !refused && !dumb
}

/// Prints the error. The exit code is 2 for the user's mistake, 1 for an error of the environment, 130 after Ctrl-C.
pub fn failed(error: &Error) -> ExitCode {
    let text = match error.fault {
        Fault::Interrupted => error.to_string(),
        _ => format!("error: {error}"),
    };
    note(&text);
    ExitCode::from(match error.fault {
        Fault::User => 2,
        Fault::Environment => 1,
        Fault::Interrupted => 130,
    })
}

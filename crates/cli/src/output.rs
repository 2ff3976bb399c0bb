//! What goes to the two streams, and the exit codes.

use std::io::{self, IsTerminal, Write, stdout};
use std::process::ExitCode;

use report::Style;
use run::{Error, Fault, Result};

/// Width where nobody says.
const WIDTH: usize = 80;

/// A terminal that says less does not know.
const TERMINAL_MIN: usize = 40;

/// Writes `text` to the standard output. A reader that has gone away (`| head`) is no error.
///
/// # Errors
/// Where the stream cannot be written.
pub fn print(text: &str) -> Result<()> {
    let mut stream = stdout().lock();
    let newline = if text.ends_with('\n') { "" } else { "\n" };
    match write!(stream, "{text}{newline}").and_then(|()| stream.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Error::environment(format!("standard output cannot be written: {error}"))),
    }
}

/// Writes a line of interest to the standard error stream.
pub fn note(text: &str) {
    // A reader of the stream that has gone away is no reason to stop.
    let _ = writeln!(io::stderr(), "{text}");
}

/// Colour only on a terminal that can show it, and never where `NO_COLOR` is set (see no-color.org).
pub fn style() -> Style {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
    Style { colour: stdout().is_terminal() && !refused && !dumb, ascii: stdout().is_terminal() && !speaks_unicode() }
}

/// Whether the locale of the terminal is one of UTF-8, in the order in which POSIX lets the variables decide.
fn speaks_unicode() -> bool {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let locale = set("LC_ALL").or_else(|| set("LC_CTYPE")).or_else(|| set("LANG"));
    locale.is_none_or(|locale| locale.to_lowercase().replace('-', "").contains("utf8"))
}

/// Columns of a page: those of [`columns`], or 80.
pub fn width() -> usize {
    columns().unwrap_or(WIDTH)
}

/// As many columns as `COLUMNS` says, which stands above the terminal (POSIX), or else as the terminal has. None where
/// neither says any: what goes into a file or a pipe need not be broken.
pub fn columns() -> Option<usize> {
    let asked = std::env::var("COLUMNS").ok().and_then(|columns| columns.trim().parse().ok());
    let terminal = || rustix::termios::tcgetwinsize(stdout()).ok().map(|size| usize::from(size.ws_col));
    asked.filter(|columns| *columns > 0).or_else(|| terminal().filter(|columns| *columns >= TERMINAL_MIN))
}

/// Says what went wrong. The exit code is 2 for the user's mistake, 1 for what the environment refuses, 130 after
/// Ctrl-C.
pub fn failed(error: &Error) -> ExitCode {
    let text = match error.fault {
        Fault::Interrupted => error.to_string(),
        _ => format!("error: {error}"),
    };
    let _ = writeln!(io::stderr(), "{text}");
    ExitCode::from(match error.fault {
        Fault::User => 2,
        Fault::Environment => 1,
        Fault::Interrupted => 130,
    })
}

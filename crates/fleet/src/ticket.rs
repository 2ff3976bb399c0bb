//! The way of a ticket to an agent: one line on its standard input.

use std::io::{BufRead, Read};

use record::Ticket;

use crate::error::{Error, Result};

/// The longest ticket: it names the files that may be loaded, of which a part of a run names as many.
const TICKET_BYTES_MAX: u64 = 8 << 20;

/// A ticket as a line.
pub(crate) fn ticket_line(ticket: &Ticket) -> String {
    serde_json::to_string(ticket).expect("a ticket is plain data")
}

/// Refuses a ticket that no agent would read.
pub(crate) fn check_size(ticket: &Ticket) -> Result<()> {
    // With its line feed.
    let size = ticket_line(ticket).len() as u64 + 1;
    match size > TICKET_BYTES_MAX {
        true => Err(Error::new(format!(
            "the names of files that an agent may read make a ticket of {size} bytes, and it takes {TICKET_BYTES_MAX}"
        ))
        .hint("load fewer files at once")),
        false => Ok(()),
    }
}

/// Reads a ticket: one line.
///
/// # Errors
/// Where it is none. The text is never part of the error.
pub fn read_ticket(from: &mut impl BufRead) -> Result<Ticket> {
    let mut line = String::new();
    let hint = "it is what a coordinator of the same version writes: one line";
    Read::take(from, TICKET_BYTES_MAX)
        .read_line(&mut line)
        .map_err(|error| Error::new(format!("no ticket on the standard input: {error}")).hint(hint))?;
    // The error of the parser may quote the text.
    serde_json::from_str(&line).map_err(|_| Error::new("no ticket on the standard input").hint(hint))
}

#[cfg(test)]
mod tests {
    use record::{Permitted, Seed};

    use super::*;

    #[test]
    fn a_ticket_that_no_agent_reads_is_not_handed_out() {
        let (url, fleet, agent) = ("nats://h:1".to_owned(), "f".to_owned(), "a".to_owned());
        let secret = || Seed("SUSECRET".to_owned());
        let permitted = Permitted { files: vec!["lineitem.tbl".repeat(9); 100_000], ..Permitted::default() };
        let ticket = Ticket { url, fleet, agent, seed: secret(), message_key: secret(), permitted };
        let error = check_size(&ticket).unwrap_err();
        assert!(error.message.contains("and it takes 8388608") && !error.message.contains("SECRET"), "{error:?}");
        assert_eq!(check_size(&Ticket { permitted: Permitted::default(), ..ticket }), Ok(()));
    }

    #[test]
    fn a_ticket_is_one_line_and_what_is_none_is_not_shown() {
        let (url, fleet, agent) = ("nats://h:1".to_owned(), "f".to_owned(), "a".to_owned());
        let secret = || Seed("SUSECRET".to_owned());
        let permitted = Permitted { files: vec!["cards.tbl".to_owned(); 1_000], ..Permitted::default() };
        let ticket = Ticket { url, fleet, agent, seed: secret(), message_key: secret(), permitted };
        assert!(!format!("{ticket:?}").contains("SECRET"));
        let line = ticket_line(&ticket);
        assert!(!line.contains('\n'));
        let text = format!("{line}\nmore");
        let mut rest = text.as_bytes();
        assert_eq!(read_ticket(&mut rest), Ok(ticket));
        assert_eq!(rest, b"more", "what follows is left");
        for text in ["", "\n", "SUSECRET", "{\"url\":\"SUSECRET\"}", &"S".repeat(9_999)] {
            let error = read_ticket(&mut text.as_bytes()).unwrap_err();
            assert_eq!(error.message, "no ticket on the standard input");
        }
        assert!(read_ticket(&mut &[0xff, 0xfe][..]).is_err());
    }
}

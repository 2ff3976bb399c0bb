//! Names in free text: those that are known, and what has the form of one.

use std::net::IpAddr;

use super::stand_ins::{Class, StandIns, is_kernel_path, is_letter_of_name, is_number};

/// Words before `=` whose values are names.
const NAMING: [&str; 26] = [
    "addr",
    "clientaddr",
    "credentials",
    "database",
    "db",
    "dbname",
    "domain",
    "host",
    "hostaddr",
    "hostname",
    "ip",
    "label",
    "login",
    "mountaddr",
    "nfsroot",
    "nqn",
    "owner",
    "partlabel",
    "rd.lvm.lv",
    "rd.lvm.vg",
    "role",
    "server",
    "service",
    "systemd.hostname",
    "user",
    "username",
];

/// What is quoted and is no name: words of this program begin so.
const OWN_PREFIX: &str = "dbdyno";

impl StandIns {
    /// `text` with stand-ins for names that are known, addresses, absolute paths, identifiers, and the values of
    /// options that name somebody.
    pub(crate) fn in_text(&mut self, text: &str) -> String {
        let mut text = text.to_owned();
        let odd: Vec<(String, String)> = self.odd().map(|(name, of)| (name.to_owned(), of.to_owned())).collect();
        for (name, stand_in) in odd {
            text = text.replace(&name, &stand_in);
        }
        let mut replaced = String::with_capacity(text.len());
        let mut rest = text.as_str();
        while let Some(first) = rest.chars().next() {
            let end = rest.find(|letter| !is_letter_of_name(letter)).unwrap_or(rest.len());
            if end == 0 {
                replaced.push(first);
                rest = &rest[first.len_utf8()..];
                continue;
            }
            let (word, after) = rest.split_at(end);
            let before = replaced.rsplit(|letter: char| letter.is_whitespace() || letter == ',').next();
            let is_named = before
                .and_then(|before| before.strip_suffix('='))
                // `root=LABEL=name`.
                .and_then(|before| before.rsplit('=').next())
                .is_some_and(|key| NAMING.contains(&key.trim_matches('"').to_lowercase().as_str()));
            let word = if is_named { self.value(word) } else { self.word(word) };
            replaced.push_str(&word);
            rest = after;
        }
        replaced
    }

    /// The same of a message, in which also what stands in quotes may be a name.
    pub(crate) fn in_message(&mut self, text: &str) -> String {
        let mut replaced = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find(['"', '\'', '`']) {
            let (before, from) = rest.split_at(at);
            let Some(quote) = from.chars().next() else { break };
            let is_open = !before.chars().next_back().is_some_and(char::is_alphanumeric);
            let quoted = from[1..].split(quote).next().filter(|quoted| is_open && quoted.len() + 1 < from.len());
            replaced.push_str(&self.in_text(before));
            replaced.push(quote);
            rest = &from[1..];
            if let Some(quoted) = quoted {
                let is_own = quote == '`' || quoted.starts_with(OWN_PREFIX) || quoted.contains(' ');
                let word = if is_own { self.in_text(quoted) } else { self.value(quoted) };
                replaced.push_str(&word);
                replaced.push(quote);
                rest = &from[quoted.len() + 2..];
            }
        }
        replaced.push_str(&self.in_text(rest));
        replaced
    }

    /// The value of a setting whose name is `name`: numbers and single words say nothing of anybody.
    pub(crate) fn in_setting(&mut self, name: &str, text: &str) -> String {
        let is_naming = ["name", "host", "user", "role", "label", "domain", "identifier", "ident", "schema"]
            .iter()
            .any(|part| name.to_lowercase().contains(part));
        let is_word =
            text.len() <= 24 && text.chars().all(|letter| letter.is_ascii_alphabetic() || "_-".contains(letter));
        match text {
            _ if is_number(text) => text.to_owned(),
            _ if is_naming || name.contains("command") || name.contains("conninfo") => self.value(text),
            _ if is_word => self.word(text),
            _ => self.in_text(text),
        }
    }

    /// A target: its kind, and a stand-in for the rest. What it names is known from then on.
    pub(crate) fn target(&mut self, text: &str) -> String {
        let is_plain = text.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-');
        let kind = text.split(':').next().filter(|kind| kind.len() < text.len());
        match (is_plain, text.strip_prefix("local:"), kind) {
            (true, _, _) => return text.to_owned(),
            (_, Some(engine), _) if engine.chars().all(|letter| letter.is_ascii_alphanumeric()) => {
                return text.to_owned();
            }
            _ => {}
        }
        self.parts_of_target(text);
        let stand_in = self.of(Class::Target, text);
        let is_kind = |kind: &&str| kind.chars().all(|letter| letter.is_ascii_lowercase());
        match kind.filter(is_kind) {
            Some(kind) if text[kind.len()..].starts_with("://") => format!("{kind}://{stand_in}"),
            Some(kind) => format!("{kind}:{stand_in}"),
            None => stand_in,
        }
    }

    /// Makes hosts, users, databases and files known that a target names.
    fn parts_of_target(&mut self, text: &str) {
        for pair in text.split([' ', '?', '&', ';', ',', '(', ')']) {
            let Some((key, value)) = pair.split_once('=') else { continue };
            match key.trim().to_lowercase().as_str() {
                "host" | "hostaddr" | "server" => drop(self.of(Class::Host, value)),
                "user" | "username" => drop(self.of(Class::User, value)),
                "dbname" | "database" | "service" | "service_name" | "sid" => drop(self.of(Class::Label, value)),
                _ => {}
            }
        }
        let Some((_, rest)) = text.split_once("://") else {
            let after = text.split_once(':').map_or(text, |(_, rest)| rest);
            if after.contains('/') {
                self.of(Class::Path, after.trim_start_matches('@'));
            }
            return;
        };
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let (user, hosts) = authority.rsplit_once('@').map_or(("", authority), |(user, hosts)| (user, hosts));
        self.of(Class::User, user.split(':').next().unwrap_or_default());
        for host in hosts.split(',').map(|host| host.split('?').next().unwrap_or_default()) {
            let name = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
                Some((address, _)) => address,
                None => host.rsplit_once(':').map_or(host, |(name, _)| name),
            };
            self.of(Class::Host, name);
        }
        self.of(Class::Label, path.split('?').next().unwrap_or_default());
    }

    /// A word that is a name, whatever it looks like.
    fn value(&mut self, word: &str) -> String {
        match self.known(word) {
            Some(known) => known.to_owned(),
            None if is_address(word) => self.of(Class::Address, word),
            None if word.starts_with('/') => self.of(Class::Path, word),
            None => self.of(Class::Label, word),
        }
    }

    /// A word of a text, which may begin with a name, end with one, or look like one.
    fn word(&mut self, word: &str) -> String {
        let ends: Vec<usize> = boundaries(word);
        let mut replaced = String::with_capacity(word.len());
        let mut from = 0;
        while from < word.len() {
            let part = |to: &usize| (*to > from).then(|| (&word[from..*to], *to));
            let candidates = ends.iter().rev().filter_map(part);
            let found = candidates.into_iter().find_map(|(part, to)| Some((self.known_in_text(part)?.to_owned(), to)));
            let found = found.or_else(|| {
                ends.iter()
                    .rev()
                    .filter_map(part)
                    .find_map(|(part, to)| Some((self.by_form(part, part.len() == word.len())?, to)))
            });
            match found {
                Some((stand_in, to)) => {
                    replaced.push_str(&stand_in);
                    from = to;
                }
                None => {
                    let to = ends.iter().copied().find(|end| *end > from).unwrap_or(word.len());
                    replaced.push_str(&word[from..to]);
                    from = to;
                }
            }
        }
        replaced
    }

    /// A stand-in for what has the form of a name: an address, a path that is all of a word, an identifier.
    fn by_form(&mut self, part: &str, is_whole: bool) -> Option<String> {
        let trimmed = part.trim_end_matches(['.', ':', '/']);
        let is_path = is_whole
            && trimmed.len() > 2
            && trimmed.starts_with('/')
            && trimmed[1..].starts_with(|letter: char| letter.is_alphabetic() || ".~_".contains(letter))
            && !is_kernel_path(trimmed);
        let class = match () {
            () if is_address(part) => Class::Address,
            () if is_path => Class::Path,
            () if is_identifier(part) => Class::Serial,
            () => return None,
        };
        let name = if is_path { trimmed } else { part };
        Some(self.of(class, name) + &part[name.len()..])
    }
}

/// Where parts of a word may begin and end: between a letter or digit and something else.
fn boundaries(word: &str) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut before: Option<bool> = None;
    for (at, letter) in word.char_indices() {
        let is_inner = letter.is_alphanumeric() || letter == '_';
        if before.is_some_and(|before| !(before && is_inner)) {
            ends.push(at);
        }
        before = Some(is_inner);
    }
    ends.push(word.len());
    ends
}

fn is_address(part: &str) -> bool {
    let pairs = |separator| part.split(separator).all(|pair| pair.len() == 2 && is_hexadecimal(pair));
    let is_hardware = part.len() == 17 && (pairs(':') || pairs('-'));
    // A version such as 1.2.3.4 looks the same; a time such as 12:00:00 does not.
    is_hardware || part.parse::<IpAddr>().is_ok_and(|address| !address.is_loopback() && !address.is_unspecified())
}

/// Whether it is a universally unique identifier, or the worldwide name of a device.
fn is_identifier(part: &str) -> bool {
    let groups: Vec<&str> = part.split('-').collect();
    let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    let is_unique = lengths == [8, 4, 4, 4, 12] && groups.iter().all(|group| is_hexadecimal(group));
    let is_worldwide = ["eui.", "naa.", "0x"]
        .iter()
        .any(|kind| part.strip_prefix(kind).is_some_and(|rest| rest.len() >= 16 && is_hexadecimal(rest)));
    is_unique || is_worldwide || part.starts_with("nqn.") || part.starts_with("iqn.")
}

fn is_hexadecimal(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_in_messages_are_replaced_and_the_rest_stays() {
        let mut names = StandIns::default();
        names.of(Class::Host, "db1");
        for (text, expected) in [
            ("db1: connection to db1:5432 refused", "host-1: connection to host-1:5432 refused"),
            ("db12 and xdb1 stay", "db12 and xdb1 stay"),
            ("from 192.0.2.7:5432, [2001:db8::7]", "from address-1:5432, [address-2]"),
            ("/srv/acme/pg: no space left", "/path-1: no space left"),
            (
                "read of /sys/block/sda at 12:00:00, 3 stmt/s and/or",
                "read of /sys/block/sda at 12:00:00, 3 stmt/s and/or",
            ),
            ("rw,addr=192.0.2.7,username=jane,vers=4.2", "rw,addr=address-1,username=label-1,vers=4.2"),
            ("root=UUID=0a1b2c3d-1111-2222-3333-444455556666 quiet", "root=UUID=serial-1 quiet"),
            ("link 52:54:00:12:34:56 is down", "link address-3 is down"),
            ("127.0.0.1 and version 6.12.1", "127.0.0.1 and version 6.12.1"),
        ] {
            assert_eq!(names.in_text(text), expected);
        }
        let denied = "FATAL: password authentication failed for user \"jane\", 'jim'@'10.1.2.3'; it's `--jobs 2`";
        let expected =
            "FATAL: password authentication failed for user \"label-1\", 'label-2'@'address-4'; it's `--jobs 2`";
        assert_eq!(names.in_message(denied), expected);
    }

    #[test]
    fn a_record_that_is_called_as_a_word_changes_no_text() {
        let mut names = StandIns::default();
        for (class, name) in [(Class::Record, "load"), (Class::Label, "crm"), (Class::Path, "/")] {
            names.of(class, name);
        }
        assert_eq!(names.in_text("bulk load of crm, usercopy/swapgs / x"), "bulk load of label-1, usercopy/swapgs / x");
        assert_eq!(names.of(Class::Record, "load"), "record-1");
    }

    #[test]
    fn a_target_keeps_its_kind_and_what_it_names_is_known() {
        let mut names = StandIns::default();
        for plain in ["file", "local:server", "null"] {
            assert_eq!(names.target(plain), plain);
        }
        assert_eq!(names.target("engine://jane@db7.example.net,db8:5433/crm?sslmode=require"), "engine://target-1");
        assert_eq!(names.target("file:/home/jim/crm.db"), "file:target-2");
        assert_eq!(names.target("host=db9 user=ann dbname=hr"), "target-3");
        for known in ["jane", "db7", "db7.example.net", "db8", "crm", "jim", "db9", "ann", "hr"] {
            assert!(names.known(known).is_some(), "{known}");
        }
    }

    #[test]
    fn settings_keep_numbers_and_words() {
        let mut names = StandIns::default();
        for (name, value, expected) in [
            ("shared_buffers", "128MB", "128MB"),
            ("wal_sync_method", "fdatasync", "fdatasync"),
            ("cluster_name", "crm", "label-1"),
            ("data_directory", "/srv/crm", "/path-1"),
            ("archive_command", "scp %p jane@backup:", "label-2"),
            ("listen_addresses", "192.0.2.1", "address-1"),
        ] {
            assert_eq!(names.in_setting(name, value), expected, "{name}");
        }
    }

    proptest! {
        #[test]
        fn no_text_is_too_much(text in ".{0,200}") {
            let mut names = StandIns::default();
            names.of(Class::Host, "db1");
            names.of(Class::Path, "/a b");
            names.in_message(&text);
            names.target(&text);
            names.in_setting("x", &text);
        }
    }
}

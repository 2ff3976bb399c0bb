//! The hosts of a fleet, one line each, and the way to them.

use std::path::Path;

use crate::error::{Error, Result};
use crate::subject::is_agent_name;

/// A host on which an agent is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteHost {
    /// Name of its agent.
    pub name: String,
    /// How a command is started on it.
    pub way: Way,
    /// The program on it; absent where a copy of this one is put there.
    pub program: Option<String>,
    /// Directory on it: below it an agent makes one of its own, or in it are the data of an observed server.
    pub directory: Option<String>,
    /// Program of the server that is observed; absent where its port tells it.
    pub server: Option<String>,
    /// A command on it under which the agent is started, such as one that makes a unit with limits; empty for none.
    pub under: Vec<String>,
}

/// How a command is started on a host. Its standard input and output are those of the command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Way {
    /// By `ssh`, to this destination.
    Ssh(String),
    /// By a command of the user, to which the command is added.
    Command(Vec<String>),
}

impl RemoteHost {
    /// The host of one line: a destination of `ssh`, and any of `name=`, `program=`, `dir=`, `server=`, `via=`, `under=` in
    /// words of a shell.
    ///
    /// # Errors
    /// For a word that means nothing, and a name that cannot be one.
    pub fn parse(line: &str) -> Result<RemoteHost> {
        let words = shlex::split(line).ok_or_else(|| Error::new("a quotation mark is not closed"))?;
        let mut words = words.into_iter();
        let destination = words.next().unwrap_or_default();
        if destination.is_empty() || destination.starts_with('-') || destination.contains('=') {
            return Err(Error::new(format!("it begins with {:?}, which is no host", key(&destination)))
                .hint("a line is a host as ssh knows it, then options: db1 name=left dir=/srv/dbdyno"));
        }
        let login =
            destination.strip_prefix("ssh://").unwrap_or(&destination).rsplit_once('@').map_or("", |(login, _)| login);
        if login.contains(':') {
            return Err(Error::new("the login of a host has a password, which ssh does not take")
                .hint("leave it out, and use a key that needs none: me@db1"));
        }
        let mut name = host_name(&destination);
        let (mut program, mut via, mut directory, mut server, mut under) = (None, None, None, None, Vec::new());
        for word in words {
            let (key, value) = word.split_once('=').unwrap_or((&word, ""));
            match key {
                _ if value.is_empty() => return Err(unknown(&destination, &word)),
                "name" => value.clone_into(&mut name),
                "program" => program = Some(value.to_owned()),
                "dir" => directory = Some(value.to_owned()),
                "server" => server = Some(value.to_owned()),
                "via" => via = shlex::split(value).filter(|words| !words.is_empty()),
                "under" => {
                    under = shlex::split(value)
                        .filter(|words| !words.is_empty())
                        .ok_or_else(|| unknown(&destination, &word))?;
                }
                _ => return Err(unknown(&destination, &word)),
            }
        }
        if !is_agent_name(&name) {
            return Err(Error::new(format!("{name:?} cannot be the name of an agent"))
                .hint("use up to 40 ASCII letters, digits, - and _"));
        }
        let way = via.map_or(Way::Ssh(destination), Way::Command);
        Ok(RemoteHost { name, way, program, directory, server, under })
    }

    /// The hosts of a file: one line each; empty lines and comments after `#` count as none. A host that is named
    /// again has a number after its name.
    ///
    /// # Errors
    /// For a line that is no host, and for a file without one.
    pub fn parse_file(text: &str) -> Result<Vec<RemoteHost>> {
        let is_host = |line: &&str| !line.is_empty() && !line.starts_with('#');
        let mut hosts: Vec<RemoteHost> = Vec::new();
        for (line, number) in text.lines().map(str::trim).zip(1..).filter(|(line, _)| is_host(line)) {
            let numbered = |error: Error| Error { message: format!("line {number}: {}", error.message), ..error };
            let mut host = RemoteHost::parse(line).map_err(numbered)?;
            if host.server.is_some() {
                return Err(Error::new(format!("host {}: server= is for the host of a server", host.name))
                    .hint("leave it out here; --observe takes it"));
            }
            let plain = host.name.clone();
            let mut number = 2;
            while hosts.iter().any(|known| known.name == host.name) {
                host.name = format!("{plain}-{number}");
                number += 1;
            }
            hosts.push(host);
        }
        if hosts.is_empty() {
            return Err(Error::new("no host is named").hint("write one line for each: a host as ssh knows it"));
        }
        Ok(hosts)
    }

    /// The command that starts the words of `command` on this host.
    pub(crate) fn command(&self, command: &[&str]) -> Vec<String> {
        let command = self.under.iter().map(String::as_str).chain(command.iter().copied());
        match &self.way {
            Way::Command(words) if is_ssh(words) => words.iter().cloned().chain([one_line(command)]).collect(),
            Way::Command(words) => words.iter().cloned().chain(command.map(str::to_owned)).collect(),
            Way::Ssh(destination) => {
                // No question can be answered, and a connection that has ended is noticed. A host that is measured has no use
                // of the keys of the user, nor of ways back to this machine.
                let options = "-T -a -x -o BatchMode=yes -o ConnectTimeout=10 -o ServerAliveInterval=5 \
                               -o ClearAllForwardings=yes -o PermitLocalCommand=no";
                let own = ["ssh"].into_iter().chain(options.split_whitespace()).map(str::to_owned);
                own.chain(["--".to_owned(), destination.clone(), one_line(command)]).collect()
            }
        }
    }
}

/// Whether `words` are a command of `ssh`: it joins its words with blanks, and a shell on the other side divides them again.
fn is_ssh(words: &[String]) -> bool {
    words.first().is_some_and(|program| Path::new(program).file_name().is_some_and(|name| name == "ssh"))
}

/// The line that a shell divides into the words of `command`.
fn one_line<'a>(command: impl Iterator<Item = &'a str>) -> String {
    command.map(quoted).collect::<Vec<_>>().join(" ")
}

/// The part of `word` before its value, which may be a password.
pub(crate) fn key(word: &str) -> &str {
    word.split_once('=').map_or(word, |(key, _)| &word[..=key.len()])
}

/// `word` in quotation marks that all shells of Unix know.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn unknown(host: &str, word: &str) -> Error {
    Error::new(format!("host {host}: {:?} is no option of a host", key(word)))
        .hint("use name=NAME, program=PATH, dir=DIR, server=PROGRAM, via=\"COMMAND ...\", under=\"COMMAND ...\"")
}

/// The name of an agent by its destination: without user, port and what cannot be in a name.
fn host_name(destination: &str) -> String {
    let host = destination.strip_prefix("ssh://").unwrap_or(destination);
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let letters = host.chars().map(|letter| if is_agent_name(&letter.to_string()) { letter } else { '-' });
    letters.take(40).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ssh(name: &str, destination: &str) -> RemoteHost {
        let way = Way::Ssh(destination.to_owned());
        RemoteHost { name: name.to_owned(), way, program: None, directory: None, server: None, under: Vec::new() }
    }

    #[test]
    fn a_file_has_a_host_on_each_line() {
        let text = "# load generators\n\n db1 \nme@10.0.0.5   # not the other one\nssh://h:2222 dir='/srv/a b' program=/opt/dbdyno\n\
                    pod name=p via=\"kubectl exec -i loader-1 --\"\ndb1\ndb1\n";
        let hosts = RemoteHost::parse_file(text).unwrap();
        let pod = ["kubectl", "exec", "-i", "loader-1", "--"].map(str::to_owned).to_vec();
        let expected = [
            ssh("db1", "db1"),
            ssh("10-0-0-5", "me@10.0.0.5"),
            RemoteHost {
                directory: Some("/srv/a b".to_owned()),
                program: Some("/opt/dbdyno".to_owned()),
                ..ssh("h-2222", "ssh://h:2222")
            },
            RemoteHost { way: Way::Command(pod), ..ssh("p", "") },
            ssh("db1-2", "db1"),
            ssh("db1-3", "db1"),
        ];
        assert_eq!(hosts, expected);
    }

    #[test]
    fn what_is_no_host_is_refused_by_name() {
        for (text, message) in [
            ("", "no host is named"),
            ("# none\n", "no host is named"),
            ("-oProxyCommand=evil", "which is no host"),
            ("name=x", "which is no host"),
            ("db0\n\nme:tiger@db1", "line 3: the login of a host has a password"),
            ("db1 port=22", "host db1: \"port=\" is no option of a host"),
            ("db1 password=tiger", "host db1: \"password=\" is no option of a host"),
            ("password=tiger", "it begins with \"password=\", which is no host"),
            ("db1 fast", "host db1: \"fast\" is no option of a host"),
            ("db1 under='\"x'", "host db1: \"under=\" is no option of a host"),
            ("db1 name=", "host db1: \"name=\" is no option of a host"),
            ("db1 name=a.b", "\"a.b\" cannot be the name of an agent"),
            ("db1 server=engine", "host db1: server= is for the host of a server"),
            ("db1 dir='x", "a quotation mark is not closed"),
        ] {
            let error = RemoteHost::parse_file(text).unwrap_err();
            assert!(error.message.contains(message) && !error.message.contains("tiger"), "{text:?}: {error}");
        }
    }

    #[test]
    fn words_reach_the_other_side_as_they_are() {
        let words = ["sh", "-c", "echo \"$1\" it's", "x y"];
        let command = ssh("h", "h").command(&words);
        assert_eq!(command.first().map(String::as_str), Some("ssh"));
        assert_eq!(shlex::split(command.last().unwrap()).unwrap(), words);
        let via = RemoteHost { way: Way::Command(vec!["env".to_owned()]), ..ssh("h", "h") };
        assert_eq!(via.command(&words)[1..], words);
    }

    /// What `ssh` has a shell on the other side do: its words after the destination, joined with blanks.
    fn by_remote_shell(words: &[String], destination: &str) -> Vec<String> {
        let place = words.iter().position(|word| word == destination).unwrap();
        shlex::split(&words[place + 1..].join(" ")).unwrap()
    }

    #[test]
    fn words_reach_the_other_side_as_they_are_through_an_ssh_of_the_user_and_under_a_command() {
        let words = ["sh", "-c", "echo \"$1\" it's; p=$3", "x y", ""];
        let unit = ["systemd-run", "--quiet", "--property=CPUQuota=400%", "--"];
        let expected: Vec<&str> = unit.into_iter().chain(words).collect();
        for line in [
            "h via=\"ssh -p 22 h systemd-run --quiet --property=CPUQuota=400% --\"",
            "h via=\"/usr/bin/ssh h\" under=\"systemd-run --quiet --property=CPUQuota=400% --\"",
            "h under=\"systemd-run --quiet --property=CPUQuota=400% --\"",
        ] {
            let host = RemoteHost::parse(line).unwrap();
            assert_eq!(by_remote_shell(&host.command(&words), "h"), expected, "{line}");
        }
        let pod = RemoteHost::parse("h via=\"kubectl exec -i ssh --\" under=\"nice -n 5\"").unwrap();
        let expected = ["kubectl", "exec", "-i", "ssh", "--", "nice", "-n", "5"];
        assert_eq!(pod.command(&words), expected.into_iter().chain(words).collect::<Vec<_>>());
    }

    #[test]
    fn a_measured_host_gets_neither_keys_nor_ways_back() {
        let command = ssh("h", "h").command(&["true"]);
        for option in ["-a", "-x", "ClearAllForwardings=yes", "PermitLocalCommand=no", "BatchMode=yes"] {
            assert!(command.iter().any(|word| word == option), "{option}: {command:?}");
        }
        assert_eq!(command[command.len() - 3..], ["--", "h", "'true'"]);
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "(([a-z@.-]{1,8}|(name|dir|via|under|x)=[a-z\"' -]{0,9}|#|\\PC)[ \n]?)*") {
            if let Ok(hosts) = RemoteHost::parse_file(&text) {
                for (index, host) in hosts.iter().enumerate() {
                    prop_assert!(is_agent_name(&host.name));
                    prop_assert!(hosts[..index].iter().all(|other| other.name != host.name));
                }
            }
        }
    }
}

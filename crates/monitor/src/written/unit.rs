//! A unit for systemd, in which the monitor can do nothing but what it is for.

/// A unit that starts `command`, the words of a command line, and may write to `directories`.
pub fn unit(command: &[String], directories: &[String]) -> String {
    let words: Vec<String> = command.iter().map(|word| quoted(word)).collect();
    let writable: String = directories.iter().map(|directory| writable(directory)).collect();
    UNIT.replace("{command}", &words.join(" ")).replace("{writable}", &writable)
}

/// The lines for a directory of storage that is watched.
fn writable(directory: &str) -> String {
    let directory = quoted(directory);
    format!(
        "# The user of this unit has to be allowed to write there: in place of DynamicUser, set User=.\nReadWritePaths={directory}\n"
    )
}

/// `word` as systemd reads it: in quotation marks where it has spaces, without specifiers and variables.
fn quoted(word: &str) -> String {
    let escaped = word.replace('\\', "\\\\").replace('%', "%%").replace('$', "$$").replace('"', "\\\"");
    // A line that ends would begin another setting of the unit.
    let escaped = escaped.replace('\n', "\\n").replace('\r', "\\r");
    match word.is_empty() || word.contains(|letter: char| letter.is_whitespace() || "\"';".contains(letter)) {
        true => format!("\"{escaped}\""),
        false => escaped,
    }
}

const UNIT: &str = "\
# Written by `dbdyno monitor unit`. A password belongs into a file of the client of the engine that the unit's user
# alone reads, not into this line. On the host of the database it dies with it: Prometheus elsewhere notices.
[Unit]
Description=A database held to its promise (dbdyno monitor)
Wants=network-online.target
After=network-online.target

[Service]
ExecStart={command}
Restart=always
RestartSec=5
KillSignal=SIGINT
TimeoutStopSec=30
DynamicUser=yes
StateDirectory=dbdyno-monitor
WorkingDirectory=/var/lib/dbdyno-monitor
{writable}Nice=-5
OOMScoreAdjust=-100
MemoryMax=512M
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
ProtectClock=yes
ProtectHostname=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
MemoryDenyWriteExecute=yes
CapabilityBoundingSet=
SystemCallArchitectures=native
SystemCallFilter=@system-service
UMask=0077

[Install]
WantedBy=multi-user.target
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_with_a_meaning_to_systemd_are_escaped() {
        let words = ["dbdyno", "monitor", "engine://h/a%20b", "my file", "$HOME", "a\nUser=root"].map(str::to_owned);
        let text = unit(&words, &["/my data".to_owned()]);
        assert!(
            text.contains("ExecStart=dbdyno monitor engine://h/a%%20b \"my file\" $$HOME \"a\\nUser=root\"\n"),
            "{text}"
        );
        assert!(text.contains("ReadWritePaths=\"/my data\"\n"), "{text}");
    }
}

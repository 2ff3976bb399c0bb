//! Ways to hosts that are not quite as they should be: a unit around the agent, a host that takes nothing, or says nothing.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use crate::aborted::signal;
use crate::bench::Bench;
use crate::fleet_hosts::{wait_until, write};
use crate::ssh_server::SshServer;

/// So long a command of these tests stays by itself.
const STAYS: Duration = Duration::from_secs(600);

/// A command with options, `--`, and the words that it starts, as one that makes a unit has. Like a manager of services it
/// replaces `${NAME}` and `$$` in these words, and words that are `$NAME`.
const UNIT: &str = r#"#!/usr/bin/env python3
import os, re, sys
words = sys.argv[1:]
options, command = words[:words.index("--")], words[words.index("--") + 1:]
with open(os.path.dirname(os.path.abspath(__file__)) + "/unit.log", "a") as log:
    log.write(" ".join(options) + "\n")
variable = lambda found: os.environ.get(found.group(1), "")
replaced = [re.sub(r"\$\{([^}]*)\}", variable, re.sub(r"^\$([A-Za-z_]\w*)$", variable, word)).replace("$$", "$") for word in command]
os.environ["IN_A_UNIT"] = "1"
os.execvp(replaced[0], replaced)
"#;

#[test]
fn an_agent_has_a_unit_of_its_own_on_a_host_behind_ssh() {
    let bench = Bench::new();
    let server = SshServer::start(&bench, None);
    let unit = write(&bench, "unit", UNIT);
    fs::set_permissions(&unit, fs::Permissions::from_mode(0o755)).unwrap();
    let unit = format!("{} --quiet --property=CPUQuota=400% --", unit.display());
    let dir = bench.path().display();
    let lines = [
        format!("far name=one dir={dir} via=\"ssh far {unit}\""),
        format!("far name=two dir={dir} under=\"{unit}\""),
        format!("far name=three dir={dir} via=\"ssh -T far\" under=\"{unit}\""),
    ];
    write(&bench, "hosts", &lines.join("\n"));
    let mut check = bench.command(&["fleet", "check", "--hosts", "hosts"]);
    let output = check.env("PATH", server.path()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    let log = fs::read_to_string(bench.path().join("unit.log")).unwrap();
    assert_eq!(log.lines().collect::<Vec<_>>(), ["--quiet --property=CPUQuota=400%"; 3]);
    assert!(bench.path().join("cache/dbdyno").is_dir(), "the program is where the host keeps such things");
}

#[test]
fn a_host_that_takes_no_program_is_left_at_once_when_the_user_wants_it() {
    let arch = std::env::consts::ARCH;
    for script in [
        format!("echo dbdyno-host Linux {arch}; echo absent; exec sleep {}", STAYS.as_secs()),
        format!("echo dbdyno-host Linux {arch}; exec sleep {}", STAYS.as_secs()),
        "exec yes".to_owned(),
    ] {
        let bench = Bench::new();
        write(&bench, "hosts", &format!("x via='sh -c \"touch started; {script}\"'"));
        let start = Instant::now();
        let child = bench.start(&["fleet", "check", "--hosts", "hosts"]);
        wait_until("the host is not reached", || bench.path().join("started").exists());
        // It has something to write, or to read, by then; if not, the interruption is seen before.
        std::thread::sleep(Duration::from_secs(1));
        signal(child.id(), "INT");
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains("interrupted"), "{script}: {said}");
        assert_eq!(output.status.code(), Some(130), "{script}: {said}");
        assert!(start.elapsed() < STAYS / 20, "{script}: it waited for the host");
    }
}

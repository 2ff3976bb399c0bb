//! Agents on other hosts: over a command, over a real ssh server, and on the host of a server in a network of its own.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::bench::{Bench, runs};
use crate::far_server::FarServer;
use crate::ssh_server::SshServer;

const PATIENCE: Duration = Duration::from_secs(30);

pub fn is_root() -> bool {
    rustix::process::getuid().is_root()
}

/// Runs a program of the system to its end.
pub fn system(program: &str, arguments: &[&str]) {
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).output();
    let output = output.unwrap_or_else(|error| panic!("{program}: {error}"));
    assert!(output.status.success(), "{program} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Waits until `is_so`.
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

pub fn write(bench: &Bench, name: &str, text: &str) -> PathBuf {
    let path = bench.path().join(name);
    fs::write(&path, text).unwrap();
    path
}

/// Processes with all of `words` among their arguments.
pub fn processes(words: &[&str]) -> Vec<u32> {
    let entries = fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let has_all = |pid: &u32| {
        let line = crate::local_server::command_line(*pid);
        words.iter().all(|word| line.split('\0').any(|argument| argument == *word))
    };
    entries.filter(has_all).collect()
}

#[test]
fn agents_on_hosts_of_a_file_carry_out_one_run() {
    let bench = Bench::new();
    let home = bench.path().join("home");
    fs::create_dir(&home).unwrap();
    let via = format!("via=\"env -u XDG_CACHE_HOME HOME={}\"", home.display());
    write(&bench, "hosts", &format!("# both are this machine\nleft {via}\nright {via} dir=home\n"));
    let words = "fleet run --hosts hosts --target null --tests T611 --jobs 4 --steps 23 --preset smoke --no-html --record f.jsonl";
    let output = bench.run(&words.split(' ').collect::<Vec<_>>());
    // Where the machine is busy, 92 steps of nanoseconds are no valid run; it is measured all the same.
    let is_measured = output.code == 0 || output.err.contains("no run is valid");
    assert!(is_measured, "{}{}", output.out, output.err);
    assert!(output.out.contains("by 2 agents (left, right), which started within"), "{}", output.out);
    let record = bench.record("f.jsonl");
    assert_eq!(record["plan"]["agent_hosts"], serde_json::json!(["left", "right"]));
    let run = &record["runs"][0];
    assert_eq!(run["totals"]["steps"], 4 * 23, "23 of each job");
    let hosts = record["agent_hosts"].as_array().unwrap();
    assert_eq!(hosts.iter().map(|host| &host["agent"]).collect::<Vec<_>>(), ["left", "right"]);
    let details = bench.succeed(&["report", "f.jsonl", "--details"]).out;
    let details = details.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(details.contains("on one machine, which they share: agents left, right"), "{details}");
    assert!(details.contains("Hosts of the agents"), "{details}");
    assert_eq!(run["agents"].as_array().unwrap().len(), 2);
    // The program was put there once, and is the same.
    let copies: Vec<PathBuf> =
        fs::read_dir(home.join(".cache/dbdyno")).unwrap().map(|entry| entry.unwrap().path().join("dbdyno")).collect();
    assert_eq!(copies.len(), 1);
    assert!(fs::read(&copies[0]).unwrap() == fs::read(env!("CARGO_BIN_EXE_dbdyno")).unwrap(), "another program");
    assert_eq!(fs::read_dir(&home).unwrap().count(), 1, "no directory of an agent is left");
    let here = bench.run(&["fleet", "run", "--agents", "2", "--resume", "f.jsonl"]);
    assert_eq!(here.code, 2);
    assert!(here.err.contains("are of a fleet on left, right, and this would be a fleet of 2"), "{}", here.err);
    assert!(here.err.contains("dbdyno fleet run --hosts FILE --target null --resume f.jsonl"), "{}", here.err);
}

#[test]
fn hosts_that_cannot_be_used_are_named_with_what_they_said() {
    let bench = Bench::new();
    let kind = "via='sh -c \"echo greetings; echo dbdyno-host Linux riscv64; cat\"'";
    for (line, code, messages) in [
        ("x via=false", 1, &["host x: the command has ended"][..]),
        ("x via='sh -c \"echo too bad >&2; exit 3\"'", 1, &["host x: the command has ended: too bad"]),
        ("x via=no-such-program", 1, &["host x: no-such-program cannot be started"]),
        (&format!("x {kind}"), 1, &["host x: it is Linux riscv64, and this program is for", "hint: ", "program=PATH"]),
        ("x via=env program=/bin/false", 1, &["x", "has ended"]),
        ("x via=env program=/none", 1, &["host x: ", "no program /none"]),
        ("x port=22", 2, &["hosts: line 1: host x: \"port=\" is no option of a host", "hint: "]),
        ("", 2, &["hosts: no host is named", "hint: "]),
    ] {
        write(&bench, "hosts", line);
        let output = bench.run(&["fleet", "check", "--hosts", "hosts"]);
        assert_eq!(output.code, code, "{line}: {}", output.err);
        for message in messages {
            assert!(output.err.contains(message), "{line}: {}", output.err);
        }
    }
    let output = bench.run(&["fleet", "check", "--hosts", "none"]);
    assert_eq!(output.code, 2);
    assert!(output.err.contains("the file of hosts none cannot be read"), "{}", output.err);
    assert!(bench.run(&["fleet", "check", "--hosts", "hosts", "--agents", "2"]).err.contains("cannot be used with"));
}

#[test]
fn hosts_are_reached_over_ssh_and_nothing_secret_is_in_arguments() {
    let bench = Bench::new();
    let server = SshServer::start(&bench, None);
    let work = bench.path().join("it's a dir");
    fs::create_dir(&work).unwrap();
    write(&bench, "hosts", &format!("far name=one dir=\"{0}\"\nfar name=two dir=\"{0}\"\n", work.display()));
    let words =
        "fleet run --hosts hosts --target local:postgres --tests T611 --jobs 2 --preset smoke --duration 2s --no-html";
    let arguments: Vec<&str> = words.split(' ').chain(["--record", "f.jsonl"]).collect();
    let child = bench.command(&arguments).env("PATH", server.path()).spawn().unwrap();
    let mut seen = Vec::new();
    wait_until("no agents", || {
        seen = processes(&["agent", "--join", &work.display().to_string()]);
        seen.len() == 2
    });
    for pid in &seen {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let line = crate::local_server::command_line(*pid);
        // Seeds of users of the message server begin with SU and have 58 characters.
        for text in [&line, &String::from_utf8_lossy(&environment).into_owned()] {
            let is_seed = |word: &str| word.len() == 58 && word.starts_with("SU");
            assert!(!text.split(|letter: char| !letter.is_ascii_alphanumeric()).any(is_seed), "{text}");
        }
    }
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    let record = bench.record("f.jsonl");
    let run = &record["runs"][0];
    let steps: u64 =
        run["agents"].as_array().unwrap().iter().map(|part| part["totals"]["steps"].as_u64().unwrap()).sum();
    assert!(steps > 0 && run["totals"]["steps"] == steps);
    wait_until("agents are left", || seen.iter().all(|pid| !Path::new(&format!("/proc/{pid}")).exists()));
    assert_eq!(fs::read_dir(&work).unwrap().count(), 0, "directories of agents are left");
    // A key that the server does not know: what ssh says is said.
    system("ssh-keygen", &["-q", "-t", "ed25519", "-N", "", "-f", &bench.path().join("other").display().to_string()]);
    fs::copy(bench.path().join("other.pub"), bench.path().join("user-key.pub")).unwrap();
    let refused = bench.command(&["fleet", "check", "--hosts", "hosts"]).env("PATH", server.path()).output().unwrap();
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(1), "{said}");
    assert!(said.contains("host one: the command has ended") && said.contains("Permission denied"), "{said}");
}

fn counted(run: &Value, name: &str) -> Option<u64> {
    let readings = run["server_hosts"]["db1"]["readings"].as_array()?;
    let at = |reading: &Value| reading["values"][name].as_u64();
    Some(at(readings.last()?)? - at(readings.first()?)?)
}

#[test]
fn the_host_of_a_server_on_the_network_is_in_the_record() {
    let bench = Bench::new();
    let Some(server) = FarServer::start(&bench, "db1") else { return };
    let (target, observe) = (server.target(), server.observe(""));
    let words = "--tests T611,T311 --jobs 2 --preset smoke --duration 2s --record o.jsonl --observe";
    let before_ns = server.cpu_ns();
    let arguments = [&["run", "--target", &target], &words.split(' ').collect::<Vec<_>>()[..], &[&observe]].concat();
    let output = bench.succeed(&arguments);
    let grown_ns = server.cpu_ns() - before_ns;
    let record = bench.record("o.jsonl");
    assert_eq!(record["engine"]["location"], "remote");
    let host = &record["server_hosts"][0];
    assert_eq!(
        (&host["name"], &host["program"], &host["is_same_machine"]),
        (&"db1".into(), &"postgres".into(), &true.into())
    );
    assert_eq!(host["directory"], server.directory.join("data").display().to_string());
    assert!(output.out.contains("server on db1: ") && output.out.contains("processes of postgres"), "{}", output.out);
    let mut all_ns = 0;
    for test in ["T611", "T311"] {
        let run = runs(&record, test)[0];
        let of_server = counted(run, "server_cpu_ns").unwrap();
        assert!(of_server > 100_000_000, "{test}: {of_server} ns in two seconds of two sessions");
        assert!(counted(run, "client_cpu_ns").unwrap() < of_server, "the agent costs less than what it observes");
        assert!(run["server_hosts"]["db1"]["time_error_ns"].as_u64().unwrap() < 1_000_000_000);
        all_ns += of_server;
    }
    // Sessions and time before and after the windows are beside; the kernel counts in ticks.
    assert!(all_ns <= grown_ns + 100_000_000, "{all_ns} of {grown_ns} ns");
    // Commits wait for flushes of that device, which are seen now.
    let insert = runs(&record, "T311")[0];
    let findings = insert["findings"].as_array().unwrap();
    let durability = findings.iter().find(|finding| finding["evidence"]["durability"].is_object()).unwrap();
    assert_ne!(durability["evidence"]["durability"], "remote", "{durability}");
    let has_device = host["host"]["devices"].as_array().is_some_and(|devices| !devices.is_empty());
    if has_device {
        assert!(counted(insert, "device_flush_count").unwrap() > 0, "{insert}");
    }
    // Client and server share the machine here, and are other programs to each other: that is no reason against a run.
    assert!(findings.iter().all(|finding| finding["agent"] != "db1"), "{findings:?}");
    let foreign = findings.iter().find(|finding| !finding["evidence"]["foreign_cpu"].is_null()).unwrap();
    assert_ne!(foreign["verdict"], "fail", "{foreign}");
    let text = output.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("the same machine, which client and server share"), "{}", output.out);
    assert!(server.agents().is_empty(), "the agent is left");
    let unobserved = bench.run(&["run", "--resume", "o.jsonl", "--target", &target]);
    assert_eq!(unobserved.code, 2, "{}", unobserved.err);
    let message = "the record was started with observed hosts db1, and now it is no observed host";
    assert!(unobserved.err.contains(message) && unobserved.err.contains("--observe"), "{}", unobserved.err);
}

#[test]
fn a_server_that_cannot_be_observed_is_refused_and_a_lost_agent_costs_its_figures_only() {
    let bench = Bench::new();
    let local = bench.run(&["run", "--tests", "T611", "--preset", "smoke", "--observe", "h via=env"]);
    assert_eq!(local.code, 2, "{}", local.err);
    assert!(local.err.contains("the engine is on this host") && local.err.contains("hint: "), "{}", local.err);
    let word = bench.run(&["run", "--observe", "db1 color=red"]);
    assert_eq!(word.code, 2);
    assert!(word.err.contains("color=red") && word.err.contains("server=PROGRAM"), "{}", word.err);
    let Some(server) = FarServer::start(&bench, "db1") else { return };
    let target = server.target();
    let words = ["run", "--target", &target, "--tests", "T611", "--jobs", "1", "--preset", "smoke", "--duration", "3s"];
    for (more, message) in
        [("server=no-such", "no process of program \"no-such\" runs there"), ("dir=/none", "/none is no directory")]
    {
        let observe = server.observe(more);
        let output = bench.run(&[&words[..], &["--observe", &observe]].concat());
        assert_eq!(output.code, 1, "{}", output.err);
        assert!(output.err.contains("host db1: ") && output.err.contains(message), "{}", output.err);
    }
    let observe = server.observe("server=postgres");
    let child = bench.start(&[&words[..], &["--record", "l.jsonl", "--observe", &observe]].concat());
    // The host is in the head of the record: its agent has answered by then.
    wait_until("no record", || bench.path().join("l.jsonl").exists());
    std::thread::sleep(Duration::from_secs(1));
    let agents = server.agents();
    assert!(!agents.is_empty(), "no agent");
    for pid in agents {
        system("kill", &["-9", &pid.to_string()]);
    }
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("not observed in 1 run"), "{text}");
    let record = bench.record("l.jsonl");
    assert_eq!(record["runs"][0]["outcome"]["status"], "done");
    assert!(record["runs"][0]["server_hosts"].is_null());
}

/// A command that is another machine to dbdyno: it has another boot. None where that needs root.
pub fn another_machine(bench: &Bench) -> Option<String> {
    if !is_root() {
        return None;
    }
    let boot = write(bench, "boot-id", "00000000-0000-4000-8000-000000000001\n");
    let mounted = "mount --bind \"$0\" /proc/sys/kernel/random/boot_id && exec \"$@\"";
    let script = format!(
        "#!/bin/sh\nexec unshare -m sh -c '{mounted}' {} env HOME={} \"$@\"\n",
        boot.display(),
        bench.path().display()
    );
    let script = write(bench, "other-machine", &script);
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    Some(script.display().to_string())
}

#[test]
fn a_host_of_storage_has_the_processor_time_of_what_serves_it() {
    let bench = Bench::new();
    let Some(other) = another_machine(&bench) else { return };
    // What serves uses one processor all the time, under a name of its own.
    let name = format!("serve{}", std::process::id());
    let program = bench.path().join(&name);
    fs::copy("/usr/bin/sha256sum", &program).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let mut server = Command::new(&program).arg("/dev/zero").stdout(Stdio::null()).spawn().unwrap();
    let observe = format!("filer via={other} server={name} dir={}", bench.path().display());
    let words = ["io", "--rw", "randread", "--size", "4M", "--seconds", "2", "--record", "s.jsonl", "--no-html"];
    let output =
        bench.run(&[&words[..], &["--observe-storage", &observe, "--observe-storage", "gone via=env"]].concat());
    server.kill().unwrap();
    server.wait().unwrap();
    let record = bench.record("s.jsonl");
    let hosts = record["storage_hosts"].as_array().unwrap();
    assert_eq!(hosts.len(), 2, "{}", output.err);
    assert_eq!((&hosts[0]["program"], &hosts[0]["is_same_machine"]), (&name.as_str().into(), &false.into()));
    assert_eq!((&hosts[1]["program"], &hosts[1]["is_same_machine"]), (&Value::Null, &true.into()));
    let observed = &record["runs"][0]["storage_hosts"]["filer"];
    let readings = observed["readings"].as_array().unwrap();
    let at = |index: usize, name: &str| readings[index]["values"][name].as_u64().unwrap();
    let seconds = readings.last().unwrap()["at_ns"].as_u64().unwrap() - readings[0]["at_ns"].as_u64().unwrap();
    let used = at(readings.len() - 1, "server_cpu_ns") - at(0, "server_cpu_ns");
    assert!(used <= seconds + 50_000_000 && used > seconds / 5, "{used} ns of one thread in {seconds} ns");
    let text = output.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("stored on filer: ") && text.contains(&format!("processes of {name}")), "{text}");
    assert!(text.contains("the same machine, which client and storage share"), "{text}");
}

#[test]
fn the_target_of_a_fabric_is_beside_what_the_fabric_adds() {
    let bench = Bench::new();
    let Some(other) = another_machine(&bench) else { return };
    let file = write(&bench, "drive", &"x".repeat(1 << 24)).display().to_string();
    let words = ["prove", "fabric", "--local", &file, "--remote", &file, "--rounds", "3", "--seconds", "0.2"];
    let observe = format!("target1 via={other}");
    let output = bench.run(&[&words[..], &["--no-html", "--observe-storage", &observe]].concat());
    let text = output.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("more on the host of the target"), "{text} {}", output.err);
    for (more, message) in [
        (&["--observe-storage", "t via=env dir=/none"][..], "host t: /none is no directory and no block device"),
        (&["--observe-storage", "t via=env server=no-such-program"], "host t: no process of program"),
        (&["--observe-storage", "t via=env", "--observe-storage", "t via=env"], "names two hosts t"),
    ] {
        let output = bench.run(&[&words[..], more].concat());
        assert!(output.code != 0 && output.err.contains(message), "{}", output.err);
    }
}

//! `dbdyno prove durability --witness`: faults that somebody else makes, on a real server of PostgreSQL.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use crate::aborted::signal;
use crate::bench::{Bench, Finished, finished};
use crate::durability_shown::unwrapped;
use crate::far_server::program;
use crate::fleet_hosts::{is_root, system, wait_until};

/// A server of PostgreSQL at a socket in the directory of its test, which is killed and started again.
struct KilledServer {
    directory: PathBuf,
    server: Option<Child>,
}

impl KilledServer {
    fn start(bench: &Bench) -> KilledServer {
        let mut server = KilledServer { directory: bench.path().join("server"), server: None };
        fs::create_dir(&server.directory).unwrap();
        fs::set_permissions(bench.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let at = server.directory.display().to_string();
        if is_root() {
            system("chown", &["postgres", &at]);
        }
        let initdb = server.command("initdb").args(["-U", "bench", "-A", "trust", "--no-sync"]).output().unwrap();
        assert!(initdb.status.success(), "{}", String::from_utf8_lossy(&initdb.stderr));
        server.come_back();
        server
    }

    /// A program of PostgreSQL with the data of this server; it refuses to run as root.
    fn command(&self, name: &str) -> Command {
        let mut command = Command::new(if is_root() { "setpriv" } else { "env" });
        if is_root() {
            command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups"]);
        }
        command.arg(program(name)).arg("-D").arg(self.directory.join("data"));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        command
    }

    fn come_back(&mut self) {
        let at = self.directory.display().to_string();
        wait_until("the server does not start", || {
            let mut command = self.command("postgres");
            command.args(["-c", "listen_addresses=", "-k", &at]).stderr(Stdio::null());
            let mut server = command.spawn().unwrap();
            // Memory of sessions that are about to end keeps the next server from its start.
            let mut is_up = false;
            wait_until("the server neither answers nor ends", || {
                is_up = self.psql("select 1").output().unwrap().status.success();
                is_up || server.try_wait().unwrap().is_some()
            });
            self.server = Some(server);
            is_up
        });
    }

    fn die(&mut self) {
        let mut server = self.server.take().unwrap();
        server.kill().unwrap();
        server.wait().unwrap();
    }

    fn psql(&self, query: &str) -> Command {
        let mut command = Command::new("psql");
        command.arg("-h").arg(&self.directory).args(["-U", "bench", "-d", "postgres", "-XAtc", query]);
        command
    }

    fn ask(&self, query: &str) -> String {
        let output = self.psql(query).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    fn target(&self) -> String {
        format!("postgres://bench@/postgres?host={}", self.directory.display())
    }

    /// The command that proves its durability by hand.
    fn prove(&self, bench: &Bench, record: &str) -> Command {
        let target = self.target();
        let mut command =
            bench.command(&["prove", "durability", "--witness", "w", "--target", &target, "--wait", "0s"]);
        command.args(["--seed", "7", "--record", record]).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// The same while clients commit, with what ends that.
    fn prove_until(&mut self, bench: &Bench, record: &str, end: impl FnOnce(&mut KilledServer, u32)) -> Finished {
        let mut proof = self.prove(bench, record).spawn().unwrap();
        let mut said = BufReader::new(proof.stderr.take().unwrap()).lines();
        assert!(said.any(|line| line.unwrap().contains("power of the server may be cut now")), "it does not begin");
        let count = || self.ask("select count(*) from dbdyno.dbdyno_ledger").parse::<u64>().unwrap();
        wait_until("no commits", || count() > 40);
        end(self, proof.id());
        let rest: Vec<String> = said.map(Result::unwrap).collect();
        Finished { err: rest.join("\n"), ..finished(proof.wait_with_output().unwrap()) }
    }

    fn look(&self, bench: &Bench, record: &str) -> Finished {
        let output = finished(self.prove(bench, record).output().unwrap());
        assert_eq!(output.code, 0, "{}\n{}", output.out, output.err);
        Finished { out: unwrapped(&output.out), ..output }
    }
}

impl Drop for KilledServer {
    fn drop(&mut self) {
        if let Some(mut server) = self.server.take() {
            let _ = server.kill();
            let _ = server.wait();
        }
    }
}

#[test]
fn rows_are_held_against_the_witness_after_each_fault_that_was_seen() {
    let bench = Bench::new();
    let mut server = KilledServer::start(&bench);

    // The load is ended, and the server lives on.
    let ended = server.prove_until(&bench, "1.jsonl", |_, proof| signal(proof, "INT"));
    assert_eq!(ended.code, 130, "{}", ended.err);
    let shown = server.look(&bench, "1.jsonl").out;
    assert!(shown.contains("NO FAULT on D3 by hand") && !shown.contains("SURVIVED"), "{shown}");
    assert_eq!(server.ask("select count(*) from pg_namespace where nspname = 'dbdyno'"), "0", "it leaves nothing");

    // The server is lost, and not back in time.
    let lost = server.prove_until(&bench, "2.jsonl", |server, _| server.die());
    assert_eq!(lost.code, 1, "{}", lost.err);
    assert!(lost.err.contains("was not back within 0 s") && lost.err.contains("the same command"), "{}", lost.err);
    server.come_back();
    let shown = server.look(&bench, "2.jsonl").out;
    // It is on the host of the witness, which was not started anew: that is no power cut.
    assert!(shown.contains("SURVIVED D0 (server started anew;") && shown.contains("0 of 1 crash"), "{shown}");
    assert!(shown.contains("its host was not") && shown.contains("at most 95 %"), "{shown}");

    // The same, and something is missing.
    let lost = server.prove_until(&bench, "3.jsonl", |server, _| server.die());
    assert_eq!(lost.code, 1, "{}", lost.err);
    server.come_back();
    for table in ["ledger", "ledger_copy"] {
        server.ask(&format!("delete from dbdyno.dbdyno_{table} where client_id = 0 and commit_number = 3"));
    }
    let shown = server.look(&bench, "3.jsonl").out;
    assert!(shown.contains("HOLE on D0") && shown.contains("1 of 2 crashes had a damage"), "{shown}");
    let record = bench.record("3.jsonl");
    let crashes = record["runs"][0]["crashes"].as_array().unwrap();
    let seen: Vec<&str> = crashes.iter().map(|crash| crash["seen"].as_str().unwrap()).collect();
    assert_eq!(seen, ["nothing", "server", "server"]);
    assert_eq!(crashes[2]["damage"]["holes"], 1);
    assert_eq!(unwrapped(&bench.succeed(&["report", "3.jsonl"]).out), shown);

    // A witness in which one byte is another one.
    let path = bench.path().join("w");
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&path, bytes).unwrap();
    let refused = finished(server.prove(&bench, "4.jsonl").output().unwrap());
    assert!(refused.code == 1 && refused.err.contains("cannot be believed: its record"), "{}", refused.err);
    assert_eq!(server.ask("select count(*) from pg_namespace where nspname = 'dbdyno'"), "0", "nothing was begun");
}

#[test]
fn only_a_server_elsewhere_loses_its_power_by_hand() {
    let bench = Bench::new();
    for (target, why) in [
        ("sqlite", "has no proof of durability by hand"),
        ("local:postgres", "a server that dbdyno starts on this host"),
        ("postgres://db1,db2/x", "has 2 nodes"),
    ] {
        let output = bench.run(&["prove", "durability", "--witness", "w", "--target", target]);
        assert!(output.code == 2 && output.err.contains(why) && output.err.contains("hint:"), "{}", output.err);
    }
    let output = bench.run(&["prove", "durability", "--rung", "D3"]);
    assert!(output.code == 2 && output.err.contains("give --witness FILE"), "{}", output.err);
    let output = bench.run(&["prove", "durability", "--log-writes", "log"]);
    assert!(output.code == 2 && output.err.contains("rung D1 has no disk"), "{}", output.err);
    assert!(bench.files().is_empty(), "{:?}", bench.files());
}

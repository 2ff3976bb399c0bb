//! Agents behind a link that is down for a while.

use std::fs;
use std::process::{Output, Stdio};
use std::time::Duration;

use crate::bench::{Bench, runs};
use crate::fleet_hosts::{wait_until, write};
use crate::namespace::Namespace;
use crate::ssh_server::SshServer;

/// Twelve seconds of a hundred operations each, from two agents behind a link that is down for so many seconds of them;
/// none where there can be no such link.
fn with_link_down(bench: &Bench, seconds: u64) -> Option<(Output, SshServer, Namespace)> {
    let namespace = Namespace::make()?;
    let server = SshServer::start(bench, Some(&namespace));
    let work = bench.path().join("work");
    fs::create_dir(&work).unwrap();
    write(bench, "hosts", &format!("far name=one dir={0}\nfar name=two dir={0}\n", work.display()));
    let words = "fleet run --hosts hosts --target null --tests T611 --jobs 2 --rate 100 --arrival fixed --duration 12s \
                 --preset smoke --no-html --record r.jsonl";
    let arguments: Vec<&str> = words.split_whitespace().collect();
    let mut command = bench.command(&arguments);
    command.env("PATH", server.path()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let path = bench.path().join("r.jsonl");
    wait_until("no table is loaded", || fs::read_to_string(&path).is_ok_and(|text| text.contains("data_set")));
    // The start is two to four seconds later.
    std::thread::sleep(Duration::from_secs(6));
    namespace.set_link(false);
    std::thread::sleep(Duration::from_secs(seconds));
    namespace.set_link(true);
    Some((child.wait_with_output().unwrap(), server, namespace))
}

#[test]
fn five_seconds_without_a_link_cost_nothing() {
    let bench = Bench::new();
    let Some((output, ..)) = with_link_down(&bench, 5) else { return };
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let record = bench.record("r.jsonl");
    let run = runs(&record, "T611")[0];
    assert_eq!((&run["totals"]["steps"], run["agents"].as_array().unwrap().len()), (&1_200.into(), 2), "{said}");
}

#[test]
fn agents_that_are_cut_off_are_lost_and_what_they_did_is_collected() {
    let bench = Bench::new();
    let Some((output, server, _namespace)) = with_link_down(&bench, 20) else { return };
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("is lost") && said.contains("nothing was heard of it for "), "{said}");
    assert_eq!(runs(&bench.record("r.jsonl"), "T611")[0]["outcome"]["status"], "failed", "no figure is claimed");
    let collect = || {
        let mut command = bench.command(&["fleet", "collect", "r.jsonl", "--hosts", "hosts"]);
        let output = command.env("PATH", server.path()).output().unwrap();
        let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
        (output.status.success(), said)
    };
    // Agents look every few seconds whether their coordinator is there.
    let tries = std::iter::repeat_with(|| {
        std::thread::sleep(Duration::from_secs(2));
        collect()
    });
    let (_, collected) = tries.take(15).find(|(is_done, _)| *is_done).unwrap_or_else(collect);
    assert!(collected.contains("run 1 (T611 J2): complete with the parts of one, two"), "{collected}");
    let record = bench.record("r.jsonl");
    assert_eq!(runs(&record, "T611")[0]["totals"]["steps"], 1_200, "all of them, with no link to say so");
}

//! `dbdyno fabric`: the scripts and the errors. What it does to a kernel is tried in guests (`lab/run fabric-target`).

use std::fs;

use crate::bench::{Bench, Finished};

/// A directory with a file to offer.
fn bench_with_file() -> Bench {
    let bench = Bench::on_disk();
    fs::write(bench.path().join("a.img"), vec![0; 1 << 20]).unwrap();
    bench
}

fn refused(bench: &Bench, arguments: &[&str], code: i32, words: &[&str]) -> Finished {
    let output = bench.run(arguments);
    assert_eq!(output.code, code, "{arguments:?}\n{}\n{}", output.out, output.err);
    for word in words {
        assert!(output.err.contains(word), "no {word:?} in {:?}", output.err);
    }
    assert!(output.err.contains("hint: ") && !output.err.contains("panicked"), "{}", output.err);
    assert!(output.out.is_empty(), "{}", output.out);
    output
}

#[test]
fn a_target_is_a_script_to_read() {
    let bench = bench_with_file();
    let script = bench.succeed(&["fabric", "target", "a.img", "--address", "::1", "--port", "4499"]).out;
    let path = bench.path().join("a.img").canonicalize().unwrap();
    let lines: Vec<&str> = script.lines().collect();
    assert_eq!(lines[0], "#!/bin/sh");
    let after =
        |end: &str| lines.iter().position(|line| line.ends_with(end)).unwrap_or_else(|| panic!("no {end}\n{script}"));
    let order = [
        after("set -eu"),
        after("/attr_allow_any_host"),
        after("/namespaces/1"),
        after("/namespaces/1/device_path"),
        after("/namespaces/1/enable"),
        after("/addr_trtype"),
        after("/addr_adrfam"),
        after("/addr_traddr"),
        after("/addr_trsvcid"),
    ];
    assert!(order.is_sorted(), "{script}");
    let values = [("addr_trtype", "tcp"), ("addr_adrfam", "ipv6"), ("addr_traddr", "::1"), ("addr_trsvcid", "4499")];
    for (name, value) in values {
        assert!(lines[after(name)].starts_with(&format!("echo {value} > ")), "{script}");
    }
    assert!(script.contains(path.to_str().unwrap()), "{script}");
    assert!(lines.last().unwrap().starts_with("ln -s /sys/kernel/config/nvmet/subsystems/nqn.2024-01.org.dbdyno:"));
    assert!(!script.contains("no password"), "only this host reaches it: {script}");
    assert_eq!(fs::read(path).unwrap(), vec![0; 1 << 20]);
}

#[test]
fn the_script_is_one_of_the_shell() {
    let bench = bench_with_file();
    fs::rename(bench.path().join("a.img"), bench.path().join("a 'b' $c.img")).unwrap();
    let script = bench.succeed(&["fabric", "target", "a 'b' $c.img"]).out;
    fs::write(bench.path().join("script"), script).unwrap();
    let checked = std::process::Command::new("sh").arg("-n").arg(bench.path().join("script")).output().unwrap();
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
}

#[test]
fn an_address_that_others_reach_and_rdma_are_remarked_on() {
    let bench = bench_with_file();
    let script = bench.succeed(&["fabric", "target", "a.img", "--transport", "rdma", "--address", "192.0.2.7"]).out;
    for words in ["# RDMA has not been tested", "there is no password", "modprobe nvmet-rdma\n", "echo rdma > "] {
        assert!(script.contains(words), "no {words:?} in {script}");
    }
}

#[test]
fn a_connection_is_a_script_to_read() {
    let bench = Bench::new();
    let arguments =
        ["fabric", "connect", "--address", "192.0.2.7", "--nqn", "nqn.2024-01.org.dbdyno:s:d", "--connections", "4"];
    let script = bench.succeed(&arguments).out;
    assert!(script.contains("\nmodprobe nvme-tcp\n") || script.contains("set -eu\n"), "{script}");
    let last = script.lines().last().unwrap();
    let start = "echo transport=tcp,traddr=192.0.2.7,trsvcid=4420,nqn=nqn.2024-01.org.dbdyno:s:d,hostid=";
    assert!(last.starts_with(start) && last.ends_with(",nr_io_queues=4 > /dev/nvme-fabrics"), "{last}");
}

#[test]
fn what_there_is_can_be_listed_by_everybody() {
    let bench = Bench::new();
    assert!(!bench.succeed(&["fabric"]).out.is_empty());
    assert!(!bench.succeed(&["fabric", "remove"]).out.is_empty());
}

#[test]
fn mistakes_are_explained() {
    let bench = bench_with_file();
    let target = |more: &[&str], words: &[&str]| {
        let arguments = [&["fabric", "target", "a.img"], more].concat();
        refused(&bench, &arguments, 2, words);
    };
    target(&["--port", "70000"], &["port 70000 is not a TCP port", "use 1 to 65535"]);
    target(&["--port", "-1"], &["port -1 is not a TCP port"]);
    target(&["--address", "localhost"], &["address localhost is not an IP address", "resolves no names"]);
    target(&["--address", "224.0.0.1", "--apply"], &["address 224.0.0.1 is one of a group"]);
    target(&["--transport", "rdma"], &["address 127.0.0.1 is not one of an RDMA interface"]);
    refused(&bench, &["fabric", "target", "nowhere"], 2, &["nowhere is not there", "make a file"]);
    refused(&bench, &["fabric", "target", "."], 2, &["neither a block device nor a file"]);
    refused(&bench, &["fabric", "connect", "--nqn", "a b"], 2, &["nqn \"a b\" is not the name of a subsystem"]);
    refused(&bench, &["fabric", "connect", "--nqn", "x", "--address", "0.0.0.0"], 2, &["0.0.0.0 is not one that can"]);
    refused(&bench, &["fabric", "connect", "--nqn", "x", "--connections", "0"], 2, &["connections 0 is less than 1"]);
    refused(&bench, &["fabric", "connect", "--address", "192.0.2.99"], 2, &["no nqn is given", "fabric target DEVICE"]);
}

#[test]
fn a_file_with_content_is_refused() {
    let bench = bench_with_file();
    fs::write(bench.path().join("a.img"), b"XFSB").unwrap();
    refused(&bench, &["fabric", "target", "a.img"], 1, &["has the signature of an xfs file system", "unused device"]);
    fs::write(bench.path().join("a.img"), b"").unwrap();
    refused(&bench, &["fabric", "target", "a.img"], 1, &["a.img may not be offered: is empty"]);
}

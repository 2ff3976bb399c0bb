use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::*;

/// A machine with control groups of version 2 in which this process is in `group`.
fn machine(group: &str) -> (tempfile::TempDir, Root) {
    let scratch = tempfile::tempdir().expect("temporary directory");
    let root = Root::below(scratch.path());
    fs::create_dir_all(root.proc.join("self")).expect("proc");
    fs::write(root.proc.join("self/cgroup"), format!("0::{group}\n")).expect("cgroup");
    fs::write(root.proc.join("self/mountinfo"), "30 22 0:23 / /groups rw - cgroup2 cgroup2 rw\n").expect("mounts");
    fs::create_dir_all(root.top.join(format!("groups{group}"))).expect("groups");
    fs::write(root.top.join("groups/cgroup.controllers"), "cpu io memory\n").expect("controllers");
    (scratch, root)
}

#[test]
fn limits_are_said_as_each_version_wants_them() {
    let line = |file: &str, text: &str| (file.to_owned(), text.to_owned());
    let processors = Limit::Processors(1.6);
    assert_eq!(lines(&processors, 1), [line("cpu.cfs_period_us", "20000"), line("cpu.cfs_quota_us", "32000")]);
    assert_eq!(lines(&processors, 2), [line("cpu.max", "32000 20000")]);
    assert_eq!(lines(&Limit::Processors(0.001), 2), [line("cpu.max", "1000 20000")], "no less is taken");
    let io = IoLimit { device: (254, 16), reads: Some(99.6), write_bytes: Some(0.2), ..IoLimit::default() };
    let io = Limit::DeviceIo(io);
    let first =
        [line("blkio.throttle.read_iops_device", "254:16 100"), line("blkio.throttle.write_bps_device", "254:16 1")];
    assert_eq!(lines(&io, 1), first);
    assert_eq!(lines(&io, 2), [line("io.max", "254:16 riops=100 wbps=1")]);
}

#[test]
fn in_version_2_the_nearest_group_that_hands_the_controller_on_is_taken() {
    let (_scratch, root) = machine("/slice/scope");
    let top = root.top.join("groups");
    let error = Hierarchy::of(&root, Controller::Io).expect_err("nobody hands it on");
    assert!(error.message.contains("hands the controller io on"), "{error}");
    assert!(error.hint.contains("echo +io > "), "{error}");
    fs::write(top.join("cgroup.subtree_control"), "cpu io").expect("root");
    fs::write(top.join("slice/cgroup.subtree_control"), "cpu").expect("slice");
    let of = |controller| Hierarchy::of(&root, controller).expect("a place");
    assert_eq!((of(Controller::Cpu).parent, of(Controller::Cpu).version), (top.join("slice"), 2));
    assert_eq!(of(Controller::Io).parent, top);
    fs::write(top.join("slice/scope/cpu.max"), "max 100000").expect("no limit");
    assert_eq!(of(Controller::Io).own, top.join("slice/scope"));
    fs::write(top.join("slice/memory.max"), "1073741824").expect("limit");
    let error = Hierarchy::of(&root, Controller::Io).expect_err("it would be left behind");
    assert!(error.message.contains("slice has a limit of its own"), "{error}");
    assert_eq!(of(Controller::Cpu).parent, top.join("slice"), "that one stays in force");
}

#[test]
fn in_version_1_a_group_takes_over_what_the_one_above_has_of_io() {
    let scratch = tempfile::tempdir().expect("temporary directory");
    let root = Root::below(scratch.path());
    fs::create_dir_all(root.proc.join("self")).expect("proc");
    fs::write(root.proc.join("self/cgroup"), "6:blkio:/a\n0::/\n").expect("cgroup");
    let mounts = "38 31 0:35 / /io rw - cgroup cgroup rw,blkio\n39 31 0:36 / /two rw - cgroup2 cgroup2 rw\n";
    fs::write(root.proc.join("self/mountinfo"), mounts).expect("mounts");
    let own = root.top.join("io/a");
    fs::create_dir_all(&own).expect("group");
    fs::write(own.join("blkio.throttle.read_bps_device"), "254:0 1000000\n").expect("limit");
    let limit = IoLimit { device: (254, 0), writes: Some(80.0), ..IoLimit::default() };
    let restriction = Restriction::impose_at(&root, &Limit::DeviceIo(limit), &[]).expect("imposed");
    let group = fs::read_dir(&own).expect("group").map(|entry| entry.expect("entry").path()).find(|path| path.is_dir());
    let group = group.expect("the group");
    let said = |file: &str| fs::read_to_string(group.join(format!("blkio.throttle.{file}_device"))).ok();
    assert_eq!(said("write_iops").as_deref(), Some("254:0 80"));
    assert_eq!(said("read_bps").as_deref(), Some("254:0 1000000"));
    let endless = |value: u64| Some(format!("254:0 {value}"));
    assert_eq!((said("read_iops"), said("write_bps")), (endless(ENDLESS[0]), endless(ENDLESS[3])));
    fs::remove_dir_all(&group).expect("as the kernel's files go with their directory");
    restriction.lift().expect("lifted");
}

#[test]
fn what_is_missing_is_said() {
    let (_scratch, root) = machine("/");
    fs::write(root.top.join("groups/cgroup.controllers"), "memory\n").expect("controllers");
    let error = Restriction::impose_at(&root, &Limit::Processors(1.0), &[]).expect_err("no such controller");
    assert!(error.message.contains("no controller cpu"), "{error}");
    let error = Restriction::impose_at(&Root::below("/nonexistent"), &Limit::Processors(1.0), &[]);
    assert!(error.expect_err("nothing there").message.contains("no control groups"));
}

#[test]
fn a_group_that_cannot_be_filled_is_not_left() {
    // A directory of a file system of another kind takes files, and keeps what is in them.
    let (_scratch, root) = machine("/");
    let top = root.top.join("groups");
    fs::write(top.join("cgroup.subtree_control"), "cpu").expect("root");
    let found = Restriction::impose_at(&root, &Limit::Processors(1.5), &[]).expect("imposed");
    let made: Vec<PathBuf> = fs::read_dir(&top).expect("groups").map(|entry| entry.expect("entry").path()).collect();
    let group = made.iter().find(|path| path.is_dir()).expect("the group");
    assert_eq!(fs::read_to_string(group.join("cpu.max")).expect("limit"), "30000 20000");
    fs::remove_file(group.join("cpu.max")).expect("as the kernel's files go with their directory");
    found.lift().expect("lifted");
    assert!(!group.exists());
}

/// A shell that spins in a child of its own.
fn spinner() -> Child {
    let script = "sh -c 'while :; do :; done' & wait";
    Command::new("sh").args(["-c", script]).stdin(Stdio::null()).spawn().expect("a shell")
}

/// Processors that the tree below `pid` used over `time`.
fn used(pid: u32, time: Duration) -> f64 {
    let mut counters = crate::Counters::new(std::path::Path::new("/"));
    let mut cpu_ns = || counters.read(&[pid])[record::name::SERVER_CPU_NS];
    let (begun, before) = (Instant::now(), cpu_ns());
    std::thread::sleep(time);
    (cpu_ns() - before) as f64 / begun.elapsed().as_nanos() as f64
}

fn group_of(pid: u32) -> String {
    fs::read_to_string(format!("/proc/{pid}/cgroup")).unwrap_or_default()
}

#[test]
fn a_quota_holds_a_tree_back_and_leaves_nothing() {
    let mut child = spinner();
    let limit = Limit::Processors(0.2);
    let before = group_of(child.id());
    match Restriction::impose(&limit, &[child.id()]) {
        Ok(restriction) => {
            let name = base::Maker { process: base::Process::own().expect("this process"), number: 0 }.to_string();
            assert!(group_of(child.id()).contains(&name), "it was moved");
            let used = used(child.id(), Duration::from_millis(1_500));
            restriction.lift().expect("lifted");
            // What a busy machine takes away makes it less, and nothing makes it more.
            assert!(used < 0.3, "{used} processors");
            assert_eq!(group_of(child.id()), before, "it is back");
        }
        // Where control groups are not to be had, the reason has to be a good one.
        Err(error) => {
            assert!(!error.hint.is_empty());
            let is_root = rustix::process::geteuid().is_root();
            assert!(!is_root || Hierarchy::of(&Root::host(), Controller::Cpu).is_err(), "{error}");
        }
    }
    let children = crate::placement::below(child.id());
    child.kill().expect("end");
    child.wait().expect("reap");
    for pid in children {
        let _ = Command::new("kill").arg(pid.to_string()).status();
    }
}

#[test]
fn a_group_of_a_dead_maker_is_removed_by_the_next_start() {
    let Ok(tree) = Hierarchy::of(&Root::host(), Controller::Cpu) else { return };
    let left = tree.parent.join("dbdyno-4194300-1");
    if fs::create_dir(&left).is_err() {
        return;
    }
    let mut child = Command::new("sleep").arg("60").stdin(Stdio::null()).spawn().expect("sleep");
    fs::write(left.join("cgroup.procs"), child.id().to_string()).expect("moved");
    let said = remove_left_groups();
    assert!(said.iter().any(|line| line.contains("dbdyno-4194300-1")), "{said:?}");
    assert!(!left.exists());
    assert!(base::process::is_running(child.id()), "nobody is ended");
    child.kill().expect("end");
    child.wait().expect("reap");
}

#[test]
fn a_device_has_a_number() {
    let name = root::names(Root::host().sys.join("class/block")).into_iter().next();
    let Some(name) = name else { return };
    assert!(device_number(&name).is_some(), "{name}");
    assert_eq!(device_number("no-such-device"), None);
}

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::*;

/// A machine with cgroups of version 2, with this process in `group`.
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
fn the_files_and_values_of_each_version() {
    let line = |file: &str, text: &str| (file.to_owned(), text.to_owned());
    let processors = Limit::Processors(1.6);
    assert_eq!(lines(&processors, 1), [line("cpu.cfs_period_us", "20000"), line("cpu.cfs_quota_us", "32000")]);
    assert_eq!(lines(&processors, 2), [line("cpu.max", "32000 20000")]);
    assert_eq!(lines(&Limit::Processors(0.001), 2), [line("cpu.max", "1000 20000")], "the minimum");
    let io = IoLimit { device: (254, 16), reads: Some(99.6), write_bytes: Some(0.2), ..IoLimit::default() };
    let io = Limit::DeviceIo(io);
    let first =
        [line("blkio.throttle.read_iops_device", "254:16 100"), line("blkio.throttle.write_bps_device", "254:16 1")];
    assert_eq!(lines(&io, 1), first);
    assert_eq!(lines(&io, 2), [line("io.max", "254:16 riops=100 wbps=1")]);
}

#[test]
fn in_version_2_the_parent_is_the_nearest_group_that_enables_the_controller() {
    let (_scratch, root) = machine("/slice/scope");
    let top = root.top.join("groups");
    let error = Hierarchy::of(&root, Controller::Io).expect_err("not enabled");
    assert!(error.message.contains("enables the controller io"), "{error}");
    assert!(error.hint.contains("echo +io > "), "{error}");
    fs::write(top.join("cgroup.subtree_control"), "cpu io").expect("root");
    fs::write(top.join("slice/cgroup.subtree_control"), "cpu").expect("slice");
    let of = |controller| Hierarchy::of(&root, controller).expect("a hierarchy");
    assert_eq!((of(Controller::Cpu).parent, of(Controller::Cpu).version), (top.join("slice"), 2));
    assert_eq!(of(Controller::Io).parent, top);
    fs::write(top.join("slice/scope/cpu.max"), "max 100000").expect("no limit");
    assert_eq!(of(Controller::Io).own, top.join("slice/scope"));
    fs::write(top.join("slice/memory.max"), "1073741824").expect("limit");
    let error = Hierarchy::of(&root, Controller::Io).expect_err("the limit would be lost");
    assert!(error.message.contains("slice has a limit"), "{error}");
    assert_eq!(of(Controller::Cpu).parent, top.join("slice"), "the limit stays in effect");
}

#[test]
fn in_version_1_a_group_inherits_the_io_limits_of_its_parent() {
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
    let value = |file: &str| fs::read_to_string(group.join(format!("blkio.throttle.{file}_device"))).ok();
    assert_eq!(value("write_iops").as_deref(), Some("254:0 80"));
    assert_eq!(value("read_bps").as_deref(), Some("254:0 1000000"));
    let unlimited = |value: u64| Some(format!("254:0 {value}"));
    assert_eq!((value("read_iops"), value("write_bps")), (unlimited(UNLIMITED[0]), unlimited(UNLIMITED[3])));
    fs::remove_dir_all(&group).expect("as the kernel's files go with their directory");
    restriction.lift().expect("lifted");
}

#[test]
fn missing_prerequisites_are_errors() {
    let (_scratch, root) = machine("/");
    fs::write(root.top.join("groups/cgroup.controllers"), "memory\n").expect("controllers");
    let error = Restriction::impose_at(&root, &Limit::Processors(1.0), &[]).expect_err("no such controller");
    assert!(error.message.contains("no controller cpu"), "{error}");
    let error = Restriction::impose_at(&Root::below("/nonexistent"), &Limit::Processors(1.0), &[]);
    assert!(error.expect_err("nothing there").message.contains("no control groups"));
}

#[test]
fn a_lifted_limit_leaves_no_group() {
    // An ordinary directory also takes the files, and keeps them.
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
    let (start, before) = (Instant::now(), cpu_ns());
    std::thread::sleep(time);
    (cpu_ns() - before) as f64 / start.elapsed().as_nanos() as f64
}

fn group_of(pid: u32) -> String {
    fs::read_to_string(format!("/proc/{pid}/cgroup")).unwrap_or_default()
}

#[test]
fn a_quota_limits_a_tree_and_is_removed() {
    let mut child = spinner();
    let limit = Limit::Processors(0.2);
    let before = group_of(child.id());
    match Restriction::impose(&limit, &[child.id()]) {
        Ok(restriction) => {
            let name = base::ObjectName { process: base::Process::own().expect("this process"), number: 0 }.to_string();
            assert!(group_of(child.id()).contains(&name), "it was moved");
            let used = used(child.id(), Duration::from_millis(1_500));
            restriction.lift().expect("lifted");
            // A busy machine only makes it less.
            assert!(used < 0.3, "{used} processors");
            assert_eq!(group_of(child.id()), before, "it is back");
        }
        // Without cgroups there has to be a reason.
        Err(error) => {
            assert!(!error.hint.is_empty());
            let is_root = rustix::process::geteuid().is_root();
            assert!(!is_root || Hierarchy::of(&Root::host(), Controller::Cpu).is_err(), "{error}");
        }
    }
    let children = crate::placement::descendants(child.id());
    child.kill().expect("end");
    child.wait().expect("reap");
    for pid in children {
        let _ = Command::new("kill").arg(pid.to_string()).status();
    }
}

#[test]
fn a_group_of_a_dead_process_is_removed_by_the_next_start() {
    let Ok(tree) = Hierarchy::of(&Root::host(), Controller::Cpu) else { return };
    let left = tree.parent.join("dbdyno-4194300-1");
    if fs::create_dir(&left).is_err() {
        return;
    }
    let mut child = Command::new("sleep").arg("60").stdin(Stdio::null()).spawn().expect("sleep");
    fs::write(left.join("cgroup.procs"), child.id().to_string()).expect("moved");
    let messages = remove_stale_groups();
    assert!(messages.iter().any(|line| line.contains("dbdyno-4194300-1")), "{messages:?}");
    assert!(!left.exists());
    assert!(base::process::is_running(child.id()), "its processes keep running");
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

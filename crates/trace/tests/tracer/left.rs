//! A tracer leaves nothing in the kernel; what a killed process left is removed by the next start.

use std::fs;
use std::os::fd::AsRawFd;
use std::sync::PoisonError;

use dbdyno_trace::{Scope, Tracer};
use record::TracerKind;
use rustix::mount::{FsMountFlags, FsOpenFlags, MountAttrFlags, fsconfig_create, fsmount, fsopen};

use crate::permitted::{ALONE, disk};

/// Names of tracefs instances.
fn instances(path: &str) -> Vec<String> {
    let entries = fs::read_dir(path).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn no_tracefs_instance_stays() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let Some((disk, _)) = disk(directory.path()).filter(|_| crate::may_read_tracefs()) else { return };
    let context = fsopen("tracefs", FsOpenFlags::FSOPEN_CLOEXEC).unwrap();
    fsconfig_create(&context).unwrap();
    let mount = fsmount(&context, FsMountFlags::FSMOUNT_CLOEXEC, MountAttrFlags::empty()).unwrap();
    let path = format!("/proc/self/fd/{}/instances", mount.as_raw_fd());
    let own = format!("dbdyno-{}-", std::process::id());
    let of_own = || instances(&path).into_iter().filter(|name| name.starts_with(&own)).count();
    // No process with this PID has start time 0.
    let left = format!("dbdyno-{}-0", std::process::id());
    fs::create_dir(format!("{path}/{left}")).unwrap();
    let removed = dbdyno_trace::clean_up();
    assert!(removed.iter().any(|line| line.contains(&left)), "{removed:?}");
    assert_eq!(of_own(), 0);
    let scope = Scope { roots: Vec::new(), device: Some(disk) };
    let tracer = || Tracer::start(&scope, Some(TracerKind::Tracefs)).map_err(|refused| refused.reason).unwrap();
    let (one, other) = (tracer(), tracer());
    assert_eq!(of_own(), 2, "two tracers have one each: {:?}", instances(&path));
    assert!(dbdyno_trace::clean_up().is_empty(), "they belong to a running process");
    drop(one);
    assert_eq!(of_own(), 1);
    other.begin();
    other.finish();
    assert_eq!(of_own(), 0);
}

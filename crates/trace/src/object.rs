//! Loading and attaching of the BPF programs.

use std::error::Error;
use std::os::fd::{AsFd, AsRawFd};
use std::{fs, io};

use aya::maps::{Array, HashMap, MapData, PerCpuArray};
use aya::programs::RawTracePoint;
use aya::{Btf, Ebpf, EbpfLoader, include_bytes_aligned};

use crate::layout::Words;

/// Built from `bpf/latency.bpf.c` by `bpf/build.sh`.
static OBJECT: &[u8] = include_bytes_aligned!("../bpf/latency.bpf.o");

/// Programs and their tracepoints, in the order of attachment: ends before starts, so that no start waits for an end
/// that was missed.
const PROGRAMS: [(&str, &str); 4] = [
    ("request_completed", "block_rq_complete"),
    ("request_issued", "block_rq_issue"),
    ("call_ends", "sys_exit"),
    ("call_begins", "sys_enter"),
];

/// The same for io_uring; optional, as kernels before 5.19 or without io_uring lack the tracepoints.
const RING_PROGRAMS: [(&str, &str); 2] =
    [("ring_completes", "io_uring_complete"), ("ring_submits", "io_uring_submit_req")];

/// Settings of the programs: enabled, device, offsets of the arguments of a system call.
pub(crate) type Settings = [u32; 6];

/// The loaded programs; unloaded on drop.
pub(crate) struct Programs {
    pub settings: Array<MapData, Settings>,
    /// Histograms of system calls.
    pub calls: PerCpuArray<MapData, Words>,
    /// Histograms of requests, from the queue and from the driver.
    pub requests: PerCpuArray<MapData, Words>,
    /// Events beyond the capacity of the maps.
    pub lost: PerCpuArray<MapData, u64>,
    /// Why io_uring is not traced, if it is not.
    pub without_ring: Option<String>,
    /// Keeps the programs attached.
    object: Ebpf,
}

/// An error of the loader.
pub(crate) type Fault = Box<dyn Error + Send + Sync>;

impl Programs {
    /// Loads and attaches the programs; they do not count yet. `calls` are numbers and entries of system calls, `roots`
    /// process ids.
    pub(crate) fn load(calls: &[(u32, u32)], roots: &[u32]) -> Result<Programs, Fault> {
        let types = Btf::from_sys_fs()?;
        let mut object = EbpfLoader::new().btf(Some(&types)).load(OBJECT)?;
        let mut table: Array<_, u32> = Array::try_from(map(&mut object, "wanted")?)?;
        for (number, entry) in calls {
            table.set(*number, entry, 0)?;
        }
        let mut processes: HashMap<_, u32, u32> = HashMap::try_from(map(&mut object, "roots")?)?;
        for process in roots {
            processes.insert(process, 1, 0)?;
        }
        let programs = Programs {
            settings: Array::try_from(map(&mut object, "settings")?)?,
            calls: PerCpuArray::try_from(map(&mut object, "calls")?)?,
            requests: PerCpuArray::try_from(map(&mut object, "requests")?)?,
            lost: PerCpuArray::try_from(map(&mut object, "lost")?)?,
            without_ring: None,
            object,
        };
        programs.attached()
    }

    fn attached(mut self) -> Result<Programs, Fault> {
        for (name, point) in PROGRAMS {
            attach(&mut self.object, name, point)?;
        }
        let ring = RING_PROGRAMS.iter().try_for_each(|(name, point)| attach(&mut self.object, name, point));
        self.without_ring = ring.err().map(|fault| message(&fault));
        Ok(self)
    }

    /// Events of requests that the kernel skipped because the program was running on that processor (recursion misses);
    /// 0 before Linux 5.12.
    pub(crate) fn missed_count(&self) -> u64 {
        let misses = |name: &str| -> Option<u64> {
            let program: &RawTracePoint = self.object.program(name)?.try_into().ok()?;
            let file = program.fd().ok()?.as_fd().as_raw_fd();
            let info = fs::read_to_string(format!("/proc/self/fdinfo/{file}")).ok()?;
            info.lines().find_map(|line| line.strip_prefix("recursion_misses:")?.trim().parse().ok())
        };
        ["request_completed", "request_issued"].into_iter().filter_map(misses).sum()
    }
}

fn attach(object: &mut Ebpf, name: &str, point: &str) -> Result<(), Fault> {
    let found = object.program_mut(name).ok_or_else(|| format!("the object has no program {name}"))?;
    let program: &mut RawTracePoint = found.try_into()?;
    program.load()?;
    program.attach(point)?;
    Ok(())
}

fn map(object: &mut Ebpf, name: &str) -> Result<aya::maps::Map, Fault> {
    object.take_map(name).ok_or_else(|| format!("the object has no map {name}").into())
}

/// Whether `fault` is a missing permission.
pub(crate) fn is_forbidden(fault: &Fault) -> bool {
    let mut next: Option<&(dyn Error + 'static)> = Some(fault.as_ref());
    while let Some(error) = next {
        if error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::PermissionDenied) {
            return true;
        }
        next = error.source();
    }
    false
}

/// The error with its causes, in one line.
pub(crate) fn message(fault: &Fault) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut next: Option<&(dyn Error + 'static)> = Some(fault.as_ref());
    while let Some(error) = next {
        let text = error.to_string();
        let line = text.lines().next().unwrap_or_default().trim().to_owned();
        if !parts.iter().any(|part| part.contains(&line)) {
            parts.push(line);
        }
        next = error.source();
    }
    parts.join(": ")
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;

    fn hash(bytes: &[u8]) -> String {
        Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn the_object_is_that_of_the_source() {
        let noted: Vec<(&str, &str)> =
            include_str!("../bpf/latency.sha256").lines().filter_map(|line| line.split_once("  ")).collect();
        let source = hash(include_bytes!("../bpf/latency.bpf.c"));
        let object = hash(OBJECT);
        assert_eq!(
            noted,
            [(source.as_str(), "latency.bpf.c"), (object.as_str(), "latency.bpf.o")],
            "run crates/trace/bpf/build.sh and commit the object"
        );
    }

    #[test]
    fn a_refusal_is_found_behind_other_errors() {
        #[derive(Debug)]
        struct Outer(io::Error);
        impl std::fmt::Display for Outer {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(formatter, "the table could not be made")
            }
        }
        impl Error for Outer {
            fn source(&self) -> Option<&(dyn Error + 'static)> {
                Some(&self.0)
            }
        }
        let fault = |code: i32| -> Fault { Box::new(Outer(io::Error::from_raw_os_error(code))) };
        assert!(is_forbidden(&fault(libc::EPERM)) && is_forbidden(&fault(libc::EACCES)));
        assert!(!is_forbidden(&fault(libc::ENOMEM)) && !is_forbidden(&"another".into()));
        assert!(message(&fault(libc::ENOMEM)).starts_with("the table could not be made: Cannot allocate"));
    }
}

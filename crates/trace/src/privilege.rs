//! Capabilities of this process and features of the kernel.

use std::fs;
use std::path::Path;

use crate::refusal::Refused;

/// Numbers of capabilities (linux/capability.h).
const SYS_ADMIN: u32 = 21;
const PERFMON: u32 = 38;
const BPF: u32 = 39;

/// The first kernel with the request as first argument of its tracepoints.
const KERNEL_MIN: (u32, u32) = (5, 11);

/// The initial PID namespace (PROC_PID_INIT_INO).
const INITIAL_NAMESPACE: &str = "pid:[4026531836]";

/// Prerequisites of tracing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Privilege {
    /// The effective capabilities of this thread, as a bit set.
    capabilities: Option<u64>,
    /// The kernel version.
    kernel: Option<(u32, u32)>,
    /// Whether the kernel has BTF.
    has_btf: bool,
    /// Whether PIDs are those of the initial namespace.
    pub in_initial_namespace: bool,
}

impl Privilege {
    /// Of this process on this host.
    pub(crate) fn of_process() -> Privilege {
        Privilege::below(Path::new("/proc"), Path::new("/sys"))
    }

    fn below(proc: &Path, sys: &Path) -> Privilege {
        let read = |path: &str| fs::read_to_string(proc.join(path)).ok();
        let namespace = fs::read_link(proc.join("self/ns/pid")).ok();
        Privilege {
            capabilities: read("thread-self/status").and_then(|status| capabilities(&status)),
            kernel: read("sys/kernel/osrelease").and_then(|release| version(&release)),
            has_btf: sys.join("kernel/btf/vmlinux").exists(),
            in_initial_namespace: namespace.is_none_or(|link| link == Path::new(INITIAL_NAMESPACE)),
        }
    }

    /// Whether the capabilities suffice; assumed if they are unknown.
    fn suffices(&self) -> bool {
        let has = |bit: u32| self.capabilities.is_none_or(|set| set >> bit & 1 == 1);
        has(SYS_ADMIN) || (has(BPF) && has(PERFMON))
    }

    /// Why tracing will not work.
    pub(crate) fn forbids(&self) -> Option<Refused> {
        self.kernel_lacks().or_else(|| (!self.suffices()).then(|| self.explain()))
    }

    /// The reason in the kernel version or configuration, if any.
    fn kernel_lacks(&self) -> Option<Refused> {
        let (major, minor) = KERNEL_MIN;
        if let Some(found) = self.kernel.filter(|found| *found < KERNEL_MIN) {
            return Some(Refused::new(
                format!("Linux {}.{} is older than {major}.{minor}", found.0, found.1),
                "use a newer kernel",
            ));
        }
        (!self.has_btf).then(|| {
            Refused::new(
                "this kernel has no BTF type information (no /sys/kernel/btf/vmlinux)",
                "use a kernel built with CONFIG_DEBUG_INFO_BTF, as those of distributions are",
            )
        })
    }

    /// Why the kernel does not permit it.
    pub(crate) fn explain(&self) -> Refused {
        match self.suffices() {
            false => Refused::new(
                "it requires the capabilities CAP_BPF and CAP_PERFMON",
                "run as root, or once: setcap cap_bpf,cap_perfmon+ep $(command -v dbdyno)",
            ),
            true => Refused::new(
                "the kernel does not permit it although dbdyno has the capabilities (a container, seccomp, or \
                 lockdown)",
                "run dbdyno on the host itself, and see /sys/kernel/security/lockdown",
            ),
        }
    }
}

/// The effective capabilities, from `/proc/PID/status`.
fn capabilities(status: &str) -> Option<u64> {
    let set = status.lines().find_map(|line| line.strip_prefix("CapEff:"))?;
    u64::from_str_radix(set.trim(), 16).ok()
}

/// Major and minor of a release such as `6.18.44-generic`.
fn version(release: &str) -> Option<(u32, u32)> {
    let mut parts = release.trim().split(|sign: char| !sign.is_ascii_digit()).map(|part| part.parse().ok());
    Some((parts.next()??, parts.next()??))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn privilege(capabilities: u64, kernel: (u32, u32), has_btf: bool) -> Privilege {
        let (capabilities, kernel) = (Some(capabilities), Some(kernel));
        Privilege { capabilities, kernel, has_btf, in_initial_namespace: true }
    }

    #[test]
    fn two_capabilities_suffice_and_one_does_not() {
        let suffices = |set| privilege(set, (6, 1), true).suffices();
        assert!(suffices(1 << BPF | 1 << PERFMON) && suffices(1 << SYS_ADMIN) && suffices(u64::MAX));
        assert!(!suffices(1 << BPF) && !suffices(1 << PERFMON) && !suffices(0));
        assert!(privilege(0, (6, 1), true).explain().hint.contains("setcap cap_bpf,cap_perfmon+ep"));
        assert!(privilege(u64::MAX, (6, 1), true).explain().reason.contains("although"));
    }

    #[test]
    fn old_kernels_and_those_without_btf_are_errors() {
        let lacks = |kernel, has_btf| privilege(0, kernel, has_btf).kernel_lacks().map(|refused| refused.reason);
        assert_eq!((lacks((5, 11), true), lacks((6, 1), true)), (None, None));
        assert_eq!(lacks((5, 10), true).unwrap(), "Linux 5.10 is older than 5.11");
        assert!(lacks((6, 1), false).unwrap().contains("/sys/kernel/btf/vmlinux"));
    }

    #[test]
    fn capabilities_and_version_are_parsed() {
        assert_eq!(capabilities("Name:\tx\nCapEff:\t000001fffeffffff\n"), Some(0x1ff_feff_ffff));
        assert_eq!(capabilities("CapPrm:\t1\n"), None);
        assert_eq!((version("6.18.44-fc-v595\n"), version("5.4"), version("x")), (Some((6, 18)), Some((5, 4)), None));
        let here = Privilege::of_process();
        assert!(here.capabilities.is_some() && here.kernel.is_some());
    }

    #[test]
    fn the_initial_namespace_is_detected() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join("self/ns")).unwrap();
        let initial = || Privilege::below(root.path(), root.path()).in_initial_namespace;
        assert!(initial(), "a kernel without namespaces");
        std::os::unix::fs::symlink("pid:[4026532201]", root.path().join("self/ns/pid")).unwrap();
        assert!(!initial());
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "((CapEff:|[0-9.]+)?\\PC*\n)*") {
            let _ = (capabilities(&text), version(&text));
        }
    }
}

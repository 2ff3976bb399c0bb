//! Hypervisor and container, as detected from inside.

use base::root::{self, Root};

/// Prefixes of vendor, product or board in the firmware, and the hypervisor: the table of `systemd-detect-virt`.
const FIRMWARE: &[(&str, &str)] = &[
    ("KVM", "kvm"),
    ("OpenStack", "kvm"),
    ("KubeVirt", "kvm"),
    ("Amazon EC2", "amazon"),
    ("QEMU", "qemu"),
    ("VMware", "vmware"),
    ("VMW", "vmware"),
    ("innotek GmbH", "virtualbox"),
    ("VirtualBox", "virtualbox"),
    ("Xen", "xen"),
    ("Bochs", "bochs"),
    ("Parallels", "parallels"),
    ("BHYVE", "bhyve"),
    ("Hyper-V", "hyper-v"),
    ("Virtual Machine", "hyper-v"),
    ("Apple Virtualization", "apple"),
    ("Google Compute Engine", "google"),
];

/// Hypervisor signatures of `CPUID` leaf 0x40000000.
#[cfg(target_arch = "x86_64")]
const SIGNATURES: &[(&[u8; 12], &str)] = &[
    (b"KVMKVMKVM\0\0\0", "kvm"),
    (b"Linux KVM Hv", "kvm"),
    (b"TCGTCGTCGTCG", "qemu"),
    (b"VMwareVMware", "vmware"),
    (b"Microsoft Hv", "hyper-v"),
    (b"XenVMMXenVMM", "xen"),
    (b"VBoxVBoxVBox", "virtualbox"),
    (b"bhyve bhyve ", "bhyve"),
    (b" lrpepyh  vr", "parallels"),
    (b"ACRNACRNACRN", "acrn"),
];

/// `docker on kvm`, `kvm`, `podman`; none on bare metal.
pub(super) fn read(root: &Root) -> Option<String> {
    match (container(root), hypervisor(root)) {
        (Some(container), Some(hypervisor)) => Some(format!("{container} on {hypervisor}")),
        (container, hypervisor) => container.or(hypervisor),
    }
}

fn hypervisor(root: &Root) -> Option<String> {
    let info = root::text(root.proc.join("cpuinfo")).unwrap_or_default();
    let flags = root::entry(&info, "flags");
    let flagged = flags.is_some_and(|flags| flags.split(' ').any(|flag| flag == "hypervisor"));
    let named = root::text(root.sys.join("hypervisor/type")).or_else(|| firmware(root)).or_else(|| device_tree(root));
    match (flags.is_some(), flagged) {
        // x86 has a flag. The firmware of a bare-metal cloud instance has the cloud's name without a hypervisor.
        (true, false) => None,
        (true, true) => named.or_else(|| signature(root)).or_else(|| Some("an unknown hypervisor".to_owned())),
        (false, _) => named,
    }
}

fn firmware(root: &Root) -> Option<String> {
    let files = ["product_name", "sys_vendor", "board_vendor", "bios_vendor"];
    let names: Vec<String> =
        files.iter().filter_map(|file| root::text(root.sys.join("class/dmi/id").join(file))).collect();
    if names.iter().any(|text| text.ends_with(".metal")) {
        return None;
    }
    // The product first: the vendor may also sell physical machines.
    names.iter().find_map(|text| {
        let known = FIRMWARE.iter().find(|(beginning, _)| text.starts_with(beginning));
        known.map(|(_, name)| (*name).to_owned())
    })
}

/// The hypervisor by the device tree, on ARM without firmware tables.
fn device_tree(root: &Root) -> Option<String> {
    let compatible = root::text(root.proc.join("device-tree/hypervisor/compatible"))?;
    let name = match compatible.split(['\0', ',']).next().unwrap_or_default() {
        "linux" => "kvm",
        "xen" => "xen",
        "vmware" => "vmware",
        _ => "an unknown hypervisor",
    };
    Some(name.to_owned())
}

#[cfg(target_arch = "x86_64")]
fn signature(root: &Root) -> Option<String> {
    if !root.is_host() {
        return None;
    }
    let answer = core::arch::x86_64::__cpuid(0x4000_0000);
    let words = [answer.ebx, answer.ecx, answer.edx].map(u32::to_le_bytes);
    let known = SIGNATURES.iter().find(|(text, _)| text.as_slice() == words.as_flattened());
    known.map(|(_, name)| (*name).to_owned())
}

#[cfg(not(target_arch = "x86_64"))]
fn signature(_: &Root) -> Option<String> {
    None
}

fn container(root: &Root) -> Option<String> {
    let exists = |path: &str| root.top.join(path).exists();
    let groups = root::text(root.proc.join("1/cgroup")).unwrap_or_default();
    let variable = |name| if root.is_host() { root::variable(name) } else { None };
    let named = root::text(root.top.join("run/systemd/container"));
    let named = named.or_else(|| variable("container").map(|name| name.to_string_lossy().into_owned()));
    let release = root::text(root.proc.join("sys/kernel/osrelease")).unwrap_or_default();
    if variable("KUBERNETES_SERVICE_HOST").is_some() || groups.contains("kubepods") {
        Some("kubernetes".to_owned())
    } else if exists("run/.containerenv") {
        Some("podman".to_owned())
    } else if exists(".dockerenv") || groups.contains("/docker/") {
        Some("docker".to_owned())
    } else if named.is_some() {
        named
    } else if groups.contains("/lxc/") {
        Some("lxc".to_owned())
    } else if release.to_lowercase().contains("microsoft") {
        Some("wsl".to_owned())
    } else {
        None
    }
}

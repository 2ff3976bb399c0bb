//! Names of ARM processors, which report only numbers.

use base::root;

/// Implementer, part, name of cores of servers and single-board computers (Arm's Technical Reference Manuals, register
/// `MIDR_EL1`; the same numbers are in the kernel's `cputype.h`).
const PARTS: &[(u32, u32, &str)] = &[
    (0x41, 0xd03, "ARM Cortex-A53"),
    (0x41, 0xd05, "ARM Cortex-A55"),
    (0x41, 0xd07, "ARM Cortex-A57"),
    (0x41, 0xd08, "ARM Cortex-A72"),
    (0x41, 0xd0b, "ARM Cortex-A76"),
    (0x41, 0xd0c, "ARM Neoverse-N1"),
    (0x41, 0xd40, "ARM Neoverse-V1"),
    (0x41, 0xd41, "ARM Cortex-A78"),
    (0x41, 0xd49, "ARM Neoverse-N2"),
    (0x41, 0xd4f, "ARM Neoverse-V2"),
    (0x41, 0xd83, "ARM Neoverse-V3AE"),
    (0x41, 0xd84, "ARM Neoverse-V3"),
    (0x41, 0xd8e, "ARM Neoverse-N3"),
    (0x43, 0x0af, "Cavium ThunderX2"),
    (0x46, 0x001, "Fujitsu A64FX"),
    (0x48, 0xd01, "HiSilicon TSV110"),
    (0x48, 0xd02, "HiSilicon HIP09"),
    (0x6d, 0xd49, "Microsoft Azure Cobalt 100"),
    (0xc0, 0xac3, "Ampere-1"),
    (0xc0, 0xac4, "Ampere-1a"),
];

/// The name of the first processor in `/proc/cpuinfo`; its numbers, if it is unknown.
pub(super) fn model(info: &str) -> Option<String> {
    let number = |name| u32::from_str_radix(root::entry(info, name)?.strip_prefix("0x")?, 16).ok();
    let (implementer, part) = (number("CPU implementer")?, number("CPU part")?);
    let known = PARTS.iter().find(|(maker, core, _)| (*maker, *core) == (implementer, part));
    Some(known.map_or_else(
        || format!("ARM implementer {implementer:#04x} part {part:#05x}"),
        |(_, _, name)| (*name).to_owned(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_part_keeps_its_numbers() {
        let text = "CPU implementer\t: 0x41\nCPU part\t: 0xfff\n";
        assert_eq!(model(text).as_deref(), Some("ARM implementer 0x41 part 0xfff"));
        assert_eq!(model("CPU implementer\t: 65\nCPU part\t: 0xfff\n"), None);
        assert_eq!(model(""), None);
    }

    #[test]
    fn parts_are_listed_once() {
        for (index, (maker, core, name)) in PARTS.iter().enumerate() {
            let twice = PARTS[..index].iter().any(|(a, b, known)| (a, b) == (maker, core) || known == name);
            assert!(!twice, "{name}");
        }
    }
}

//! Whether an emulator ran the program that measured.

use record::Record;

/// Processors that dbdyno is built for, by the names that Rust and the kernel have in common. Of others it is not known
/// which a kernel runs without an emulator, such as 32-bit programs.
const PROCESSORS: [&str; 2] = ["x86_64", "aarch64"];

/// The processor that the program was built for, and that of the kernel, where an emulator must have run it: the figures
/// are then those of the emulator. None as well where it is not known; kernels before Linux 6.1 do not tell.
pub fn emulation(record: &Record) -> Option<(&str, &str)> {
    let program = record.tool.build.as_ref()?.platform.as_deref()?.split('-').next()?;
    let kernel = record.host.kernel.architecture.as_str();
    let is_known = |name| PROCESSORS.contains(&name);
    (is_known(program) && is_known(kernel) && program != kernel).then_some((program, kernel))
}

#[cfg(test)]
mod tests {
    use record::Build;

    use super::*;
    use crate::fixture;

    #[test]
    fn a_program_for_another_processor_was_emulated() {
        let mut record = fixture::record(Vec::new());
        for (platform, kernel, emulated) in [
            (Some("aarch64-unknown-linux-gnu"), "x86_64", Some(("aarch64", "x86_64"))),
            (Some("x86_64-unknown-linux-gnu"), "aarch64", Some(("x86_64", "aarch64"))),
            (Some("aarch64-unknown-linux-gnu"), "aarch64", None),
            (Some("i686-unknown-linux-gnu"), "x86_64", None),
            (Some("aarch64-unknown-linux-gnu"), "", None),
            (None, "x86_64", None),
        ] {
            record.tool.build = Some(Build { platform: platform.map(str::to_owned), ..Build::default() });
            kernel.clone_into(&mut record.host.kernel.architecture);
            assert_eq!(emulation(&record), emulated, "{platform:?} on {kernel}");
        }
        record.tool.build = None;
        assert_eq!(emulation(&record), None);
    }
}

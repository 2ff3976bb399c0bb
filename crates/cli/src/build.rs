//! Identification of this build, for the records that it writes.

use std::fs::File;
use std::io::{ErrorKind, Read};

use record::Build;
use sha2::{Digest, Sha256};

/// The running build; what the build script could not determine is absent.
pub fn build() -> Build {
    let known = |text: Option<&str>| text.filter(|text| !text.is_empty()).map(str::to_owned);
    let clean = match option_env!("DBDYNO_BUILD_TREE") {
        Some("clean") => Some(true),
        Some("changed") => Some(false),
        _ => None,
    };
    Build {
        commit: known(option_env!("DBDYNO_BUILD_COMMIT")),
        clean,
        compiler: known(option_env!("DBDYNO_BUILD_COMPILER")),
        platform: known(option_env!("DBDYNO_BUILD_PLATFORM")),
        flags: known(option_env!("DBDYNO_BUILD_FLAGS")),
        program_sha256: program_sha256(),
    }
}

/// The SHA-256 of the executable of this process, even if the file was replaced meanwhile.
fn program_sha256() -> Option<String> {
    sha256(File::open("/proc/self/exe").or_else(|_| File::open(std::env::current_exe()?)).ok()?)
}

/// The SHA-256 of `file` in hexadecimal digits; none where it cannot be read.
pub fn sha256(mut file: File) -> Option<String> {
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Some(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()),
            Ok(length) => hash.update(&buffer[..length]),
            Err(error) if error.kind() == ErrorKind::Interrupted => (),
            Err(_) => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_build_is_identified() {
        let build = build();
        assert!(build.compiler.is_some_and(|compiler| compiler.starts_with("rustc ")));
        assert!(build.platform.is_some_and(|platform| platform.contains('-')));
        assert!(build.flags.is_some_and(|flags| flags.contains("opt-level")));
        let digest = build.program_sha256.expect("a digest");
        assert!(digest.len() == 64 && digest.bytes().all(|letter| letter.is_ascii_hexdigit()), "{digest}");
        assert!(build.commit.is_none_or(|commit| commit.len() >= 40));
    }
}

//! What this program was built from and with, for the records that it writes.

use std::fs::File;
use std::io::Read;

use record::Build;
use sha2::{Digest, Sha256};

/// The build that is running; what the build script could not find out is absent.
pub fn build() -> Build {
    let said = |text: Option<&str>| text.filter(|text| !text.is_empty()).map(str::to_owned);
    let clean = match option_env!("DBDYNO_BUILD_TREE") {
        Some("clean") => Some(true),
        Some("changed") => Some(false),
        _ => None,
    };
    Build {
        commit: said(option_env!("DBDYNO_BUILD_COMMIT")),
        clean,
        compiler: said(option_env!("DBDYNO_BUILD_COMPILER")),
        platform: said(option_env!("DBDYNO_BUILD_PLATFORM")),
        flags: said(option_env!("DBDYNO_BUILD_FLAGS")),
        program_sha256: program_sha256(),
    }
}

/// The SHA-256 of the file that this process runs, in hexadecimal digits: the file itself, even where another one
/// stands in its place now.
fn program_sha256() -> Option<String> {
    let mut file = File::open("/proc/self/exe").or_else(|_| File::open(std::env::current_exe()?)).ok()?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        match file.read(&mut buffer).ok()? {
            0 => break,
            length => hash.update(&buffer[..length]),
        }
    }
    Some(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_knows_what_it_is() {
        let build = build();
        assert!(build.compiler.is_some_and(|compiler| compiler.starts_with("rustc ")));
        assert!(build.platform.is_some_and(|platform| platform.contains('-')));
        assert!(build.flags.is_some_and(|flags| flags.contains("opt-level")));
        let digest = build.program_sha256.expect("a digest");
        assert!(digest.len() == 64 && digest.bytes().all(|letter| letter.is_ascii_hexdigit()), "{digest}");
        assert!(build.commit.is_none_or(|commit| commit.len() >= 40));
    }
}

//! By what records are found: digests, so that no part of an address is a part of a path.

use record::Record;
use sha2::{Digest, Sha256};

/// Hexadecimal digits of an identifier.
const DIGITS: usize = 20;

/// The identifier of `record`: by its name, its start, its host and its seed, whatever its file is called.
pub(crate) fn id_of(record: &Record) -> String {
    let host = record.host.host_name.as_deref().unwrap_or_default();
    let seed = record.plan.seed.to_string();
    let mut hash = Sha256::new();
    for part in [&*record.id, &*record.started_at.0, host, &*seed] {
        hash.update(part.as_bytes());
        hash.update([0]);
    }
    let digits: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    digits.chars().take(DIGITS).collect()
}

/// The tag of an answer, by which a reader asks whether it has changed.
pub(crate) fn tag_of(body: &[u8]) -> String {
    let digits: String = Sha256::digest(body).iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    format!("\"{digits}\"")
}

//! Content of writes, and its verification.

use record::{BufferContent, Bytes, IoMix, Ratio, Verification};

use super::notes::Notes;
use super::pattern::{Extras, pattern};
use crate::error::Result;
use crate::expand::Surroundings;
use crate::options::Options;

/// Default size of a chunk of compressible data.
const CHUNK_BYTES_DEFAULT: u64 = 512;

/// The content of writes. Precedence: zeros, compressible data, a pattern, repeated blocks.
pub(crate) fn content(options: &Options, surroundings: &Surroundings<'_>, notes: &mut Notes) -> Result<BufferContent> {
    let compressible = options.number_within("buffer_compress_percentage", 0, 100)?.filter(|share| *share > 0);
    let repeated = options.number_within("dedupe_percentage", 0, 100)?.filter(|share| *share > 0);
    let chunk = options.number("buffer_compress_chunk")?.filter(|bytes| *bytes > 0).unwrap_or(CHUNK_BYTES_DEFAULT);
    let of = |key: &str, has_offsets: bool| {
        let extras = Extras { content: surroundings.content, has_offsets };
        options.read(key, |text, _| pattern(text, extras))
    };
    let pattern = of("buffer_pattern", false)?;
    // Not used, but read: a mistake in it is one in fio, too.
    of("verify_pattern", true)?;
    let ratio = |per_cent: u32| Ratio(f64::from(per_cent) / 100.0);
    if options.is_on("zero_buffers") {
        return Ok(BufferContent::Zero);
    }
    if let Some(share) = compressible {
        if repeated.is_some() {
            let at = options.at("dedupe_percentage");
            notes.lint(format!("dedupe_percentage{at} is not supported with buffer_compress_percentage"));
        }
        if pattern.is_some() {
            let at = options.at("buffer_pattern");
            notes.ignored(format!("buffer_pattern{at}: the compressible part of a block is zeros"));
        }
        return Ok(BufferContent::Compressible { share: ratio(share), chunk_bytes: Bytes(chunk) });
    }
    match (pattern, repeated) {
        (Some(pattern), repeated) => {
            if repeated.is_some() {
                let at = options.at("dedupe_percentage");
                notes.lint(format!("dedupe_percentage{at} is not supported with buffer_pattern"));
            }
            Ok(BufferContent::Pattern(pattern))
        }
        (None, Some(share)) => Ok(BufferContent::Repeated { share: ratio(share) }),
        (None, None) => Ok(BufferContent::Random),
    }
}

/// Jobs with reads verify their reads, jobs that only write are verified after the run.
pub(crate) fn verification(options: &Options, mix: IoMix) -> Verification {
    let verify = !matches!(options.text("verify"), None | Some("0" | "null")) || options.is_on("verify_only");
    match verify {
        false => Verification::None,
        true if mix.read.0 > 0.0 => Verification::OnRead,
        true if mix.write.0 > 0.0 && options.switch("do_verify") != Some(false) => Verification::After,
        true => Verification::None,
    }
}

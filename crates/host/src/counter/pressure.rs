//! Pressure stall information. Format: the kernel's `Documentation/accounting/psi.rst`.

use std::path::Path;

use record::name;

use super::source::Source;

/// The existing pressure files of a machine.
#[derive(Debug)]
pub(super) struct Pressure {
    sources: Vec<(&'static str, Source)>,
}

impl Pressure {
    /// The files in `proc`; none on kernels without them.
    pub(super) fn new(proc: &Path) -> Pressure {
        let files = [
            ("cpu", name::HOST_CPU_PRESSURE_NS),
            ("io", name::HOST_IO_PRESSURE_NS),
            ("memory", name::HOST_MEMORY_PRESSURE_NS),
        ];
        let paths = files.into_iter().map(|(file, name)| (name, proc.join("pressure").join(file)));
        Pressure {
            sources: paths.filter(|(_, path)| path.exists()).map(|(name, path)| (name, Source::new(path))).collect(),
        }
    }

    /// The current counters.
    pub(super) fn read(&mut self) -> impl Iterator<Item = (&'static str, u64)> {
        self.sources.iter_mut().filter_map(|(name, source)| Some((*name, parse(source.read()?)?)))
    }
}

/// Nanoseconds of the line `some`, which counts microseconds.
pub(super) fn parse(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("some "))?;
    let micros: u64 = line.split(' ').find_map(|field| field.strip_prefix("total="))?.parse().ok()?;
    micros.checked_mul(1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_some_counts_microseconds() {
        let text =
            "some avg10=2.05 avg60=3.77 avg300=1.72 total=2147\nfull avg10=2.04 avg60=3.74 avg300=1.58 total=14\n";
        assert_eq!(parse(text), Some(2_147_000));
        for text in ["", "full avg10=0 total=1\n", "some total=x\n", "some avg10=0\n"] {
            assert_eq!(parse(text), None, "{text}");
        }
        assert_eq!(Pressure::new(Path::new("/nonexistent")).read().count(), 0);
    }
}

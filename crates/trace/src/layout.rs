//! The layout of histograms of the programs in `bpf/latency.bpf.c`, which has the same constants.

/// Linear buckets per power of two, as a power of two: the midpoint of a bucket is within 1/64 of its values.
const SUB_BITS: u32 = 5;
/// Longer times than 2^47 ns (39 hours) are counted as that.
const NS_BITS: u32 = 47;
/// Buckets of a histogram: 32 in each power of two.
pub(crate) const BUCKETS: usize = ((NS_BITS - SUB_BITS + 1) << SUB_BITS) as usize;

/// Words before the buckets: count, sum, bytes, minimum, maximum.
const HEAD: usize = 5;
/// Words of a histogram.
pub(crate) const WORDS: usize = HEAD + BUCKETS;

/// The words of a histogram of one processor; an array of words can be read from the kernel by safe code.
pub(crate) type Words = [u64; WORDS];

/// Operations of the block layer: READ, WRITE, FLUSH, DISCARD, by the kernel's own numbers.
pub(crate) const OPERATIONS: u32 = 4;
/// Flag of a system call: counts only on a file or block device.
pub(crate) const ONLY_FILES: u32 = 0x100;
/// Limit of the numbers of traced system calls.
#[cfg(test)]
pub(crate) const CALL_NUMBERS: u32 = 512;

/// Flag of a system call: submits asynchronous I/O (`io_submit`).
pub(crate) const SUBMITS: u32 = 0x200;
/// Flag of a system call: reaps asynchronous I/O (`io_getevents`).
pub(crate) const REAPS: u32 = 0x400;
/// Histograms of system calls and asynchronous I/O.
#[cfg(test)]
pub(crate) const CALL_KINDS: u32 = 24;
/// The histogram of reads by `io_submit`; those of writes and of syncs follow.
pub(crate) const AIO_KIND: u32 = 16;
/// The histogram of reads by io_uring; those of writes and of syncs follow.
pub(crate) const URING_KIND: u32 = 20;

/// Offsets of the first four arguments of a system call in `struct pt_regs`, bytes (a stable interface of the kernel).
pub(crate) const fn arguments_at() -> Option<[u32; 4]> {
    match () {
        () if cfg!(target_arch = "x86_64") => Some([14 * 8, 13 * 8, 12 * 8, 7 * 8]),
        () if cfg!(target_arch = "aarch64") => Some([0, 8, 16, 24]),
        () => None,
    }
}

/// The summary of a histogram.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Head {
    /// Counted events.
    pub count: u64,
    /// Sum of their times, nanoseconds.
    pub sum_ns: u64,
    /// Transferred bytes.
    pub bytes: u64,
    /// Shortest time, nanoseconds; 0 without events.
    pub min_ns: u64,
    /// Longest time, nanoseconds.
    pub max_ns: u64,
}

impl Head {
    /// From the words before the buckets.
    pub(crate) fn of(words: &Words) -> Head {
        let [count, sum_ns, bytes, min_ns, max_ns] = [words[0], words[1], words[2], words[3], words[4]];
        Head { count, sum_ns, bytes, min_ns, max_ns }
    }

    /// The summary of both histograms.
    pub(crate) fn and(self, other: Head) -> Head {
        let min_ns = match (self.min_ns, other.min_ns) {
            (0, other) => other,
            (one, 0) => one,
            (one, other) => one.min(other),
        };
        Head {
            count: self.count + other.count,
            sum_ns: self.sum_ns.saturating_add(other.sum_ns),
            bytes: self.bytes.saturating_add(other.bytes),
            min_ns,
            max_ns: self.max_ns.max(other.max_ns),
        }
    }
}

/// The buckets of `words`.
pub(crate) fn buckets(words: &Words) -> &[u64] {
    &words[HEAD..]
}

/// The midpoint of bucket `bucket`, nanoseconds.
pub(crate) fn midpoint_ns(bucket: usize) -> u64 {
    let (octave, sub) = (bucket >> SUB_BITS, bucket & ((1 << SUB_BITS) - 1));
    match octave {
        0 => sub as u64,
        _ => {
            let width = 1u64 << (octave - 1);
            ((1 << SUB_BITS) + sub as u64) * width + width / 2
        }
    }
}

/// Counts one event of `bytes` in `words`, like the programs in the kernel.
pub(crate) fn count(words: &mut Words, latency_ns: u64, bytes: u64) {
    let latency_ns = latency_ns.max(1);
    let [count, sum_ns, sum_bytes, min_ns, max_ns, buckets @ ..] = words;
    *count += 1;
    *sum_ns = sum_ns.saturating_add(latency_ns);
    *sum_bytes = sum_bytes.saturating_add(bytes);
    *min_ns = if *min_ns == 0 { latency_ns } else { latency_ns.min(*min_ns) };
    *max_ns = latency_ns.max(*max_ns);
    buckets[bucket_of(latency_ns)] += 1;
}

/// The bucket of a latency, like the programs in the kernel.
fn bucket_of(latency_ns: u64) -> usize {
    let latency_ns = latency_ns.min((1 << NS_BITS) - 1);
    if latency_ns < 1 << SUB_BITS {
        return latency_ns as usize;
    }
    let shift = latency_ns.ilog2() - SUB_BITS;
    ((shift as usize + 1) << SUB_BITS) | ((latency_ns >> shift) as usize & ((1 << SUB_BITS) - 1))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_constants_of_the_source_are_the_same() {
        let source = include_str!("../bpf/latency.bpf.c");
        for (word, value) in [
            ("SUB_BITS", u64::from(SUB_BITS)),
            ("NS_BITS", u64::from(NS_BITS)),
            ("OPERATIONS", u64::from(OPERATIONS)),
            ("CALL_NUMBERS", u64::from(CALL_NUMBERS)),
            ("CALL_KINDS", u64::from(CALL_KINDS)),
            ("AIO_KIND", u64::from(AIO_KIND)),
            ("URING_KIND", u64::from(URING_KIND)),
        ] {
            let line = source.lines().find(|line| line.starts_with(&format!("#define {word} "))).expect(word);
            let defined: u64 = line.split_whitespace().nth(2).unwrap().parse().unwrap();
            assert_eq!(defined, value, "{word}");
        }
        for (word, value) in [("ONLY_FILES", ONLY_FILES), ("SUBMITS", SUBMITS), ("REAPS", REAPS)] {
            assert!(source.contains(&format!("#define {word} {value:#x}")), "{word}");
        }
    }

    #[test]
    fn buckets_are_contiguous() {
        assert_eq!((bucket_of(0), bucket_of(31), bucket_of(32), bucket_of(63), bucket_of(64)), (0, 31, 32, 63, 64));
        assert_eq!((bucket_of(65), bucket_of(66)), (64, 65), "from 64 ns on a bucket is 2 ns wide");
        assert_eq!(bucket_of(u64::MAX), BUCKETS - 1);
        let middles: Vec<u64> = (0..BUCKETS).map(midpoint_ns).collect();
        assert!(middles.is_sorted_by(|one, next| one < next));
    }

    #[test]
    fn heads_add_up() {
        let head = |min_ns, max_ns| Head { count: 1, sum_ns: 5, bytes: 7, min_ns, max_ns };
        let both = head(3, 4).and(head(2, 9));
        assert_eq!(both, Head { count: 2, sum_ns: 10, bytes: 14, min_ns: 2, max_ns: 9 });
        assert_eq!(Head::default().and(head(3, 4)), head(3, 4));
        assert_eq!(head(3, 4).and(Head::default()), head(3, 4));
    }

    proptest! {
        #[test]
        fn the_midpoint_of_a_bucket_is_near_its_values(latency_ns in 1u64..1 << NS_BITS) {
            let middle = midpoint_ns(bucket_of(latency_ns)) as f64;
            prop_assert!((middle / latency_ns as f64 - 1.0).abs() <= 1.0 / 64.0, "{latency_ns}: {middle}");
        }

        #[test]
        fn a_midpoint_is_in_its_bucket(bucket in 0..BUCKETS) {
            prop_assert_eq!(bucket_of(midpoint_ns(bucket)), bucket);
        }
    }
}

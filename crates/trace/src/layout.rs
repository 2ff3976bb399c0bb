//! How the programs in `bpf/latency.bpf.c` lay their histograms out. What stands here stands there as well.

/// Linear buckets per power of two, as a power of two: the middle of a bucket is at most 1/64 away from its values.
const SUB_BITS: u32 = 5;
/// What takes longer than 2^47 ns (39 hours) is counted as that.
const NS_BITS: u32 = 47;
/// Buckets of a histogram: 32 in each power of two.
pub(crate) const SLOTS: usize = ((NS_BITS - SUB_BITS + 1) << SUB_BITS) as usize;

/// Words in front of the buckets: count, sum, bytes, least, most.
const HEAD: usize = 5;
/// Words of a histogram.
pub(crate) const WORDS: usize = HEAD + SLOTS;

/// The words of a histogram of one processor. An array of words, because such an array may be read from the kernel
/// without any code that is not safe.
pub(crate) type Words = [u64; WORDS];

/// Operations of the block layer: READ, WRITE, FLUSH, DISCARD, by the kernel's own numbers.
pub(crate) const OPERATIONS: u32 = 4;
/// A wanted system call counts only where its descriptor is a file or a block device.
pub(crate) const ONLY_FILES: u32 = 0x100;
/// System calls with numbers from here on cannot be wanted.
#[cfg(test)]
pub(crate) const CALL_NUMBERS: u32 = 512;

/// A wanted system call hands I/O over (`io_submit`).
pub(crate) const SUBMITS: u32 = 0x200;
/// A wanted system call brings back what was handed over (`io_getevents`).
pub(crate) const REAPS: u32 = 0x400;
/// Histograms of system calls, and of I/O that is handed over.
#[cfg(test)]
pub(crate) const CALL_KINDS: u32 = 24;
/// The histogram of reads by `io_submit`; those of writes and of syncs follow.
pub(crate) const AIO_KIND: u32 = 16;
/// The histogram of reads by io_uring; those of writes and of syncs follow.
pub(crate) const URING_KIND: u32 = 20;

/// Where the first four arguments of a system call lie in the registers that the kernel saved, in bytes (`struct
/// pt_regs`, which is an interface of the kernel and does not change).
pub(crate) const fn arguments_at() -> Option<[u32; 4]> {
    match () {
        () if cfg!(target_arch = "x86_64") => Some([14 * 8, 13 * 8, 12 * 8, 7 * 8]),
        () if cfg!(target_arch = "aarch64") => Some([0, 8, 16, 24]),
        () => None,
    }
}

/// One histogram, as it was counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Head {
    /// Events that were counted.
    pub count: u64,
    /// How long they took all together, nanoseconds.
    pub sum_ns: u64,
    /// What they moved, bytes.
    pub bytes: u64,
    /// How long the shortest took, nanoseconds; 0 where there is none.
    pub least_ns: u64,
    /// How long the longest took, nanoseconds.
    pub most_ns: u64,
}

impl Head {
    /// The words in front of the buckets.
    pub(crate) fn of(words: &Words) -> Head {
        let [count, sum_ns, bytes, least_ns, most_ns] = [words[0], words[1], words[2], words[3], words[4]];
        Head { count, sum_ns, bytes, least_ns, most_ns }
    }

    /// Both histograms together: sums, the lesser least, the greater most.
    pub(crate) fn and(self, other: Head) -> Head {
        let least_ns = match (self.least_ns, other.least_ns) {
            (0, other) => other,
            (one, 0) => one,
            (one, other) => one.min(other),
        };
        Head {
            count: self.count + other.count,
            sum_ns: self.sum_ns.saturating_add(other.sum_ns),
            bytes: self.bytes.saturating_add(other.bytes),
            least_ns,
            most_ns: self.most_ns.max(other.most_ns),
        }
    }
}

/// The buckets of `words`.
pub(crate) fn slots(words: &Words) -> &[u64] {
    &words[HEAD..]
}

/// The middle of bucket `slot`, nanoseconds.
pub(crate) fn middle_ns(slot: usize) -> u64 {
    let (octave, sub) = (slot >> SUB_BITS, slot & ((1 << SUB_BITS) - 1));
    match octave {
        0 => sub as u64,
        _ => {
            let width = 1u64 << (octave - 1);
            ((1 << SUB_BITS) + sub as u64) * width + width / 2
        }
    }
}

/// Counts one event of `bytes` in `words`, as the programs do in the kernel.
pub(crate) fn count(words: &mut Words, latency_ns: u64, bytes: u64) {
    let latency_ns = latency_ns.max(1);
    let [count, sum_ns, sum_bytes, least_ns, most_ns, slots @ ..] = words;
    *count += 1;
    *sum_ns = sum_ns.saturating_add(latency_ns);
    *sum_bytes = sum_bytes.saturating_add(bytes);
    *least_ns = if *least_ns == 0 { latency_ns } else { latency_ns.min(*least_ns) };
    *most_ns = latency_ns.max(*most_ns);
    slots[slot_of(latency_ns)] += 1;
}

/// The bucket of a latency: what the programs reckon in the kernel.
fn slot_of(latency_ns: u64) -> usize {
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
    fn the_source_says_the_same() {
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
            let said: u64 = line.split_whitespace().nth(2).unwrap().parse().unwrap();
            assert_eq!(said, value, "{word}");
        }
        for (word, value) in [("ONLY_FILES", ONLY_FILES), ("SUBMITS", SUBMITS), ("REAPS", REAPS)] {
            assert!(source.contains(&format!("#define {word} {value:#x}")), "{word}");
        }
    }

    #[test]
    fn buckets_follow_each_other_without_a_gap() {
        assert_eq!((slot_of(0), slot_of(31), slot_of(32), slot_of(63), slot_of(64)), (0, 31, 32, 63, 64));
        assert_eq!((slot_of(65), slot_of(66)), (64, 65), "from 64 ns on a bucket is 2 ns wide");
        assert_eq!(slot_of(u64::MAX), SLOTS - 1);
        let middles: Vec<u64> = (0..SLOTS).map(middle_ns).collect();
        assert!(middles.is_sorted_by(|one, next| one < next));
    }

    #[test]
    fn heads_add_up() {
        let head = |least_ns, most_ns| Head { count: 1, sum_ns: 5, bytes: 7, least_ns, most_ns };
        let both = head(3, 4).and(head(2, 9));
        assert_eq!(both, Head { count: 2, sum_ns: 10, bytes: 14, least_ns: 2, most_ns: 9 });
        assert_eq!(Head::default().and(head(3, 4)), head(3, 4));
        assert_eq!(head(3, 4).and(Head::default()), head(3, 4));
    }

    proptest! {
        #[test]
        fn the_middle_of_a_bucket_is_near_its_values(latency_ns in 1u64..1 << NS_BITS) {
            let middle = middle_ns(slot_of(latency_ns)) as f64;
            prop_assert!((middle / latency_ns as f64 - 1.0).abs() <= 1.0 / 64.0, "{latency_ns}: {middle}");
        }

        #[test]
        fn a_middle_lies_in_its_bucket(slot in 0..SLOTS) {
            prop_assert_eq!(slot_of(middle_ns(slot)), slot);
        }
    }
}

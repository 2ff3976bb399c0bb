//! Address and size of the next I/O of one clone.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use record::{Blocks, FileChoice, IoJob, IoKind};

use super::choice::{Choice, below, unit};
use super::permutation::mix;

/// The part of a file that a clone uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// Start in the file, bytes.
    pub offset: u64,
    /// Its length in bytes.
    pub length: u64,
}

/// Kind, address and size of one I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    pub kind: IoKind,
    pub file: u32,
    pub offset: u64,
    pub length: u32,
}

/// The sequence of addresses of one clone.
#[derive(Debug)]
pub(crate) struct Addresses {
    random: Xoshiro256PlusPlus,
    read_share: f64,
    write_share: f64,
    kinds: [Kind; 3],
    files: Vec<File>,
    choice: FileChoice,
    file: usize,
    blocks_per_jump: u32,
    gap_bytes: i64,
}

/// Pattern of one kind of I/O.
#[derive(Debug)]
struct Kind {
    random_share: f64,
    sizes: Sizes,
    /// Blocks left in the sequence after the last jump.
    following: u32,
}

#[derive(Debug)]
enum Sizes {
    One(u32),
    Split(Vec<(f64, u32)>),
    Range { min: u32, steps: u64 },
}

#[derive(Debug)]
struct File {
    region: Region,
    align: u64,
    choice: Choice,
    /// Offset of the next sequential block in the region, per kind of I/O.
    next: [u64; 3],
}

const KINDS: [IoKind; 3] = [IoKind::Read, IoKind::Write, IoKind::Trim];

impl Addresses {
    /// Addresses of a clone of `job` in `regions`, one per file, none of them smaller than the largest block.
    pub(crate) fn new(job: &IoJob, regions: &[Region], seed: u64) -> Addresses {
        let kinds = [
            kind(job.order.read_random.0, &job.read_blocks),
            kind(job.order.write_random.0, &job.write_blocks),
            kind(job.order.trim_random.0, &job.trim_blocks),
        ];
        let smallest = used(job).map(|kind| kinds[kind].sizes.min()).min().unwrap_or(512);
        let align = job.align_bytes.map_or(u64::from(smallest), |bytes| bytes.0).max(1);
        let file = |(region, number): (&Region, u64)| {
            let blocks = region.length / align;
            let choice = Choice::new(blocks, &job.distribution, job.coverage, mix(seed ^ number << 32));
            File { region: *region, align, choice, next: [0; 3] }
        };
        Addresses {
            random: Xoshiro256PlusPlus::seed_from_u64(mix(seed)),
            read_share: job.mix.read.0,
            write_share: job.mix.write.0,
            kinds,
            files: regions.iter().zip(1..).map(file).collect(),
            choice: job.file_choice,
            file: 0,
            blocks_per_jump: job.sequence.blocks_per_jump.max(1),
            gap_bytes: job.sequence.gap_bytes,
        }
    }

    /// Size of the largest I/O of the job.
    pub(crate) fn length_max(&self, job: &IoJob) -> u32 {
        used(job).map(|kind| self.kinds[kind].sizes.max()).max().unwrap_or(512)
    }

    /// The next address.
    #[inline]
    pub(crate) fn next(&mut self) -> Address {
        let number = self.draw_kind();
        let random = &mut self.random;
        let kind = &mut self.kinds[number];
        let length = kind.sizes.draw(random);
        let jumps = match kind.following {
            0 if kind.random_share >= 1.0 => true,
            0 if kind.random_share <= 0.0 => false,
            0 => unit(random) < kind.random_share,
            _ => false,
        };
        // The file does not change within a sequence.
        let in_sequence = !jumps && kind.following > 0;
        kind.following = if jumps { self.blocks_per_jump - 1 } else { kind.following.saturating_sub(1) };
        let random_kind = kind.random_share > 0.0;
        if !in_sequence {
            self.choose_file(number, length);
        }
        let file = &mut self.files[self.file];
        let last = file.region.length.saturating_sub(u64::from(length));
        let at = match jumps {
            true => (file.choice.next() * file.align).min(last / file.align * file.align),
            false if file.next[number] > last => 0,
            false => file.next[number],
        };
        let gap = if random_kind { 0 } else { self.gap_bytes };
        file.next[number] = match (at + u64::from(length)).checked_add_signed(gap) {
            Some(next) => next,
            None => last / file.align * file.align,
        };
        Address { kind: KINDS[number], file: self.file as u32, offset: file.region.offset + at, length }
    }

    #[inline]
    fn draw_kind(&mut self) -> usize {
        if self.read_share >= 1.0 {
            return 0;
        }
        if self.write_share >= 1.0 {
            return 1;
        }
        let draw = unit(&mut self.random);
        match () {
            () if draw < self.read_share => 0,
            () if draw < self.read_share + self.write_share => 1,
            () => 2,
        }
    }

    #[inline]
    fn choose_file(&mut self, kind: usize, length: u32) {
        let files = self.files.len();
        if files == 1 {
            return;
        }
        match self.choice {
            FileChoice::RoundRobin => self.file = (self.file + 1) % files,
            FileChoice::Random => self.file = below(&mut self.random, files as u64) as usize,
            FileChoice::Sequential => {
                let file = &self.files[self.file];
                if file.next[kind] + u64::from(length) > file.region.length {
                    self.files[self.file].next[kind] = 0;
                    self.file = (self.file + 1) % files;
                }
            }
        }
    }
}

/// Indexes in [`KINDS`] of the kinds of I/O of `job`.
fn used(job: &IoJob) -> impl Iterator<Item = usize> {
    let shares = [job.mix.read.0, job.mix.write.0, job.mix.trim.0];
    (0..3).filter(move |kind| shares[*kind] > 0.0)
}

fn kind(random_share: f64, blocks: &Blocks) -> Kind {
    let size = |bytes: u64| u32::try_from(bytes).unwrap_or(u32::MAX).max(1);
    let sizes = match blocks {
        Blocks::Split(split) if split.len() == 1 => Sizes::One(size(split[0].size_bytes.0)),
        Blocks::Split(split) => Sizes::Split(split.iter().map(|one| (one.share.0, size(one.size_bytes.0))).collect()),
        Blocks::Range { min_bytes, max_bytes } => {
            let min = size(min_bytes.0);
            Sizes::Range { min, steps: (max_bytes.0 / u64::from(min)).max(1) }
        }
    };
    Kind { random_share, sizes, following: 0 }
}

impl Sizes {
    fn min(&self) -> u32 {
        match self {
            Sizes::One(size) => *size,
            Sizes::Split(split) => split.iter().map(|(_, size)| *size).min().unwrap_or(512),
            Sizes::Range { min, .. } => *min,
        }
    }

    fn max(&self) -> u32 {
        match self {
            Sizes::One(size) => *size,
            Sizes::Split(split) => split.iter().map(|(_, size)| *size).max().unwrap_or(512),
            Sizes::Range { min, steps } => u32::try_from(u64::from(*min) * steps).unwrap_or(u32::MAX),
        }
    }

    #[inline]
    fn draw(&self, random: &mut Xoshiro256PlusPlus) -> u32 {
        match self {
            Sizes::One(size) => *size,
            Sizes::Split(split) => {
                let mut draw = unit(random);
                for (share, size) in split {
                    if draw < *share {
                        return *size;
                    }
                    draw -= share;
                }
                split.last().map_or(512, |(_, size)| *size)
            }
            Sizes::Range { min, steps } => min * (1 + (random.next_u64() % steps) as u32),
        }
    }
}

#[cfg(test)]
mod tests {
    use record::BufferContent;

    use super::super::buffers::content_seed;
    use super::super::content;
    use super::*;

    #[test]
    fn what_is_written_is_not_what_addresses_are_drawn_from() {
        let region = Region { offset: 0, length: 1 << 30 };
        for seed in 0..64 {
            let mut addresses = Addresses::new(&IoJob::default(), &[region], seed);
            let drawn: Vec<u64> = (0..4).map(|_| addresses.random.next_u64()).collect();
            for number in 0..4 {
                let mut written = [0; 32];
                content::fill(&mut written, &BufferContent::Random, content_seed(seed, number));
                let same = |bytes: &[u8]| drawn.iter().any(|number| number.to_le_bytes() == bytes);
                assert!(!written.chunks(8).any(same), "seed {seed}, buffer {number}");
            }
        }
    }
}

//! Read data are the written data.

use std::os::unix::fs::FileExt;
use std::sync::atomic::AtomicBool;

use dbdyno_probe::storage::{Expected, Generations, Region, Verified, lay_out, verify};
use record::{BufferContent, Bytes, Coverage, IoJob, IoKind, Layout, Ratio, Verification};

use crate::bench::{BLOCK, Bench, LONG, MODES, reading, writing};

const BLOCKS: u64 = 128;

/// All blocks of the file, of which all were written in advance or by a lane.
pub fn verified(bench: &Bench) -> Verified {
    let region = Region { offset: 0, length: bench.size };
    let generations = Some(&*bench.generations);
    let expected = Expected { unit: Bytes(BLOCK), writer: 7, is_laid_out: true, is_rewritten: false, generations };
    verify(&bench.path(), region, &expected, &AtomicBool::new(false)).unwrap()
}

fn right(blocks: u64) -> Verified {
    Verified { right: blocks, ..Verified::default() }
}

#[test]
fn every_block_of_a_region_is_as_it_was_written() {
    for mode in MODES {
        for direct in [true, false] {
            let bench = Bench::laid_out(BLOCKS * BLOCK, Layout::Allocated);
            assert_eq!(verified(&bench).foreign, BLOCKS, "not written yet");
            let ran = bench.run(&IoJob { direct, end_sync: true, ..writing(mode, 8) }, LONG);
            assert_eq!(ran.operations(IoKind::Write), BLOCKS, "{}", ran.mode);
            assert_eq!(verified(&bench), right(BLOCKS), "{}, direct {direct}", ran.mode);
        }
    }
}

#[test]
fn both_engines_write_the_same() {
    let contents = MODES.map(|mode| {
        let bench = Bench::laid_out(BLOCKS * BLOCK, Layout::Allocated);
        let ran = bench.run(&IoJob { io_count: Some(BLOCKS), ..writing(mode, 1) }, LONG);
        assert_eq!(ran.broken, None, "{}", ran.mode);
        std::fs::read(bench.path()).unwrap()
    });
    assert!(contents[0] == contents[1]);
}

#[test]
fn blocks_overwritten_in_any_order_are_valid() {
    let bench = Bench::new(BLOCKS * BLOCK);
    for mode in MODES {
        let job = IoJob { coverage: Coverage::Free, loops: 10, ..writing(mode, 32) };
        let ran = bench.run(&job, LONG);
        assert_eq!(ran.operations(IoKind::Write), 10 * BLOCKS, "{}", ran.mode);
        assert_eq!(verified(&bench), right(BLOCKS), "{}", ran.mode);
    }
}

#[test]
fn a_damaged_block_is_found_when_it_is_read() {
    for mode in MODES {
        let bench = Bench::new(BLOCKS * BLOCK);
        let job = IoJob { verification: Verification::OnRead, ..reading(mode, 8) };
        let ran = bench.run(&job, LONG);
        assert_eq!((ran.accounts[0].verified, ran.accounts[0].corrupt), (BLOCKS, 0), "{}", ran.mode);
        let damaged = 77 * BLOCK + 1_000;
        let file = std::fs::OpenOptions::new().write(true).open(bench.path()).unwrap();
        file.write_all_at(b"x", damaged).unwrap();
        file.sync_all().unwrap();
        let ran = bench.run(&job, LONG);
        assert_eq!((ran.accounts[0].verified, ran.accounts[0].corrupt), (BLOCKS - 1, 1), "{}", ran.mode);
        assert_eq!((ran.operations(IoKind::Read), ran.failures(IoKind::Read)), (BLOCKS - 1, 1));
        let failure = ran.accounts[0].first_failure.clone().unwrap();
        assert!(failure.contains(&format!("block at {}", 77 * BLOCK)), "{failure}");
    }
}

#[test]
fn a_block_of_another_offset_is_found_too() {
    let bench = Bench::new(BLOCKS * BLOCK);
    let file = std::fs::OpenOptions::new().read(true).write(true).open(bench.path()).unwrap();
    let mut block = [0; BLOCK as usize];
    file.read_exact_at(&mut block, 5 * BLOCK).unwrap();
    file.write_all_at(&block, 9 * BLOCK).unwrap();
    file.sync_all().unwrap();
    let job = IoJob { verification: Verification::OnRead, ..reading(MODES[0], 8) };
    assert_eq!(bench.run(&job, LONG).accounts[0].corrupt, 1);
    assert_eq!((verified(&bench).corrupt, verified(&bench).first), (1, Some(9 * BLOCK)));
}

#[test]
fn the_requested_content_is_written() {
    for mode in MODES {
        let bench = Bench::new(BLOCKS * BLOCK);
        bench.run(&IoJob { content: BufferContent::Zero, ..writing(mode, 4) }, LONG);
        assert!(std::fs::read(bench.path()).unwrap().iter().all(|byte| *byte == 0));
        bench.run(&IoJob { content: BufferContent::Pattern(b"abc".to_vec()), ..writing(mode, 4) }, LONG);
        let bytes = std::fs::read(bench.path()).unwrap();
        assert!(bytes.chunks(BLOCK as usize).all(|block| block.starts_with(b"abcabc")));
        let half = BufferContent::Compressible { share: Ratio(0.5), chunk_bytes: Bytes(512) };
        bench.run(&IoJob { content: half, ..writing(mode, 4) }, LONG);
        let bytes = std::fs::read(bench.path()).unwrap();
        let zeros = bytes.iter().filter(|byte| **byte == 0).count() as f64 / bytes.len() as f64;
        assert!((0.45..0.55).contains(&zeros), "{zeros}");
    }
}

#[test]
fn a_file_whose_length_is_no_multiple_of_a_page() {
    let bench = Bench::laid_out(0, Layout::Empty);
    let path = bench.path().with_file_name("odd");
    let size = Bytes(3 * (1 << 20) + 123 * 512);
    let never = AtomicBool::new(false);
    lay_out(&path, size, Layout::Written, Bytes(512), 7, &never, &|_| ()).unwrap();
    assert_eq!(path.metadata().unwrap().len(), size.0);
    let generations = Generations::new(size, Bytes(512), Bytes(1 << 20));
    let expected = Expected {
        unit: Bytes(512),
        writer: 7,
        is_laid_out: true,
        is_rewritten: false,
        generations: Some(&generations),
    };
    let found = verify(&path, Region { offset: 0, length: size.0 }, &expected, &never).unwrap();
    assert_eq!(found, right(size.0 / 512));
}

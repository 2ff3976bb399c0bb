//! Asynchronous I/O is timed until its completion.

use std::fs::{File, OpenOptions};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::sync::PoisonError;

use io_uring::{IoUring, opcode, types};
use record::{MeasuringPoint, OperationClass, Trace};

use crate::permitted::{ALONE, counted, found, tracer};

const BLOCK: u32 = 4_096;

#[repr(align(4096))]
struct Block([u8; BLOCK as usize]);

fn direct(directory: &tempfile::TempDir) -> File {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(true).custom_flags(libc::O_DIRECT);
    options.open(directory.path().join("data")).unwrap()
}

fn holds(trace: &Trace, name: &str, class: OperationClass, count: u64) {
    let row = found(trace, MeasuringPoint::SystemCall, name).unwrap_or_else(|| panic!("no {name}: {trace:#?}"));
    assert_eq!((row.class, row.latency.count), (class, count), "{row:?}");
    let bytes = (class != OperationClass::Sync).then_some(count * u64::from(BLOCK));
    assert_eq!(row.bytes.map(|bytes| bytes.0), bytes, "{row:?}");
    assert!(row.latency.min_ns.0 > 0 && row.latency.min_ns <= row.latency.max_ns);
}

#[test]
fn requests_of_io_uring_are_counted_by_operation() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let Some(tracer) = tracer(None) else { return };
    let file = direct(&directory);
    let mut ring = IoUring::new(8).unwrap();
    let mut block = Block([3; BLOCK as usize]);
    let pipe = std::io::pipe().unwrap();
    let at = types::Fd(file.as_raw_fd());
    let mut submit = |entry: io_uring::squeue::Entry| {
        // SAFETY: the memory of the entries lives until the end of the test, and each is waited for.
        unsafe { ring.submission().push(&entry).unwrap() };
        ring.submit_and_wait(1).unwrap();
        ring.completion().next().unwrap().result()
    };
    tracer.begin();
    let memory = block.0.as_mut_ptr();
    for number in 0..20 {
        let offset = number * u64::from(BLOCK);
        assert_eq!(submit(opcode::Write::new(at, memory, BLOCK).offset(offset).build()), BLOCK as i32);
    }
    for number in 0..30 {
        let offset = number % 20 * u64::from(BLOCK);
        assert_eq!(submit(opcode::Read::new(at, memory, BLOCK).offset(offset).build()), BLOCK as i32);
    }
    for _ in 0..5 {
        assert_eq!(submit(opcode::Fsync::new(at).build()), 0);
    }
    assert_eq!(submit(opcode::Nop::new().build()), 0);
    assert_eq!(submit(opcode::Write::new(types::Fd(pipe.1.as_raw_fd()), memory, BLOCK).build()), BLOCK as i32);
    assert_eq!(submit(opcode::Read::new(at, memory, 1).offset(1).build()), -libc::EINVAL, "direct I/O of one byte");
    let trace = tracer.finish();
    holds(&trace, "io_uring write", OperationClass::Write, 20);
    holds(&trace, "io_uring read", OperationClass::Read, 30);
    holds(&trace, "io_uring sync", OperationClass::Sync, 5);
    assert_eq!((trace.lost_count, counted(&trace, "pwrite64"), counted(&trace, "fsync")), (0, 0, 0));
}

/// `struct iocb` and `struct io_event` (linux/aio_abi.h), little endian.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Control {
    data: u64,
    key: u32,
    flags: u32,
    opcode: u16,
    priority: i16,
    descriptor: u32,
    buffer: u64,
    length: u64,
    offset: i64,
    reserved: u64,
    more: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Completion {
    data: u64,
    control: u64,
    result: i64,
    more: i64,
}

/// Submits all in one call and waits for all.
fn submit_and_reap(context: u64, controls: &[Control]) -> Vec<i64> {
    let list: Vec<*const Control> = controls.iter().map(std::ptr::from_ref).collect();
    // SAFETY: the list and its targets live until the end of this function, which waits for all of it.
    let submitted = unsafe { libc::syscall(libc::SYS_io_submit, context, list.len(), list.as_ptr()) };
    assert_eq!(submitted, list.len() as i64, "{}", std::io::Error::last_os_error());
    let mut completions = vec![Completion::default(); list.len()];
    let length = list.len();
    let none = std::ptr::null::<libc::timespec>();
    let events = completions.as_mut_ptr();
    // SAFETY: the kernel writes at most `length` events.
    let count = unsafe { libc::syscall(libc::SYS_io_getevents, context, length, length, events, none) };
    assert_eq!(count, list.len() as i64, "{}", std::io::Error::last_os_error());
    completions.iter().map(|event| event.result).collect()
}

#[test]
fn aio_is_timed_from_io_submit_to_io_getevents() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let Some(tracer) = tracer(None) else { return };
    let file = direct(&directory);
    let mut context: u64 = 0;
    // SAFETY: the kernel writes the number of the context to the pointer.
    assert_eq!(unsafe { libc::syscall(libc::SYS_io_setup, 256, &raw mut context) }, 0);
    let mut blocks: Vec<Block> = (0..8).map(|_| Block([5; BLOCK as usize])).collect();
    let mut all = |opcode: u16| -> Vec<Control> {
        let of = |(index, block): (usize, &mut Block)| Control {
            opcode,
            descriptor: file.as_raw_fd() as u32,
            buffer: block.0.as_mut_ptr() as u64,
            length: u64::from(BLOCK),
            offset: index as i64 * i64::from(BLOCK),
            ..Control::default()
        };
        blocks.iter_mut().enumerate().map(of).collect()
    };
    let (reads, writes) = (all(0), all(1));
    let sync = Control { opcode: 3, descriptor: file.as_raw_fd() as u32, ..Control::default() };
    tracer.begin();
    for _ in 0..5 {
        assert_eq!(submit_and_reap(context, &writes), [i64::from(BLOCK); 8]);
        assert_eq!(submit_and_reap(context, &reads), [i64::from(BLOCK); 8]);
        assert_eq!(submit_and_reap(context, &[sync]), [0]);
    }
    // The maximum of one call.
    assert_eq!(submit_and_reap(context, &[writes[0]; 128]), [i64::from(BLOCK); 128]);
    let trace = tracer.finish();
    // SAFETY: nothing is in flight.
    assert_eq!(unsafe { libc::syscall(libc::SYS_io_destroy, context) }, 0);
    holds(&trace, "aio write", OperationClass::Write, 168);
    holds(&trace, "aio read", OperationClass::Read, 40);
    holds(&trace, "aio sync", OperationClass::Sync, 5);
    assert_eq!(trace.lost_count, 0);
}

//! Jobs of one thread whose kernel refuses, forgets and cuts short.

use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use std::thread::JoinHandle;

use super::*;
use crate::ring::{Ring, SEND};

type Job<'a> = Box<dyn FnOnce() + 'a>;

/// A connection to a peer that answers each byte with its successor.
fn peer() -> (UnixStream, JoinHandle<()>) {
    let (near, mut far) = UnixStream::pair().unwrap();
    let answering = move || {
        let mut byte = [0];
        while far.read_exact(&mut byte).is_ok() && far.write_all(&[byte[0].wrapping_add(1)]).is_ok() {}
    };
    (near, std::thread::spawn(answering))
}

/// What the peer at `near` answers to `byte`.
fn ask(near: &UnixStream, byte: u8) -> io::Result<u8> {
    waiting::send(near.as_fd(), &[byte], None).expect("it is a job")?;
    let mut answer = [0];
    match waiting::receive(near.as_fd(), &mut answer, None).expect("it is a job")? {
        0 => Err(io::ErrorKind::UnexpectedEof.into()),
        _ => Ok(answer[0]),
    }
}

/// Has job 0 of two ask its peer, with `ring`, while the other one asks its own; what job 0 got.
fn beside_another(ring: Ring) -> io::Result<u8> {
    let ((one, one_peer), (other, other_peer)) = (peer(), peer());
    let mut got = None;
    let jobs: Vec<Job<'_>> = vec![
        Box::new(|| got = Some(ask(&one, 7))),
        Box::new(|| (0..100).for_each(|byte| assert_eq!(ask(&other, byte).unwrap(), byte + 1))),
    ];
    run_on(Backend::Ring(Box::new(ring)), jobs).unwrap();
    drop((one, other));
    one_peer.join().unwrap();
    other_peer.join().unwrap();
    got.unwrap()
}

/// A ring whose first entry with `data` has `result`, which the kernel never sees.
fn failing(data: u64, result: i32) -> Ring {
    let mut ring = Ring::open(2).unwrap();
    let mut is_over = false;
    ring.kernel.faults.results =
        Some(Box::new(move |of| (of == data && !std::mem::replace(&mut is_over, true)).then_some(result)));
    ring
}

#[test]
fn a_statement_that_is_not_sent_is_an_error_of_its_job_alone() {
    let codes =
        [Errno::NOMEM, Errno::NOBUFS, Errno::AGAIN, Errno::CANCELED, Errno::INTR].map(|code| -code.raw_os_error());
    for result in codes {
        let error = beside_another(failing(SEND, result)).unwrap_err();
        assert!(!matches!(error.kind(), io::ErrorKind::TimedOut | io::ErrorKind::UnexpectedEof), "{result}: {error}");
    }
    let error = beside_another(failing(SEND, 0)).unwrap_err();
    assert_eq!(error.to_string(), "of a statement 0 bytes were sent, the rest was not");
    let error = beside_another(failing(SEND, -Errno::NOMEM.raw_os_error())).unwrap_err();
    assert!(error.to_string().starts_with("a statement was not sent: "), "{error}");
    let error = beside_another(failing(SEND, -Errno::PIPE.raw_os_error())).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof, "the peer is gone: {error}");
}

#[test]
fn what_was_said_before_a_statement_was_not_sent_is_received() {
    let (near, mut far) = UnixStream::pair().unwrap();
    far.write_all(b"bye").unwrap();
    let job: Job<'_> = Box::new(|| {
        let (mut said, receive) = ([0; 8], |said: &mut [u8]| waiting::receive(near.as_fd(), said, None).unwrap());
        waiting::send(near.as_fd(), b"x", None).unwrap().unwrap();
        assert_eq!(receive(&mut said).unwrap(), 3);
        assert_eq!(receive(&mut said).unwrap_err().to_string(), "of a statement 0 bytes were sent, the rest was not");
        assert!(waiting::send(near.as_fd(), b"y", None).unwrap().is_err(), "nothing is sent after what is missing");
    });
    run_on(Backend::Ring(Box::new(failing(SEND, 0))), vec![job]).unwrap();
}

#[test]
fn a_receive_that_fails_is_an_error_of_its_job_alone() {
    for code in [Errno::NOMEM, Errno::AGAIN, Errno::CANCELED] {
        let error = beside_another(failing(0, -code.raw_os_error())).unwrap_err();
        assert!(error.to_string().starts_with("nothing could be received: "), "{error}");
    }
    let error = beside_another(failing(0, -Errno::CONNRESET.raw_os_error())).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
    assert_eq!(beside_another(failing(0, -Errno::INTR.raw_os_error())).unwrap(), 8, "it is asked again");
}

#[test]
fn what_the_kernel_refuses_for_a_moment_is_told_again() {
    let mut ring = Ring::open(2).unwrap();
    let mut calls = 0;
    ring.kernel.faults.enters = Some(Box::new(move |prepared| {
        calls += 1;
        match calls % 7 {
            1 => Err(Errno::AGAIN.raw_os_error()),
            2 => Err(Errno::BUSY.raw_os_error()),
            3 => Err(Errno::INTR.raw_os_error()),
            4 => Ok(0),
            5 => Ok(prepared.min(1)),
            _ => Ok(prepared),
        }
    }));
    assert_eq!(beside_another(ring).unwrap(), 8);
}

#[test]
fn what_follows_a_statement_does_not_overtake_it() {
    for code in [Errno::BUSY, Errno::AGAIN, Errno::INTR] {
        let (near, mut far) = UnixStream::pair().unwrap();
        let mut ring = Ring::open(1).unwrap();
        let mut refusals = 3;
        ring.kernel.faults.enters = Some(Box::new(move |prepared| {
            refusals -= i32::from(refusals > 0);
            if refusals > 0 { Err(code.raw_os_error()) } else { Ok(prepared) }
        }));
        let job: Job<'_> = Box::new(|| {
            waiting::send(near.as_fd(), b"first", None).unwrap().unwrap();
            waiting::send(near.as_fd(), b", second", None).unwrap().unwrap();
        });
        run_on(Backend::Ring(Box::new(ring)), vec![job]).unwrap();
        drop(near);
        let mut said = String::new();
        far.read_to_string(&mut said).unwrap();
        assert_eq!(said, "first, second");
    }
}

#[test]
fn jobs_of_a_kernel_that_takes_nothing_any_more_end_with_that_error() {
    for code in [Errno::AGAIN, Errno::BUSY, Errno::INVAL] {
        let peers: Vec<_> = (0..5).map(|_| peer()).collect();
        let mut ring = Ring::open(7).unwrap();
        ring.patience = Nanos(20_000_000);
        let mut calls = 0;
        ring.kernel.faults.enters = Some(Box::new(move |prepared| {
            calls += 1;
            if calls < 40 { Ok(prepared) } else { Err(code.raw_os_error()) }
        }));
        let (silent, _far) = UnixStream::pair().unwrap();
        let (ends, ended) = (RefCell::new(Vec::new()), Cell::new(0));
        let ends = &ends;
        let asking = |(near, _): &'_ (UnixStream, JoinHandle<()>)| -> Job<'_> {
            let near = near.try_clone().unwrap();
            Box::new(move || {
                let error = (0..u32::MAX).find_map(|turn| ask(&near, turn as u8).err()).unwrap();
                ends.borrow_mut().push(error.to_string());
                ends.borrow_mut().push(ask(&near, 0).expect_err("it says so whenever it is asked").to_string());
            })
        };
        let mut jobs: Vec<Job<'_>> = peers.iter().map(asking).collect();
        // The kernel has its request long before, and would write to its stack.
        jobs.push(Box::new(|| {
            let error = waiting::receive(silent.as_fd(), &mut [0; 8], None).unwrap().unwrap_err();
            ends.borrow_mut().push(error.to_string());
        }));
        let moment = now() + Nanos(100_000_000);
        jobs.push(Box::new(|| {
            assert!(waiting::sleep_until(moment) && now() >= moment, "moments are waited for all the same");
            ended.set(1);
        }));
        run_on(Backend::Ring(Box::new(ring)), jobs).unwrap();
        let ends = ends.borrow();
        let told = if code == Errno::INVAL { "Invalid argument" } else { "the kernel takes no requests: " };
        assert!(ends.len() == 11 && ends.iter().all(|end| end.starts_with(told)), "{ends:?}");
        assert_eq!(ended.get(), 1);
        for (near, peer) in peers {
            drop(near);
            peer.join().unwrap();
        }
    }
}

#[test]
fn queues_of_few_entries_serve_many_jobs() {
    let peers: Vec<_> = (0..30).map(|_| peer()).collect();
    let jobs = peers.iter().map(|(near, _)| -> Job<'_> {
        Box::new(move || (0..50).for_each(|byte| assert_eq!(ask(near, byte).unwrap(), byte + 1)))
    });
    let ring = Ring::with_queues(30, 2, 4).unwrap();
    run_on(Backend::Ring(Box::new(ring)), jobs.collect()).unwrap();
    for (near, peer) in peers {
        drop(near);
        peer.join().unwrap();
    }
}

/// Set for the process that is to end by a signal.
const ABORTS: &str = "DBDYNO_MULTIPLEX_ABORTS";

#[test]
fn a_thread_that_panics_below_its_jobs_ends_the_process() {
    if std::env::var_os(ABORTS).is_none() {
        let name = "scheduler::tests::a_thread_that_panics_below_its_jobs_ends_the_process";
        let mut child = Command::new(std::env::current_exe().unwrap());
        let output = child.args(["--exact", name, "--nocapture"]).env(ABORTS, "1").output().unwrap();
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.signal().is_some() && words.contains("it ended before its sessions"), "{words}");
        return;
    }
    let mut ring = Ring::open(1).unwrap();
    let mut calls = 0;
    ring.kernel.faults.enters = Some(Box::new(move |prepared| {
        calls += 1;
        assert!(calls == 1, "after the kernel was told where to write");
        Ok(prepared)
    }));
    let (near, _far) = UnixStream::pair().unwrap();
    let job: Job<'_> = Box::new(|| drop(waiting::receive(near.as_fd(), &mut [0; 8], None)));
    let _ = run_on(Backend::Ring(Box::new(ring)), vec![job]);
}

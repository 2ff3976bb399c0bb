//! Jobs of one thread against a peer on another one, by io_uring and by `epoll`.

use std::cell::Cell;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use dbdyno_multiplex as multiplex;
use record::{Nanos, WaitMethod};

type Job<'a> = Box<dyn FnOnce() + 'a>;

fn now() -> Nanos {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    Nanos(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
}

/// A peer that answers each number with its successor, in two parts.
fn answering(mut far: UnixStream) -> std::thread::JoinHandle<()> {
    std::thread::spawn(move || {
        let mut number = [0; 8];
        while far.read_exact(&mut number).is_ok() {
            let answer = (u64::from_le_bytes(number) + 1).to_le_bytes();
            far.write_all(&answer[..3]).unwrap();
            far.write_all(&answer[3..]).unwrap();
        }
    })
}

/// Asks the peer at `near`; what it answered.
fn ask(near: &UnixStream, number: u64) -> u64 {
    multiplex::send(near.as_fd(), &number.to_le_bytes(), None).unwrap().unwrap();
    let (mut answer, mut received) = ([0; 8], 0);
    while received < 8 {
        received += multiplex::receive(near.as_fd(), &mut answer[received..], None).unwrap().unwrap();
    }
    u64::from_le_bytes(answer)
}

#[test]
fn each_job_gets_its_own_answers() {
    for with_ring in [true, false] {
        let peers: Vec<_> =
            (0..50).map(|_| UnixStream::pair().unwrap()).map(|(near, far)| (near, answering(far))).collect();
        let (nears, peers): (Vec<_>, Vec<_>) = peers.into_iter().unzip();
        let sum = AtomicU32::new(0);
        let jobs = nears.iter().zip(0..).map(|(near, job)| -> Job<'_> {
            let sum = &sum;
            Box::new(move || {
                for turn in 0..200 {
                    assert_eq!(ask(near, job * 1_000 + turn), job * 1_000 + turn + 1);
                    sum.fetch_add(1, Ordering::Relaxed);
                }
            })
        });
        let shared = multiplex::run(jobs.collect(), with_ring).unwrap();
        assert_eq!(sum.load(Ordering::Relaxed), 50 * 200);
        // By `epoll` what is there already is not waited for.
        assert!(shared.unseen_ns.len() >= if with_ring { 50 * 200 } else { 50 });
        assert!(!multiplex::is_shared());
        drop(nears);
        peers.into_iter().for_each(|peer| peer.join().unwrap());
    }
}

#[test]
fn an_answer_that_comes_while_the_thread_is_at_work_is_known_to_be_late() {
    let (near, far) = UnixStream::pair().unwrap();
    let peer = answering(far);
    let jobs: Vec<Job<'_>> = vec![
        Box::new(|| assert_eq!(ask(&near, 1), 2)),
        Box::new(|| {
            // What the first one has sent is told to the kernel, and the answer comes meanwhile.
            multiplex::sleep_until(now() + Nanos(1));
            let until = now() + Nanos(20_000_000);
            while now() < until {}
        }),
    ];
    let shared = multiplex::run(jobs, true).unwrap();
    assert!((10_000_000..10_000_000_000).contains(&shared.unseen_ns.max()), "{} ns", shared.unseen_ns.max());
    drop(near);
    peer.join().unwrap();
}

#[test]
fn a_peer_that_reads_late_keeps_only_its_own_job_waiting() {
    for with_ring in [true, false] {
        let (slow, mut slow_far) = UnixStream::pair().unwrap();
        let (quick, quick_far) = UnixStream::pair().unwrap();
        let peer = answering(quick_far);
        let many: Vec<u8> = (0..3_000_000_u32).map(|number| number as u8).collect();
        let answered = AtomicU32::new(0);
        std::thread::scope(|scope| {
            let read = scope.spawn(|| {
                while answered.load(Ordering::Relaxed) < 100 {
                    std::thread::sleep(Duration::from_millis(1));
                }
                let mut bytes = vec![0; 3_000_010];
                slow_far.read_exact(&mut bytes).unwrap();
                slow_far.write_all(b"!").unwrap();
                bytes
            });
            let jobs: Vec<Job<'_>> = vec![
                Box::new(|| {
                    // The first is told to the kernel, the others follow it.
                    for part in [&b"0123456789"[..], &many[..10], &many[10..]] {
                        multiplex::send(slow.as_fd(), part, None).unwrap().unwrap();
                    }
                    assert_eq!(
                        answered.load(Ordering::Relaxed),
                        100,
                        "more than the socket takes, and nothing was read before"
                    );
                    assert_eq!(multiplex::receive(slow.as_fd(), &mut [0; 8], None).unwrap().unwrap(), 1);
                }),
                Box::new(|| {
                    for number in 0..100 {
                        assert_eq!(ask(&quick, number), number + 1);
                        answered.fetch_add(1, Ordering::Relaxed);
                    }
                }),
            ];
            multiplex::run(jobs, with_ring).unwrap();
            let bytes = read.join().unwrap();
            assert!(bytes.starts_with(b"0123456789") && bytes[10..] == many);
        });
        drop(quick);
        peer.join().unwrap();
    }
}

#[test]
fn the_end_of_a_stream_and_a_closed_one_are_results() {
    for with_ring in [true, false] {
        let (ended, far) = UnixStream::pair().unwrap();
        drop(far);
        let first = Cell::new(None);
        let jobs: Vec<Job<'_>> = vec![Box::new(|| {
            let send = || multiplex::send(ended.as_fd(), b"x", None).unwrap();
            let kind = |error: std::io::Error| error.kind();
            first.set(Some(send().map_err(kind)));
            let received = multiplex::receive(ended.as_fd(), &mut [0; 8], None).unwrap().map_err(kind);
            assert!(matches!(received, Ok(0) | Err(ErrorKind::ConnectionReset)), "{received:?}");
            assert_eq!(send().map_err(kind), Err(ErrorKind::BrokenPipe));
        })];
        let is_ring = multiplex::run(jobs, with_ring).unwrap().method == WaitMethod::IoUring;
        // By a ring a statement that cannot be sent shows where its answer is waited for.
        assert_eq!(first.take(), Some(if is_ring { Ok(()) } else { Err(ErrorKind::BrokenPipe) }));
    }
}

#[test]
fn moments_come_in_their_order_and_not_early() {
    for with_ring in [true, false] {
        let order = std::sync::Mutex::new(Vec::new());
        let start = now();
        let job = |after_ms: u64| -> Job<'_> {
            let order = &order;
            Box::new(move || {
                let moment = start + Nanos(after_ms * 1_000_000);
                assert!(multiplex::sleep_until(moment));
                assert!(now() >= moment);
                order.lock().unwrap().push(after_ms);
            })
        };
        multiplex::run(vec![job(30), job(5), job(20), job(0)], with_ring).unwrap();
        assert_eq!(*order.lock().unwrap(), [0, 5, 20, 30]);
        assert!(now() - start < Nanos(5_000_000_000), "they wait together");
    }
    assert!(!multiplex::sleep_until(now() + Nanos(1 << 40)), "alone nothing waits");
}

#[test]
fn a_moment_before_those_that_are_waited_for_is_not_missed() {
    for with_ring in [true, false] {
        let (near, far) = UnixStream::pair().unwrap();
        let peer = answering(far);
        let start = now();
        let sleeper = |after_ms: u64| -> Job<'_> {
            Box::new(move || assert!(multiplex::sleep_until(start + Nanos(after_ms * 1_000_000))))
        };
        let late = AtomicU32::new(0);
        let early: Job<'_> = Box::new(|| {
            // Meanwhile the others wait for their moments.
            assert_eq!(ask(&near, 1), 2);
            let moment = now() + Nanos(1_000_000);
            assert!(multiplex::sleep_until(moment));
            late.store((now() - moment).0 as u32, Ordering::Relaxed);
        });
        multiplex::run(vec![sleeper(900), sleeper(800), early], with_ring).unwrap();
        assert!(late.load(Ordering::Relaxed) < 400_000_000, "{late:?} ns");
        drop(near);
        peer.join().unwrap();
    }
}

#[test]
fn moments_are_not_rounded_to_milliseconds() {
    for with_ring in [true, false] {
        let late = std::sync::Mutex::new(Vec::new());
        let job: Job<'_> = Box::new(|| {
            for _ in 0..50 {
                let moment = now() + Nanos(300_000);
                assert!(multiplex::sleep_until(moment));
                late.lock().unwrap().push(now() - moment);
            }
        });
        multiplex::run(vec![job], with_ring).unwrap();
        let mut late = late.into_inner().unwrap();
        late.sort();
        // Rounded, nearly all would be 700 us late; a busy machine makes some of them late.
        assert!(late[10] < Nanos(500_000), "a fifth is {:?} late", late[10]);
    }
}

#[test]
fn jobs_of_several_threads_meet() {
    let (arrived, gate) = (AtomicU32::new(0), (std::sync::Mutex::new(false), std::sync::Condvar::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let job = |_| -> Job<'_> {
                    Box::new(|| {
                        arrived.fetch_add(1, Ordering::Relaxed);
                        let is_shut = || gate.1.wait_while(gate.0.lock().unwrap(), |is_open| !*is_open);
                        assert!(multiplex::wait_together(&|| drop(is_shut().unwrap())));
                        assert_eq!(arrived.load(Ordering::Relaxed), 20);
                    })
                };
                multiplex::run((0..10).map(job).collect(), true).unwrap();
            });
        }
        while arrived.load(Ordering::Relaxed) < 20 {
            std::thread::yield_now();
        }
        *gate.0.lock().unwrap() = true;
        gate.1.notify_all();
    });
}

#[test]
fn jobs_that_wait_for_nothing_take_turns() {
    let turns = std::sync::Mutex::new(Vec::new());
    let job = |job: u32| -> Job<'_> {
        let turns = &turns;
        Box::new(move || {
            for _ in 0..3 {
                turns.lock().unwrap().push(job);
                multiplex::pass();
            }
        })
    };
    multiplex::run((0..3).map(job).collect(), true).unwrap();
    // The first turn may be followed by a second one at once.
    let turns = turns.into_inner().unwrap();
    let mut last = turns[turns.len() - 3..].to_vec();
    last.sort_unstable();
    assert_eq!((turns.len(), last), (9, vec![0, 1, 2]));
    multiplex::pass();
}

#[test]
fn ten_thousand_jobs_share_a_thread() {
    let done = AtomicU32::new(0);
    let job = |_| -> Job<'_> {
        Box::new(|| {
            multiplex::pass();
            multiplex::sleep_until(now() + Nanos(1_000));
            done.fetch_add(1, Ordering::Relaxed);
        })
    };
    multiplex::run((0..10_000).map(job).collect(), true).unwrap();
    assert_eq!(done.load(Ordering::Relaxed), 10_000);
}

#[test]
fn nothing_within_the_timeout_is_an_error_of_its_job_alone() {
    for with_ring in [true, false] {
        let (silent, _far) = UnixStream::pair().unwrap();
        let (near, far) = UnixStream::pair().unwrap();
        let peer = answering(far);
        let is_over = AtomicU32::new(0);
        let jobs: Vec<Job<'_>> = vec![
            Box::new(|| {
                let start = now();
                let timeout = Duration::from_millis(30);
                let receive = || multiplex::receive(silent.as_fd(), &mut [0; 8], Some(timeout)).unwrap();
                assert_eq!(receive().unwrap_err().kind(), std::io::ErrorKind::TimedOut);
                assert!(now() - start >= Nanos::from(timeout));
                assert_eq!(receive().unwrap_err().kind(), std::io::ErrorKind::TimedOut, "the connection is shut down");
                is_over.store(1, Ordering::Relaxed);
            }),
            Box::new(|| {
                for number in 0..u64::MAX {
                    assert_eq!(ask(&near, number), number + 1);
                    if is_over.load(Ordering::Relaxed) == 1 {
                        break;
                    }
                }
            }),
        ];
        multiplex::run(jobs, with_ring).unwrap();
        drop(near);
        peer.join().unwrap();
    }
}

#[test]
fn what_has_come_is_in_time_and_its_timeout_is_over() {
    for with_ring in [true, false] {
        let (near, mut far) = UnixStream::pair().unwrap();
        far.write_all(b"a").unwrap();
        let jobs: Vec<Job<'_>> = vec![
            Box::new(|| {
                let receive = |timeout| multiplex::receive(near.as_fd(), &mut [0], timeout).unwrap();
                // The thread is at work for another job until the timeout is over.
                assert_eq!(receive(Some(Duration::from_millis(10))).unwrap(), 1);
                assert_eq!(receive(None).unwrap(), 1);
            }),
            Box::new(|| std::thread::sleep(Duration::from_millis(30))),
            Box::new(|| {
                multiplex::sleep(Duration::from_millis(60));
                (&far).write_all(b"b").unwrap();
            }),
        ];
        multiplex::run(jobs, with_ring).unwrap();
    }
}

#[test]
fn what_waits_for_all_jobs_is_not_called_by_one_of_them() {
    let called = AtomicU32::new(0);
    let job: Job<'_> = Box::new(|| {
        assert!(multiplex::is_shared());
        assert!(multiplex::wait_together(&|| {
            assert!(!multiplex::is_shared() && !multiplex::sleep_until(now() + Nanos(1)));
            multiplex::pass();
            called.fetch_add(1, Ordering::Relaxed);
        }));
        assert!(multiplex::is_shared());
    });
    multiplex::run(vec![job], true).unwrap();
    assert_eq!(called.load(Ordering::Relaxed), 1);
}

#[test]
fn the_others_go_on_while_work_is_done_aside() {
    for with_ring in [true, false] {
        let (sender, receiver) = std::sync::mpsc::channel();
        let jobs: Vec<Job<'_>> = vec![
            Box::new(move || {
                let turns = multiplex::aside(move || {
                    assert!(!multiplex::is_shared());
                    receiver.recv_timeout(Duration::from_secs(60))
                });
                assert_eq!(turns.unwrap(), Ok(10));
                let panic = multiplex::aside(|| assert_eq!(1, 2, "not equal")).unwrap_err();
                assert!(panic.downcast_ref::<String>().unwrap().contains("not equal"));
            }),
            Box::new(move || {
                (0..10).for_each(|_| multiplex::sleep(Duration::from_millis(1)));
                sender.send(10).unwrap();
            }),
        ];
        multiplex::run(jobs, with_ring).unwrap();
    }
    assert_eq!(multiplex::aside(|| 7).unwrap(), 7);
    assert!(multiplex::aside(|| panic!("alone")).is_err());
}

#[test]
fn what_was_prepared_is_not_sent_to_the_next_socket_of_that_number() {
    let ((near, mut far), (other, mut other_far)) = (UnixStream::pair().unwrap(), UnixStream::pair().unwrap());
    let job: Job<'_> = Box::new(move || {
        multiplex::send(near.as_fd(), b"for the first", None).unwrap().unwrap();
        multiplex::closing(near.as_raw_fd());
        let mut near = OwnedFd::from(near);
        rustix::io::dup2(&other, &mut near).unwrap();
        multiplex::sleep_until(now() + Nanos(1_000_000));
    });
    multiplex::run(vec![job], true).unwrap();
    let (mut first, mut second) = (String::new(), String::new());
    far.read_to_string(&mut first).unwrap();
    other_far.read_to_string(&mut second).unwrap();
    assert_eq!((first.as_str(), second.as_str()), ("for the first", ""));
}

//! Interruption by the user: no new step is started, and statements in flight are cancelled.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use engine::Canceller;

/// Threads that cancel sessions at the same time: with an unreachable host each cancellation takes a connect timeout.
const THREADS_MAX: usize = 64;

/// How long the end of `during` waits for cancellations in flight, so that they do not hit what its sessions do next.
const SETTLES_WITHIN: Duration = Duration::from_secs(5);

/// Shared between the thread that handles signals and the one that measures.
#[derive(Default)]
pub struct Interrupt {
    raised: AtomicBool,
    sessions: Mutex<Arc<Sessions>>,
}

impl Interrupt {
    /// Sets the flag and cancels what is in flight, without waiting for a server. A second call cancels again, except
    /// where a cancellation is still in flight.
    pub fn raise(&self) {
        // Sequentially consistent, like the load in `during`: a session that is registered at this moment is seen by
        // one of the two.
        self.raised.store(true, Ordering::SeqCst);
        let sessions = Arc::clone(&locked(&self.sessions));
        sessions.cancel();
    }

    /// Whether it was raised.
    pub fn is_raised(&self) -> bool {
        self.raised.load(Ordering::Relaxed)
    }

    /// The flag, for loops that check it between steps.
    pub fn flag(&self) -> &AtomicBool {
        &self.raised
    }

    /// Runs `body`, during which `raise` calls `cancellers`; they are called at once if it was raised before.
    pub(crate) fn during<T>(&self, cancellers: Vec<Box<dyn Canceller>>, body: impl FnOnce() -> T) -> T {
        let sessions = Arc::new(Sessions::of(cancellers));
        *locked(&self.sessions) = Arc::clone(&sessions);
        if self.raised.load(Ordering::SeqCst) {
            Arc::clone(&sessions).cancel();
        }
        let result = body();
        *locked(&self.sessions) = Arc::default();
        sessions.release();
        result
    }
}

/// The sessions that `raise` cancels.
#[derive(Default)]
struct Sessions {
    /// A canceller is locked while it runs.
    cancellers: Vec<Mutex<Box<dyn Canceller>>>,
    /// The work is done: no cancellation is started any more.
    over: AtomicBool,
    threads: Mutex<usize>,
    thread_ended: Condvar,
}

impl Sessions {
    fn of(cancellers: Vec<Box<dyn Canceller>>) -> Sessions {
        Sessions { cancellers: cancellers.into_iter().map(Mutex::new).collect(), ..Sessions::default() }
    }

    /// Cancels all of them concurrently, in threads of its own.
    fn cancel(self: Arc<Sessions>) {
        let next = Arc::new(AtomicUsize::new(0));
        for _ in 0..self.cancellers.len().min(THREADS_MAX) {
            let Some(thread) = CancelThread::enter(&self) else { return };
            let next = Arc::clone(&next);
            // If no thread can be started, the next call may succeed.
            let _ = thread::Builder::new().spawn(move || thread.cancel_from(&next));
        }
    }

    /// Starts no more cancellations, and waits for those in flight.
    fn release(&self) {
        self.over.store(true, Ordering::SeqCst);
        let threads = locked(&self.threads);
        let settled = self.thread_ended.wait_timeout_while(threads, SETTLES_WITHIN, |threads| *threads > 0);
        drop(settled.unwrap_or_else(PoisonError::into_inner));
    }
}

/// One of the threads that cancel.
struct CancelThread {
    sessions: Arc<Sessions>,
}

impl CancelThread {
    /// None at the limit of threads.
    fn enter(sessions: &Arc<Sessions>) -> Option<CancelThread> {
        let mut threads = locked(&sessions.threads);
        if *threads >= THREADS_MAX {
            return None;
        }
        *threads += 1;
        Some(CancelThread { sessions: Arc::clone(sessions) })
    }

    /// Cancels one session after the other, until none is left.
    fn cancel_from(self, next: &AtomicUsize) {
        while !self.sessions.over.load(Ordering::SeqCst)
            && let Some(canceller) = self.sessions.cancellers.get(next.fetch_add(1, Ordering::Relaxed))
        {
            // A locked one is being cancelled. A lost session needs no cancellation.
            let _ = canceller.try_lock().map(|canceller| canceller.cancel());
        }
    }
}

impl Drop for CancelThread {
    fn drop(&mut self) {
        *locked(&self.sessions.threads) -= 1;
        self.sessions.thread_ended.notify_all();
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::net::{SocketAddr, TcpListener, TcpStream};
    use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};

    use super::*;

    /// Far above what any of this takes.
    const DEADLINE: Duration = Duration::from_secs(120);

    /// Cancels by way of a peer that accepts and never answers.
    struct Hung(SocketAddr);

    impl Canceller for Hung {
        fn cancel(&self) -> engine::Result<()> {
            let mut stream = TcpStream::connect(self.0).expect("the peer accepts");
            let _ = stream.read(&mut [0]);
            Ok(())
        }
    }

    struct Reporting(Sender<u32>, u32);

    impl Canceller for Reporting {
        fn cancel(&self) -> engine::Result<()> {
            self.0.send(self.1).expect("the test receives");
            Ok(())
        }
    }

    /// A peer that hangs, and how many of its sessions are to be cancelled.
    fn hung(count: usize) -> (TcpListener, Vec<Box<dyn Canceller>>) {
        // Its backlog accepts for it.
        let peer = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = peer.local_addr().expect("an address");
        (peer, (0..count).map(|_| Box::new(Hung(address)) as Box<dyn Canceller>).collect())
    }

    fn received(all: &Receiver<u32>) -> u32 {
        all.recv_timeout(DEADLINE).expect("it is cancelled")
    }

    #[test]
    fn a_peer_that_hangs_blocks_neither_other_sessions_nor_later_work() {
        let (sender, all) = channel();
        let (over, ended) = channel();
        let (peer, mut first) = hung(10);
        first.push(Box::new(Reporting(sender.clone(), 1)));
        let interrupt = Arc::new(Interrupt::default());
        // Not joined: where the peer holds up everything, this test fails and does not hang.
        let raising = Arc::clone(&interrupt);
        thread::spawn(move || {
            interrupt.during(first, || {
                thread::spawn(move || {
                    // As after repeated signals.
                    for _ in 0..3 {
                        raising.raise();
                    }
                });
                assert_eq!(received(&all), 1);
            });
            while all.try_recv().is_ok() {}
            // It was raised before.
            interrupt.during(vec![Box::new(Reporting(sender.clone(), 2))], || assert_eq!(received(&all), 2));
            over.send(()).expect("the test receives");
        });
        assert_eq!(ended.recv_timeout(DEADLINE), Ok(()));
        drop(peer);
    }

    #[test]
    fn sessions_are_released_when_their_work_is_done() {
        let (sender, all) = channel();
        let sessions = (0..200).map(|_| Box::new(Reporting(sender.clone(), 1)) as Box<dyn Canceller>).collect();
        let interrupt = Interrupt::default();
        interrupt.during(sessions, || {
            interrupt.raise();
            received(&all)
        });
        all.try_iter().for_each(drop);
        interrupt.raise();
        drop(sender);
        assert_eq!(all.recv_timeout(DEADLINE), Err(RecvTimeoutError::Disconnected));
    }

    #[test]
    fn many_sessions_are_all_cancelled() {
        let (sender, all) = channel();
        let sessions = (0..1_000).map(|number| Box::new(Reporting(sender.clone(), number)) as Box<dyn Canceller>);
        let interrupt = Interrupt::default();
        let mut cancelled: Vec<u32> = interrupt.during(sessions.collect(), || {
            interrupt.raise();
            (0..1_000).map(|_| received(&all)).collect()
        });
        cancelled.sort_unstable();
        assert!(cancelled.into_iter().eq(0..1_000));
    }
}

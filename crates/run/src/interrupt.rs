//! The user's wish to break off: no new step begins, and statements in flight are cancelled.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use engine::Canceller;

/// Sessions that are cancelled at the same time: a host that is gone takes each of them the time of a connect.
const THREADS_MAX: usize = 64;

/// How long the end of a piece of work waits for cancellations in flight, so that they do not hit what its sessions do
/// next.
const SETTLES_WITHIN: Duration = Duration::from_secs(5);

/// Shared between the thread that hears of a signal and the one that measures.
#[derive(Default)]
pub struct Interrupt {
    raised: AtomicBool,
    sessions: Mutex<Arc<Sessions>>,
}

impl Interrupt {
    /// Asks everything to end: sets the flag and cancels what is in flight. Waits for no server. Called again, it cancels
    /// again, but for the cancellations that are still in flight.
    pub fn raise(&self) {
        // Sequentially consistent, as is the look in `during`: of a session that comes at this moment one of the two knows.
        self.raised.store(true, Ordering::SeqCst);
        let sessions = Arc::clone(&locked(&self.sessions));
        sessions.cancel();
    }

    /// Whether it was raised.
    pub fn is_raised(&self) -> bool {
        self.raised.load(Ordering::Relaxed)
    }

    /// The flag itself, for loops that look at it between steps.
    pub fn flag(&self) -> &AtomicBool {
        &self.raised
    }

    /// Runs `body` while `cancellers` are the ones to be called; at once where it was raised before.
    pub(crate) fn during<T>(&self, cancellers: Vec<Box<dyn Canceller>>, body: impl FnOnce() -> T) -> T {
        let sessions = Arc::new(Sessions::of(cancellers));
        *locked(&self.sessions) = Arc::clone(&sessions);
        if self.raised.load(Ordering::SeqCst) {
            Arc::clone(&sessions).cancel();
        }
        let result = body();
        *locked(&self.sessions) = Arc::default();
        sessions.let_go();
        result
    }
}

/// The sessions of one piece of work.
#[derive(Default)]
struct Sessions {
    /// Each is locked while it cancels.
    cancellers: Vec<Mutex<Box<dyn Canceller>>>,
    /// The work is done: nothing is cancelled any more.
    over: AtomicBool,
    threads: Mutex<usize>,
    thread_ended: Condvar,
}

impl Sessions {
    fn of(cancellers: Vec<Box<dyn Canceller>>) -> Sessions {
        Sessions { cancellers: cancellers.into_iter().map(Mutex::new).collect(), ..Sessions::default() }
    }

    /// Cancels all of them, side by side, in threads of its own.
    fn cancel(self: Arc<Sessions>) {
        let next = Arc::new(AtomicUsize::new(0));
        for _ in 0..self.cancellers.len().min(THREADS_MAX) {
            let Some(place) = CancelThread::enter(&self) else { return };
            let next = Arc::clone(&next);
            // Where not even one can be started, the next call may have more luck.
            let _ = thread::Builder::new().spawn(move || place.cancel_from(&next));
        }
    }

    /// Begins no more cancellations, and waits a little for those in flight.
    fn let_go(&self) {
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
    /// None where there are as many as there may be.
    fn enter(sessions: &Arc<Sessions>) -> Option<CancelThread> {
        let mut threads = locked(&sessions.threads);
        if *threads >= THREADS_MAX {
            return None;
        }
        *threads += 1;
        Some(CancelThread { sessions: Arc::clone(sessions) })
    }

    /// Cancels the session that is `next`, until all have had their turn.
    fn cancel_from(self, next: &AtomicUsize) {
        while !self.sessions.over.load(Ordering::SeqCst)
            && let Some(canceller) = self.sessions.cancellers.get(next.fetch_add(1, Ordering::Relaxed))
        {
            // One that is locked is being cancelled. A session that is gone needs no cancelling.
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

    struct Heard(Sender<u32>, u32);

    impl Canceller for Heard {
        fn cancel(&self) -> engine::Result<()> {
            self.0.send(self.1).expect("the test listens");
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

    fn heard(all: &Receiver<u32>) -> u32 {
        all.recv_timeout(DEADLINE).expect("it is cancelled")
    }

    #[test]
    fn a_peer_that_hangs_holds_up_neither_the_other_sessions_nor_what_comes_after_them() {
        let (said, all) = channel();
        let (over, ended) = channel();
        let (peer, mut first) = hung(10);
        first.push(Box::new(Heard(said.clone(), 1)));
        let interrupt = Arc::new(Interrupt::default());
        // Not joined: where the peer holds up everything, this test fails and does not hang.
        let raising = Arc::clone(&interrupt);
        thread::spawn(move || {
            interrupt.during(first, || {
                thread::spawn(move || {
                    // As after a signal: again and again.
                    for _ in 0..3 {
                        raising.raise();
                    }
                });
                assert_eq!(heard(&all), 1);
            });
            while all.try_recv().is_ok() {}
            // Nobody raises it for this one.
            interrupt.during(vec![Box::new(Heard(said.clone(), 2))], || assert_eq!(heard(&all), 2));
            over.send(()).expect("the test listens");
        });
        assert_eq!(ended.recv_timeout(DEADLINE), Ok(()));
        drop(peer);
    }

    #[test]
    fn sessions_are_let_go_when_their_work_is_done() {
        let (said, all) = channel();
        let sessions = (0..200).map(|_| Box::new(Heard(said.clone(), 1)) as Box<dyn Canceller>).collect();
        let interrupt = Interrupt::default();
        interrupt.during(sessions, || {
            interrupt.raise();
            heard(&all)
        });
        all.try_iter().for_each(drop);
        interrupt.raise();
        drop(said);
        assert_eq!(all.recv_timeout(DEADLINE), Err(RecvTimeoutError::Disconnected));
    }

    #[test]
    fn many_sessions_are_all_cancelled() {
        let (said, all) = channel();
        let sessions = (0..1_000).map(|number| Box::new(Heard(said.clone(), number)) as Box<dyn Canceller>);
        let interrupt = Interrupt::default();
        let mut cancelled: Vec<u32> = interrupt.during(sessions.collect(), || {
            interrupt.raise();
            (0..1_000).map(|_| heard(&all)).collect()
        });
        cancelled.sort_unstable();
        assert!(cancelled.into_iter().eq(0..1_000));
    }
}

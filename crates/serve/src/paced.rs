//! A stream to a reader who takes what is sent, or is cut off: one who takes nothing would hold a place of the others.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

/// A stream, and how long its reader may take nothing.
pub(crate) struct Paced<S> {
    stream: S,
    stall_max: Duration,
    /// Set while what is sent is not taken.
    stall: Option<Pin<Box<Sleep>>>,
}

impl<S> Paced<S> {
    pub(crate) fn new(stream: S, stall_max: Duration) -> Paced<S> {
        Paced { stream, stall_max, stall: None }
    }

    /// What `sent` says; an error where that was nothing for too long.
    fn within<T>(&mut self, sent: Poll<io::Result<T>>, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        if sent.is_ready() {
            self.stall = None;
            return sent;
        }
        let stall = self.stall.get_or_insert_with(|| Box::pin(tokio::time::sleep(self.stall_max)));
        ready!(stall.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Paced<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Paced<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let sent = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.within(sent, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let sent = Pin::new(&mut self.stream).poll_write_vectored(context, bytes);
        self.within(sent, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let sent = Pin::new(&mut self.stream).poll_flush(context);
        self.within(sent, context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let sent = Pin::new(&mut self.stream).poll_shutdown(context);
        self.within(sent, context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    const STALL_MAX: Duration = Duration::from_millis(200);

    fn block_on(work: impl Future<Output = ()>) {
        tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(work);
    }

    #[test]
    fn a_reader_who_takes_nothing_is_cut_off_and_a_slow_one_gets_all() {
        block_on(async {
            let (near, far) = duplex(64);
            let sent = Paced::new(near, STALL_MAX).write_all(&[1; 1000]).await;
            assert_eq!(sent.unwrap_err().kind(), io::ErrorKind::TimedOut);
            drop(far);
        });
        block_on(async {
            let (near, mut far) = duplex(64);
            let mut near = Paced::new(near, STALL_MAX);
            let reading = async {
                let (mut buffer, mut all) = ([0; 64], 0);
                while all < 640 {
                    tokio::time::sleep(STALL_MAX / 4).await;
                    all += far.read(&mut buffer).await.unwrap();
                }
            };
            let (sent, ()) = tokio::join!(near.write_all(&[1; 640]), reading);
            assert!(sent.is_ok(), "ten times a fourth of the limit");
        });
    }
}

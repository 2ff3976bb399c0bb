//! What goes on, as events: one rendering for all viewers, sent where it has changed.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use futures_util::stream;
use http_body_util::{BodyExt, StreamBody};
use hyper::body::Frame;
use store::{Sign, Viewers};
use tokio::sync::mpsc::{Sender, channel};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, watch};

use crate::answer::Body;
use crate::handler::Handler;
use crate::selection::live_items;
use crate::settings::{VIEWER_STALL_MAX, VIEWER_TIME_MAX, VIEWERS_MAX};

/// How often it is looked for what has changed, while there are viewers.
const PERIOD: Duration = Duration::from_secs(1);

/// How often a viewer is sent something, so that one that has gone is seen.
const BEAT: Duration = Duration::from_secs(15);

/// The viewers.
pub(crate) struct Live {
    content: watch::Sender<Arc<str>>,
    places: Arc<Semaphore>,
    /// How many have come.
    arrivals: AtomicU64,
}

impl Live {
    pub(crate) fn new() -> Live {
        Live {
            content: watch::Sender::new("".into()),
            places: Arc::new(Semaphore::new(VIEWERS_MAX)),
            arrivals: AtomicU64::new(0),
        }
    }

    /// A place for one more viewer; none where there are as many as there may be.
    pub(crate) fn place(&self) -> Option<OwnedSemaphorePermit> {
        let place = Arc::clone(&self.places).try_acquire_owned().ok();
        self.arrivals.fetch_add(u64::from(place.is_some()), Ordering::Relaxed);
        place
    }

    /// How many viewers there are and were.
    fn viewers(&self) -> Viewers {
        let now = VIEWERS_MAX - self.places.available_permits();
        Viewers { now: u32::try_from(now).unwrap_or(u32::MAX), arrivals: self.arrivals.load(Ordering::Relaxed) }
    }

    /// Looks for what has changed, as long as there are viewers. `sign` tells runs of them.
    pub(crate) async fn follow(&self, handler: Arc<Handler>, mut sign: Option<Sign>) {
        loop {
            tokio::time::sleep(PERIOD).await;
            if let Some(sign) = &mut sign {
                // A full disk is no reason to end.
                let _ = sign.show(self.viewers());
            }
            if self.places.available_permits() == VIEWERS_MAX {
                // The next viewer is not shown what was before.
                self.content.send_replace("".into());
                continue;
            }
            let handler = Arc::clone(&handler);
            let rendered = tokio::task::spawn_blocking(move || {
                let snapshot = handler.index.current(PERIOD);
                let [_, content] = handler.views.live(&live_items(&snapshot, SystemTime::now()));
                content
            });
            let Ok(content) = rendered.await else { continue };
            self.content.send_if_modified(|known| {
                let has_changed = **known != *content;
                if has_changed {
                    *known = content.into();
                }
                has_changed
            });
        }
    }

    /// The events for a viewer who has `place`. One who takes nothing is cut off, by `cut`.
    pub(crate) fn events(&self, place: OwnedSemaphorePermit, cut: Arc<Notify>) -> Body {
        let (sender, receiver) = channel::<Bytes>(1);
        let mut content = self.content.subscribe();
        tokio::spawn(async move {
            let _place = place;
            // The page that asks has been drawn just now; what comes is what has changed since.
            content.mark_changed();
            let sent = tokio::time::timeout(VIEWER_TIME_MAX, send_all(&mut content, &sender)).await;
            if sent == Ok(Sent::Stalled) {
                cut.notify_one();
            }
        });
        let pieces = stream::unfold(receiver, |mut receiver| async move {
            let piece = receiver.recv().await?;
            Some((Ok::<_, Infallible>(Frame::data(piece)), receiver))
        });
        StreamBody::new(pieces).boxed_unsync()
    }
}

/// How it ended.
#[derive(PartialEq, Eq, Debug)]
enum Sent {
    /// The viewer has gone.
    Gone,
    /// The viewer takes nothing.
    Stalled,
}

async fn send_all(content: &mut watch::Receiver<Arc<str>>, sender: &Sender<Bytes>) -> Sent {
    loop {
        // One who has gone is no viewer any more, whether there is something to send or not.
        let changed = tokio::select! {
            () = sender.closed() => return Sent::Gone,
            changed = tokio::time::timeout(BEAT, content.changed()) => changed,
        };
        let piece = match changed {
            Ok(Ok(())) => event(&content.borrow_and_update()),
            Ok(Err(_)) => return Sent::Gone,
            Err(_) => Some(Bytes::from_static(b":\n\n")),
        };
        let Some(piece) = piece else { continue };
        match tokio::time::timeout(VIEWER_STALL_MAX, sender.send(piece)).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) => return Sent::Gone,
            Err(_) => return Sent::Stalled,
        }
    }
}

/// The event with `content`, a JSON string, which has no line ends; none of nothing.
fn event(content: &str) -> Option<Bytes> {
    let text = (!content.is_empty()).then(|| serde_json::to_string(content).ok())??;
    Some(Bytes::from(format!("event: content\ndata: {text}\n\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_one_line_of_data() {
        let event = event("<p>a\nb\r</p>").unwrap();
        assert_eq!(event, Bytes::from_static(b"event: content\ndata: \"<p>a\\nb\\r</p>\"\n\n"));
        assert_eq!(super::event(""), None);
    }

    #[tokio::test(flavor = "current_thread", start_paused = true)]
    async fn a_viewer_who_takes_nothing_is_cut_off_and_its_place_is_free() {
        let live = Live::new();
        let places: Vec<_> = (0..VIEWERS_MAX).map(|_| live.place().expect("a place")).collect();
        assert!(live.place().is_none(), "one viewer too many");
        drop(places);
        let cut = Arc::new(Notify::new());
        let body = live.events(live.place().expect("a place"), Arc::clone(&cut));
        for number in 0..4 {
            live.content.send_replace(format!("state {number}").into());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        tokio::time::timeout(VIEWER_STALL_MAX * 2, cut.notified()).await.expect("it is cut off");
        drop(body);
        tokio::time::sleep(Duration::from_millis(10)).await;
        assert_eq!(live.places.available_permits(), VIEWERS_MAX);
    }
}

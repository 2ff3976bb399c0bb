//! The connection to the message server. Its asynchronous runtime has one thread of its own, so that no thread that
//! measures ever runs a part of it.
//!
//! It connects once. Where it ends, its end is final: whoever listens at the same address afterwards, or is named by a
//! server, may be anybody.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use async_nats::{Client, ConnectOptions, Event, Subscriber};
use futures_util::stream::select_all;
use futures_util::{FutureExt, StreamExt};
use measure::clock;
use record::{Nanos, Seed};
use tokio::sync::Notify;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::error::{Error, Result};
use crate::inbox::Inbox;
use crate::wire::{Arrival, Message, Wire};
use crate::work::wait_until;

/// How long a connection may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// How long the last messages may take to the server.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(1);

/// Messages that wait for the thread of the link, at most; they do not wait long.
const RECEIVED_MAX: usize = 2_048;

/// The time before a second attempt to connect: it is never made.
const NEVER: Duration = Duration::from_secs(10 * 365 * 86_400);

struct Outgoing {
    subject: String,
    reply: Option<String>,
    payload: Vec<u8>,
}

/// A connection with subscriptions.
pub(crate) struct Link {
    outgoing: Option<UnboundedSender<Outgoing>>,
    inbox: Arc<Inbox>,
    thread: Option<JoinHandle<()>>,
}

impl Link {
    /// Connects to the server at `url` with the key of `seed` and subscribes to `subjects`.
    pub(crate) fn connect(url: &str, seed: &Seed, subjects: Vec<String>) -> Result<Link> {
        let inbox = Arc::<Inbox>::default();
        let (outgoing, to_send) = unbounded_channel();
        let (connected, is_connected) = channel();
        let (url, seed, arrivals) = (url.to_owned(), seed.0.clone(), Ends(Arc::clone(&inbox)));
        let body = move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            match runtime {
                Ok(runtime) => runtime.block_on(serve(&url, seed, subjects, to_send, &arrivals.0, connected)),
                Err(error) => drop(connected.send(Err(Error::new(format!("no asynchronous runtime: {error}"))))),
            }
            drop(arrivals);
        };
        let thread = std::thread::Builder::new().name("messages".to_owned()).spawn(body);
        let thread = thread.map_err(|error| Error::new(format!("no thread for messages: {error}")))?;
        let link = Link { outgoing: Some(outgoing), inbox, thread: Some(thread) };
        is_connected.recv().unwrap_or_else(|_| Err(Error::new("the thread for messages has ended")))?;
        Ok(link)
    }
}

impl Wire for Link {
    fn now(&self) -> Nanos {
        clock::now()
    }

    fn send(&self, subject: String, reply: Option<String>, payload: Vec<u8>) {
        // Without its receiver the link has ended, and nothing arrives any more.
        let _ = self.outgoing.as_ref().map(|outgoing| outgoing.send(Outgoing { subject, reply, payload }));
    }

    fn receive(&self, timeout: Duration) -> Option<Arrival> {
        self.inbox.take(timeout)
    }

    fn wait_until(&self, moment: Nanos) {
        wait_until(moment);
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.outgoing = None;
        // A panic of the thread has no one left to be told.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// Tells, however the thread ends, that nothing arrives any more.
struct Ends(Arc<Inbox>);

impl Drop for Ends {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// The life of a connection, until it ends or the sender of `to_send` is dropped.
async fn serve(
    url: &str,
    seed: String,
    subjects: Vec<String>,
    mut to_send: UnboundedReceiver<Outgoing>,
    inbox: &Arc<Inbox>,
    connected: Sender<Result<()>>,
) {
    let ended = Arc::<Notify>::default();
    let subscribed = match connect(url, seed, inbox, &ended).await {
        Ok(client) => subscribe(&client, subjects).await.map(|subscriptions| (client, subscriptions)),
        Err(error) => Err(error),
    };
    let (client, subscriptions) = match subscribed {
        Ok(subscribed) => subscribed,
        Err(error) => return drop(connected.send(Err(error))),
    };
    if connected.send(Ok(())).is_err() {
        return;
    }
    let mut incoming = select_all(subscriptions);
    loop {
        tokio::select! {
            message = incoming.next() => match message {
                Some(message) => inbox.add(arrived(message)),
                None => return,
            },
            outgoing = to_send.recv() => {
                let Some(Outgoing { subject, reply, payload }) = outgoing else {
                    // The last messages are on their way when the thread ends, unless the server is gone.
                    let _ = tokio::time::timeout(FLUSH_TIMEOUT, client.flush()).await;
                    return;
                };
                // What is not received is not answered, and sent again by the caller.
                let publish = async {
                    match reply {
                        Some(reply) => client.publish_with_reply(subject, reply, payload.into()).await,
                        None => client.publish(subject, payload.into()).await,
                    }
                };
                // Behind a server that is gone there is room for so many messages, and then for none.
                tokio::select! {
                    _ = publish => {}
                    () = ended.notified() => ended.notify_one(),
                }
            }
            () = ended.notified() => {
                // What has arrived before the end is told before it.
                while let Some(Some(message)) = incoming.next().now_or_never() {
                    inbox.add(arrived(message));
                }
                return;
            }
        }
    }
}

/// A message, as it has arrived just now.
fn arrived(message: async_nats::Message) -> Message {
    Message {
        subject: message.subject.to_string(),
        reply: message.reply.map(|reply| reply.to_string()),
        payload: message.payload.to_vec(),
        at: clock::now(),
    }
}

/// Connects, once.
async fn connect(url: &str, seed: String, inbox: &Arc<Inbox>, ended: &Arc<Notify>) -> Result<Client> {
    let (refusals, ends) = (Arc::clone(inbox), Arc::clone(ended));
    let callback = move |event: Event| {
        match event {
            Event::ServerError(error) => refusals.refuse(error.to_string()),
            Event::Disconnected | Event::Closed => ends.notify_one(),
            _ => {}
        }
        async {}
    };
    let has_tried = AtomicBool::new(false);
    let delay = move |_| if has_tried.swap(true, Ordering::Relaxed) { NEVER } else { Duration::ZERO };
    let options = ConnectOptions::with_nkey(seed)
        .name("dbdyno")
        .connection_timeout(CONNECT_TIMEOUT)
        .subscription_capacity(RECEIVED_MAX)
        .ignore_discovered_servers()
        .reconnect_delay_callback(delay)
        .event_callback(callback);
    options.connect(url).await.map_err(|error| {
        Error::new(format!("the message server at {url} cannot be used: {error}"))
            .hint("a ticket is valid for one fleet, while its coordinator runs")
    })
}

/// Subscribes to `subjects`; the server knows it afterwards.
async fn subscribe(client: &Client, subjects: Vec<String>) -> Result<Vec<Subscriber>> {
    let mut subscriptions = Vec::new();
    for subject in subjects {
        let subscribed = client.subscribe(subject.clone()).await;
        let failed = |error| Error::new(format!("{subject} cannot be subscribed to: {error}"));
        subscriptions.push(subscribed.map_err(failed)?);
    }
    client.flush().await.map_err(|error| Error::new(format!("the message server is gone: {error}")))?;
    Ok(subscriptions)
}

//! The connection to the message server. Its asynchronous runtime has one thread of its own, so that no thread that
//! measures ever runs a part of it.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use async_nats::{ConnectOptions, Event};
use futures_util::StreamExt;
use futures_util::stream::select_all;
use measure::clock;
use record::{Nanos, Seed};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::error::{Error, Result};

/// How long a connection may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// How long the last messages may take to the server.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(1);

/// What arrives at one end of the link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// A message.
    Message(Message),
    /// The server refused something, such as a subject that this key may not use.
    Refused(String),
    /// The server is gone; the link tries to reach it again.
    Disconnected,
    /// It is reached, for the first time or again.
    Connected,
}

/// A message with the moment of its arrival.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    pub subject: String,
    pub reply: Option<String>,
    pub payload: Vec<u8>,
    pub at: Nanos,
}

struct Outgoing {
    subject: String,
    reply: Option<String>,
    payload: Vec<u8>,
}

/// A connection with subscriptions.
pub(crate) struct Link {
    outgoing: Option<UnboundedSender<Outgoing>>,
    incoming: Receiver<Arrival>,
    thread: Option<JoinHandle<()>>,
}

impl Link {
    /// Connects to the server at `url` with the key of `seed` and subscribes to `subjects`.
    ///
    /// # Errors
    /// Where the server cannot be reached, or does not know the key.
    pub(crate) fn connect(url: &str, seed: &Seed, subjects: Vec<String>) -> Result<Link> {
        let (arrivals, incoming) = channel();
        let (outgoing, to_send) = unbounded_channel();
        let (connected, is_connected) = channel();
        let (url, seed) = (url.to_owned(), seed.0.clone());
        let body = move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            match runtime {
                Ok(runtime) => runtime.block_on(serve(&url, seed, subjects, to_send, arrivals, connected)),
                Err(error) => drop(connected.send(Err(Error::new(format!("no asynchronous runtime: {error}"))))),
            }
        };
        let thread = std::thread::Builder::new().name("messages".to_owned()).spawn(body);
        let thread = thread.map_err(|error| Error::new(format!("no thread for messages: {error}")))?;
        let link = Link { outgoing: Some(outgoing), incoming, thread: Some(thread) };
        is_connected.recv().unwrap_or_else(|_| Err(Error::new("the thread for messages has ended")))?;
        Ok(link)
    }

    /// Sends a message. That it was received is known by an answer only.
    pub(crate) fn send(&self, subject: String, reply: Option<String>, payload: Vec<u8>) {
        // Without its receiver the link has ended, and nothing arrives any more.
        let _ = self.outgoing.as_ref().map(|outgoing| outgoing.send(Outgoing { subject, reply, payload }));
    }

    /// What arrives within `timeout`; None if nothing does.
    ///
    /// # Errors
    /// Where the link has ended.
    pub(crate) fn receive(&self, timeout: Duration) -> Result<Option<Arrival>> {
        match self.incoming.recv_timeout(timeout) {
            Ok(arrival) => Ok(Some(arrival)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(Error::new("the connection to the message server has ended")),
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.outgoing = None;
        // A panic of the thread has no one left to be told.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// The life of a connection, until the sender of `to_send` is dropped.
async fn serve(
    url: &str,
    seed: String,
    subjects: Vec<String>,
    mut to_send: UnboundedReceiver<Outgoing>,
    arrivals: Sender<Arrival>,
    connected: Sender<Result<()>>,
) {
    let events = arrivals.clone();
    let callback = move |event: Event| {
        let arrival = match event {
            Event::Disconnected => Some(Arrival::Disconnected),
            Event::Connected => Some(Arrival::Connected),
            Event::ServerError(error) => Some(Arrival::Refused(error.to_string())),
            _ => None,
        };
        let _ = arrival.map(|arrival| events.send(arrival));
        async {}
    };
    let options = ConnectOptions::with_nkey(seed).name("dbdyno").connection_timeout(CONNECT_TIMEOUT);
    let client = match options.event_callback(callback).connect(url).await {
        Ok(client) => client,
        Err(error) => {
            let error = Error::new(format!("the message server at {url} cannot be used: {error}"));
            let hint = "a ticket is valid for one fleet, while its coordinator runs";
            return drop(connected.send(Err(error.hint(hint))));
        }
    };
    let mut subscriptions = Vec::new();
    for subject in subjects {
        match client.subscribe(subject.clone()).await {
            Ok(subscription) => subscriptions.push(subscription),
            Err(error) => {
                return drop(connected.send(Err(Error::new(format!("{subject} cannot be subscribed to: {error}")))));
            }
        }
    }
    // Afterwards the server knows the subscriptions.
    let flushed = client.flush().await.map_err(|error| Error::new(format!("the message server is gone: {error}")));
    let is_lost = flushed.is_err();
    if connected.send(flushed).is_err() || is_lost {
        return;
    }
    let mut incoming = select_all(subscriptions);
    loop {
        tokio::select! {
            message = incoming.next() => {
                let Some(message) = message else { return };
                let message = Message {
                    subject: message.subject.to_string(),
                    reply: message.reply.map(|reply| reply.to_string()),
                    payload: message.payload.to_vec(),
                    at: clock::now(),
                };
                if arrivals.send(Arrival::Message(message)).is_err() {
                    return;
                }
            }
            outgoing = to_send.recv() => {
                let Some(Outgoing { subject, reply, payload }) = outgoing else {
                    // The last messages are on their way when the thread ends, unless the server is gone.
                    let _ = tokio::time::timeout(FLUSH_TIMEOUT, client.flush()).await;
                    return;
                };
                // What is not received is not answered, and sent again by the caller.
                let _ = match reply {
                    Some(reply) => client.publish_with_reply(subject, reply, payload.into()).await,
                    None => client.publish(subject, payload.into()).await,
                };
            }
        }
    }
}

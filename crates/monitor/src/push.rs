//! Metrics pushed to a collector of OpenTelemetry, over HTTP. What is pushed is what a scrape reads: neither runs a statement.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use http_body_util::Full;
use hyper::client::conn::http1;
use hyper::header::{CONTENT_TYPE, HOST, HeaderValue};
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::TokioIo;
use run::{Error, Result};
use tokio::net::TcpStream;

use crate::metrics::{Metrics, otlp_metrics};
use crate::trouble::Trouble;

/// How often metrics are pushed.
const EVERY: Duration = Duration::from_secs(30);
/// How long a push may take.
const TIME_MAX: Duration = Duration::from_secs(5);
/// Where a collector takes metrics, where the address names no path.
const PATH: &str = "/v1/metrics";
/// The port of a collector, where the address names none.
const PORT: u16 = 4318;

/// The address of a collector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collector {
    host: String,
    port: u16,
    path: String,
}

/// The collector at `address`: `http://HOST[:PORT][/PATH]`.
///
/// # Errors
/// Names what is wrong, with a hint.
pub fn collector(address: &str) -> std::result::Result<Collector, base::Wrong> {
    let wrong = |what: &str, hint: &str| base::Wrong::new("otlp", address, what, hint);
    let example = "write it as http://127.0.0.1:4318, the OTLP/HTTP receiver of a collector";
    if address.starts_with("https://") {
        return Err(wrong("is encrypted", "push to a collector on this host, which encrypts what it passes on"));
    }
    let uri: hyper::Uri = address.parse().map_err(|_| wrong("is not an address", example))?;
    let (Some("http"), Some(host)) = (uri.scheme_str(), uri.host()) else {
        return Err(wrong("is not an address of a collector", example));
    };
    if uri.authority().is_some_and(|authority| authority.as_str().contains('@')) || uri.query().is_some() {
        return Err(wrong("has a user, a password or a query", example));
    }
    let path = if matches!(uri.path(), "" | "/") { PATH } else { uri.path() };
    let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
    Ok(Collector { host, port: uri.port_u16().unwrap_or(PORT), path: path.to_owned() })
}

/// A thread that pushes metrics, until it is ended.
pub(crate) struct Push {
    end: Sender<()>,
    thread: JoinHandle<()>,
    trouble: Arc<Trouble>,
}

impl Push {
    /// Pushes `metrics` to `collector`.
    ///
    /// # Errors
    /// Where the thread cannot be started.
    pub(crate) fn start(collector: Collector, metrics: Arc<Metrics>) -> Result<Push> {
        let refused = |error| Error::environment(format!("metrics cannot be pushed: {error}"));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(refused)?;
        let (end, ended) = channel();
        let trouble = Arc::<Trouble>::default();
        let noted = Arc::clone(&trouble);
        let since_ns = now_ns();
        let push = move || {
            let mut was_refused = false;
            loop {
                let is_over = !matches!(ended.recv_timeout(EVERY), Err(RecvTimeoutError::Timeout));
                let body = otlp_metrics(&metrics, since_ns, now_ns()).to_string();
                let pushed = runtime.block_on(async {
                    tokio::time::timeout(TIME_MAX, post(&collector, body))
                        .await
                        .unwrap_or(Err("it took too long".into()))
                });
                // Once for each time that it begins.
                if let Err(error) = pushed.as_ref().map_err(ToString::to_string)
                    && !was_refused
                {
                    let Collector { host, port, .. } = &collector;
                    noted.note(format!("metrics are not taken by the collector at {host}:{port}: {error}"));
                }
                was_refused = pushed.is_err();
                if is_over {
                    return;
                }
            }
        };
        Ok(Push { end, thread: std::thread::spawn(push), trouble })
    }

    /// What is in trouble, since this was asked last.
    pub(crate) fn trouble(&self) -> Option<String> {
        self.trouble.take()
    }

    /// Pushes once more, and ends.
    pub(crate) fn end(self) {
        drop(self.end);
        // A panic there was printed; nothing else depends on it.
        let _ = self.thread.join();
    }
}

fn now_ns() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos() as u64
}

type Failure = Box<dyn std::error::Error + Send + Sync>;

async fn post(collector: &Collector, body: String) -> std::result::Result<(), Failure> {
    let Collector { host, port, path } = collector;
    let stream = TcpStream::connect((host.as_str(), *port)).await?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    let mut request = Request::new(Full::new(Bytes::from(body)));
    *request.method_mut() = Method::POST;
    *request.uri_mut() = path.parse()?;
    request.headers_mut().insert(HOST, HeaderValue::from_str(&format!("{host}:{port}"))?);
    request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let answered = async {
        let status = sender.send_request(request).await?.status();
        Ok::<StatusCode, hyper::Error>(status)
    };
    let status = tokio::select! {
        status = answered => status?,
        // The connection works as long as it is polled.
        ended = connection => return Err(ended.err().map_or("it hung up".into(), Into::into)),
    };
    if status.is_success() { Ok(()) } else { Err(format!("it answers {status}").into()) }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;

    use super::*;
    use crate::metrics::tests::sample;

    #[test]
    fn addresses_of_collectors_are_read_and_others_refused_with_a_hint() {
        let of = |text: &str| collector(text).map(|found| (found.host, found.port, found.path));
        let found = |host: &str, port, path: &str| Ok((host.to_owned(), port, path.to_owned()));
        assert_eq!(of("http://127.0.0.1:4318"), found("127.0.0.1", 4318, "/v1/metrics"));
        assert_eq!(of("http://[::1]/otlp/v1/metrics"), found("::1", 4318, "/otlp/v1/metrics"));
        for text in ["https://h:4318", "grpc://h", "h:4318", "http://", "http://a b", "http://u:p@h", ""] {
            assert!(of(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_pushed_is_a_request_with_all_metrics() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let push = Push::start(collector(&address).unwrap(), sample()).unwrap();
        let end = std::thread::spawn(move || {
            push.end();
        });
        let (mut stream, _) = listener.accept().unwrap();
        let mut seen = Vec::new();
        let mut part = [0; 4096];
        while !String::from_utf8_lossy(&seen).trim_end().ends_with("]}") {
            let count = stream.read(&mut part).unwrap();
            assert!(count > 0, "it ends early: {}", String::from_utf8_lossy(&seen));
            seen.extend_from_slice(&part[..count]);
        }
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").unwrap();
        end.join().unwrap();
        let text = String::from_utf8(seen).unwrap();
        assert!(text.starts_with("POST /v1/metrics HTTP/1.1\r\n"), "{text}");
        assert!(text.contains("content-type: application/json\r\n") && text.contains("db.client.operation.duration"));
    }

    #[test]
    fn a_collector_that_refuses_is_said_once() {
        let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let push = Push::start(collector(&format!("http://{free}")).unwrap(), sample()).unwrap();
        let trouble = Arc::clone(&push.trouble);
        push.end();
        let said = trouble.take().unwrap();
        assert!(said.contains(&format!("not taken by the collector at {free}")), "{said}");
        assert_eq!(trouble.take(), None);
    }
}

//! The metrics over HTTP. A scrape reads counters and runs nothing.

use std::convert::Infallible;
use std::net::{SocketAddr, TcpListener};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use run::{Error, Result};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;

use crate::metrics::{Metrics, open_metrics, plain_text};

const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
const PLAIN_TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Connections at a time; others wait.
const CONNECTIONS_MAX: usize = 16;
/// How long the head of a request may take, and a connection without one.
const HEAD_TIME_MAX: Duration = Duration::from_secs(10);
/// The largest head of a request.
const HEAD_BYTES_MAX: usize = 16 << 10;
/// How long a connection may last, and after that the answer that is on its way: a reader that takes nothing keeps no place from
/// a scrape. An honest one connects again.
const CONNECTION_TIME_MAX: Duration = Duration::from_secs(120);
const LAST_ANSWER_TIME_MAX: Duration = Duration::from_secs(10);
/// After an error of accepting (no descriptor is free, as a rule), nothing is accepted for so long.
const ACCEPT_PAUSE: Duration = Duration::from_millis(200);

/// Serves `metrics` at `listen` from a thread of its own, as long as the process lives; returns the address.
///
/// # Errors
/// Where the address cannot be used.
pub(crate) fn serve(listen: SocketAddr, metrics: Arc<Metrics>) -> Result<SocketAddr> {
    serve_within(listen, metrics, (CONNECTION_TIME_MAX, LAST_ANSWER_TIME_MAX))
}

/// The same with other limits of a connection and of its last answer.
fn serve_within(listen: SocketAddr, metrics: Arc<Metrics>, limits: (Duration, Duration)) -> Result<SocketAddr> {
    let refused = |error: std::io::Error| {
        Error::environment(format!("metrics cannot be served at {listen}: {error}")).hint("give another --listen")
    };
    let listener = TcpListener::bind(listen).map_err(refused)?;
    let address = listener.local_addr().map_err(refused)?;
    listener.set_nonblocking(true).map_err(refused)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(refused)?;
    std::thread::spawn(move || runtime.block_on(accept(listener, metrics, limits)));
    Ok(address)
}

async fn accept(listener: TcpListener, metrics: Arc<Metrics>, limits: (Duration, Duration)) -> std::io::Result<()> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    while let Ok(place) = Arc::clone(&places).acquire_owned().await {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(ACCEPT_PAUSE).await;
            continue;
        };
        let metrics = Arc::clone(&metrics);
        tokio::spawn(async move {
            let _place = place;
            // A reader that breaks off, or is too slow, is no error of the monitor.
            let _ = talk(stream, metrics, limits).await;
        });
    }
    Ok(())
}

async fn talk(
    stream: TcpStream,
    metrics: Arc<Metrics>,
    (time_max, last_max): (Duration, Duration),
) -> hyper::Result<()> {
    let service = service_fn(move |request| {
        let response = scrape(&request, &metrics);
        async move { Ok::<_, Infallible>(response) }
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME_MAX).max_buf_size(HEAD_BYTES_MAX);
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), service));
    if let Ok(done) = tokio::time::timeout(time_max, connection.as_mut()).await {
        return done;
    }
    connection.as_mut().graceful_shutdown();
    tokio::time::timeout(last_max, connection).await.unwrap_or(Ok(()))
}

fn scrape(request: &Request<Incoming>, metrics: &Arc<Metrics>) -> Response<Full<Bytes>> {
    if request.uri().path() != "/metrics" {
        return response(StatusCode::NOT_FOUND, PLAIN_TEXT, "the metrics are at /metrics\n".to_owned());
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return response(StatusCode::METHOD_NOT_ALLOWED, PLAIN_TEXT, "metrics can be read\n".to_owned());
    }
    let accept = request.headers().get(ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    match open_metrics(metrics) {
        Ok(text) if accept.contains("application/openmetrics-text") => response(StatusCode::OK, OPEN_METRICS, text),
        Ok(text) => response(StatusCode::OK, PLAIN_TEXT, plain_text(&text)),
        Err(error) => response(StatusCode::INTERNAL_SERVER_ERROR, PLAIN_TEXT, error.to_string()),
    }
}

fn response(status: StatusCode, kind: &'static str, text: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(text)));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;

    use super::*;
    use crate::metrics::tests::sample;

    fn asked(address: SocketAddr, request: &str) -> String {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn readers_who_take_nothing_keep_no_place_from_a_scrape() {
        let limits = (Duration::from_millis(300), Duration::from_millis(300));
        let address = serve_within("127.0.0.1:0".parse().unwrap(), sample(), limits).unwrap();
        let greedy: Vec<TcpStream> = (0..CONNECTIONS_MAX)
            .map(|_| {
                let mut stream = TcpStream::connect(address).unwrap();
                stream.set_write_timeout(Some(Duration::from_millis(50))).unwrap();
                let many = "GET /metrics HTTP/1.1\r\nHost: h\r\n\r\n".repeat(20_000);
                // More answers than what lies between can hold: at some moment nothing more is taken.
                let _ = stream.write_all(many.as_bytes());
                stream
            })
            .collect();
        let begun = std::time::Instant::now();
        let get = "GET /metrics HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";
        assert!(asked(address, get).starts_with("HTTP/1.1 200"));
        assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
        drop(greedy);
    }

    #[test]
    fn each_reader_gets_the_form_that_it_reads() {
        let address = serve("127.0.0.1:0".parse().unwrap(), sample()).unwrap();
        let get = |path: &str, accept: &str| {
            let request = format!("GET {path} HTTP/1.1\r\nHost: h\r\nAccept: {accept}\r\nConnection: close\r\n\r\n");
            asked(address, &request)
        };
        let open = get("/metrics", "application/openmetrics-text;version=1.0.0,text/plain;q=0.5");
        assert!(open.starts_with("HTTP/1.1 200") && open.contains(OPEN_METRICS) && open.contains("# EOF"), "{open}");
        let plain = get("/metrics", "*/*");
        assert!(plain.contains(PLAIN_TEXT) && !plain.contains("# EOF"), "{plain}");
        assert!(get("/", "*/*").starts_with("HTTP/1.1 404"));
        assert!(asked(address, "nonsense\r\n\r\n").starts_with("HTTP/1.1 400"));
        let posted = asked(address, "POST /metrics HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
        assert!(posted.starts_with("HTTP/1.1 405"), "{posted}");
    }
}

//! Connections: one request each, with limits on their number, on what they may send, and on how long they may take.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;
use hyper::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, Semaphore};
use tokio_rustls::TlsAcceptor;

use crate::answer::{Body, EVENTS, own_fields};
use crate::guard::{Guard, Refusal, is_led_by_others};
use crate::handler::{Asked, Handler};
use crate::index::Index;
use crate::live::Live;
use crate::paced::Paced;
use crate::route::{Route, route};
use crate::runs::Runs;
use crate::settings::{
    ANSWER_STALL_MAX, BODY_BYTES_MAX, BODY_TIME_MAX, CONNECTION_TIME_MAX, CONNECTIONS_MAX, HEAD_BYTES_MAX,
    HEAD_TIME_MAX, HEADERS_MAX, RENDER_TIME_MAX, RENDERED_MAX, ServeSettings, VIEWER_TIME_MAX,
};
use crate::tls::acceptor;
use crate::views::Views;
use crate::{Error, Result};

/// How often it is looked whether the server is to end.
const POLL: Duration = Duration::from_millis(100);

/// After an error of accepting (no descriptor is free, as a rule), nothing is accepted for so long.
const ACCEPT_PAUSE: Duration = Duration::from_millis(200);

/// Threads on which answers are made and files are read.
const THREADS_MAX: usize = RENDERED_MAX + 2;

/// What all connections share.
struct Server {
    handler: Arc<Handler>,
    guard: Guard,
    live: Arc<Live>,
    rendering: Arc<Semaphore>,
}

/// Serves until `is_over`. `on_ready` is told the address as soon as connections are accepted. Runs are started by `runs`, where
/// there is one and readers know a token.
///
/// # Errors
/// Where the settings would let anybody read, there is no token for runs, a certificate cannot be used, or the address cannot be listened on.
pub fn serve(
    settings: &ServeSettings,
    index: Index,
    views: Box<dyn Views>,
    runs: Option<Arc<dyn Runs>>,
    on_ready: &mut dyn FnMut(SocketAddr),
    is_over: &dyn Fn() -> bool,
) -> Result<()> {
    settings.check()?;
    if runs.is_some() && settings.token.is_none() {
        let hint = "write one with `openssl rand -hex 16` into a file, and give it by --token-file";
        return Err(Error::user("runs may be started by those who know a token, and there is none", hint));
    }
    let acceptor = settings.encryption.as_ref().map(acceptor).transpose()?;
    let guard = Guard::new(&settings.names, settings.token.as_deref(), acceptor.is_some());
    let handler = Arc::new(Handler::new(index, views, settings.allows_notes, runs));
    let server = Arc::new(Server {
        handler,
        guard,
        live: Arc::new(Live::new()),
        rendering: Arc::new(Semaphore::new(RENDERED_MAX)),
    });
    // Where it cannot be put up, runs are not told; the directory may be one to read only.
    let sign = store::Sign::put_up(server.handler.index.directory()).ok();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(THREADS_MAX).build();
    let runtime = runtime.map_err(|error| Error::Environment(format!("no asynchronous runtime: {error}")))?;
    let served = runtime.block_on(async {
        let refused = |error| Error::Environment(format!("{} cannot be listened on: {error}", settings.listen));
        let listener = TcpListener::bind(settings.listen).await.map_err(refused)?;
        on_ready(listener.local_addr().map_err(refused)?);
        tokio::select! {
            () = accept(listener, acceptor, &server) => {}
            () = server.live.follow(Arc::clone(&server.handler), sign) => {}
            () = until(is_over) => {}
        }
        Ok(())
    });
    // An answer that is being made is not waited for.
    runtime.shutdown_background();
    served
}

async fn until(is_over: &dyn Fn() -> bool) {
    while !is_over() {
        tokio::time::sleep(POLL).await;
    }
}

async fn accept(listener: TcpListener, acceptor: Option<TlsAcceptor>, server: &Arc<Server>) {
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(_) => {
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let (acceptor, server) = (acceptor.clone(), Arc::clone(server));
        tokio::spawn(async move {
            let _place = place;
            carry(stream, acceptor, server).await;
        });
    }
}

async fn carry(stream: TcpStream, acceptor: Option<TlsAcceptor>, server: Arc<Server>) {
    // A small answer is not kept back.
    let _ = stream.set_nodelay(true);
    match acceptor {
        None => talk(stream, server).await,
        Some(acceptor) => {
            if let Ok(Ok(stream)) = tokio::time::timeout(HEAD_TIME_MAX, acceptor.accept(stream)).await {
                talk(stream, server).await;
            }
        }
    }
}

/// One request and its answer.
async fn talk(stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static, server: Arc<Server>) {
    let (cut, is_viewer) = (Arc::new(Notify::new()), Arc::new(AtomicBool::new(false)));
    let service = {
        let (cut, is_viewer) = (Arc::clone(&cut), Arc::clone(&is_viewer));
        service_fn(move |request| {
            let (server, cut, is_viewer) = (Arc::clone(&server), Arc::clone(&cut), Arc::clone(&is_viewer));
            async move { Ok::<_, Infallible>(server.respond(request, cut, &is_viewer).await) }
        })
    };
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME_MAX)
        .keep_alive(false)
        .max_buf_size(HEAD_BYTES_MAX)
        .max_headers(HEADERS_MAX)
        .serve_connection(TokioIo::new(Paced::new(stream, ANSWER_STALL_MAX)), service);
    let over = async {
        tokio::time::sleep(CONNECTION_TIME_MAX).await;
        if is_viewer.load(Ordering::Relaxed) {
            tokio::time::sleep(VIEWER_TIME_MAX).await;
        }
    };
    tokio::select! {
        // A reader that breaks off is no error of the server.
        _ = connection => {}
        () = cut.notified() => {}
        () = over => {}
    }
}

impl Server {
    async fn respond(&self, request: Request<Incoming>, cut: Arc<Notify>, is_viewer: &AtomicBool) -> Response<Body> {
        let (parts, body) = request.into_parts();
        let target = parts.uri.path_and_query().map_or("", |target| target.as_str()).to_owned();
        let asked = match self.asked(&parts.method, &parts.headers, target.clone(), body).await {
            Ok(asked) => asked,
            Err(refusal) => return self.refused(&refusal, &target, &parts.headers),
        };
        if asked.form.is_none() && matches!(route(&asked.target), Ok(Route::LiveEvents)) {
            return self.events(cut, is_viewer, &parts.headers);
        }
        self.made(asked, &parts.headers).await
    }

    /// What is asked for by a request that may be answered.
    async fn asked(
        &self,
        method: &Method,
        headers: &HeaderMap,
        target: String,
        body: Incoming,
    ) -> std::result::Result<Asked, Refusal> {
        self.guard.check(method, headers)?;
        let form = match *method {
            Method::GET | Method::HEAD => None,
            Method::POST => Some(form(headers, body).await?),
            _ => {
                let message = "a page can be read, and a form sent\nhint: use GET, HEAD, or POST of a form";
                return Err(Refusal::new(StatusCode::METHOD_NOT_ALLOWED, message));
            }
        };
        Ok(Asked { target, form, is_led_by_others: is_led_by_others(headers) })
    }

    /// The answer, made on a thread that may wait, as soon as one is free.
    async fn made(&self, asked: Asked, headers: &HeaderMap) -> Response<Body> {
        let target = asked.target.clone();
        let (handler, rendering) = (Arc::clone(&self.handler), Arc::clone(&self.rendering));
        let work = async move {
            let place = rendering.acquire_owned().await.ok()?;
            let work = tokio::task::spawn_blocking(move || {
                let _place = place;
                handler.answer(&asked)
            });
            work.await.ok()
        };
        match tokio::time::timeout(RENDER_TIME_MAX, work).await {
            Ok(Some(answer)) => answer.response(headers),
            Ok(None) => {
                let status = StatusCode::INTERNAL_SERVER_ERROR;
                self.handler.refuse(status, "this page cannot be made", &target).response(headers)
            }
            Err(_) => {
                let message = format!("the page was not made within {} s", RENDER_TIME_MAX.as_secs());
                self.handler.refuse(StatusCode::SERVICE_UNAVAILABLE, &message, &target).response(headers)
            }
        }
    }

    fn events(&self, cut: Arc<Notify>, is_viewer: &AtomicBool, headers: &HeaderMap) -> Response<Body> {
        let Some(place) = self.live.place() else {
            let message = "there are as many viewers as there may be\nhint: reload the page when one has gone";
            let refusal = Refusal::new(StatusCode::SERVICE_UNAVAILABLE, message);
            return self.refused(&refusal, "/live", headers);
        };
        is_viewer.store(true, Ordering::Relaxed);
        let mut response = Response::new(self.live.events(place, cut));
        own_fields(response.headers_mut(), EVENTS);
        response
    }

    fn refused(&self, refusal: &Refusal, target: &str, headers: &HeaderMap) -> Response<Body> {
        let mut response = self.handler.refuse(refusal.status, &refusal.message, target).response(headers);
        if refusal.status == StatusCode::SERVICE_UNAVAILABLE {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("60"));
        }
        response
    }
}

/// The body of a form, as it is: nothing that is packed is unpacked.
async fn form(headers: &HeaderMap, body: Incoming) -> std::result::Result<String, Refusal> {
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let is_form = kind.split(';').next().unwrap_or_default().trim() == "application/x-www-form-urlencoded";
    if !is_form || headers.contains_key(CONTENT_ENCODING) {
        let message = "a form is sent as application/x-www-form-urlencoded, and not packed";
        return Err(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message));
    }
    let whole = Limited::new(body, BODY_BYTES_MAX).collect();
    let too_large =
        || Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, format!("a form has at most {BODY_BYTES_MAX} bytes"));
    match tokio::time::timeout(BODY_TIME_MAX, whole).await {
        Err(_) => Err(Refusal::new(StatusCode::REQUEST_TIMEOUT, "the form did not come in time")),
        Ok(Err(_)) => Err(too_large()),
        Ok(Ok(whole)) => String::from_utf8(whole.to_bytes().to_vec())
            .map_err(|_| Refusal::new(StatusCode::BAD_REQUEST, "the form is no text")),
    }
}

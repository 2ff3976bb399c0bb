//! Who is answered: a reader who addresses this server by a name of it, knows its token, and writes from its own pages.

use std::net::IpAddr;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hyper::header::{AUTHORIZATION, HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN};
use hyper::{Method, StatusCode};
use sha2::{Digest, Sha256};

/// Where a request of a browser comes from.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The digest of a text.
type Hash = [u8; 32];

/// What is asked of every request.
pub(crate) struct Guard {
    /// Names of this server, in lower case.
    names: Vec<String>,
    /// The digest of the token.
    token: Option<Hash>,
    /// `http` or `https`.
    scheme: &'static str,
}

/// Why a request is not answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    pub(crate) message: String,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> Refusal {
        Refusal { status, message: message.into() }
    }
}

impl Guard {
    pub(crate) fn new(names: &[String], token: Option<&str>, is_encrypted: bool) -> Guard {
        let localhost = std::iter::once("localhost".to_owned());
        Guard {
            names: localhost.chain(names.iter().map(|name| name.to_lowercase())).collect(),
            token: token.map(|token| Sha256::digest(token.as_bytes()).into()),
            scheme: if is_encrypted { "https" } else { "http" },
        }
    }

    /// Whether a request is answered.
    ///
    /// # Errors
    /// Where it addresses this server by a name of somebody else, who may have rebound it; where it changes something
    /// and comes from a page of somebody else; where it does not know the token.
    pub(crate) fn check(&self, method: &Method, headers: &HeaderMap) -> Result<(), Refusal> {
        let host = self.host(headers)?;
        let site = headers.get(FETCH_SITE).map(HeaderValue::as_bytes);
        if !matches!(*method, Method::GET | Method::HEAD) {
            let own = format!("{}://{host}", self.scheme);
            let is_own =
                headers.get(ORIGIN).is_some_and(|origin| origin.as_bytes().eq_ignore_ascii_case(own.as_bytes()));
            let is_own_site = site.is_none_or(|site| site == b"same-origin");
            if !is_own || !is_own_site {
                let message =
                    format!("only a page of {own} may write\nhint: without a browser send the header Origin: {own}");
                return Err(Refusal::new(StatusCode::FORBIDDEN, message));
            }
        }
        if self.is_known(headers) {
            return Ok(());
        }
        let message = "the token of this server is needed\nhint: any user name, and the token as its password";
        Err(Refusal::new(StatusCode::UNAUTHORIZED, message))
    }

    /// The name and port by which this server is addressed.
    fn host<'a>(&self, headers: &'a HeaderMap) -> Result<&'a str, Refusal> {
        let mut named = headers.get_all(HOST).iter();
        let (Some(host), None) = (named.next().and_then(|host| host.to_str().ok()), named.next()) else {
            return Err(Refusal::new(StatusCode::BAD_REQUEST, "a request has one header Host"));
        };
        match is_address(name_of(host)) || self.names.contains(&name_of(host).to_lowercase()) {
            true => Ok(host),
            false => {
                let message = "this server is not addressed by that name\nhint: use its address or localhost; \
                               dbdyno serve --host-name NAME adds a name";
                Err(Refusal::new(StatusCode::MISDIRECTED_REQUEST, message))
            }
        }
    }

    /// Whether the reader knows the token.
    fn is_known(&self, headers: &HeaderMap) -> bool {
        let Some(token) = &self.token else { return true };
        let given = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()).and_then(secret);
        // Digests are compared, so that the time tells nothing of the token.
        given.is_some_and(|given| Hash::from(Sha256::digest(given.as_bytes())) == *token)
    }
}

/// Whether a page of somebody else, or a link on one, led to this request.
pub(crate) fn is_led_by_others(headers: &HeaderMap) -> bool {
    let site = headers.get(FETCH_SITE).map(HeaderValue::as_bytes);
    site.is_some_and(|site| site != b"same-origin" && site != b"none")
}

/// The secret in `Bearer SECRET`, or the password of `Basic BASE64`.
fn secret(value: &str) -> Option<String> {
    let (scheme, rest) = value.split_once(' ')?;
    if scheme.eq_ignore_ascii_case("bearer") {
        return Some(rest.trim().to_owned());
    }
    let decoded = scheme.eq_ignore_ascii_case("basic").then(|| BASE64_STANDARD.decode(rest.trim()).ok())??;
    let text = String::from_utf8(decoded).ok()?;
    Some(text.split_once(':')?.1.to_owned())
}

/// `host` without its port.
fn name_of(host: &str) -> &str {
    match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, _)) => address,
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    }
}

/// Whether a name is an address: no name server can have it lead elsewhere.
fn is_address(name: &str) -> bool {
    name.parse::<IpAddr>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(all: &[(&'static str, &str)]) -> HeaderMap {
        let pair = |(name, value): &(&'static str, &str)| {
            (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap())
        };
        all.iter().map(pair).collect()
    }

    fn status(guard: &Guard, method: &Method, all: &[(&'static str, &str)]) -> u16 {
        guard.check(method, &headers(all)).map_or_else(|refusal| refusal.status.as_u16(), |()| 200)
    }

    #[test]
    fn only_own_names_are_answered() {
        let guard = Guard::new(&["Reports.example".to_owned()], None, false);
        for host in ["127.0.0.1:7070", "localhost", "LOCALHOST:1", "[::1]:7070", "192.0.2.7", "reports.example:7070"] {
            assert_eq!(status(&guard, &Method::GET, &[("host", host)]), 200, "{host}");
        }
        for host in ["evil.example", "evil.example:7070", "localhost.evil.example", "", "127.0.0.1.evil.example"] {
            assert_eq!(status(&guard, &Method::GET, &[("host", host)]), 421, "{host}");
        }
        assert_eq!(status(&guard, &Method::GET, &[]), 400);
        let mut twice = headers(&[("host", "localhost")]);
        twice.append(HOST, HeaderValue::from_static("evil.example"));
        assert!(guard.check(&Method::GET, &twice).is_err());
    }

    #[test]
    fn only_own_pages_may_write() {
        let guard = Guard::new(&[], None, false);
        let host = ("host", "localhost:7070");
        let post = |more: &[(&'static str, &str)]| status(&guard, &Method::POST, &[&[host], more].concat());
        assert_eq!(post(&[("origin", "http://localhost:7070")]), 200);
        assert_eq!(post(&[("origin", "http://localhost:7070"), ("sec-fetch-site", "same-origin")]), 200);
        assert_eq!(post(&[("origin", "http://localhost:7070"), ("sec-fetch-site", "cross-site")]), 403);
        for origin in ["http://evil.example", "null", "https://localhost:7070", "http://localhost:7071"] {
            assert_eq!(post(&[("origin", origin)]), 403, "{origin}");
        }
        assert_eq!(post(&[]), 403);
    }

    #[test]
    fn a_token_is_asked_for_and_accepted_in_two_forms() {
        let guard = Guard::new(&[], Some("0123456789abcdef"), true);
        let get = |value: &str| status(&guard, &Method::GET, &[("host", "localhost"), ("authorization", value)]);
        assert_eq!(status(&guard, &Method::GET, &[("host", "localhost")]), 401);
        assert_eq!(get("Bearer 0123456789abcdef"), 200);
        assert_eq!(get(&format!("Basic {}", BASE64_STANDARD.encode("me:0123456789abcdef"))), 200);
        for wrong in ["Bearer 0123456789abcde", "Bearer", "Basic !", "Basic bWU=", "0123456789abcdef"] {
            assert_eq!(get(wrong), 401, "{wrong}");
        }
    }
}

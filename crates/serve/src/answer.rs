//! Answers: a status, a body, and what a browser may do with it.

use std::convert::Infallible;

use bytes::Bytes;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use hyper::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HeaderMap, HeaderName, HeaderValue, IF_NONE_MATCH,
    LOCATION, REFERRER_POLICY, WWW_AUTHENTICATE, X_CONTENT_TYPE_OPTIONS,
};
use hyper::{Response, StatusCode};

use crate::identity::tag_of;

/// The body of an answer, whole or in pieces.
pub(crate) type Body = UnsyncBoxBody<Bytes, Infallible>;

pub(crate) const HTML: &str = "text/html; charset=utf-8";
pub(crate) const JSON: &str = "application/json";
pub(crate) const EVENTS: &str = "text/event-stream";

/// An answer that is known as a whole.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) kind: &'static str,
    pub(crate) body: String,
    /// Where the reader is led.
    pub(crate) to: Option<String>,
}

impl Answer {
    pub(crate) fn page(body: String) -> Answer {
        Answer { status: StatusCode::OK, kind: HTML, body, to: None }
    }

    pub(crate) fn json(body: String) -> Answer {
        Answer { kind: JSON, ..Answer::page(body) }
    }

    pub(crate) fn redirect(to: String) -> Answer {
        Answer { status: StatusCode::SEE_OTHER, to: Some(to), ..Answer::page(String::new()) }
    }

    pub(crate) fn with(self, status: StatusCode) -> Answer {
        Answer { status, ..self }
    }

    /// The response to a request with `headers`: without a body where the reader has it.
    pub(crate) fn response(self, headers: &HeaderMap) -> Response<Body> {
        let mut response = Response::new(Full::new(Bytes::new()).boxed_unsync());
        *response.status_mut() = self.status;
        let tag = (self.status == StatusCode::OK).then(|| tag_of(self.body.as_bytes()));
        let fields = response.headers_mut();
        own_fields(fields, self.kind);
        if let Some(to) = self.to.and_then(|to| HeaderValue::from_str(&to).ok()) {
            fields.insert(LOCATION, to);
        }
        if self.status == StatusCode::UNAUTHORIZED {
            fields.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Basic realm=\"dbdyno\", charset=\"UTF-8\""));
        }
        let is_known = tag.as_ref().is_some_and(|tag| has_tag(headers, tag));
        if let Some(value) = tag.and_then(|tag| HeaderValue::from_str(&tag).ok()) {
            fields.insert(ETAG, value);
        }
        match is_known {
            true => *response.status_mut() = StatusCode::NOT_MODIFIED,
            false => *response.body_mut() = Full::new(Bytes::from(self.body)).boxed_unsync(),
        }
        response
    }
}

/// The fields of every answer: nobody else may frame it, guess what it is, keep it, or learn where its reader came
/// from.
pub(crate) fn own_fields(fields: &mut HeaderMap, kind: &'static str) {
    const OWN: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
    const OPENER: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
    // What a page may do stands in the page itself; all else may do nothing.
    let policy = if kind == HTML { "frame-ancestors 'none'" } else { "default-src 'none'; frame-ancestors 'none'" };
    let all = [
        (CONTENT_TYPE, kind),
        (CONTENT_SECURITY_POLICY, policy),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        (CACHE_CONTROL, "private, no-cache"),
        (OWN, "same-origin"),
        (OPENER, "same-origin"),
    ];
    for (name, value) in all {
        fields.insert(name, HeaderValue::from_static(value));
    }
}

/// Whether the reader has what `tag` is of.
fn has_tag(headers: &HeaderMap, tag: &str) -> bool {
    let known = headers.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    known
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .any(|known| known == "*" || known.trim_start_matches("W/") == tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_reader_has_is_not_sent_again() {
        let page = || Answer::page("x".to_owned());
        let first = page().response(&HeaderMap::new());
        let tag = first.headers()[ETAG].clone();
        let mut asked = HeaderMap::new();
        asked.insert(IF_NONE_MATCH, HeaderValue::from_str(&format!("\"other\", {}", tag.to_str().unwrap())).unwrap());
        assert_eq!(page().response(&asked).status(), StatusCode::NOT_MODIFIED);
        assert_eq!(Answer::page("y".to_owned()).response(&asked).status(), StatusCode::OK);
        assert_eq!(page().with(StatusCode::NOT_FOUND).response(&asked).status(), StatusCode::NOT_FOUND);
    }
}

//! Makes one attempt.

use crate::actions::App;
use crate::actions::sending::{Done, Job};
use crate::client::guard::send_error;
use crate::client::{DialError, HttpResponse, Limits, Method, Request};
use crate::domain::retry_schedule;
use crate::domain::webhook::{AttemptResult, Outcome, Snippet};
use crate::failpoint;
use crate::runtime::clock::monotonic;
use std::sync::Arc;
use std::time::Duration;

/// The largest part of a response body that is kept, in bytes.
const SNIPPET: usize = 4096;

/// The response headers must arrive within 10 s, and the body may take 2 s after them.
const LIMITS: Limits = Limits {
    total: Duration::from_secs(12),
    body: Duration::from_secs(2),
    body_bytes: SNIPPET,
};

/// Makes an attempt.
pub(super) fn send(app: &App, job: Arc<Job>) -> Done {
    failpoint::point("send.taken");
    let begun = monotonic();
    let answer = app.webhook_client().send(&Request {
        method: Method::Post,
        url: &job.url,
        headers: job.headers.as_slice().into(),
        body: job.body.as_bytes().into(),
        limits: LIMITS,
    });
    let took = begun.elapsed();
    failpoint::point("send.answered");
    let (result, asked_to_wait) = judge(app, &answer, took);
    let done = Done {
        job,
        result,
        asked_to_wait,
    };
    app.metrics().attempted(done.result.outcome);
    log::debug!("{}: {}", done.job.name(), done.outcome());
    done
}

/// The outcome of an attempt, and whether the receiver sent a Retry-After.
fn judge(
    app: &App,
    answer: &Result<HttpResponse, DialError>,
    took: Duration,
) -> (AttemptResult, bool) {
    let nothing = AttemptResult {
        outcome: Outcome::NoResponse,
        status: None,
        error: None,
        duration: Some(took),
        snippet: None,
        retry_after_seconds: None,
    };
    match answer {
        Err(error) => {
            let result = AttemptResult {
                error: Some(send_error(error)),
                // A request that did not connect has no duration.
                duration: error.was_dialled().then_some(took),
                ..nothing
            };
            (result, false)
        }
        Ok(answer) => {
            let (outcome, error) = retry_schedule::outcome_of(answer.status);
            let asked = answer.header("retry-after");
            let asked = asked.and_then(|header| retry_schedule::retry_after(header, app.now()));
            let result = AttemptResult {
                outcome,
                status: Some(answer.status),
                error,
                snippet: Some(snippet(&answer.body, answer.truncated)),
                retry_after_seconds: asked.filter(|_| matches!(answer.status, 429 | 503)),
                ..nothing
            };
            (result, asked.is_some())
        }
    }
}

/// The beginning of a response body as text, cut at a character boundary. Invalid bytes are replaced. The replacements are
/// longer than the bytes, so the text is limited again.
fn snippet(body: &[u8], truncated: bool) -> Snippet {
    // A character that the limit splits is removed, not replaced.
    let whole = match std::str::from_utf8(body) {
        Err(error) if truncated && error.error_len().is_none() => &body[..error.valid_up_to()],
        _ => body,
    };
    let mut text = String::from_utf8_lossy(whole).replace('\0', "\u{fffd}");
    let mut fits = text.len().min(SNIPPET);
    while !text.is_char_boundary(fits) {
        fits -= 1;
    }
    let truncated = truncated || fits < text.len();
    text.truncate(fits);
    Snippet { text, truncated }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_times_are_those_that_receivers_are_promised() {
        assert_eq!(LIMITS.total - LIMITS.body, Duration::from_secs(10));
        assert_eq!(LIMITS.body, Duration::from_secs(2));
    }

    #[test]
    fn snippets_end_where_a_character_ends() {
        for (body, truncated, text) in [
            (&b""[..], false, ""),
            (b"ok", false, "ok"),
            ("caf\u{e9}".as_bytes(), true, "caf\u{e9}"),
            (b"caf\xc3", true, "caf"),
            (b"caf\xc3", false, "caf\u{fffd}"),
            (b"a\xffb", true, "a\u{fffd}b"),
            (b"\xf0\x9f\x98", true, ""),
        ] {
            let expected = Snippet {
                text: text.to_owned(),
                truncated,
            };
            assert_eq!(snippet(body, truncated), expected, "{body:?}");
        }
    }

    #[test]
    fn marks_do_not_make_a_snippet_longer_than_the_limit() {
        let fill = |byte: u8, length: usize| vec![byte; length];
        for (body, length, truncated) in [
            (fill(b'x', 4096), 4096, false),
            (fill(0xff, 1365), 4095, false),
            (fill(0xff, 1366), 4095, true),
            (fill(0xff, 4096), 4095, true),
            (fill(0, 4096), 4095, true),
            ([fill(b'x', 4095), fill(0xff, 1)].concat(), 4095, true),
        ] {
            let found = snippet(&body, false);
            assert_eq!((found.text.len(), found.truncated), (length, truncated));
        }
    }
}

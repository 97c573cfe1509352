//! One attempt: posted, and what came of it.

use crate::actions::App;
use crate::actions::sending::{Done, Job};
use crate::dial::{End, Exchange, SNIPPET};
use crate::domain::ladder;
use crate::domain::webhook::{AttemptResult, Outcome, Snippet};
use crate::fault;
use std::sync::Arc;

/// Makes an attempt.
pub(super) fn send(app: &App, job: Arc<Job>) -> Done {
    fault::point("send.taken");
    let exchange = app
        .dialler()
        .post(&job.url, &job.headers, job.body.as_bytes());
    fault::point("send.answered");
    let (result, asked_to_wait) = judge(app, &exchange);
    let done = Done {
        job,
        result,
        asked_to_wait,
    };
    app.metrics().attempted(done.result.outcome);
    log::debug!("{}: {}", done.job.name(), done.told());
    done
}

/// What an exchange comes to, and whether the receiver asked for a time of its own.
fn judge(app: &App, exchange: &Exchange) -> (AttemptResult, bool) {
    let nothing = AttemptResult {
        outcome: Outcome::NoResponse,
        status: None,
        error: None,
        duration: exchange.duration,
        snippet: None,
        retry_after_seconds: None,
    };
    match &exchange.end {
        End::Failed(error) => {
            let error = Some(*error);
            (AttemptResult { error, ..nothing }, false)
        }
        End::Answered {
            status,
            retry_after,
            body,
            truncated,
        } => {
            let (outcome, error) = ladder::outcome_of(*status);
            let asked = retry_after
                .as_deref()
                .and_then(|header| ladder::retry_after(header, app.now()));
            let result = AttemptResult {
                outcome,
                status: Some(*status),
                error,
                snippet: Some(snippet(body, *truncated)),
                retry_after_seconds: asked.filter(|_| matches!(status, 429 | 503)),
                ..nothing
            };
            (result, asked.is_some())
        }
    }
}

/// The beginning of an answer as text, cut where a character ends. Bytes that are no text are marked as such; the marks
/// are longer than the bytes, so the text is held to the limit once more.
fn snippet(body: &[u8], truncated: bool) -> Snippet {
    // A character that the limit cut in two is left out, not marked.
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

//! The refusals of operations: those of the route, and those that the operation adds.

use crate::api::operation::Body;
use crate::api::routes::{Handler, Needs, Row};

/// All statuses of an operation's refusals with their codes.
pub fn of(row: &Row) -> Vec<(u16, Vec<&'static str>)> {
    let mut rows: Vec<(u16, &[&'static str])> = Vec::new();
    let open = matches!(row.handler, Handler::Open(_));
    // Refusals of any request, or of its body, even if the operation does not read one.
    rows.extend([
        (400, &["invalid_request"] as &[_]),
        (408, &["request_timeout"]),
        (413, &["invalid_request"]),
        (431, &["header_too_large"]),
    ]);
    if row.needs == Needs::AccessCode {
        rows.push((401, &["missing_credential", "invalid_access_code"]));
        rows.push((429, &["rate_limited"]));
    } else if !open {
        rows.push((
            401,
            &[
                "missing_credential",
                "unknown",
                "disabled",
                "expired_secret",
            ],
        ));
        rows.push((403, &["scope_denied", "resource_denied"]));
        rows.push((429, &["rate_limited"]));
    }
    if row.pattern.contains('{') {
        rows.push((404, &["not_found"]));
    }
    if !matches!(row.operation.body, Body::None) {
        rows.push((415, &["invalid_request"]));
    }
    match row.handler {
        Handler::IfMatch(_) => rows.extend([
            (412, &["precondition_failed"] as &[_]),
            (428, &["precondition_required"]),
        ]),
        Handler::Keyed(_) => rows.push((428, &["precondition_required"])),
        Handler::Plain(_) | Handler::Open(_) | Handler::Watched(_) => {}
    }
    rows.extend([
        (500, &["internal_error"] as &[_]),
        (503, &["overloaded", "storage_unavailable"]),
    ]);
    if !row.is_answered_by_standbys() {
        rows.pop();
        rows.push((503, &["overloaded", "storage_unavailable", "standby"]));
    }
    let mut all: Vec<(u16, Vec<&'static str>)> = rows
        .into_iter()
        .map(|(status, codes)| (status, codes.to_vec()))
        .collect();
    for code in row.operation.refuses {
        let status = status(code);
        match all.iter_mut().find(|(known, _)| *known == status) {
            Some((_, codes)) => codes.push(code),
            None => all.push((status, vec![code])),
        }
    }
    all.sort_by_key(|(status, _)| *status);
    all
}

/// The status of a code that only some operations answer.
fn status(code: &str) -> u16 {
    match code {
        "payment_required" => 402,
        "not_found" => 404,
        "invalidCoverCursor" => 422,
        "too_many_readings" => 429,
        "chat_unavailable" | "partner_unavailable" | "not_ready" | "standby" => 503,
        _ if code.starts_with("webhook_url_") || code.starts_with("webhook_event_") => 400,
        _ => 409,
    }
}

/// The name of a refusal: one per status, except for statuses with codes of their own.
pub fn name(status: u16, codes: &[&str]) -> String {
    let mut name = format!("Refused{status}");
    if status == 401 && codes.contains(&"invalid_access_code") {
        return format!("{name}.invalid_access_code");
    }
    // Those that many operations have.
    let usual = [
        "invalid_request",
        "overloaded",
        "rate_limited",
        "storage_unavailable",
    ];
    if matches!(status, 400 | 409 | 429 | 503) {
        codes
            .iter()
            .filter(|code| !usual.contains(code))
            .for_each(|code| name.push_str(&format!(".{code}")));
    }
    name
}

/// The description of a refusal, with its codes.
pub fn about(status: u16, codes: &[&str]) -> String {
    let text = match status {
        400 => "The request is invalid; `detail` names the member and says what to send.",
        401 => "The credential is missing or invalid.",
        402 => "The plan does not include it.",
        403 => "The credential does not permit it.",
        404 => "There is nothing with this id for this credential.",
        408 => "The request took too long to arrive.",
        409 => "The state does not allow it.",
        412 => "The ETag is stale: read again and send the new one.",
        413 => "The body is over 1 MiB.",
        415 => "The Content-Type is not JSON.",
        422 => "The cursor does not belong to this rotation and range.",
        428 => "The header that makes the write safe is missing.",
        429 => "Too many requests: wait for Retry-After.",
        431 => "The request line and its headers are too large.",
        503 if codes.contains(&"not_ready") => {
            "The server is not ready, or cannot read its database."
        }
        503 if codes.contains(&"standby") => {
            "The storage cannot do it at the moment, too much is held in memory for the caller, their address or everybody \
                (`overloaded`), or the server is a standby, and `detail` says where changes are made: wait for Retry-After; nothing \
                was changed."
        }
        503 => {
            "The storage cannot do it at the moment, or too much is held in memory for the caller, their address or everybody \
                (`overloaded`: wait for Retry-After); nothing was changed."
        }
        _ => "An internal error. The server's log has the cause under the same `instance`.",
    };
    let word = if codes.len() == 1 { "Code" } else { "Codes" };
    format!("{text} {word}: `{}`.", codes.join("`, `"))
}

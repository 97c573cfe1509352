//! Deliveries and their attempts (rules.md 16).

use super::moment::Moment;
use super::to_i32;
use crate::domain::webhook::{self as domain, Attempt};
use schemars::JsonSchema;
use serde::Serialize;

/// One event for one endpoint.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Delivery {
    /// 32 hexadecimal characters; the same in the body of every attempt.
    pub delivery_id: String,
    pub event_type: domain::EventType,
    pub rotation_id: String,
    pub state: domain::DeliveryState,
    pub created_at: Moment,
    /// Attempts begun so far.
    pub attempts: i32,
    /// Absent if no further attempt is planned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_attempt_due_at: Option<Moment>,
}

/// One attempt to send a delivery.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeliveryAttempt {
    pub delivery_id: String,
    /// From 1.
    pub attempt_number: i32,
    pub event_type: domain::EventType,
    pub rotation_id: String,
    pub outcome: domain::Outcome,
    /// Absent without a response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_code: Option<i32>,
    /// In real time. Absent if no request was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<i64>,
    /// Absent if the status explains the failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<domain::SendError>,
    pub at: Moment,
    /// From 1. Round 1 is the first attempt and its quick retries; each further round is one step of the retry schedule.
    pub round: i32,
    /// Rounds in the retry schedule at the time of the attempt.
    pub total_rounds: i32,
    /// On the newest attempt of a delivery that will be tried again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_attempt_due_at: Option<Moment>,
    /// The exact bytes that were sent.
    pub request_body: String,
    /// As sent, including the signature and the timestamp.
    pub request_headers: Vec<RequestHeader>,
    /// The first 4,096 bytes of the response body; absent without a response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response_body_snippet: Option<String>,
    /// Whether the response body was longer than the snippet.
    pub response_body_truncated: bool,
    /// The wait that Retry-After requested on 429 or 503. It can only lengthen the wait of the retry schedule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after_seconds_requested: Option<i64>,
}

/// One header of a request.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "DeliveryRequestHeader")]
pub struct RequestHeader {
    pub name: String,
    pub value: String,
}

/// The result of cancelling a delivery.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[schemars(rename = "DeliveryCancelled")]
pub struct Cancelled {
    /// False if the delivery had already finished, which is not an error.
    pub cancelled: bool,
}

/// Renders a delivery.
pub fn render(delivery: &domain::Delivery) -> Delivery {
    Delivery {
        delivery_id: delivery.id.to_string(),
        event_type: delivery.event_type,
        rotation_id: delivery.rotation.to_string(),
        state: delivery.state,
        created_at: delivery.created_at.into(),
        attempts: count(delivery.attempts),
        next_attempt_due_at: due(delivery),
    }
}

/// Renders the attempts of a delivery, oldest first, without the first `skipped`. `body` is the request body of every
/// attempt.
pub fn attempts(
    delivery: &domain::Delivery,
    body: &str,
    attempts: Vec<Attempt>,
    skipped: usize,
) -> impl Iterator<Item = DeliveryAttempt> {
    let newest = attempts.len();
    let rows = attempts.into_iter().zip(1..).skip(skipped);
    rows.map(move |(attempt, row)| DeliveryAttempt {
        next_attempt_due_at: due(delivery).filter(|_| row == newest),
        ..one(delivery, body, attempt)
    })
}

fn one(delivery: &domain::Delivery, body: &str, attempt: Attempt) -> DeliveryAttempt {
    let result = attempt.result;
    let truncated = result
        .snippet
        .as_ref()
        .is_some_and(|snippet| snippet.truncated);
    let headers = attempt.request_headers.into_iter();
    DeliveryAttempt {
        delivery_id: delivery.id.to_string(),
        attempt_number: count(attempt.number),
        event_type: delivery.event_type,
        rotation_id: delivery.rotation.to_string(),
        outcome: result.outcome,
        status_code: result.status.map(i32::from),
        duration_ms: result
            .duration
            .map(|duration| i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)),
        error: result.error,
        at: attempt.at.into(),
        round: count(attempt.round),
        total_rounds: count(attempt.total_rounds),
        next_attempt_due_at: None,
        request_body: body.to_owned(),
        request_headers: headers
            .map(|(name, value)| RequestHeader { name, value })
            .collect(),
        response_body_snippet: result.snippet.map(|snippet| snippet.text),
        response_body_truncated: truncated,
        retry_after_seconds_requested: result.retry_after_seconds,
    }
}

/// When the next attempt is due; `None` unless the delivery is pending.
fn due(delivery: &domain::Delivery) -> Option<Moment> {
    let pending = delivery.state == domain::DeliveryState::Pending;
    delivery.due_at.filter(|_| pending).map(Moment)
}

fn count(number: u32) -> i32 {
    to_i32(usize::try_from(number).unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::webhook::{AttemptResult, Outcome, SendError, Snippet};
    use jiff::Timestamp;
    use serde_json::{Value, json};
    use std::time::Duration;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn delivery() -> domain::Delivery {
        domain::Delivery {
            id: "0123456789abcdef0123456789abcdef".into(),
            event_type: domain::EventType::DutyChanged,
            rotation: "rot_1".into(),
            state: domain::DeliveryState::Pending,
            created_at: at("2026-11-20T09:00:00Z"),
            attempts: 2,
            due_at: Some(at("2026-11-20T09:00:31.5Z")),
        }
    }

    fn finished() -> domain::Delivery {
        domain::Delivery {
            state: domain::DeliveryState::Delivered,
            due_at: None,
            ..delivery()
        }
    }

    fn attempt(number: u32, result: AttemptResult) -> Attempt {
        Attempt {
            number,
            at: at("2026-11-20T09:00:00.25Z"),
            round: 1,
            total_rounds: 9,
            request_headers: vec![("Service-Timestamp".into(), "1795424461".into())],
            result,
        }
    }

    /// No request was made.
    fn nothing() -> AttemptResult {
        AttemptResult {
            outcome: Outcome::NoResponse,
            status: None,
            error: Some(SendError::PrivateAddress),
            duration: None,
            snippet: None,
            retry_after_seconds: None,
        }
    }

    fn answered(text: &str, truncated: bool) -> AttemptResult {
        AttemptResult {
            outcome: Outcome::Failed,
            status: Some(503),
            error: None,
            duration: Some(Duration::from_micros(12_900)),
            snippet: Some(Snippet {
                text: text.into(),
                truncated,
            }),
            retry_after_seconds: Some(0),
        }
    }

    #[test]
    fn deliveries() {
        let mut shown = json!({
            "deliveryId": "0123456789abcdef0123456789abcdef",
            "eventType": "duty.changed",
            "rotationId": "rot_1",
            "state": "pending",
            "createdAt": "2026-11-20T09:00:00Z",
            "attempts": 2,
            "nextAttemptDueAt": "2026-11-20T09:00:31.5Z",
        });
        assert_eq!(json!(render(&delivery())), shown);
        shown["state"] = json!("delivered");
        shown.as_object_mut().unwrap().remove("nextAttemptDueAt");
        assert_eq!(json!(render(&finished())), shown);
    }

    #[test]
    fn attempts_have_the_members_that_are_known() {
        let common = json!({
            "deliveryId": "0123456789abcdef0123456789abcdef",
            "eventType": "duty.changed",
            "rotationId": "rot_1",
            "at": "2026-11-20T09:00:00.25Z",
            "round": 1,
            "totalRounds": 9,
            "requestBody": "{\"a\":1}",
            "requestHeaders": [{ "name": "Service-Timestamp", "value": "1795424461" }],
        });
        let whole = |more: Value| {
            let mut whole = common.as_object().unwrap().clone();
            whole.extend(more.as_object().unwrap().clone());
            Value::Object(whole)
        };
        let made = vec![
            attempt(1, nothing()),
            attempt(2, answered("", false)),
            attempt(3, answered("no", true)),
        ];
        let delivery = delivery();
        let shown: Vec<_> = attempts(&delivery, "{\"a\":1}", made, 0).collect();
        let expected = [
            whole(json!({
                "attemptNumber": 1, "outcome": "no_response", "error": "private_address",
                "responseBodyTruncated": false,
            })),
            whole(json!({
                "attemptNumber": 2, "outcome": "failed", "statusCode": 503, "durationMs": 12,
                "responseBodySnippet": "", "responseBodyTruncated": false, "retryAfterSecondsRequested": 0,
            })),
            whole(json!({
                "attemptNumber": 3, "outcome": "failed", "statusCode": 503, "durationMs": 12,
                "responseBodySnippet": "no", "responseBodyTruncated": true, "retryAfterSecondsRequested": 0,
                "nextAttemptDueAt": "2026-11-20T09:00:31.5Z",
            })),
        ];
        assert_eq!(json!(shown), json!(expected));
        // The same, without the attempts that were listed before.
        let made = vec![
            attempt(1, nothing()),
            attempt(2, nothing()),
            attempt(3, answered("no", true)),
        ];
        let last: Vec<_> = attempts(&delivery, "{\"a\":1}", made, 2).collect();
        assert_eq!(json!(last), json!(expected[2..]));
    }

    #[test]
    fn nothing_follows_a_finished_delivery() {
        let (finished, made) = (finished(), vec![attempt(1, answered("ok", false))]);
        let shown = json!(attempts(&finished, "{}", made, 0).collect::<Vec<_>>());
        assert_eq!(shown[0].get("nextAttemptDueAt"), None);
        assert_eq!(attempts(&finished, "{}", vec![], 0).count(), 0);
    }
}

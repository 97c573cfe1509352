//! The only place that gives refusals, faults and unreadable requests their status, code and title on the wire
//! (api.md "Errors"; contract section 2).

use crate::actions::{Fault, Stop};
use crate::domain::arrangement::MAX_ARRANGED;
use crate::domain::mention::MAX_A_DAY;
use crate::domain::refusal::{Refusal, UrlFault};
use crate::domain::request::{MAX_PENDING, MAX_PENDING_EACH};
use crate::domain::webhook::{MAX_ATTEMPTS, MAX_WEBHOOKS};
use crate::http::Malformed;
use crate::wire::conflict::{self, Conflict};
use crate::wire::problem as wire;
use rouille::{Response, ResponseBody};
use std::borrow::Cow;

/// A request that was not carried out.
#[derive(Debug)]
pub struct Problem {
    pub status: u16,
    pub code: Option<&'static str>,
    detail: Cow<'static, str>,
    headers: Vec<(&'static str, Cow<'static, str>)>,
    conflicts: Option<Vec<Conflict>>,
    /// What the log says and the answer does not.
    pub inside: Option<String>,
}

/// Seconds after which whoever found no room may try again.
const RETRY_AFTER: &str = "2";

const MEDIA_TYPE: &str = "application/problem+json";

impl Problem {
    fn new(status: u16, code: &'static str, detail: impl Into<Cow<'static, str>>) -> Problem {
        let code = Some(code);
        Problem {
            status,
            code,
            detail: detail.into(),
            headers: Vec::new(),
            conflicts: None,
            inside: None,
        }
    }

    fn uncoded(status: u16, detail: impl Into<Cow<'static, str>>) -> Problem {
        Problem {
            code: None,
            ..Problem::new(status, "", detail)
        }
    }

    fn with(mut self, name: &'static str, value: impl Into<Cow<'static, str>>) -> Problem {
        self.headers.push((name, value.into()));
        self
    }

    fn about(self, conflicts: &[crate::domain::conflict::Conflict]) -> Problem {
        Problem {
            conflicts: Some(conflict::render_all(conflicts)),
            ..self
        }
    }

    fn unauthorized(code: &'static str, detail: &'static str) -> Problem {
        Problem::new(401, code, detail).with("WWW-Authenticate", "Bearer")
    }

    /// No credential at all.
    pub fn missing_credential() -> Problem {
        let detail = "send `Authorization: Bearer` with a team API key or a member token";
        Problem::unauthorized("missing_credential", detail)
    }

    /// A credential that was never minted, or has been revoked.
    pub fn unknown_credential() -> Problem {
        Problem::unauthorized(
            "unknown",
            "the credential is unknown or revoked; send a current one",
        )
    }

    /// A disabled key, or the token of somebody deactivated.
    pub fn disabled_credential() -> Problem {
        Problem::unauthorized("disabled", "the key is disabled, or the person deactivated")
    }

    /// A key or token past its time, or a secret past the grace of its rotation.
    pub fn expired_credential() -> Problem {
        Problem::unauthorized(
            "expired_secret",
            "the secret has expired; send the current one",
        )
    }

    /// Too many requests; one more is welcome after so many seconds.
    pub fn rate_limited(seconds: u64) -> Problem {
        let detail = format!("too many requests; wait {seconds} seconds");
        Problem::new(429, "rate_limited", detail).with("Retry-After", seconds.to_string())
    }

    /// Too much is held in memory for the caller, their address or everybody; nothing was done.
    pub fn overloaded() -> Problem {
        let detail = "too much is being worked on or sent to you or to everybody; read the answers that are on their way \
                      and try again";
        Problem::busy(detail)
    }

    fn busy(detail: impl Into<Cow<'static, str>>) -> Problem {
        Problem::new(503, "overloaded", detail).with("Retry-After", RETRY_AFTER)
    }

    /// No route of that path.
    pub fn unknown_route() -> Problem {
        Problem::uncoded(
            404,
            "there is nothing at this path; GET /v1/openapi.json lists what there is",
        )
    }

    /// A path that takes other methods.
    pub fn wrong_method(allowed: &str) -> Problem {
        let detail = format!("this path takes {allowed}");
        Problem::uncoded(405, detail).with("Allow", allowed.to_owned())
    }

    /// A body that does not say it is JSON.
    pub fn wrong_media_type() -> Problem {
        let detail = "Content-Type: send application/json-patch+json or application/json";
        Problem::new(415, "invalid_request", detail)
    }

    /// A write without the header that makes it safe.
    pub fn missing_precondition(detail: &'static str) -> Problem {
        Problem::new(428, "precondition_required", detail)
    }

    /// Something of ours went wrong; the answer says nothing of it.
    pub fn internal(inside: impl Into<String>) -> Problem {
        let detail = "the server could not do it; check the current state before trying again";
        Problem {
            inside: Some(inside.into()),
            ..Problem::uncoded(500, detail)
        }
    }

    /// The server answers and does not do its work.
    pub fn not_ready(detail: String) -> Problem {
        Problem::new(503, "not_ready", detail)
    }

    /// The storage failed, whatever the reason.
    pub fn unavailable(fault: Fault) -> Problem {
        let detail = "the storage cannot do it at the moment; nothing was changed, try again later";
        Problem {
            inside: Some(fault.to_string()),
            ..Problem::new(503, "storage_unavailable", detail)
        }
    }

    /// Renders the answer; `instance` names it, here and in the log.
    pub fn render(&self, instance: &str) -> Response {
        let body = wire::Problem {
            kind: Some("about:blank".to_owned()),
            title: Some(self.title().to_owned()),
            status: Some(self.status.into()),
            detail: Some(self.detail.to_string()),
            instance: Some(instance.to_owned()),
            code: self.code.map(str::to_owned),
            conflicts: self.conflicts.clone(),
        };
        // Strings and a number: they always serialize.
        let body = serde_json::to_vec(&body).unwrap_or_default();
        let mut headers: Vec<(Cow<'static, str>, Cow<'static, str>)> =
            vec![("Content-Type".into(), MEDIA_TYPE.into())];
        headers.extend(
            self.headers
                .iter()
                .map(|(name, value)| ((*name).into(), value.clone())),
        );
        Response {
            status_code: self.status,
            headers,
            data: ResponseBody::from_data(body),
            upgrade: None,
        }
    }

    /// What the problems of one code, or of one status without a code, have in common.
    fn title(&self) -> &'static str {
        match (self.code, self.status) {
            (Some("missing_credential"), _) => "Credential missing",
            (Some("unknown"), _) => "Credential unknown",
            (Some("disabled"), _) => "Credential disabled",
            (Some("expired_secret"), _) => "Secret expired",
            (Some("scope_denied"), _) => "Scope missing",
            (Some("resource_denied"), _) => "Not permitted here",
            (Some("precondition_required"), _) => "Precondition required",
            (Some("precondition_failed"), _) => "Resource changed meanwhile",
            (Some("rate_limited"), _) => "Too many requests",
            (Some("payment_required"), _) => "Not in the plan",
            (Some("rotation_disabled"), _) => "Rotation disabled",
            (Some("rotation_code_taken"), _) => "Rotation code taken",
            (Some("idempotency_key_reused"), _) => "Idempotency-Key reused",
            (Some("webhook_endpoint_limit"), _) => "Too many webhook endpoints",
            (Some("webhook_url_malformed"), _) => "URL malformed",
            (Some("webhook_url_scheme_not_allowed"), _) => "URL scheme not allowed",
            (Some("webhook_url_host_not_resolvable"), _) => "URL host not resolvable",
            (Some("webhook_url_private_address"), _) => "URL address not public",
            (Some("webhook_event_type_unknown"), _) => "Event type unknown",
            (Some("webhook_event_type_not_subscribable"), _) => "Event type not subscribable",
            (Some("webhook_endpoint_disabled"), _) => "Webhook endpoint disabled",
            (Some("no_rotation"), _) => "No rotation",
            (Some("operationIdReused"), _) => "Operation id reused",
            (Some("arrangementChanged"), _) => "Arrangement changed meanwhile",
            (Some("repairNotSupported"), _) => "Agreed among people",
            (Some("notYourDuty"), _) => "Not their duty",
            (Some("conflictsNotAcknowledged"), _) => "Conflicts to acknowledge",
            (Some("conflictBlocks"), _) => "Conflict in the way",
            (Some("requestNotPending"), _) => "Request settled",
            (Some("coverAlreadyAccepted"), _) => "Cover accepted already",
            (Some("requestChanged"), _) => "Request changed meanwhile",
            (Some("startedLegNotAcknowledged"), _) => "Leg begun",
            (Some("invalidCoverCursor"), _) => "Cursor invalid",
            (Some("user_group_not_manageable"), _) => "User group not manageable",
            (Some("chat_unavailable"), _) => "Chat platform unavailable",
            (Some("mentionNotOpen"), _) => "Mention closed",
            (Some("invalid_access_code"), _) => "Access code invalid",
            (Some("not_ready"), _) => "Not ready",
            (Some("storage_unavailable"), _) => "Storage unavailable",
            (Some("overloaded"), _) => "Too much at once",
            (_, 404) => "Not found",
            (_, 405) => "Method not allowed",
            (_, 408) => "Request too slow",
            (_, 409) => "Conflict",
            (_, 413) => "Body too large",
            (_, 415) => "Media type not supported",
            (_, 431) => "Header too large",
            (_, 501) => "Not implemented",
            (_, 503) => "Server busy",
            (_, 505) => "HTTP version not supported",
            (_, 400..=499) => "Request invalid",
            _ => "Server error",
        }
    }
}

fn url_code(fault: UrlFault) -> &'static str {
    match fault {
        UrlFault::Malformed => "webhook_url_malformed",
        UrlFault::SchemeNotAllowed => "webhook_url_scheme_not_allowed",
        UrlFault::HostNotResolvable => "webhook_url_host_not_resolvable",
        UrlFault::PrivateAddress => "webhook_url_private_address",
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Problem {
        match refusal {
            Refusal::Invalid(detail) => Problem::new(400, "invalid_request", detail),
            Refusal::NotFound(what) => {
                Problem::uncoded(404, format!("there is no such {what} for this credential"))
            }
            Refusal::ResourceDenied(detail) => Problem::new(403, "resource_denied", detail),
            Refusal::WrongMethod(allowed) => Problem::wrong_method(allowed),
            Refusal::ScopeDenied(detail) => Problem::new(403, "scope_denied", detail),
            Refusal::StaleValidator => Problem::new(
                412,
                "precondition_failed",
                "If-Match: not the current ETag; read the resource again and send the new one exactly, with its quotes",
            ),
            Refusal::PaymentRequired(detail) => Problem::new(402, "payment_required", detail),
            Refusal::RotationDisabled => Problem::new(
                409,
                "rotation_disabled",
                "nobody goes on or off duty while the rotation is disabled; enable it first",
            ),
            Refusal::RotationCodeTaken(code) => Problem::new(
                409,
                "rotation_code_taken",
                format!("code: another rotation answers to `{code}`; choose another code"),
            ),
            Refusal::IdempotencyKeyReused => Problem::new(
                409,
                "idempotency_key_reused",
                "Idempotency-Key: already used with another body; send a new key",
            ),
            Refusal::WebhookLimit => Problem::new(
                409,
                "webhook_endpoint_limit",
                format!("a workspace holds at most {MAX_WEBHOOKS} endpoints; delete one first"),
            ),
            Refusal::WebhookUrl(fault, detail) => Problem::new(400, url_code(fault), detail),
            Refusal::EventTypeUnknown(detail) => {
                Problem::new(400, "webhook_event_type_unknown", detail)
            }
            Refusal::EventTypeNotSubscribable(detail) => {
                Problem::new(400, "webhook_event_type_not_subscribable", detail)
            }
            Refusal::WebhookDisabled => Problem::new(
                409,
                "webhook_endpoint_disabled",
                "nothing is sent to a disabled endpoint; enable it first",
            ),
            Refusal::NoRotation => Problem::new(
                409,
                "no_rotation",
                "a test event carries the state of a rotation; create one first",
            ),
            Refusal::DeliveryUnfinished => Problem::uncoded(
                409,
                "the delivery is still being tried; cancel it or wait for its end",
            ),
            Refusal::DeliveryAttempts => Problem::uncoded(
                409,
                format!("the delivery has had {MAX_ATTEMPTS} attempts and is not sent again"),
            ),
            Refusal::OperationIdReused => Problem::new(
                409,
                "operationIdReused",
                "operationId: already used for another write; send a new id, or the same write to retry it",
            ),
            Refusal::ArrangementChanged(why) => Problem::new(
                409,
                "arrangementChanged",
                format!("the arrangement {why}; read it again"),
            ),
            Refusal::RepairNotSupported => Problem::new(
                409,
                "repairNotSupported",
                "an accepted cover and the legs of a swap are not changed here; end the cover, or agree on another swap",
            ),
            Refusal::NotYourDuty(why) => Problem::new(409, "notYourDuty", why),
            Refusal::ConflictsNotAcknowledged(conflicts) => Problem::new(
                409,
                "conflictsNotAcknowledged",
                "acknowledgedConflictIds: send the ids of all conflicts, having seen them",
            )
            .about(&conflicts),
            Refusal::ConflictBlocks(conflicts) => Problem::new(
                409,
                "conflictBlocks",
                "another arrangement lies over the cell at that time; change or end it first, or choose another time",
            )
            .about(&conflicts),
            Refusal::RequestNotPending(state) => Problem::new(
                409,
                "requestNotPending",
                format!("the request is {state}, so this step is closed; read it again"),
            ),
            Refusal::CoverAlreadyAccepted => Problem::new(
                409,
                "coverAlreadyAccepted",
                "somebody has accepted the request already; duty is covered",
            ),
            Refusal::RequestChanged => Problem::new(
                409,
                "requestChanged",
                "expectedRevision: not the current one; read the request again",
            ),
            Refusal::TooManyArranged => Problem::uncoded(
                409,
                format!("a rotation holds at most {MAX_ARRANGED} arrangements that are not over; end some first"),
            ),
            Refusal::TooManyPending => Problem::uncoded(
                409,
                format!("a rotation holds at most {MAX_PENDING} pending requests, {MAX_PENDING_EACH} of one requester; settle some first"),
            ),
            Refusal::StartedLegNotAcknowledged(key) => Problem::new(
                409,
                "startedLegNotAcknowledged",
                format!("acknowledgedStartedLegKeys: the leg `{key}` has begun; send its key to take over the rest"),
            ),
            Refusal::GroupNotManageable(why) => Problem::new(
                409,
                "user_group_not_manageable",
                format!("the chat platform does not allow it: {why}"),
            ),
            Refusal::ChatUnavailable(why, seconds) => {
                let detail = format!("{why}; nothing was changed, try again later");
                let problem = Problem::new(503, "chat_unavailable", detail);
                match seconds {
                    Some(seconds) => problem.with("Retry-After", seconds.max(1).to_string()),
                    None => problem,
                }
            }
            Refusal::MentionNotOpen(state) => Problem::new(
                409,
                "mentionNotOpen",
                format!("the mention is {state}; nobody needs to answer it any more"),
            ),
            Refusal::TooManyMentions => Problem::uncoded(
                409,
                format!("a rotation has at most {MAX_A_DAY} mentions within 24 hours; wait a while"),
            ),
            Refusal::MissingAccessCode => Problem::new(
                401,
                "missing_credential",
                "webhook-key: missing; send the key of the rotation's inbound webhook",
            )
            .with("WWW-Authenticate", "webhook-key"),
            Refusal::InvalidAccessCode => Problem::new(
                401,
                "invalid_access_code",
                "webhook-key: invalid access code; send the current key of the rotation's inbound webhook",
            )
            .with("WWW-Authenticate", "webhook-key"),
            Refusal::InvalidCoverCursor => Problem::new(
                422,
                "invalidCoverCursor",
                "cursor: not one for this rotation and range; begin again without it",
            ),
            Refusal::IdempotencyKeySpent(why) => {
                Problem::uncoded(409, format!("Idempotency-Key: {why}; send a new key"))
            }
        }
    }
}

impl From<Fault> for Problem {
    fn from(fault: Fault) -> Problem {
        match fault.is_unavailable() {
            true => Problem::unavailable(fault),
            false => Problem::internal(fault.to_string()),
        }
    }
}

impl From<Stop> for Problem {
    fn from(stop: Stop) -> Problem {
        match stop {
            Stop::Refused(refusal) => refusal.into(),
            Stop::Failed(fault) => fault.into(),
        }
    }
}

impl From<Malformed> for Problem {
    fn from(malformed: Malformed) -> Problem {
        match malformed.status {
            400 | 413 => Problem::new(malformed.status, "invalid_request", malformed.detail),
            503 => Problem::busy(malformed.detail),
            status => Problem::uncoded(status, malformed.detail),
        }
    }
}

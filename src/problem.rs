//! Maps refusals and storage errors to status, code and title. The only place that does. Edges share it: one renders a
//! [`Problem`] as JSON, another may render it as a page.

use crate::domain::arrangement::MAX_ARRANGED;
use crate::domain::directory::Source;
use crate::domain::fault::{Fault, MemberPath};
use crate::domain::mention::MAX_A_DAY;
use crate::domain::personal_calendar::MOST_OF_A_PERSON;
use crate::domain::provisioning::ScimFault;
use crate::domain::refusal::{DirectoryFault, Refusal, UrlFault};
use crate::domain::request::{MAX_PENDING, MAX_PENDING_EACH};
use crate::domain::staged::MOST_WAITING;
use crate::domain::webhook::{MAX_ATTEMPTS, MAX_WEBHOOKS};
use crate::server::Problem;
use crate::store::{ActionError, Error};
use crate::wire::conflict;
use jiff::Timestamp;
use std::borrow::Cow;

/// How long to wait before a write is sent again that a standby has refused, in seconds: it may have taken over by then.
const STANDBY_RETRY_AFTER: &str = "10";

/// How long to wait before a write is sent again during a planned hand-over, in seconds.
const HANDING_OVER_RETRY_AFTER: &str = "2";

/// A problem with a code and its title.
fn coded(status: u16, code: &'static str, detail: impl Into<Cow<'static, str>>) -> Problem {
    Problem::new(status, code, detail).titled(title(code))
}

/// Something that the server needs for this does not answer; `seconds` is how long to wait, where that is known.
fn unavailable(code: &'static str, why: &str, seconds: Option<u64>) -> Problem {
    let detail = format!("{why}; nothing was changed, try again later");
    let problem = coded(503, code, detail);
    match seconds {
        Some(seconds) => problem.with("Retry-After", seconds.max(1).to_string()),
        None => problem,
    }
}

impl Problem {
    fn unauthorized(code: &'static str, detail: &'static str) -> Problem {
        coded(401, code, detail).with("WWW-Authenticate", "Bearer")
    }

    /// No credential was sent.
    pub fn missing_credential() -> Problem {
        let detail = "send `Authorization: Bearer` with a team API key or a member token";
        Problem::unauthorized("missing_credential", detail)
    }

    /// The credential never existed or is revoked.
    pub fn unknown_credential() -> Problem {
        Problem::unauthorized(
            "unknown",
            "the credential is unknown or revoked; send a current one",
        )
    }

    /// A disabled key, or the token of a deactivated person.
    pub fn disabled_credential() -> Problem {
        Problem::unauthorized(
            "disabled",
            "the key is disabled, or the person is deactivated",
        )
    }

    /// An expired key or token, or a secret after the grace period of its rotation.
    pub fn expired_credential() -> Problem {
        Problem::unauthorized(
            "expired_secret",
            "the secret has expired; send the current one",
        )
    }

    /// Too many requests; the next one is permitted after this many seconds.
    pub fn rate_limited(seconds: u64) -> Problem {
        let detail = format!("too many requests; wait {seconds} seconds");
        coded(429, "rate_limited", detail).with("Retry-After", seconds.to_string())
    }

    /// The Content-Type is not JSON.
    pub fn wrong_media_type() -> Problem {
        let detail = "Content-Type: send application/json-patch+json or application/json";
        coded(415, "invalid_request", detail)
    }

    /// A write without its required header.
    pub fn missing_precondition(detail: &'static str) -> Problem {
        coded(428, "precondition_required", detail)
    }

    /// The server responds but is not ready.
    pub fn not_ready(detail: String) -> Problem {
        coded(503, "not_ready", detail)
    }

    /// A write, on a standby; `first` is where changes are made.
    pub fn standby(first: &str) -> Problem {
        let detail = format!("this is a standby; changes are made at {first}");
        coded(503, "standby", detail).with("Retry-After", STANDBY_RETRY_AFTER)
    }

    /// A write, on a server that another one takes over from.
    pub fn handing_over() -> Problem {
        let detail = "another server takes over from this one; nothing was changed, send it again in a moment";
        coded(503, "standby", detail).with("Retry-After", HANDING_OVER_RETRY_AFTER)
    }

    /// The storage failed for any reason.
    pub fn unavailable(error: Error) -> Problem {
        let detail = "the storage is unavailable; nothing was changed, try again later";
        coded(503, "storage_unavailable", detail).because(error.to_string())
    }
}

/// The title of problems with one code; `None` uses the title of the status.
fn title(code: &str) -> Option<&'static str> {
    Some(match code {
        "missing_credential" => "Credential missing",
        "unknown" => "Credential unknown",
        "disabled" => "Credential disabled",
        "expired_secret" => "Secret expired",
        "scope_denied" => "Scope missing",
        "resource_denied" => "Not permitted here",
        "precondition_required" => "Precondition required",
        "precondition_failed" => "Resource changed meanwhile",
        "rate_limited" => "Too many requests",
        "standby" => "Standby",
        "payment_required" => "Not in the plan",
        "rotation_disabled" => "Rotation disabled",
        "external_rotation_is_read_only" => "External rotation is read-only",
        "not_external" => "Rotation not external",
        "not_known_yet" => "Not known yet",
        "partner_unavailable" => "Partner unavailable",
        "rotation_code_taken" => "Rotation code taken",
        "idempotency_key_reused" => "Idempotency-Key reused",
        "idempotency_key_spent" => "Idempotency-Key spent",
        "delivery_unfinished" => "Delivery unfinished",
        "delivery_attempts_exhausted" => "Too many attempts",
        "tooManyArrangements" => "Too many arrangements",
        "tooManyPendingRequests" => "Too many pending requests",
        "tooManyMentions" => "Too many mentions",
        "webhook_endpoint_limit" => "Too many webhook endpoints",
        "too_many_calendars" => "Too many calendars",
        "too_many_changes" => "Too many changes",
        "change_ended" => "Change ended",
        "too_many_readings" => "Too many readings at once",
        "webhook_url_malformed" => "URL malformed",
        "webhook_url_scheme_not_allowed" => "URL scheme not allowed",
        "webhook_url_host_not_resolvable" => "URL host not resolvable",
        "webhook_url_private_address" => "URL address not public",
        "webhook_event_type_unknown" => "Event type unknown",
        "webhook_event_type_not_subscribable" => "Event type not subscribable",
        "webhook_endpoint_disabled" => "Webhook endpoint disabled",
        "no_rotation" => "No rotation",
        "operationIdReused" => "Operation id reused",
        "arrangementChanged" => "Arrangement changed meanwhile",
        "repairNotSupported" => "Agreed among people",
        "notYourDuty" => "Not their duty",
        "conflictsNotAcknowledged" => "Conflicts to acknowledge",
        "conflictBlocks" => "Conflict in the way",
        "requestNotPending" => "Request settled",
        "coverAlreadyAccepted" => "Cover accepted already",
        "requestChanged" => "Request changed meanwhile",
        "startedLegNotAcknowledged" => "Leg begun",
        "invalidCoverCursor" => "Cursor invalid",
        "user_group_not_manageable" => "User group not manageable",
        "chat_unavailable" => "Chat platform unavailable",
        "mentionNotOpen" => "Mention closed",
        "invalid_access_code" => "Access code invalid",
        "directory_is_slack" | "directory_is_matrix" => "Directory owned by the chat platform",
        "duplicate_id" => "Id taken",
        "duplicate_address" => "Address taken",
        "duplicate_handle" => "Handle taken",
        "last_admin" => "Last workspace admin",
        "group_is_provisioned" => "User group provisioned",
        "person_is_provisioned" => "Person provisioned",
        "no_mail" => "No mail",
        "no_address" => "No mail address",
        "not_ready" => "Not ready",
        "storage_unavailable" => "Storage unavailable",
        _ => return None,
    })
}

fn url_code(error: UrlFault) -> &'static str {
    match error {
        UrlFault::Malformed => "webhook_url_malformed",
        UrlFault::SchemeNotAllowed => "webhook_url_scheme_not_allowed",
        UrlFault::HostNotResolvable => "webhook_url_host_not_resolvable",
        UrlFault::PrivateAddress => "webhook_url_private_address",
    }
}

/// The code and the sentence of a write to the directory that is refused.
fn directory_fault(fault: DirectoryFault) -> (&'static str, &'static str) {
    match fault {
        DirectoryFault::Elsewhere(Source::Matrix) => (
            "directory_is_matrix",
            "people, user groups and channels are those of Matrix; change them there",
        ),
        DirectoryFault::Elsewhere(_) => (
            "directory_is_slack",
            "people, user groups and channels are those of the Slack workspace; change them there",
        ),
        DirectoryFault::DuplicateId => (
            "duplicate_id",
            "another one has this id; choose another, or leave it out to have one made",
        ),
        DirectoryFault::DuplicateAddress => (
            "duplicate_address",
            "another active person has this address; send another one",
        ),
        DirectoryFault::DuplicateHandle => (
            "duplicate_handle",
            "another one has this handle; send another one",
        ),
        DirectoryFault::LastAdmin => (
            "last_admin",
            "nobody else administers the workspace; make another person an admin first",
        ),
        DirectoryFault::GroupIsProvisioned => (
            "group_is_provisioned",
            "the identity provider provisions this user group; change it there",
        ),
        DirectoryFault::PersonIsProvisioned => (
            "person_is_provisioned",
            "the identity provider provisions name, address and activity of this person; change them there",
        ),
        DirectoryFault::NoMail => (
            "no_mail",
            "no mail server is set up in [mail]; leave it out, and make a link with `rota login-link`",
        ),
        DirectoryFault::NoAddress => (
            "no_address",
            "the person has no mail address; send one, or leave it out",
        ),
    }
}

/// A fault in the words of the API.
fn worded(fault: &Fault) -> Cow<'static, str> {
    match fault {
        Fault::Unknown(advice) => format!("unknown; {advice}"),
        Fault::Missing(what) => format!("missing; {what}"),
        Fault::SentTwice => return "sent twice; send it once".into(),
        Fault::Repeated => return "repeated; send each once".into(),
        Fault::Mistyped { expected, found } => format!("send {expected}, not {found}"),
        Fault::TooLong { most, sent } => format!("send at most {most} characters, not {sent}"),
        Fault::Blank { most } => format!("send 1 to {most} characters that are not all blank"),
        Fault::ControlCharacters => return "send no line breaks or other control characters".into(),
        Fault::TooMany { most, sent } => format!("send at most {most}, not {sent}"),
        Fault::OutOfRange { least, most, sent } => format!("send {least} to {most}, not {sent}"),
        Fault::NotAfterFrom => return "send an instant later than `from`".into(),
        Fault::NotAfter(now) => format!("send an instant later than now, {now}"),
        Fault::DaysAhead(days) => format!("send an instant at most {days} days from now"),
        Fault::DaysAfterFrom(days) => format!("send an instant at most {days} days after `from`"),
        Fault::BeforeCreation(created_at) => {
            format!("the rotation was created at {created_at}; send that instant or a later one")
        }
        Fault::NotInWorkspace(user) => format!("nobody in the workspace has the id `{user}`"),
        Fault::NotMember(user) => format!("`{user}` is not a member of this rotation"),
        Fault::NotInRoster(user) => format!("`{user}` is not in the roster of this cell"),
        Fault::NotTheirTurn(user) => format!("`{user}` does not hold this turn as planned"),
        Fault::NotHeld { user, cell, period } => format!(
            "`{user}` does not hold the cell `{cell}` from {} to {} as planned; read the schedule again",
            period.from, period.until
        ),
        Fault::OnCallElsewhere(user) => format!(
            "`{user}` is on call in another cell of this rotation at that time; one person in two cells at once needs doubleCover"
        ),
        Fault::NamedTwice(user) => format!(
            "`{user}` is named twice, for slots on call at the same time; that needs doubleCover"
        ),
        Fault::TooManyPeople { people, slots } => {
            format!("{people} people for {slots} slots; send at most as many")
        }
        Fault::Yourself(instead) => format!("that is you; {instead}"),
        Fault::NoCell(id) => format!("this rotation has no cell `{id}`"),
        Fault::NotCovered { period, opens } => {
            let opens = opens.map(|at| format!("; the next covered hours begin at {at}"));
            let opens = opens.unwrap_or_default();
            format!("no covered hours of the cell lie between {} and {}{opens}", period.from, period.until)
        }
        Fault::Other(text) => text.clone(),
    }
    .into()
}

/// A refusal for a fault of a member.
fn faulty(status: u16, code: &'static str, path: MemberPath, fault: Fault) -> Problem {
    let path = match (&fault, path.as_str()) {
        (Fault::Mistyped { .. }, "") => "the body".to_owned(),
        (_, path) => path.to_owned(),
    };
    coded(status, code, worded(&fault)).at(path).of(fault)
}

/// How far a partner's schedule is known, in the words of the API.
fn not_known(until: Option<Timestamp>) -> String {
    match until {
        Some(until) => {
            format!("the partner's schedule is known until {until}; ask for an earlier instant")
        }
        None => "nothing is known of what a partner's schedule says then; ask for now or the past"
            .into(),
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Problem {
        match refusal {
            Refusal::Invalid { path, fault } => faulty(400, "invalid_request", path, fault),
            Refusal::NotFound(what) => {
                coded(404, "not_found", format!("there is no such {what} for this credential"))
            }
            Refusal::ResourceDenied(detail) => coded(403, "resource_denied", detail),
            Refusal::WrongMethod(allowed) => Problem::wrong_method(allowed),
            Refusal::ScopeDenied(detail) => coded(403, "scope_denied", detail),
            Refusal::StaleValidator => coded(
                412,
                "precondition_failed",
                "not the current ETag; read the resource again and send the new one exactly, with its quotes",
            )
            .at("If-Match"),
            Refusal::WeakValidator => coded(
                412,
                "precondition_failed",
                "a weak ETag (W/) never matches; a proxy that compresses answers has weakened it; take the W/ off, \
                 or have the proxy leave these answers uncompressed",
            )
            .at("If-Match"),
            Refusal::PaymentRequired(path, detail) => {
                coded(402, "payment_required", detail).at(path.as_str().to_owned())
            }
            Refusal::RotationDisabled => coded(
                409,
                "rotation_disabled",
                "nobody goes on or off duty while the rotation is disabled; enable it first",
            ),
            Refusal::ExternalReadOnly => coded(
                409,
                "external_rotation_is_read_only",
                "a partner's schedule says who is on call; change it there, or unlink the rotation",
            ),
            Refusal::NotExternal => coded(
                409,
                "not_external",
                "the rotation follows no partner's schedule; there is nothing to unlink",
            ),
            Refusal::NotKnownYet(until) => {
                coded(409, "not_known_yet", not_known(until)).at("at")
            }
            Refusal::PartnerUnavailable(why, seconds) => {
                unavailable("partner_unavailable", &why, seconds)
            }
            Refusal::RotationCodeTaken(code) => coded(
                409,
                "rotation_code_taken",
                format!("another rotation has the code `{code}`; choose another code"),
            )
            .at("code"),
            Refusal::IdempotencyKeyReused => coded(
                409,
                "idempotency_key_reused",
                "already used with another body; send a new key",
            )
            .at("Idempotency-Key"),
            Refusal::WebhookLimit => coded(
                409,
                "webhook_endpoint_limit",
                format!("a workspace holds at most {MAX_WEBHOOKS} endpoints; delete one first"),
            ),
            Refusal::TooManyCalendars => coded(
                409,
                "too_many_calendars",
                format!("a person has at most {MOST_OF_A_PERSON} calendars; remove one first"),
            ),
            Refusal::NoMail => coded(
                409,
                "no_mail",
                "this server sends no mail; set up [mail], or send false",
            )
            .at("invitations"),
            Refusal::NoAddress => coded(
                409,
                "no_address",
                "the directory has no mail address of the person; add one, or send false",
            )
            .at("invitations"),
            Refusal::TooManyTests(seconds) | Refusal::TooManySignUps(seconds) => {
                Problem::rate_limited(seconds)
            }
            Refusal::TooManyReadings(why, seconds) => coded(
                429,
                "too_many_readings",
                format!("{why}; wait {seconds} seconds"),
            )
            .with("Retry-After", seconds.to_string()),
            Refusal::WebhookUrl(error, detail) => coded(400, url_code(error), detail).at("url"),
            Refusal::EventTypeUnknown(path, fault) => {
                faulty(400, "webhook_event_type_unknown", path, fault)
            }
            Refusal::EventTypeNotSubscribable(path, fault) => {
                faulty(400, "webhook_event_type_not_subscribable", path, fault)
            }
            Refusal::WebhookDisabled => coded(
                409,
                "webhook_endpoint_disabled",
                "nothing is sent to a disabled endpoint; enable it first",
            ),
            Refusal::NoRotation => coded(
                409,
                "no_rotation",
                "a test event contains the state of a rotation; create one first",
            ),
            Refusal::DeliveryUnfinished => coded(
                409,
                "delivery_unfinished",
                "the delivery is unfinished; cancel it or wait until it finishes",
            ),
            Refusal::DeliveryAttempts => coded(
                409,
                "delivery_attempts_exhausted",
                format!("the delivery has had {MAX_ATTEMPTS} attempts and is not sent again"),
            ),
            Refusal::OperationIdReused => coded(
                409,
                "operationIdReused",
                "already used for another write; send a new id, or the same write to retry it",
            )
            .at("operationId"),
            Refusal::ArrangementChanged(why) => coded(
                409,
                "arrangementChanged",
                format!("the arrangement {why}; read it again"),
            ),
            Refusal::RepairNotSupported => coded(
                409,
                "repairNotSupported",
                "accepted covers and swaps cannot be changed here; end the cover, or agree on another swap",
            ),
            Refusal::NotYourDuty(fault) => faulty(409, "notYourDuty", MemberPath::default(), fault),
            Refusal::ConflictsNotAcknowledged(conflicts) => coded(
                409,
                "conflictsNotAcknowledged",
                "send the ids of all conflicts",
            )
            .at("acknowledgedConflictIds")
            .about(conflict::render_all(&conflicts)),
            Refusal::ConflictBlocks(conflicts) => coded(
                409,
                "conflictBlocks",
                "another arrangement holds the cell at that time; change or end it first, or choose another time",
            )
            .about(conflict::render_all(&conflicts)),
            Refusal::RequestNotPending(state) => coded(
                409,
                "requestNotPending",
                format!("the request is {state}, so this action is not possible; read it again"),
            ),
            Refusal::CoverAlreadyAccepted => coded(
                409,
                "coverAlreadyAccepted",
                "another person has already accepted the request",
            ),
            Refusal::RequestChanged => coded(
                409,
                "requestChanged",
                "not the current one; read the request again",
            )
            .at("expectedRevision"),
            Refusal::TooManyArranged => coded(
                409,
                "tooManyArrangements",
                format!("a rotation has at most {MAX_ARRANGED} arrangements that have not ended; end some first"),
            ),
            Refusal::TooManyChanges => coded(
                409,
                "too_many_changes",
                format!("{MOST_WAITING} changes of the rotation wait already; cancel one, or send it in `replaces`"),
            ),
            Refusal::HandOverEnded => coded(
                409,
                "hand_over_ended",
                "no hand-over to this instance waits; it ends by itself, and writes go on here",
            ),
            Refusal::ChangeEnded(state) => coded(
                409,
                "change_ended",
                format!("the change is {state}; only one that waits can be cancelled or replaced"),
            ),
            Refusal::TooManyPending => coded(
                409,
                "tooManyPendingRequests",
                format!("a rotation has at most {MAX_PENDING} pending requests, {MAX_PENDING_EACH} of one requester; settle some first"),
            ),
            Refusal::StartedLegNotAcknowledged(key) => coded(
                409,
                "startedLegNotAcknowledged",
                format!("the leg `{key}` has begun; send its key to take over the rest"),
            )
            .at("acknowledgedStartedLegKeys"),
            Refusal::GroupNotManageable(why) => coded(
                409,
                "user_group_not_manageable",
                format!("the chat platform does not permit it: {why}"),
            ),
            Refusal::ChatUnavailable(why, seconds) => {
                unavailable("chat_unavailable", &why, seconds)
            }
            Refusal::MentionNotOpen(state) => coded(
                409,
                "mentionNotOpen",
                format!("the mention is {state} and cannot be answered"),
            ),
            Refusal::TooManyMentions => coded(
                409,
                "tooManyMentions",
                format!("a rotation has at most {MAX_A_DAY} mentions within 24 hours; try again later"),
            ),
            Refusal::MissingAccessCode => coded(
                401,
                "missing_credential",
                "missing; send the key of the rotation's inbound webhook",
            )
            .at("webhook-key")
            .with("WWW-Authenticate", "webhook-key"),
            Refusal::InvalidAccessCode => coded(
                401,
                "invalid_access_code",
                "invalid access code; send the current key of the rotation's inbound webhook",
            )
            .at("webhook-key")
            .with("WWW-Authenticate", "webhook-key"),
            Refusal::InvalidCoverCursor => coded(
                422,
                "invalidCoverCursor",
                "invalid for this rotation and range; start again without it",
            )
            .at("cursor"),
            Refusal::Directory(path, fault) => {
                let (code, detail) = directory_fault(fault);
                coded(409, code, detail).at(path.as_str().to_owned())
            }
            Refusal::Provisioning(fault, detail) => {
                let status = match fault {
                    ScimFault::Uniqueness => 409,
                    _ => 400,
                };
                Problem::new(status, fault.name(), detail)
            }
            Refusal::IdempotencyKeySpent(why) => {
                coded(
                409,
                "idempotency_key_spent",
                format!("{why}; send a new key"),
            )
            .at("Idempotency-Key")
            }
        }
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Problem {
        match error {
            Error::Standby(first) => Problem::standby(&first),
            Error::HandingOver => Problem::handing_over(),
            error if error.is_unavailable() => Problem::unavailable(error),
            error => Problem::internal(error.to_string()),
        }
    }
}

impl From<ActionError> for Problem {
    fn from(error: ActionError) -> Problem {
        match error {
            ActionError::Refused(refusal) => refusal.into(),
            ActionError::Failed(error) => error.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::faults;

    #[test]
    fn faults_are_worded_after_their_member() {
        for (fault, said) in faults::all() {
            let problem = Problem::from(Refusal::invalid("legs[0]", fault.clone()));
            assert_eq!(problem.detail(), format!("legs[0]: {}", said.api));
            assert_eq!(problem.fault(), Some(&fault));
            let whole = Problem::from(Refusal::invalid("", fault.clone()));
            let expected = match fault {
                Fault::Unknown(_) => format!(": {}", said.api),
                Fault::Mistyped { .. } => format!("the body: {}", said.api),
                _ => said.api.to_owned(),
            };
            assert_eq!(whole.detail(), expected);
        }
    }
}

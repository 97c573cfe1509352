//! The refusals. `problem` maps each to a status and a code.

use super::conflict::Conflict;
use super::directory::Source;
use super::fault::{Fault, MemberPath};
use super::provisioning::ScimFault;
use jiff::Timestamp;

/// Why a request is refused: the caller can correct it, and it is never an internal error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A member of the body, a query parameter, or the request as a whole is invalid.
    Invalid { path: MemberPath, fault: Fault },
    /// Nothing with that id exists for this caller. The noun names what was requested.
    NotFound(&'static str),
    /// The key's selected rotations, or the person's role in the rotation, do not permit it.
    ResourceDenied(String),
    /// The credential lacks a scope.
    ScopeDenied(String),
    /// The path accepts only these methods, comma-separated.
    WrongMethod(&'static str),
    /// The ETag in `If-Match` is not the current one.
    StaleValidator,
    /// The validator sent is weak, and none of those sent with it is the current one.
    WeakValidator,
    /// The tier does not include what the member, or the request as a whole, asks for. The text says what.
    PaymentRequired(MemberPath, String),
    /// The rotation is disabled, so nobody comes on or goes off call.
    RotationDisabled,
    /// A partner's schedule says who is on call; it is changed there.
    ExternalReadOnly,
    /// The rotation follows no partner's schedule.
    NotExternal,
    /// The partner's schedule is known only until this instant, or from now on not at all.
    NotKnownYet(Option<Timestamp>),
    /// A partner could not be read. The text says why; the number is the seconds to wait, where they are known.
    PartnerUnavailable(String, Option<u64>),
    /// Another rotation of the workspace has the code.
    RotationCodeTaken(String),
    /// The creation key was used with another body.
    IdempotencyKeyReused,
    /// The workspace has the maximum number of webhook endpoints.
    WebhookLimit,
    /// The person has the maximum number of calendars.
    TooManyCalendars,
    /// The calendar is being read, or as many others as may be at once: why, and the seconds after which to try again.
    TooManyReadings(&'static str, u64),
    /// The person was sent too many tests. The number is the seconds to wait.
    TooManyTests(u64),
    /// The person wants letters, and there is no mail server.
    NoMail,
    /// The person wants letters, and has no mail address.
    NoAddress,
    /// As many people as may become one by signing in within an hour have. The number is the seconds to wait.
    TooManySignUps(u64),
    /// The endpoint's URL is refused: why, and the sentence for the caller.
    WebhookUrl(UrlFault, String),
    /// An unknown event type.
    EventTypeUnknown(MemberPath, Fault),
    /// `webhook.test` cannot be subscribed to.
    EventTypeNotSubscribable(MemberPath, Fault),
    /// The endpoint is disabled, so nothing is sent to it.
    WebhookDisabled,
    /// A test event has the state of a rotation, and there is none.
    NoRotation,
    /// Only a finished delivery can be sent again.
    DeliveryUnfinished,
    /// The delivery has the maximum number of attempts.
    DeliveryAttempts,
    /// The creation key was used more than a day ago, or its rotation has been deleted.
    IdempotencyKeySpent(&'static str),
    /// The operation id was used for another write.
    OperationIdReused,
    /// The arrangement is not at the expected revision, or has ended or is cancelled. The text says which.
    ArrangementChanged(String),
    /// An arrangement from an accepted cover or swap can be changed only through its request.
    RepairNotSupported,
    /// A person does not hold the cell as planned.
    NotYourDuty(Fault),
    /// Conflicts that must be acknowledged.
    ConflictsNotAcknowledged(Vec<Conflict>),
    /// Conflicts of which at least one blocks.
    ConflictBlocks(Vec<Conflict>),
    /// The request is not in the required state. The text names its state.
    RequestNotPending(&'static str),
    /// Another person accepted first.
    CoverAlreadyAccepted,
    /// The request is not at the expected revision.
    RequestChanged,
    /// The rotation has the maximum number of arrangements that have not ended.
    TooManyArranged,
    /// The rotation has the maximum number of pending requests.
    TooManyPending,
    /// The rotation has the maximum number of changes that wait.
    TooManyChanges,
    /// No planned hand-over to this process waits.
    HandOverEnded,
    /// The change does not wait any longer. The text names its state.
    ChangeEnded(&'static str),
    /// A leg has begun and is not acknowledged. The text names it.
    StartedLegNotAcknowledged(String),
    /// The chat platform does not permit syncing the user group. The text says why.
    GroupNotManageable(String),
    /// The chat platform could not be called. The text says why; the number is the seconds that it asks to wait.
    ChatUnavailable(String, Option<u64>),
    /// The mention is closed. The text names its state.
    MentionNotOpen(&'static str),
    /// The rotation has the maximum number of mentions.
    TooManyMentions,
    /// The call of an inbound webhook has no key.
    MissingAccessCode,
    /// The call has a key that is not the rotation's.
    InvalidAccessCode,
    /// The cursor is invalid, or from another rotation or range.
    InvalidCoverCursor,
    /// A write of one record of the directory that its state does not permit.
    Directory(MemberPath, DirectoryFault),
    /// A request of SCIM: what is wrong, and the sentence for the caller.
    Provisioning(ScimFault, String),
}

/// Why a record of the directory is not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DirectoryFault {
    /// The chat platform owns the directory.
    Elsewhere(Source),
    /// Another record of the kind has the id.
    DuplicateId,
    /// Another active person has the address.
    DuplicateAddress,
    /// Another active person, or another user group, has the handle.
    DuplicateHandle,
    /// No active workspace admin would be left.
    LastAdmin,
    /// SCIM owns the user group.
    GroupIsProvisioned,
    /// SCIM owns name, address and activity of the person.
    PersonIsProvisioned,
    /// There is no mail server.
    NoMail,
    /// The person has no address to mail to.
    NoAddress,
}

impl Refusal {
    /// An invalid member. An empty path means no member, or the request as a whole.
    pub fn invalid(path: impl Into<MemberPath>, fault: impl Into<Fault>) -> Refusal {
        Refusal::Invalid {
            path: path.into(),
            fault: fault.into(),
        }
    }

    /// The refusal of a part that stands at this path of a larger body.
    pub fn under(self, prefix: &str) -> Refusal {
        match self {
            Refusal::Invalid { path, fault } => Refusal::Invalid {
                path: path.under(prefix),
                fault,
            },
            Refusal::Directory(path, fault) => Refusal::Directory(path.under(prefix), fault),
            other => other,
        }
    }
}

/// Refuses an invalid member. An empty path means no member, or the request as a whole.
///
/// # Errors
/// Always, with [`Refusal::Invalid`].
pub fn invalid<T>(path: impl Into<MemberPath>, fault: impl Into<Fault>) -> Result<T, Refusal> {
    Err(Refusal::invalid(path, fault))
}

/// The fault of an endpoint's URL (the codes `webhook_url_...`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UrlFault {
    Malformed,
    SchemeNotAllowed,
    HostNotResolvable,
    PrivateAddress,
}

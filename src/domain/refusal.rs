//! Every refusal, by name. Which status and code each becomes on the wire stands in `api::problem` alone.

use super::conflict::Conflict;

/// Why a request is not carried out: theirs to mend, never a fault of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The body or a query parameter is wrong; the text names the member by its path and says what to send.
    Invalid(String),
    /// Nothing of that id is there for this caller; the noun names what was looked for.
    NotFound(&'static str),
    /// The key's selected rotations, or the person's place in the rotation, do not permit it.
    ResourceDenied(String),
    /// The credential lacks a scope.
    ScopeDenied(String),
    /// The path takes these methods, comma-separated, and no other.
    WrongMethod(&'static str),
    /// The validator sent is not the current one.
    StaleValidator,
    /// The tier does not include it.
    PaymentRequired(String),
    /// The rotation is disabled: nobody goes on or off duty.
    RotationDisabled,
    /// Another rotation of the workspace answers to the code.
    RotationCodeTaken(String),
    /// The creation key was used with another body.
    IdempotencyKeyReused,
    /// The workspace holds as many webhook endpoints as it may.
    WebhookLimit,
    /// The endpoint's URL cannot be dialled: why, and the sentence for the caller.
    WebhookUrl(UrlFault, String),
    /// An event type that nobody knows; the text names the member by its path.
    EventTypeUnknown(String),
    /// `webhook.test` cannot be subscribed to; the text names the member by its path.
    EventTypeNotSubscribable(String),
    /// The endpoint is disabled: nothing is sent to it.
    WebhookDisabled,
    /// A test event carries the state of a rotation, and there is none.
    NoRotation,
    /// Only a finished delivery can be sent anew.
    DeliveryUnfinished,
    /// The delivery has been attempted as often as it may be.
    DeliveryAttempts,
    /// The creation key was used more than a day ago, or its rotation has been deleted.
    IdempotencyKeySpent(&'static str),
    /// The operation id was used for another write.
    OperationIdReused,
    /// The arrangement is not at the revision expected, or is over or cancelled; the text says which.
    ArrangementChanged(String),
    /// What an accepted cover or a swap made is changed by the people who agreed to it alone.
    RepairNotSupported,
    /// Somebody does not hold, as planned, what is to change hands; the text says who and what.
    NotYourDuty(String),
    /// Conflicts that somebody has to acknowledge first.
    ConflictsNotAcknowledged(Vec<Conflict>),
    /// Conflicts among which one blocks.
    ConflictBlocks(Vec<Conflict>),
    /// The request does not stand where the step needs it; the text says where it does.
    RequestNotPending(String),
    /// Somebody else was first.
    CoverAlreadyAccepted,
    /// The request is not at the revision expected.
    RequestChanged,
    /// The rotation holds as many arrangements that are not over as it may.
    TooManyArranged,
    /// The rotation holds as many pending requests as it may.
    TooManyPending,
    /// A leg has begun and is not among those acknowledged; the text names it.
    StartedLegNotAcknowledged(String),
    /// The chat platform does not let the user group be kept in step with duty; the text says why.
    GroupNotManageable(String),
    /// The chat platform could not be asked; the text says why, and the seconds how long it asks to wait.
    ChatUnavailable(String, Option<u64>),
    /// The mention is closed; the text says how it stands.
    MentionNotOpen(&'static str),
    /// The rotation has as many open mentions as it may.
    TooManyMentions,
    /// The call of an inbound webhook carries no key.
    MissingAccessCode,
    /// It carries a key that is not the rotation's.
    InvalidAccessCode,
    /// The cursor is none of ours, or of another rotation or range.
    InvalidCoverCursor,
}

/// Refuses a request as wrong: `detail` names the member by its path, and says what to send.
///
/// # Errors
/// Always, with [`Refusal::Invalid`].
pub fn invalid<T>(detail: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::Invalid(detail.into()))
}

/// What is wrong with the URL of an endpoint (the codes `webhook_url_...`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UrlFault {
    Malformed,
    SchemeNotAllowed,
    HostNotResolvable,
    PrivateAddress,
}

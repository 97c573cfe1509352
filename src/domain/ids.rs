//! Identifiers. Opaque strings, told apart by type so that a user id never stands where a cell id belongs.

use std::fmt;
use std::sync::Arc;

macro_rules! id {
    ($(#[$doc:meta] $name:ident)+) => {$(
        #[$doc]
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            /// The id as it is written on the wire and in the database.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                $name(Arc::from(text))
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                $name(Arc::from(text))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )+};
}

id! {
    /// A rotation: `rot_...`.
    RotationId
    /// A row of the grid: `lan_...`.
    LaneId
    /// A column of the grid: `win_...`.
    WindowId
    /// One lane crossed with one window: `cel_...`.
    CellId
    /// A roster, as the caller named it; the common roster has none.
    RosterId
    /// An absence: `abs_...`.
    AbsenceId
    /// An arrangement: `arr_...`.
    ArrangementId
    /// A request among people: `cov_...` to cover, `swp_...` to swap.
    RequestId
    /// A person, as the chat platform names them.
    UserId
    /// A chat user group, as the chat platform names it.
    GroupId
    /// A chat channel, as the chat platform names it.
    ChannelId
    /// A team API key: `key_...`.
    KeyId
    /// A chat member access token: `tok_...`.
    TokenId
    /// A webhook endpoint: `whk_...`.
    WebhookId
    /// A signing secret of an endpoint: `sec_...`.
    SecretId
    /// A mention of whoever is on call: `men_...`.
    MentionId
    /// One event on its way to one endpoint: 32 hexadecimal digits.
    DeliveryId
    /// A posted message, as the chat platform names it: what it needs to update the message later.
    MessageReference
}

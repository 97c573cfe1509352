//! Identifiers: opaque strings with distinct types, so that a user id cannot be used as a cell id.

use std::fmt;
use std::sync::Arc;

macro_rules! id {
    ($(#[$doc:meta] $name:ident)+) => {$(
        #[$doc]
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            /// The id in the API and the database.
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

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(&self.0)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<$name, D::Error> {
                super::text::read_text(from, "a string", |text| Ok(text.into()))
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
    /// A change that waits for its time, or has ended: `chg_...`.
    ChangeId
    /// A rotation: `rot_...`.
    RotationId
    /// A row of the grid: `lan_...`.
    LaneId
    /// A column of the grid: `win_...`.
    WindowId
    /// One lane crossed with one window: `cel_...`.
    CellId
    /// A roster, as named by the caller; the common roster has none.
    RosterId
    /// An absence: `abs_...`.
    AbsenceId
    /// An arrangement: `arr_...`.
    ArrangementId
    /// A request: `cov_...` for cover, `swp_...` for a swap.
    RequestId
    /// An open trade of turns: `trd_...`.
    TradeId
    /// A calendar of a person: `pcl_...`.
    PersonalCalendarId
    /// A person, as identified by the chat platform.
    UserId
    /// A chat user group, as identified by the chat platform.
    GroupId
    /// A chat channel, as identified by the chat platform.
    ChannelId
    /// A team API key: `key_...`.
    KeyId
    /// A chat member access token: `tok_...`.
    TokenId
    /// Somebody signed in to the pages: `ses_...`.
    SessionId
    /// A board: `brd_...`.
    BoardId
    /// A calendar feed: `cal_...`.
    CalendarFeedId
    /// A webhook endpoint: `whk_...`.
    WebhookId
    /// A signing secret of an endpoint: `sec_...`.
    SecretId
    /// A mention: `men_...`.
    MentionId
    /// A delivery of one event to one endpoint: 32 hexadecimal digits.
    DeliveryId
    /// A posted message, as identified by the chat platform. Needed to update the message.
    MessageReference
}

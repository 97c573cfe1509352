//! Faults of members of a request. `problem` words them for the callers of the API, [`Fault::plainly`] for those who see
//! pages and messages.

use super::ids::{CellId, UserId};
use super::time::Interval;
use jiff::Timestamp;
use std::borrow::Cow;

/// The path of a member in a request, such as `legs[0].cellId`. It is empty for the request as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemberPath(String);

impl MemberPath {
    /// The path as the API writes it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The path in a larger body that has what it is relative to at `prefix`.
    pub fn under(self, prefix: &str) -> MemberPath {
        MemberPath(match self.0.as_str() {
            "" => prefix.to_owned(),
            inner if prefix.is_empty() || inner.starts_with('[') => format!("{prefix}{inner}"),
            inner => format!("{prefix}.{inner}"),
        })
    }

    /// The path relative to the member at `prefix`; `None` if it is not within that member.
    pub fn within(&self, prefix: &str) -> Option<&str> {
        let inner = self.0.strip_prefix(prefix)?;
        match inner.chars().next() {
            None | Some('[') => Some(inner),
            Some('.') => Some(&inner[1..]),
            Some(_) => None,
        }
    }
}

impl From<&str> for MemberPath {
    fn from(path: &str) -> MemberPath {
        MemberPath(path.to_owned())
    }
}

impl From<String> for MemberPath {
    fn from(path: String) -> MemberPath {
        MemberPath(path)
    }
}

/// A fault of a member. Each edge words it for its own readers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// No member has the name. The text advises which may be meant.
    Unknown(String),
    /// The member is required. The text says what to send.
    Missing(Cow<'static, str>),
    /// The member is there twice.
    SentTwice,
    /// An earlier entry of the list is the same.
    Repeated,
    /// The value is not of the expected type or not among the expected words.
    Mistyped { expected: String, found: String },
    /// A text has more characters than `most`.
    TooLong { most: usize, sent: usize },
    /// A text is blank, or has more characters than this.
    Blank { most: usize },
    /// A text has line breaks or other control characters.
    ControlCharacters,
    /// A list has more entries than `most`.
    TooMany { most: usize, sent: usize },
    /// A number or a count of entries is not from `least` to `most`.
    OutOfRange { least: i64, most: i64, sent: i64 },
    /// The end of an interval is not after its beginning.
    NotAfterFrom,
    /// An instant is not after this one, which is now.
    NotAfter(Timestamp),
    /// An instant is more than this many days from now.
    DaysAhead(i64),
    /// The end of an interval is more than this many days after its beginning.
    DaysAfterFrom(i64),
    /// An instant is before this one, at which the rotation was created.
    BeforeCreation(Timestamp),
    /// The workspace has nobody with the id.
    NotInWorkspace(UserId),
    /// The person is not a member of the rotation.
    NotMember(UserId),
    /// The person is not in the roster of the cell.
    NotInRoster(UserId),
    /// The turn is not the person's in the forecast.
    NotTheirTurn(UserId),
    /// The person does not hold the cell in this period.
    NotHeld {
        user: UserId,
        cell: CellId,
        period: Interval,
    },
    /// The person would be on call in two cells at once.
    OnCallElsewhere(UserId),
    /// The person is named for two slots that are on call at once.
    NamedTwice(UserId),
    /// There are more people than slots.
    TooManyPeople { people: usize, slots: usize },
    /// The caller names themselves where another person is needed. The text says what for.
    Yourself(&'static str),
    /// The rotation has no cell with the id.
    NoCell(CellId),
    /// No covered hours of the cell lie in the period; the next ones open at `opens`.
    NotCovered {
        period: Interval,
        opens: Option<Timestamp>,
    },
    /// Any fault that no edge tells apart, in the words of the API.
    Other(String),
}

impl Fault {
    /// The fault in words for people, without ids. `person` names somebody, `instant` shows an instant, and `text` a text that
    /// may have any characters.
    ///
    /// # Errors
    /// Those of `person`.
    pub fn plainly<E>(
        &self,
        person: impl Fn(&UserId) -> Result<String, E>,
        instant: impl Fn(Timestamp) -> String,
        text: impl Fn(&str) -> String,
    ) -> Result<String, E> {
        Ok(match self {
            Fault::Unknown(advice) => format!("unknown; {}", text(advice)),
            Fault::Missing(what) => format!("missing; {}", text(what)),
            Fault::SentTwice => "sent twice; send it once".to_owned(),
            Fault::Repeated => "repeated; send each once".to_owned(),
            Fault::Mistyped { expected, found } => {
                format!("send {}, not {}", text(expected), text(found))
            }
            Fault::TooLong { most, sent } => format!("send at most {most} characters, not {sent}"),
            Fault::Blank { most } => format!("send 1 to {most} characters that are not all blank"),
            Fault::ControlCharacters => {
                "send no line breaks or other control characters".to_owned()
            }
            Fault::TooMany { most, sent } => format!("send at most {most}, not {sent}"),
            Fault::OutOfRange { least, most, sent } => {
                format!("send {least} to {most}, not {sent}")
            }
            Fault::NotAfterFrom => "send an instant later than `from`".to_owned(),
            Fault::NotAfter(now) => format!("send an instant later than now, {}", instant(*now)),
            Fault::DaysAhead(days) => format!("send an instant at most {days} days from now"),
            Fault::DaysAfterFrom(days) => {
                format!("send an instant at most {days} days after the beginning")
            }
            Fault::BeforeCreation(created_at) => {
                let created_at = instant(*created_at);
                format!(
                    "the rotation was created at {created_at}; send that instant or a later one"
                )
            }
            Fault::NotInWorkspace(user) => {
                format!("nobody in the workspace has the id {}", person(user)?)
            }
            Fault::NotMember(user) => format!("{} is not a member of this rotation", person(user)?),
            Fault::NotInRoster(user) => {
                format!("{} does not take turns in these hours", person(user)?)
            }
            Fault::NotTheirTurn(user) => {
                format!("{} does not have this turn as planned", person(user)?)
            }
            Fault::NotHeld { user, period, .. } => {
                let (from, until) = (instant(period.from), instant(period.until));
                let user = person(user)?;
                format!(
                    "{user} is not on call from {from} to {until} as planned; look at the turns again"
                )
            }
            Fault::OnCallElsewhere(user) => format!(
                "{} is on call twice in this rotation at that time, which it does not permit",
                person(user)?
            ),
            Fault::NamedTwice(user) => format!(
                "{} is named twice for the same hours, which this rotation does not permit",
                person(user)?
            ),
            Fault::TooManyPeople { people, slots } => {
                format!("{people} people are too many: {slots} can be on call at once")
            }
            Fault::Yourself(instead) => format!("that is you; {instead}"),
            Fault::NoCell(_) => "this rotation has no such hours".to_owned(),
            Fault::NotCovered { period, opens } => {
                let (from, until) = (instant(period.from), instant(period.until));
                let opens =
                    opens.map(|at| format!("; the next covered hours begin at {}", instant(at)));
                let opens = opens.unwrap_or_default();
                format!("no covered hours lie between {from} and {until}{opens}")
            }
            Fault::Other(other) => text(other),
        })
    }
}

impl From<&str> for Fault {
    fn from(text: &str) -> Fault {
        Fault::Other(text.to_owned())
    }
}

impl From<String> for Fault {
    fn from(text: String) -> Fault {
        Fault::Other(text)
    }
}

//! Why a sign-in fails.

use super::token::TokenError;
use std::fmt;

/// Why a sign-in fails. The texts are for the log and for `rota check`; none has a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The provider gives no usable answer.
    Provider(String),
    /// Too many sign-ins wait for the provider.
    Busy,
    /// The state is unknown: never given out, used already, or over.
    UnknownState,
    /// The sign-in was started in another browser.
    OtherBrowser,
    /// The callback is from another issuer, or does not say which.
    OtherIssuer,
    /// The person or the provider said no.
    Declined,
    /// The provider refuses the sign-in, with this code.
    Refused(String),
    /// The ID token is not believed.
    Token(TokenError),
    /// The userinfo endpoint describes another person than the ID token.
    OtherPerson,
    /// The system has no random numbers.
    NoRandomness,
}

impl Error {
    /// Whether the browser that called back is to blame, and not the provider or the network.
    pub fn is_failed_attempt(&self) -> bool {
        match self {
            Error::UnknownState
            | Error::OtherBrowser
            | Error::OtherIssuer
            | Error::Refused(_)
            | Error::Token(_)
            | Error::OtherPerson => true,
            Error::Provider(_) | Error::Busy | Error::Declined | Error::NoRandomness => false,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Provider(why) => f.write_str(why),
            Error::Busy => f.write_str("too many sign-ins wait for the provider"),
            Error::UnknownState => {
                f.write_str("the state is unknown, was used before, or is over 10 minutes old")
            }
            Error::OtherBrowser => f.write_str("the sign-in was started in another browser"),
            Error::OtherIssuer => f.write_str("the callback is not from the issuer"),
            Error::Declined => f.write_str("the provider answered access_denied"),
            Error::Refused(code) => write!(f, "the provider answered {code}"),
            Error::Token(error) => error.fmt(f),
            Error::OtherPerson => {
                f.write_str("the userinfo endpoint describes another person than the ID token")
            }
            Error::NoRandomness => f.write_str("the system has no random numbers"),
        }
    }
}

/// A text of the provider for the log: short, and without control characters.
pub(super) fn printable(text: &str) -> String {
    const SHOWN: usize = 100;
    let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    plain.take(SHOWN).collect()
}

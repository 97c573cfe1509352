//! Who somebody is at an identity provider, and what that may be matched by (rules.md 12.8).

use super::ids::UserId;

/// A person at an identity provider. Addresses change hands, this pair does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    pub issuer: String,
    /// The provider's `sub`.
    pub subject: String,
}

/// How a provider names a person, as far as it is believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProvidedName {
    /// A mail address that the provider has verified, of a domain that it is believed about.
    Address(String),
    /// The ids of the chat platform.
    Chat { team: String, user: UserId },
}

/// What a provider says of somebody who becomes a person at their first sign-in. It is not checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    pub name: Option<String>,
    pub zone: Option<String>,
    pub handle: Option<String>,
}

/// Why nobody is signed in by an identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unrecognised {
    /// It is not linked, and nobody in the workspace matches.
    Nobody,
    /// Several people match.
    Several,
    /// Whoever matches is linked to another identity of the same issuer.
    LinkedOtherwise,
    /// The person is deactivated or belongs to another workspace.
    NotInWorkspace,
}

impl Unrecognised {
    /// The reason, for the log.
    pub fn reason(self) -> &'static str {
        match self {
            Unrecognised::Nobody => "the identity is not linked and matches nobody",
            Unrecognised::Several => "several people have the address",
            Unrecognised::LinkedOtherwise => {
                "the person who matches is linked to another identity of this issuer"
            }
            Unrecognised::NotInWorkspace => "the person is deactivated or external",
        }
    }
}

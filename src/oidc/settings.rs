//! The operator's settings of the identity provider.

use crate::client::Secret;
use crate::domain::ids::GroupId;

/// The issuer of "Sign in with Slack".
pub const SLACK: &str = "https://slack.com";

/// How people sign in at an identity provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// As the provider writes it: compared byte for byte.
    pub issuer: String,
    pub client_id: String,
    pub client_secret: Secret,
    /// Separated by spaces; `openid` is one of them.
    pub scopes: String,
    /// The name of the provider on the button of the sign-in page.
    pub name: String,
    pub matching: Matching,
    /// The domains whose verified addresses match a person, in lower case. None: people are linked by hand.
    pub email_domains: Vec<String>,
    /// The addresses of people who become workspace administrators for their session, in lower case.
    pub admins: Vec<String>,
    /// Whether somebody with a verified address of a listed domain becomes a person at their first sign-in.
    pub creates_people: bool,
    /// The claim that names the groups of a person.
    pub groups_claim: Option<String>,
    /// Which user group each of its names stands for.
    pub groups: Vec<(String, GroupId)>,
}

impl Settings {
    /// Whether an address makes its owner a workspace administrator.
    pub fn names_admin(&self, email: &str) -> bool {
        let email = email.to_lowercase();
        self.admins.contains(&email)
    }
}

/// How a person who is not linked yet is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Matching {
    /// By a verified mail address.
    #[default]
    Email,
    /// By the ids of Slack, which the directory has too.
    Slack,
}

//! Principals and their rights. All rights are decided here.

use super::ids::{CalendarFeedId, KeyId, RotationId, SessionId, TokenId, UserId};
use super::partner::Partner;
use super::refusal::Refusal;
use super::rotation::Rotation;
use crate::domain::words::words;
use std::fmt;

words! {
    /// A permission of a key.
    pub enum Scope {
        ReadRotations = "read:rotations",
        WriteRotations = "write:rotations",
        ReadOnCall = "read:oncall",
        WriteDuty = "write:duty",
        ReadDirectory = "read:directory",
        ManageWebhooks = "manage:webhooks",
        ReadContacts = "read:contacts",
        ManageDirectory = "manage:directory",
        /// Alone in a key.
        Replicate = "replicate",
    }
}

impl Scope {
    /// The scopes that a key may have together. The other one, `replicate`, gives the whole database away, secrets included.
    pub const COMBINED: [Scope; 8] = [
        Scope::ReadRotations,
        Scope::WriteRotations,
        Scope::ReadOnCall,
        Scope::WriteDuty,
        Scope::ReadDirectory,
        Scope::ManageWebhooks,
        Scope::ReadContacts,
        Scope::ManageDirectory,
    ];
}

/// The authenticated caller. Rights and the log depend only on this.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Principal {
    /// A team API key, limited to `rotations` if it has a selector.
    Key {
        id: KeyId,
        /// The owner's name for it. No right depends on it.
        name: String,
        scopes: Vec<Scope>,
        rotations: Option<Vec<RotationId>>,
    },
    /// A person. Their rights do not depend on how they were authenticated.
    Person {
        user: UserId,
        /// As the directory has it. No right depends on it.
        name: String,
        role: Role,
        via: Via,
    },
    /// A program with the key of a rotation's inbound webhook. It acts on that rotation only.
    InboundWebhook { path: String, rotation: RotationId },
    /// A reader of pages who is not signed in, where the settings let them see public rotations.
    Visitor,
    /// The chat platform, where something changes there.
    Chat,
    /// A partner whose schedule was read.
    Partner(Partner),
    /// The user of the command line, with the name of their system user if it is known.
    Operator { user: Option<String> },
    /// The timer.
    Clock,
}

/// A person's role in the workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A person from another workspace, who sees nothing.
    Outsider,
    Member,
    /// May see and edit every rotation.
    Admin,
}

/// How a person was authenticated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Via {
    /// By a member token.
    Token(TokenId),
    /// By the session of the pages.
    Session(SessionId),
    /// By the header of a trusted proxy before the pages.
    Proxy,
    /// By an identity provider, before a session begins.
    Provider,
    /// By the address of a calendar feed, which only reads.
    CalendarFeed(CalendarFeedId),
    /// By the chat platform, which says who typed a command or clicked a button.
    Chat,
}

impl fmt::Display for Via {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Via::Token(token) => write!(f, "token {token}"),
            Via::Session(session) => write!(f, "session {session}"),
            Via::Proxy => f.write_str("proxy"),
            Via::Provider => f.write_str("identity provider"),
            Via::CalendarFeed(feed) => write!(f, "calendar feed {feed}"),
            Via::Chat => f.write_str("chat"),
        }
    }
}

/// The rotations that a principal sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach<'a> {
    All,
    /// None.
    Nothing,
    /// These. It is not a secret that others exist.
    Selected(&'a [RotationId]),
    /// Those this person may see: public ones, and those they own or are a member of. Others appear not to exist.
    SeenBy(&'a UserId),
    /// Public ones. Others do not exist.
    Public,
}

impl Principal {
    /// The owner of creation keys and operation ids, whose requests have one rate: the key, or the person, however they were
    /// authenticated.
    pub fn credential(&self) -> &str {
        match self {
            Principal::Key { id, .. } => id.as_str(),
            Principal::Person { user, .. } => user.as_str(),
            Principal::InboundWebhook { path, .. } => path,
            Principal::Visitor => "visitor",
            Principal::Chat => "chat",
            Principal::Partner(partner) => partner.name(),
            Principal::Operator { .. } => "operator",
            Principal::Clock => "clock",
        }
    }

    /// The acting person.
    ///
    /// # Errors
    /// [`Refusal::ScopeDenied`] for principals that are not a person, such as a key.
    pub fn person(&self) -> Result<&UserId, Refusal> {
        match self {
            Principal::Person { user, .. } => Ok(user),
            _ => Err(Refusal::ScopeDenied(
                "this operation acts for a person; send a chat member access token, not an API key"
                    .into(),
            )),
        }
    }

    /// The rotations it sees. Lists are filtered in SQL, single rotations by [`check_see`](Principal::check_see).
    pub fn reach(&self) -> Reach<'_> {
        match self {
            Principal::Key { rotations, .. } => {
                rotations.as_deref().map_or(Reach::All, Reach::Selected)
            }
            Principal::InboundWebhook { rotation, .. } => {
                Reach::Selected(std::slice::from_ref(rotation))
            }
            Principal::Person { role, user, .. } => match role {
                Role::Outsider => Reach::Nothing,
                Role::Member => Reach::SeenBy(user),
                Role::Admin => Reach::All,
            },
            Principal::Visitor => Reach::Public,
            Principal::Chat
            | Principal::Partner(_)
            | Principal::Operator { .. }
            | Principal::Clock => Reach::All,
        }
    }

    /// Whether it may read the directory of the workspace.
    pub fn sees_directory(&self) -> bool {
        !matches!(self.reach(), Reach::Nothing | Reach::Public)
    }

    fn is_limited(&self) -> bool {
        matches!(self.reach(), Reach::Selected(_))
    }

    /// Whether the credential permits this kind of operation. A person's rights to one rotation are checked when it is loaded.
    /// Webhooks belong to no rotation, so they require a key or a workspace administrator.
    pub fn check_scope(&self, scope: Scope) -> Result<(), Refusal> {
        let allowed = match self {
            Principal::Key { scopes, .. } => scopes.contains(&scope),
            Principal::Person { role, .. } => {
                let is_for_admins = matches!(
                    scope,
                    Scope::ManageWebhooks | Scope::ReadContacts | Scope::ManageDirectory
                );
                scope != Scope::Replicate && (!is_for_admins || *role == Role::Admin)
            }
            Principal::Visitor => matches!(scope, Scope::ReadRotations | Scope::ReadOnCall),
            Principal::InboundWebhook { .. } => scope == Scope::WriteDuty,
            Principal::Chat
            | Principal::Partner(_)
            | Principal::Operator { .. }
            | Principal::Clock => true,
        };
        if allowed {
            return Ok(());
        }
        Err(Refusal::ScopeDenied(format!(
            "this operation needs the scope `{}`",
            scope.name()
        )))
    }

    /// Whether it may read metrics of all rotations: only keys that may read who is on call, without a selector.
    pub fn check_watch(&self) -> Result<(), Refusal> {
        self.check_scope(Scope::ReadOnCall)?;
        match self {
            Principal::Person { .. } => Err(Refusal::ScopeDenied(
                "this operation requires an API key, not a member token".into(),
            )),
            _ if self.is_limited() => Err(Refusal::ResourceDenied(
                "this shows every rotation; send a key that is not limited to some".into(),
            )),
            _ => Ok(()),
        }
    }

    /// Whether the audit log may be read: all of it by keys that may read rotations and manage webhooks, in any rotation, and by
    /// workspace admins; that of one rotation, given as it stands, by its owners as well.
    pub fn check_audit(&self, rotation: Option<&Rotation>) -> Result<(), Refusal> {
        match (self, rotation) {
            (Principal::Person { role, .. }, _) if *role == Role::Admin => Ok(()),
            (Principal::Person { .. }, Some(rotation)) => self.check_edit(rotation),
            (Principal::Person { .. }, None) => Err(Refusal::ResourceDenied(
                "only workspace admins read the whole audit log; as the owner of a rotation send its rotationId"
                    .into(),
            )),
            _ => {
                self.check_scope(Scope::ReadRotations)?;
                self.check_scope(Scope::ManageWebhooks)?;
                match self.is_limited() {
                    true => Err(Refusal::ResourceDenied(
                        "the audit log tells of every rotation; send a key that is not limited to some".into(),
                    )),
                    false => Ok(()),
                }
            }
        }
    }

    /// Whose duty it may have reported: everybody's, `None`, for keys without a selector, workspace admins and the operator; a
    /// person's own for others. `asked` is whose it asks for.
    ///
    /// # Errors
    /// [`Refusal::ResourceDenied`] for keys with a selector, and for people who ask for others'.
    pub fn check_report(&self, asked: Option<&UserId>) -> Result<Option<UserId>, Refusal> {
        self.check_scope(Scope::ReadRotations)?;
        let Principal::Person { user, role, .. } = self else {
            return match self.reach() {
                Reach::All => Ok(asked.cloned()),
                _ => Err(Refusal::ResourceDenied(
                    "the report is of every rotation; send a key that is not limited to some"
                        .into(),
                )),
            };
        };
        if *role == Role::Admin {
            return Ok(asked.cloned());
        }
        match asked {
            Some(asked) if asked != user => Err(Refusal::ResourceDenied(
                "only workspace admins and API keys read the report of others; leave `userId` out for your own"
                    .into(),
            )),
            _ => Ok(Some(user.clone())),
        }
    }

    /// Whether it may administer the workspace: keys and tokens, the directory, boards. Workspace admins, and the operator.
    pub fn check_administer(&self) -> Result<(), Refusal> {
        match self {
            Principal::Person { role, .. } if *role == Role::Admin => Ok(()),
            Principal::Operator { .. } => Ok(()),
            _ => Err(Refusal::ResourceDenied(
                "only workspace admins may do this; ask one of them".into(),
            )),
        }
    }

    /// Whether it may write people, user groups and channels: keys without a selector, because every rotation follows, and
    /// workspace admins.
    pub fn check_directory(&self) -> Result<(), Refusal> {
        self.check_scope(Scope::ManageDirectory)?;
        match self.is_limited() {
            true => Err(Refusal::ResourceDenied(
                "every rotation follows the directory; send a key that is not limited to some"
                    .into(),
            )),
            false => Ok(()),
        }
    }

    /// Whether it reads how to reach a person: their own, and everybody's for workspace admins and keys with the scope.
    pub fn reads_contact(&self, of: &UserId) -> bool {
        self.person() == Ok(of) || self.check_scope(Scope::ReadContacts).is_ok()
    }

    /// Whether it may read and say who the people of partners are: keys without a selector, and workspace admins.
    pub fn check_partner_people(&self) -> Result<(), Refusal> {
        match self.reach() {
            Reach::All => Ok(()),
            Reach::Selected(_) => Err(Refusal::ResourceDenied(
                "people of partners concern every rotation; send a key that is not limited to some"
                    .into(),
            )),
            _ => Err(Refusal::ResourceDenied(
                "only workspace admins and API keys may do this".into(),
            )),
        }
    }

    /// Whether it may create rotations: keys without a selector, and workspace admins.
    pub fn check_create(&self) -> Result<(), Refusal> {
        match self.reach() {
            Reach::All => Ok(()),
            Reach::Selected(_) => Err(Refusal::ResourceDenied(
                "a key limited to some rotations cannot create another".into(),
            )),
            Reach::SeenBy(_) | Reach::Public | Reach::Nothing => Err(Refusal::ResourceDenied(
                "only workspace admins and API keys may create rotations".into(),
            )),
        }
    }

    /// Whether it may read a rotation. To a person a hidden rotation appears not to exist; a key's selector is not hidden from
    /// its holder.
    pub fn check_see(&self, rotation: &Rotation) -> Result<(), Refusal> {
        match self.reach() {
            Reach::All => Ok(()),
            Reach::Selected(ids) if ids.contains(&rotation.id) => Ok(()),
            Reach::Selected(_) => Err(Refusal::ResourceDenied(
                "the key's selected rotations do not include this one".into(),
            )),
            Reach::SeenBy(user) => {
                let profile = &rotation.profile;
                let sees =
                    profile.public || profile.owners.contains(user) || rotation.has_member(user);
                match sees {
                    true => Ok(()),
                    false => Err(Refusal::NotFound("rotation")),
                }
            }
            Reach::Public if rotation.profile.public => Ok(()),
            Reach::Public | Reach::Nothing => Err(Refusal::NotFound("rotation")),
        }
    }

    /// Whether the members of a rotation may be asked to cover or to swap: by people who see it.
    pub fn check_ask(&self, rotation: &Rotation) -> Result<(), Refusal> {
        self.check_see(rotation)?;
        self.person().map(drop)
    }

    /// Whether it may change a rotation: keys whose selector includes it, its owners and workspace admins.
    pub fn check_edit(&self, rotation: &Rotation) -> Result<(), Refusal> {
        self.check_see(rotation)?;
        match self.reach() {
            Reach::SeenBy(user) if !rotation.profile.owners.contains(user) => {
                Err(Refusal::ResourceDenied(
                    "only the rotation's owners and workspace admins may do this".into(),
                ))
            }
            Reach::Public => Err(Refusal::ResourceDenied("sign in to do this".into())),
            _ => Ok(()),
        }
    }

    /// Whether it may forgive a trade in which a person is owed a turn: that person, or whoever may edit the rotation.
    pub fn check_forgive(&self, rotation: &Rotation, owed: &UserId) -> Result<(), Refusal> {
        self.check_see(rotation)?;
        if self.person() == Ok(owed) {
            return Ok(());
        }
        self.check_edit(rotation).map_err(|refusal| match refusal {
            Refusal::ResourceDenied(_) => Refusal::ResourceDenied(
                "only whoever is owed the turn, the rotation's owners and workspace admins may forgive it"
                    .into(),
            ),
            other => other,
        })
    }

    /// Whether it may write an absence of a person: their own, or anyone's if it may edit the rotation.
    pub fn check_absence(
        &self,
        rotation: &Rotation,
        away: &UserId,
        everywhere: bool,
    ) -> Result<(), Refusal> {
        self.check_see(rotation)?;
        if self.person() == Ok(away) {
            return Ok(());
        }
        match self.reach() {
            Reach::Selected(_) if everywhere => Err(Refusal::ResourceDenied(
                "a key limited to some rotations cannot write absences for all of them".into(),
            )),
            Reach::SeenBy(_) if everywhere => Err(Refusal::ResourceDenied(
                "only workspace admins may write others' absences for all rotations".into(),
            )),
            _ => self.check_edit(rotation),
        }
    }
}

/// The form in the log, without secrets.
impl fmt::Display for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Principal::Key { id, .. } => write!(f, "key {id}"),
            Principal::Person { user, via, .. } => write!(f, "person {user} by {via}"),
            Principal::InboundWebhook { rotation, .. } => {
                write!(f, "inbound webhook of {rotation}")
            }
            Principal::Visitor => f.write_str("visitor"),
            Principal::Chat => f.write_str("chat"),
            Principal::Partner(partner) => f.write_str(partner.title()),
            Principal::Operator { .. } => f.write_str("operator"),
            Principal::Clock => f.write_str("clock"),
        }
    }
}

//! Who asks, and what they may see and do: every right is decided here.

use super::ids::{KeyId, RotationId, TokenId, UserId};
use super::refusal::Refusal;
use super::rotation::Rotation;
use std::fmt;

/// What a key may be used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    ReadRotations,
    WriteRotations,
    ReadOnCall,
    WriteDuty,
    ReadDirectory,
    ManageWebhooks,
}

impl Scope {
    /// Every scope.
    pub const ALL: [Scope; 6] = [
        Scope::ReadRotations,
        Scope::WriteRotations,
        Scope::ReadOnCall,
        Scope::WriteDuty,
        Scope::ReadDirectory,
        Scope::ManageWebhooks,
    ];

    /// The name that keys carry.
    pub fn name(self) -> &'static str {
        match self {
            Scope::ReadRotations => "read:rotations",
            Scope::WriteRotations => "write:rotations",
            Scope::ReadOnCall => "read:oncall",
            Scope::WriteDuty => "write:duty",
            Scope::ReadDirectory => "read:directory",
            Scope::ManageWebhooks => "manage:webhooks",
        }
    }

    /// The scope of that name.
    pub fn parse(name: &str) -> Option<Scope> {
        Scope::ALL.into_iter().find(|scope| scope.name() == name)
    }
}

/// Whoever asks for something, however they were recognised. Rights and the log look at this alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Principal {
    /// A team API key, limited to `rotations` where it carries a selector.
    Key {
        id: KeyId,
        scopes: Vec<Scope>,
        rotations: Option<Vec<RotationId>>,
    },
    /// A person. What they may do does not depend on how they were recognised.
    Person { user: UserId, role: Role, via: Via },
    /// A program that presented the key of a rotation's inbound webhook. It acts on that rotation alone.
    InboundWebhook { path: String, rotation: RotationId },
    /// Whoever runs commands on the machine.
    Operator,
    /// Time: what falls due.
    Clock,
}

/// What a person is in the workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Somebody of another workspace: there is nothing here for them to see.
    Outsider,
    Member,
    /// May see and edit every rotation.
    Admin,
}

/// How a person was recognised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Via {
    /// By a member token.
    Token(TokenId),
}

/// The rotations that a principal sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach<'a> {
    All,
    /// None. For an outsider nothing exists.
    Nothing,
    /// These. That others exist is no secret.
    Selected(&'a [RotationId]),
    /// What this person may see: public ones, and those that they own or are a member of. Others do not exist for them.
    SeenBy(&'a UserId),
}

impl Principal {
    /// What creation keys and operation ids belong to: the key, or the person.
    pub fn credential(&self) -> &str {
        match self {
            Principal::Key { id, .. } => id.as_str(),
            Principal::Person { user, .. } => user.as_str(),
            Principal::InboundWebhook { path, .. } => path,
            Principal::Operator => "operator",
            Principal::Clock => "clock",
        }
    }

    /// What the rate of requests is counted by: each token of a person has a rate of its own.
    pub fn rate_key(&self) -> &str {
        match self {
            Principal::Person {
                via: Via::Token(token),
                ..
            } => token.as_str(),
            _ => self.credential(),
        }
    }

    /// The person who acts.
    ///
    /// # Errors
    /// [`Refusal::ScopeDenied`] for everything that acts for nobody, such as a key.
    pub fn person(&self) -> Result<&UserId, Refusal> {
        match self {
            Principal::Person { user, .. } => Ok(user),
            _ => Err(Refusal::ScopeDenied(
                "this operation is a person's; send a chat member access token, not an API key"
                    .into(),
            )),
        }
    }

    /// The rotations that it sees. Lists are narrowed to them in SQL, single rotations by [`check_see`](Principal::check_see).
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
            Principal::Operator | Principal::Clock => Reach::All,
        }
    }

    /// Whether the directory of the workspace may be read.
    pub fn sees_directory(&self) -> bool {
        self.reach() != Reach::Nothing
    }

    fn is_limited(&self) -> bool {
        matches!(self.reach(), Reach::Selected(_))
    }

    /// Whether the credential opens this kind of operation at all. What a person may do to one rotation is judged
    /// again with the rotation at hand; webhooks belong to no rotation, so they take a key.
    pub fn check_scope(&self, scope: Scope) -> Result<(), Refusal> {
        let allowed = match self {
            Principal::Key { scopes, .. } => scopes.contains(&scope),
            Principal::Person { .. } => scope != Scope::ManageWebhooks,
            Principal::InboundWebhook { .. } => scope == Scope::WriteDuty,
            Principal::Operator | Principal::Clock => true,
        };
        if allowed {
            return Ok(());
        }
        Err(Refusal::ScopeDenied(format!(
            "this operation needs the scope `{}`",
            scope.name()
        )))
    }

    /// Whether what is told of all rotations to whoever watches over the server may be read: by keys that may ask who is on
    /// call, and in any of them.
    pub fn check_watch(&self) -> Result<(), Refusal> {
        self.check_scope(Scope::ReadOnCall)?;
        match self {
            Principal::Person { .. } => Err(Refusal::ScopeDenied(
                "this operation takes an API key, not a member token".into(),
            )),
            _ if self.is_limited() => Err(Refusal::ResourceDenied(
                "this tells of every rotation; send a key that is not limited to some".into(),
            )),
            _ => Ok(()),
        }
    }

    /// Whether rotations may be created: not by a key limited to some, and of people only by workspace admins.
    pub fn check_create(&self) -> Result<(), Refusal> {
        match self.reach() {
            Reach::All => Ok(()),
            Reach::Selected(_) => Err(Refusal::ResourceDenied(
                "a key limited to some rotations cannot create another".into(),
            )),
            Reach::SeenBy(_) | Reach::Nothing => Err(Refusal::ResourceDenied(
                "only workspace admins and API keys may create rotations".into(),
            )),
        }
    }

    /// Whether a rotation may be read. For a person one that is hidden is not there at all; a key's selector is no
    /// secret to its holder.
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
            Reach::Nothing => Err(Refusal::NotFound("rotation")),
        }
    }

    /// Whether a rotation may be changed: by keys whose selector includes it, by its owners and by workspace admins.
    pub fn check_edit(&self, rotation: &Rotation) -> Result<(), Refusal> {
        self.check_see(rotation)?;
        match self.reach() {
            Reach::SeenBy(user) if !rotation.profile.owners.contains(user) => {
                Err(Refusal::ResourceDenied(
                    "only the rotation's owners and workspace admins may do this".into(),
                ))
            }
            _ => Ok(()),
        }
    }

    /// Whether an absence of a person may be written: one's own, or anybody's by whoever may edit the rotation.
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

/// As the log names it; no secret is part of it.
impl fmt::Display for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Principal::Key { id, .. } => write!(f, "key {id}"),
            Principal::Person {
                user,
                via: Via::Token(token),
                ..
            } => write!(f, "person {user} by token {token}"),
            Principal::InboundWebhook { rotation, .. } => {
                write!(f, "inbound webhook of {rotation}")
            }
            Principal::Operator => f.write_str("operator"),
            Principal::Clock => f.write_str("clock"),
        }
    }
}

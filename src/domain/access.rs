//! Who asks, and what they may see and do (contract section 4).

use super::ids::{KeyId, RotationId, TokenId, UserId};
use super::refusal::Refusal;
use super::rotation::Rotation;

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

/// Whoever presented a valid credential.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Principal {
    /// A team API key, limited to `rotations` where it carries a selector.
    Key {
        id: KeyId,
        scopes: Vec<Scope>,
        rotations: Option<Vec<RotationId>>,
    },
    /// One person by a member token.
    Member {
        token: TokenId,
        user: UserId,
        is_admin: bool,
    },
    /// Somebody from outside the workspace, by a member token: there is nothing here for them to see.
    Outsider { token: TokenId, user: UserId },
}

impl Principal {
    /// What creation keys and operation ids belong to: the key, or the person.
    pub fn credential(&self) -> &str {
        match self {
            Principal::Key { id, .. } => id.as_str(),
            Principal::Member { user, .. } | Principal::Outsider { user, .. } => user.as_str(),
        }
    }

    /// The person who acts; keys act for nobody.
    ///
    /// # Errors
    /// [`Refusal::ScopeDenied`] for a key.
    pub fn person(&self) -> Result<&UserId, Refusal> {
        match self {
            Principal::Member { user, .. } | Principal::Outsider { user, .. } => Ok(user),
            Principal::Key { .. } => Err(Refusal::ScopeDenied(
                "this operation is a person's; send a chat member access token, not an API key"
                    .into(),
            )),
        }
    }

    /// Whether the credential opens this kind of operation at all. What a person may do to one rotation is judged
    /// again with the rotation at hand; webhooks belong to no rotation, so they take a key.
    pub fn check_scope(&self, scope: Scope) -> Result<(), Refusal> {
        let allowed = match self {
            Principal::Key { scopes, .. } => scopes.contains(&scope),
            Principal::Member { .. } | Principal::Outsider { .. } => scope != Scope::ManageWebhooks,
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
            Principal::Member { .. } | Principal::Outsider { .. } => Err(Refusal::ScopeDenied(
                "this operation takes an API key, not a member token".into(),
            )),
            Principal::Key {
                rotations: Some(_), ..
            } => Err(Refusal::ResourceDenied(
                "this tells of every rotation; send a key that is not limited to some".into(),
            )),
            Principal::Key { .. } => Ok(()),
        }
    }

    /// Whether the directory of the workspace may be read.
    pub fn sees_directory(&self) -> bool {
        !matches!(self, Principal::Outsider { .. })
    }

    /// Whether rotations may be created: not by a key limited to some, and of people only by workspace admins.
    pub fn check_create(&self) -> Result<(), Refusal> {
        match self {
            Principal::Key {
                rotations: Some(_), ..
            } => Err(Refusal::ResourceDenied(
                "a key limited to some rotations cannot create another".into(),
            )),
            Principal::Member {
                is_admin: false, ..
            }
            | Principal::Outsider { .. } => Err(Refusal::ResourceDenied(
                "only workspace admins and API keys may create rotations".into(),
            )),
            _ => Ok(()),
        }
    }

    /// Whether a rotation is there for this caller in lists.
    pub fn lists(&self, rotation: &Rotation) -> bool {
        match self {
            Principal::Key { rotations, .. } => rotations
                .as_ref()
                .is_none_or(|ids| ids.contains(&rotation.id)),
            Principal::Member { .. } | Principal::Outsider { .. } => {
                self.check_see(rotation).is_ok()
            }
        }
    }

    /// Whether a rotation may be read. For a person one that is hidden is not there at all; a key's selector is no
    /// secret to its holder.
    pub fn check_see(&self, rotation: &Rotation) -> Result<(), Refusal> {
        match self {
            Principal::Key { rotations, .. } => match rotations {
                Some(ids) if !ids.contains(&rotation.id) => Err(Refusal::ResourceDenied(
                    "the key's selected rotations do not include this one".into(),
                )),
                _ => Ok(()),
            },
            Principal::Member { user, is_admin, .. } => {
                let profile = &rotation.profile;
                let sees = profile.public
                    || *is_admin
                    || profile.owners.contains(user)
                    || rotation.has_member(user);
                if sees {
                    Ok(())
                } else {
                    Err(Refusal::NotFound("rotation"))
                }
            }
            Principal::Outsider { .. } => Err(Refusal::NotFound("rotation")),
        }
    }

    /// Whether a rotation may be changed: by keys whose selector includes it, by its owners and by workspace admins.
    pub fn check_edit(&self, rotation: &Rotation) -> Result<(), Refusal> {
        self.check_see(rotation)?;
        match self {
            Principal::Member { user, is_admin, .. }
                if !is_admin && !rotation.profile.owners.contains(user) =>
            {
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
        match self {
            Principal::Member { user, .. } if user == away => Ok(()),
            Principal::Key {
                rotations: Some(_), ..
            } if everywhere => Err(Refusal::ResourceDenied(
                "a key limited to some rotations cannot write absences for all of them".into(),
            )),
            Principal::Member {
                is_admin: false, ..
            } if everywhere => Err(Refusal::ResourceDenied(
                "only workspace admins may write others' absences for all rotations".into(),
            )),
            _ => self.check_edit(rotation),
        }
    }
}

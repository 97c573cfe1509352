//! One thing that somebody typed or clicked, with whoever did it: what every answer is made from.

use super::blocks::{Blocks, ephemeral};
use super::words;
use crate::actions::mutation::{Mutation, Operation};
use crate::actions::once::{Once, OperationKey, Receipt, Render};
use crate::actions::sessions::SignedIn;
use crate::actions::{ActionError, App, Error, Result, reads};
use crate::domain::access::Principal;
use crate::domain::audit::{Author, Origin};
use crate::domain::forecast;
use crate::domain::ids::{RotationId, UserId};
use crate::domain::message::PeopleNames;
use crate::domain::refusal::Refusal;
use crate::domain::rotation::{Cell, Rotation};
use crate::domain::zones::ZoneName;
use crate::slack_inbound::incoming::{Incoming, Kind};
use crate::slack_inbound::reply::{Later, Reply};
use crate::store::{ReadTx, load_operation, load_person};
use crate::wire::arrangement;
use crate::wire::etag::{self, Precondition};
use jiff::Timestamp;
use serde_json::Value;

/// The context that an answer is made from.
pub struct Visit<'a> {
    pub app: &'a App,
    pub who: &'a SignedIn,
    pub incoming: &'a Incoming,
    pub now: Timestamp,
}

/// An outcome: a reply, or why there is none.
pub type Outcome = Result<Reply>;

impl Visit<'_> {
    /// The principal that rights are decided by.
    pub fn caller(&self) -> &Principal {
        &self.who.principal
    }

    /// The person.
    pub fn me(&self) -> &UserId {
        &self.who.person.id
    }

    /// In which they are shown times.
    pub fn zone(&self) -> ZoneName {
        self.who.zone
    }

    /// The command, as the workspace calls it.
    pub fn command(&self) -> &str {
        match &self.incoming.kind {
            Kind::Command(command) => &command.command,
            _ => "/rota",
        }
    }

    /// Who writes; `action` is the API's operation.
    pub fn author(&self, action: &'static str) -> Author {
        Author {
            principal: self.caller().clone(),
            action,
            origin: Origin::default(),
        }
    }

    /// Carries a write to a rotation out, once under its `operationId`, which names what was typed or clicked. `render` keeps what
    /// the answer tells of the output.
    pub fn write<O: Operation>(
        &self,
        rotation: &RotationId,
        (action, named): (&'static str, &str),
        operation_id: String,
        precondition: &Precondition,
        operation: O,
        render: Render<O::Output>,
    ) -> Result<Receipt> {
        let key = OperationKey {
            id: operation_id,
            body_hash: arrangement::body_hash(action, &[rotation.as_str(), named], b"{}"),
        };
        let mutation = Mutation {
            author: &self.author(action),
            rotation,
            precondition,
            operation: Once {
                key,
                operation,
                render,
            },
        };
        Ok(mutation.run(self.app)?.output)
    }

    /// Whether what it writes was written before: the same form, sent again because its answer was lost.
    pub fn is_written(&self) -> Result<bool, Error> {
        let (credential, id) = (self.caller().credential(), self.incoming.operation_id());
        let found = |tx: &ReadTx| load_operation(tx, credential, &id);
        Ok(self.app.store().read(found)?.is_some())
    }

    /// The rotation of a code, or of an id, as far as the person sees it.
    ///
    /// # Errors
    /// [`Refusal::NotFound`] where it is not there for them.
    pub fn rotation(&self, named: &str) -> Result<Rotation> {
        let id = reads::rotation_named(self.app, self.caller(), named)?;
        reads::rotation(self.app, self.caller(), &id)
    }

    /// The validator of a rotation.
    pub fn tag(&self, rotation: &Rotation) -> String {
        etag::tag(rotation, self.app.calendar())
    }

    /// The names of people.
    pub fn names<'u>(
        &self,
        users: impl IntoIterator<Item = &'u UserId>,
    ) -> Result<PeopleNames, Error> {
        self.app.store().read(|tx: &ReadTx| {
            let mut names = PeopleNames::new();
            for user in users {
                if !names.contains_key(user)
                    && let Some(person) = load_person(tx, user)?
                {
                    names.insert(user.clone(), person.name().to_owned());
                }
            }
            Ok(names)
        })
    }

    /// An answer of one sentence, that only the person sees.
    pub fn say(&self, text: &str) -> Reply {
        let mut blocks = Blocks::message();
        blocks.section(text);
        Reply::body(ephemeral(text, blocks))
    }

    /// Opens a modal, while Slack lets us.
    pub fn open(&self, trigger_id: Option<&str>, view: Value) -> Reply {
        match trigger_id {
            Some(trigger_id) => Reply::later(Later::OpenView {
                trigger_id: trigger_id.to_owned(),
                view,
            }),
            None => self.say("Slack does not let this open a form. Type the command again."),
        }
    }

    /// Why nothing was done, in words.
    ///
    /// # Errors
    /// Answers a refusal in words; any other error stays an error.
    pub fn refused(&self, stop: ActionError) -> Result<Reply, Error> {
        match stop {
            ActionError::Refused(refusal) => Ok(self.say(&self.why(&refusal)?)),
            ActionError::Failed(error) => Err(error),
        }
    }

    /// A refusal in words, with people as Slack shows them.
    pub fn why(&self, refusal: &Refusal) -> Result<String, Error> {
        let known =
            |user: &UserId| -> Result<bool, Error> { Ok(self.names([user])?.contains_key(user)) };
        words::of(refusal, self.zone(), known)
    }

    /// The text of a refusal as plain text, with people by name.
    pub fn why_plain(&self, refusal: &Refusal) -> Result<String, Error> {
        let name = |user: &UserId| -> Result<Option<String>, Error> {
            Ok(self.names([user])?.remove(user))
        };
        words::plain(refusal, self.zone(), name)
    }
}

/// The name of somebody; their id where nobody knows them.
pub fn name<'a>(names: &'a PeopleNames, user: &'a UserId) -> &'a str {
    names.get(user).map_or(user.as_str(), String::as_str)
}

/// How a rotation is called in plain text: `Platform (PLAT)`.
pub fn title(name: &str, code: Option<&str>) -> String {
    match code {
        Some(code) => format!("{name} ({code})"),
        None => name.to_owned(),
    }
}

/// The name of a slot; empty where the rotation has one slot.
pub fn slot(rotation: &Rotation, cell: &Cell) -> String {
    forecast::slot_name(rotation, cell).join(", ")
}

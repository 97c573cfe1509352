//! One thing that somebody typed or clicked, with whoever did it: what every answer is made from.

use super::markup::Markup;
use super::words;
use crate::actions::mutation::{Mutation, Operation};
use crate::actions::once::{Once, OperationKey, Receipt, Render};
use crate::actions::sessions::SignedIn;
use crate::actions::{App, Error, Result, reads};
use crate::domain::access::Principal;
use crate::domain::audit::{Author, Origin};
use crate::domain::forecast;
use crate::domain::ids::{RotationId, UserId};
use crate::domain::message::PeopleNames;
use crate::domain::refusal::Refusal;
use crate::domain::resolve;
use crate::domain::rotation::{Cell, Rotation};
use crate::domain::zones::ZoneName;
use crate::store::{ReadTx, load_operation, load_person};
use crate::wire::arrangement;
use crate::wire::etag::{self, Precondition};
use jiff::Timestamp;

/// The context that an answer is made from.
pub struct Visit<'a> {
    pub app: &'a App,
    pub who: &'a SignedIn,
    pub now: Timestamp,
    /// The zone in which the answer shows instants of a rotation; `None` takes the zone of its window, because others read it too or
    /// the reader's is not known.
    pub shown_in: Option<ZoneName>,
    /// Names what was typed or clicked: the same thing that arrives again has the same one.
    pub operation_id: String,
    /// The command, as people type it there.
    pub command: String,
    pub markup: &'a dyn Markup,
}

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

    /// Whether what it writes was written before: the same thing, sent again because its answer was lost.
    pub fn is_written(&self) -> Result<bool, Error> {
        let (credential, id) = (self.caller().credential(), &self.operation_id);
        let found = |tx: &ReadTx| load_operation(tx, credential, id);
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

    /// User text.
    pub fn plain(&self, text: &str) -> String {
        self.markup.plain(text)
    }

    /// An instant in the reader's zone.
    pub fn time(&self, at: Timestamp) -> String {
        self.markup.time(at, self.zone())
    }

    /// An instant of a rotation.
    pub fn time_of(&self, rotation: &Rotation, at: Timestamp) -> String {
        let mut zones = rotation.windows.iter().filter_map(|window| window.zone);
        let zone = self.shown_in.or_else(|| zones.next());
        self.markup.time(at, zone.unwrap_or(self.zone()))
    }

    /// A person.
    pub fn person(&self, user: &UserId) -> String {
        let known = match self.markup.uses_names() {
            true => self.names([user]).unwrap_or_default(),
            false => PeopleNames::new(),
        };
        self.markup
            .person(user, known.get(user).map(String::as_str))
    }

    /// A person, with whoever's turn it is where they stand in for somebody.
    pub fn person_for(&self, user: &UserId, owner: Option<&UserId>) -> String {
        let user = self.person(user);
        match owner {
            Some(owner) => format!("{user} (for {})", self.person(owner)),
            None => user,
        }
    }

    /// People one after the other.
    pub fn people<'u>(&self, users: impl IntoIterator<Item = &'u UserId>) -> String {
        let people: Vec<String> = users.into_iter().map(|user| self.person(user)).collect();
        people.join(", ")
    }

    /// The people on call in a rotation, each with whoever's turn it is.
    pub fn on_call(&self, rotation: &Rotation, users: &[UserId]) -> String {
        let people = users
            .iter()
            .map(|user| self.person_for(user, resolve::stands_in_for(rotation, user)));
        people.collect::<Vec<_>>().join(", ")
    }

    /// A refusal in words.
    pub fn why(&self, refusal: &Refusal) -> Result<String, Error> {
        let show = |user: &UserId| -> Result<String, Error> {
            Ok(match self.names([user])?.get(user) {
                Some(name) => self.markup.person(user, Some(name)),
                None => self.plain(user.as_str()),
            })
        };
        words::of(refusal, self.zone(), self.markup, show)
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

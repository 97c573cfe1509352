//! One request of a page, with whoever reads it.

use super::form::Form;
use super::form_history::Press;
use super::notes::Note;
use super::{Web, answer};
use crate::actions::mutation::{Mutation, Operation};
use crate::actions::once::{Once, OperationKey, Receipt, Render};
use crate::actions::sessions::SignedIn;
use crate::actions::{ActionError, App};
use crate::domain::access::Principal;
use crate::domain::audit::{Author, Origin};
use crate::domain::ids::{RotationId, UserId};
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::zones::ZoneName;
use crate::runtime::clock;
use crate::server::{Outcome, Request};
use crate::wire::arrangement;
use crate::wire::etag::Precondition;
use jiff::Timestamp;
use sha2::{Digest, Sha256};
use std::borrow::Cow;

/// One request, its path matched and its form read.
pub struct Visit<'a> {
    pub web: &'a Web,
    /// Names the request, in the answer and in the log.
    pub id: &'a str,
    pub request: &'a Request,
    /// The parts that the pattern of the path leaves open, decoded, in order.
    pub path: Vec<Cow<'a, str>>,
    pub query: Form,
    pub form: Form,
    /// `None` where nobody is signed in.
    pub reader: Option<SignedIn>,
    /// The principal that rights are decided by.
    pub caller: Principal,
    /// In which the reader is shown times.
    pub zone: ZoneName,
    pub now: Timestamp,
}

impl Visit<'_> {
    /// The workspace.
    pub fn app(&self) -> &App {
        &self.web.app
    }

    /// The reader.
    ///
    /// # Errors
    /// Where nobody is signed in; the table of routes keeps others out of pages that ask.
    pub fn me(&self) -> Result<&SignedIn, Refusal> {
        let missing = || Refusal::ResourceDenied("sign in to do this".into());
        self.reader.as_ref().ok_or_else(missing)
    }

    /// The id of the reader, where somebody is signed in.
    pub fn user(&self) -> Option<&UserId> {
        self.reader.as_ref().map(|reader| &reader.person.id)
    }

    /// A part of the path that the pattern leaves open, from 0.
    pub fn part(&self, index: usize) -> &str {
        self.path.get(index).map_or("", Cow::as_ref)
    }

    /// The path of the request, without its query.
    pub fn here(&self) -> &str {
        let target = self.request.target();
        target.split_once('?').map_or(target, |(path, _)| path)
    }

    /// Leaves a note for the next page that this reader sees.
    pub fn note(&self, note: Note) {
        if let Some(name) = self.note_reader() {
            self.web.notes.put(&name, note, self.now);
        }
    }

    /// The notes that this reader has not seen.
    pub fn take_note(&self) -> Option<Note> {
        if self.request.method() != "GET" {
            return None;
        }
        self.web.notes.take(&self.note_reader()?, self.now)
    }

    fn note_reader(&self) -> Option<String> {
        let reader = self.reader.as_ref()?;
        let session = reader.session.as_ref().map(ToString::to_string);
        Some(session.unwrap_or_else(|| reader.person.id.to_string()))
    }

    /// Who writes by this request; `action` is the API's operation.
    pub fn author(&self, action: &'static str) -> Author {
        Author {
            principal: self.caller.clone(),
            action,
            origin: self.origin(),
        }
    }

    /// Where the request came from, for the audit log.
    pub fn origin(&self) -> Origin {
        Origin {
            request_id: Some(self.id.to_owned()),
            client_request_id: self.request.client_request_id().map(str::to_owned),
            address: Some(self.request.client_address()),
        }
    }

    /// Carries a write of a form out, once under its `operationId`: sent twice it is done once, and the second answer is the
    /// first. `action` is the API's operation, with what else its path names; `render` keeps what the answer tells of the output.
    ///
    /// # Errors
    /// As [`Mutation::run`]; [`Refusal::Invalid`] where the form lacks `ifMatch`.
    pub fn write<O: Operation>(
        &self,
        rotation: &RotationId,
        (action, named): (&'static str, &str),
        operation: O,
        render: Render<O::Output>,
    ) -> Result<Receipt, ActionError> {
        let precondition = self.precondition()?;
        let key = OperationKey {
            id: self.operation_id()?.to_owned(),
            body_hash: arrangement::body_hash(action, &[rotation.as_str(), named], &self.sent()),
        };
        let mutation = Mutation {
            author: &self.author(action),
            rotation,
            precondition: &precondition,
            operation: Once {
                key,
                operation,
                render,
            },
        };
        Ok(mutation.run(self.app())?.output)
    }

    /// Carries out a form that writes to no rotation, once under its `operationId`: sent twice, the second answer leads to where
    /// the first did.
    ///
    /// # Errors
    /// Those of `act`, and [`Refusal::Invalid`] where the form has no `operationId`.
    pub fn once(&self, act: impl FnOnce() -> Outcome) -> Outcome {
        let key = digest(&[
            self.caller.credential().as_bytes(),
            self.here().as_bytes(),
            self.operation_id()?.as_bytes(),
            &self.sent(),
        ]);
        (self.web.sent).once(key, self.now, act, |path| Ok(answer::see(path)))
    }

    /// Carries a form out, unless the reader has just sent the same one to the same address: a button that is pressed several
    /// times is one write, whatever the `operationId`.
    ///
    /// # Errors
    /// Those of `act`.
    pub fn unless_repeated(&self, act: impl FnOnce() -> Outcome) -> Outcome {
        let said = self.said_without(&["operationId"]);
        let press = Press {
            form: digest(&[self.request.target().as_bytes(), &said]),
            operation: self.form.one("operationId").to_owned(),
        };
        let again = |path| Ok(answer::see(path));
        (self.web.repeats).once(
            self.caller.credential(),
            press,
            clock::monotonic,
            act,
            again,
        )
    }

    /// The ETag that a form carries of what its reader saw.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] where it is missing.
    pub fn precondition(&self) -> Result<Precondition, Refusal> {
        match self.form.filled("ifMatch") {
            Some(tag) => Ok(Precondition::parse(tag)),
            None => invalid(
                "",
                "the form is not complete; open the form again and send it from there",
            ),
        }
    }

    /// The id under which a form is carried out once.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] where it is missing or too long.
    pub fn operation_id(&self) -> Result<&str, Refusal> {
        match self.form.filled("operationId") {
            Some(id) if id.len() <= 128 => Ok(id),
            _ => invalid(
                "",
                "the form is not complete; open the form again and send it from there",
            ),
        }
    }

    /// The content of the form without the fields that make it safe to send, so that a retry has the same content.
    fn sent(&self) -> Vec<u8> {
        self.said_without(&["ifMatch", "operationId", "seen", "confirmed", "zone"])
    }

    fn said_without(&self, names: &[&str]) -> Vec<u8> {
        let fields = self.form.fields();
        let said: Vec<_> = fields.filter(|(name, _)| !names.contains(name)).collect();
        serde_json::json!(said).to_string().into_bytes()
    }
}

/// The SHA-256 of several texts, each with its length before it.
fn digest(parts: &[&[u8]]) -> [u8; 32] {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update(part.len().to_be_bytes());
        digest.update(part);
    }
    digest.finalize().into()
}

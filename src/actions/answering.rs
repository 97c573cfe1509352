//! Actions on a request: accept, decline, cancel, or end an accepted cover.

use super::Result;
use super::acceptance::accept;
use super::draft::Draft;
use super::mutation::Operation;
use super::request_writes::{Notify, Outcome, set_state, written};
use super::requests::load;
use crate::domain::access::Principal;
use crate::domain::arrangement::Arranged;
use crate::domain::audit::Phrase;
use crate::domain::edit::Answering;
use crate::domain::handover::WindowChange;
use crate::domain::ids::{RequestId, UserId};
use crate::domain::refusal::Refusal;
use crate::domain::request::{Request, RequestKind, RequestState, RequestWritten, Step};
use crate::domain::rotation::Rotation;
use crate::store::{self, ReadTx, WriteTx};

/// Takes an action on a request. The first one settles it; later ones are refused with its state.
pub struct AnswerRequest {
    pub kind: RequestKind,
    pub request: RequestId,
    pub step: Step,
    pub answering: Answering,
}

impl Operation for AnswerRequest {
    const NAME: &'static str = "answer request";
    type Output = RequestWritten;

    fn admit(&self, tx: &ReadTx, rotation: &Rotation, caller: &Principal) -> Result<()> {
        caller.check_see(rotation)?;
        let found = load(tx, rotation, self.kind, &self.request)?;
        Ok(found.check_part(self.step, caller, rotation)?)
    }

    fn changes_duty(&self, _: &Rotation) -> bool {
        true
    }

    fn apply(
        self,
        tx: &mut WriteTx,
        draft: &mut Draft,
        caller: &Principal,
    ) -> Result<RequestWritten> {
        let person = caller.person()?;
        let mut found = load(&tx.as_read(), &draft.rotation, self.kind, &self.request)?;
        found.check_state(self.step, &draft.rotation, draft.instant(tx))?;
        if found.revision != self.answering.expected_revision {
            return Err(Refusal::RequestChanged.into());
        }
        let outcome = match self.step {
            Step::Accept => accept(tx, draft, &mut found, person, &self.answering)?,
            Step::Decline => decline(draft, &mut found, person),
            Step::Cancel => {
                set_state(draft, &mut found, RequestState::Cancelled);
                Outcome::beside(Notify::Nobody)
            }
            Step::End => end(tx, draft, &mut found, person.clone()),
        };
        store::save_request(tx, &found)?;
        written(tx, draft, caller, &found, outcome)
    }
}

/// Declining twice changes nothing. The last recipient to decline settles the request.
fn decline(draft: &mut Draft, request: &mut Request, person: &UserId) -> Outcome {
    let mut notify = Notify::Nobody;
    if !request.declined.contains(person) {
        notify = Notify::Declined(person.clone());
        request.declined.push(person.clone());
        let all = request
            .recipients
            .iter()
            .all(|asked| request.declined.contains(asked));
        let state = if all {
            RequestState::Declined
        } else {
            RequestState::Pending
        };
        set_state(draft, request, state);
        if !all {
            let declined = format!("{}: declined by ", request.kind.noun());
            let declined = Phrase::from(declined).and(person).and(", still pending");
            draft.describe(request.id.as_str(), declined);
        }
    }
    Outcome::beside(notify)
}

/// Ends an accepted cover: future arrangements are cancelled and a running one ends now, including the parts that another
/// cover cut it into.
fn end(tx: &mut WriteTx, draft: &mut Draft, request: &mut Request, by: UserId) -> Outcome {
    let agreed = |arranged: &Arranged| arranged.request.as_ref() == Some(&request.id);
    let arranged = draft
        .rotation
        .arranged
        .iter()
        .filter(|arranged| agreed(arranged));
    let arranged: Vec<Arranged> = arranged.cloned().collect();
    for one in &arranged {
        draft.tell_otherwise(&one.cell, &[&one.user, &request.requester], one.period);
    }
    let ended = arranged.into_iter().map(|one| one.id).collect();
    draft.change(tx, WindowChange::ByEdit, |change| {
        change
            .rotation
            .arranged
            .retain(|arranged| !agreed(arranged));
    });
    set_state(draft, request, RequestState::Ended);
    Outcome::arranged(ended, Notify::Ended(by))
}

//! Applies assignments and previews to a rotation and to its model.

use super::forecast::Hold;
use super::model::{Model, Who};
use super::once;
use super::ops::Slot;
use super::rules::Sent;
use super::time::Span;
use super::walk::{Outcome, Walk, fail, person};
use crate::actions::assignments::EndArrangement;
use crate::actions::proposals::{self, Propose};
use crate::actions::tests::*;
use crate::domain::edit::{NewAssignment, Replaced};
use crate::wire;
use serde_json::Value;

/// A cell, its new holder, the interval, and whether conflicts are acknowledged.
pub type Asked = (usize, Who, Slot, bool);

impl Walk<'_> {
    fn new_assignment(&self, (place, who, slot, _): Asked) -> (Hold, NewAssignment) {
        let (cell, span) = self.slot(place, slot);
        let new = NewAssignment {
            cell: self.cell_id(cell),
            user: person(who),
            asked: self.interval(span),
            turn_selection: None,
            acknowledged: Vec::new(),
            replaces: None,
            imported: false,
        };
        (Hold { cell, who, span }, new)
    }

    pub fn assign(&mut self, before: &Model, what: Asked) -> Outcome {
        let (hold, new) = self.new_assignment(what);
        let sent = Sent {
            acknowledged: what.3,
            ..Sent::default()
        };
        let (app, id) = (self.app, self.id.clone());
        if self.once_in_a_while()
            && let Ok((_, preview)) = proposals::preview(app, &caller(), &id, &new)
        {
            let response = wire::arrangement::preview(&preview);
            let response = serde_json::to_value(response).expect("JSON");
            self.compare_preview(&response, hold, None)?;
        }
        let verdict = self.model.assign(hold, &sent);
        let outcome = self.insist(what.3, |key, acknowledged| {
            let new = NewAssignment {
                acknowledged,
                ..new.clone()
            };
            once::arranged(app, &caller(), &id, key, Propose(new))
        });
        let receipt = self.written(before, verdict, outcome, false)?;
        self.learn(receipt)
    }

    /// Compares the conflicts and the turn selection of a preview.
    pub fn compare_preview(&self, response: &Value, hold: Hold, own: Option<Who>) -> Outcome {
        let instant = |value: &Value| self.minute(at(value.as_str().expect("an instant")));
        let span = |value: &Value| Span {
            from: instant(&value["from"]),
            until: instant(&value["to"]),
        };
        let Some(rest) = hold.span.rest(self.model.now) else {
            return fail(format!("over already: {response}"));
        };
        let hold = Hold { span: rest, ..hold };
        let conflicts = response["conflicts"].as_array().expect("conflicts");
        let mut found: Vec<(Span, String, bool)> = conflicts
            .iter()
            .map(|found| {
                let user = found["userId"].as_str().expect("a user").to_owned();
                (span(found), user, found["canAcknowledge"] == false)
            })
            .collect();
        found.sort();
        let expected = self.model.in_the_way(hold, own).into_iter();
        let expected: Vec<_> = expected
            .map(|found| (found.span, person(found.who).to_string(), found.blocks))
            .collect();
        let forecast = self.model.forecast(rest.until);
        let selection = self.model.selection(&forecast, hold.cell, rest);
        let selected = response["turnSelection"]
            .as_object()
            .map(|_| &response["turnSelection"]);
        let selected = selected.map(|turn| (turn["kind"] == "fullTurn", span(turn)));
        let begins = instant(&response["effectiveFrom"]);
        if own.is_none() && found != expected || selected != selection || begins != rest.from {
            return fail(format!(
                "{expected:?} {selection:?} from {rest:?}: {response}"
            ));
        }
        Ok(())
    }

    pub fn reassign(&mut self, before: &Model, which: usize, new: Asked, stale: bool) -> Outcome {
        let new = (new.0, self.somebody(new.1), new.2, new.3);
        let (hold, assignment) = self.new_assignment(new);
        let sent = Sent {
            acknowledged: new.3,
            stale,
            ..Sent::default()
        };
        let (app, id) = (self.app, self.id.clone());
        let revision = self.revision(before.arrangements[which].revision, stale);
        let named = self.arrangements[which].clone();
        let verdict = self.model.reassign(which, hold, &sent);
        let outcome = self.insist(new.3, |key, acknowledged| {
            let replaces = Some(Replaced {
                arrangement: named.as_str().into(),
                expected_revision: revision,
            });
            let new = NewAssignment {
                acknowledged,
                replaces,
                ..assignment.clone()
            };
            once::arranged(app, &caller(), &id, key, Propose(new))
        });
        let receipt = self.written(before, verdict, outcome, false)?;
        self.learn(receipt)
    }

    pub fn end_assignment(&mut self, before: &Model, which: usize, stale: bool) -> Outcome {
        let sent = Sent {
            stale,
            ..Sent::default()
        };
        let (app, id) = (self.app, self.id.clone());
        let revision = self.revision(before.arrangements[which].revision, stale);
        let named = self.arrangements[which].clone();
        let verdict = self.model.end_assignment(which, &sent);
        let outcome = self.insist(false, |key, _| {
            let end = EndArrangement {
                arrangement: named.as_str().into(),
                expected_revision: revision,
            };
            once::arranged(app, &caller(), &id, key, end)
        });
        let receipt = self.written(before, verdict, outcome, false)?;
        self.learn(receipt)
    }
}

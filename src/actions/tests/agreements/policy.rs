//! The model's writes of what absences mean, and of the absences of calendars.

use super::model::{Absence, Model, Policy, Who};
use super::rules::Verdict;
use super::time::Span;

impl Model {
    /// Another policy.
    pub fn follow(&mut self, policy: Policy) -> Verdict {
        if policy != self.policy {
            let before = self.clone();
            self.policy = policy;
            let leaving = self.leaving(|_, _, who| !(before.policy.leaves && before.is_away(who)));
            self.hand_over(&leaving);
            self.fill();
            self.judge_again();
        }
        Ok(())
    }

    /// What the calendar of a person has now. Answers whether that is something else.
    pub fn mirror(&mut self, who: Who, spans: &[Span]) -> bool {
        let before = self.clone();
        self.mirrored.retain(|absence| absence.who != who);
        let spans = spans.iter().map(|span| Absence { who, span: *span });
        self.mirrored.extend(spans);
        let differs = self.mirrored_of(who) != before.mirrored_of(who);
        if differs && self.members.contains(&who) {
            let leaving = self.leaving(|_, _, holder| holder == who && !before.is_away(who));
            self.hand_over(&leaving);
            self.fill_noting(false);
            self.judge_again();
        }
        differs
    }
}

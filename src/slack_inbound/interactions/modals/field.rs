//! Fields that several forms have.

use crate::domain::conflict::Conflict;
use crate::domain::ids::UserId;
use crate::domain::message::PeopleNames;
use crate::slack_inbound::incoming::View;
use crate::slack_inbound::interactions::blocks::{Blocks, Choice, Element, OPTIONS};
use crate::slack_inbound::interactions::visit::Visit;
use crate::talk::proposing::{conflict_lines, token};
use crate::talk::visit::name;
use jiff::Timestamp;

/// The longest reason.
const REASON: usize = 2000;

/// The most turns in the menus of one form, over all its rotations: Slack takes views of at most 250 kB. A person's own turns,
/// and those of others.
pub const OWN_TURNS: usize = 100;
pub const OTHER_TURNS: usize = 300;

/// How many of `most` turns each of some rotations may show.
pub fn share(most: usize, rotations: usize) -> usize {
    (most / rotations.max(1)).clamp(1, OPTIONS)
}

/// Says that not all turns are shown, and how to see them.
pub fn left_out(visit: &Visit, blocks: &mut Blocks, verb: &str) {
    let command = visit.plain(&visit.command);
    blocks.context(&format!(
        "Of each rotation only the next turns are shown. For more, type `{command} CODE {verb}`."
    ));
}

/// The ids of fields.
pub const TURN: &str = "turn";
pub const THEIRS: &str = "theirs";
pub const FROM: &str = "from";
pub const TO: &str = "to";
pub const WHOM: &str = "whom";
pub const WHERE: &str = "where";
pub const REASON_FIELD: &str = "reason";
pub const ACKNOWLEDGED: &str = "acknowledged";

/// The instant that is entered; `None` where none is.
pub fn instant(view: &View, field: &str) -> Option<Timestamp> {
    let seconds = view.values.filled(field, field)?;
    Timestamp::from_second(seconds.parse().ok()?).ok()
}

/// The people who are chosen.
pub fn chosen(view: &View, field: &str) -> Vec<String> {
    view.values.of(field, field).0
}

/// The text that is entered, or chosen; empty where none is.
pub fn text(view: &View, field: &str) -> String {
    view.values.filled(field, field).unwrap_or_default()
}

/// A menu of people, or of everybody in the workspace where the menu would be too long.
pub fn people(users: &[UserId], names: &PeopleNames, chosen: Vec<String>) -> Element {
    if users.len() > OPTIONS || users.is_empty() {
        return Element::People(chosen);
    }
    let choice = |user: &UserId| Choice {
        value: user.to_string(),
        label: name(names, user).to_owned(),
    };
    let mut choices: Vec<Choice> = users.iter().map(choice).collect();
    choices.sort_by_key(|choice| choice.label.to_lowercase());
    Element::Several(choices, chosen)
}

/// The reason.
pub fn reason(blocks: &mut Blocks, hint: &str, entered: String) {
    let element = Element::Text(entered, REASON);
    blocks.input(REASON_FIELD, "Reason", hint, true, element);
}

/// The conflicts, with the box to tick by somebody who goes on all the same.
pub fn conflicts(visit: &Visit, blocks: &mut Blocks, found: &[Conflict]) {
    let mut all = vec![":warning: *In the way*".to_owned()];
    all.extend(conflict_lines(visit, found));
    blocks.lines(&all);
    acknowledge(
        blocks,
        &token(found),
        "I have seen what is in the way. Go on all the same.",
    );
}

/// A box that has to be ticked. Its value is of exactly what is shown.
pub fn acknowledge(blocks: &mut Blocks, value: &str, label: &str) {
    let boxes = Element::Boxes(vec![Choice {
        value: value.to_owned(),
        label: label.to_owned(),
    }]);
    blocks.input(ACKNOWLEDGED, "Before you send it", "", false, boxes);
}

/// Whether the box is ticked for exactly these conflicts.
pub fn is_acknowledged(view: &View, token: &str) -> bool {
    view.values.of(ACKNOWLEDGED, ACKNOWLEDGED).has(token)
}

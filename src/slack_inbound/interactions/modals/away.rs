//! Being away.

use super::field::{self, FROM, REASON_FIELD, TO, WHERE};
use super::{Metadata, closed, errors, refused, update};
use crate::actions::{ActionError, Result, absences};
use crate::domain::duty::Duty;
use crate::domain::edit::NewAbsence;
use crate::domain::ids::ChannelId;
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use crate::slack_inbound::incoming::View;
use crate::slack_inbound::interactions::blocks::{Blocks, Choice, Element, OPTIONS, modal};
use crate::slack_inbound::interactions::visit::{Outcome, Visit};
use crate::slack_inbound::reply::Reply;
use crate::talk::proposing::{FormOutcome, be_away, standing_lines, standing_token};
use crate::talk::times::midnight;
use crate::talk::visit::title;
use jiff::ToSpan;
use jiff::civil::Date;
use serde_json::Value;

/// The `callback_id`.
pub const NAME: &str = "away";

/// The choice of all rotations.
const ALL: &str = "all";

/// The fields that refusals are about, by the members of the API that they name. The first one takes the others.
const FIELDS: [(&str, &str); 4] = [
    ("until", TO),
    ("from", FROM),
    ("reason", REASON_FIELD),
    ("appliesTo", WHERE),
];

/// The form. The days that were typed are filled in: from the first moment of the one to the last of the other.
pub fn form(
    visit: &Visit,
    channel: Option<&ChannelId>,
    from: Option<Date>,
    to: Option<Date>,
) -> Result<Value> {
    let metadata = Metadata {
        channel: channel.cloned(),
        ..Metadata::default()
    };
    let at = |day: Option<Date>| Some(midnight(day?, visit.zone())?.as_second());
    let last = to.or(from);
    let end = last.and_then(|day| day.checked_add(1.day()).ok());
    render(
        visit,
        &metadata,
        (at(from), at(end)),
        ALL,
        String::new(),
        |_| {},
    )
}

fn render(
    visit: &Visit,
    metadata: &Metadata,
    (from, to): (Option<i64>, Option<i64>),
    place: &str,
    reason: String,
    add: impl FnOnce(&mut Blocks),
) -> Result<Value> {
    let all = Choice {
        value: ALL.to_owned(),
        label: "All rotations".to_owned(),
    };
    let choice = |rotation: &Rotation| Choice {
        value: rotation.id.to_string(),
        label: title(&rotation.profile.name, rotation.profile.code.as_deref()),
    };
    let own = own(visit)?;
    let own = own.iter().map(choice);
    let choices: Vec<Choice> = std::iter::once(all).chain(own).take(OPTIONS).collect();
    let mut blocks = Blocks::view();
    blocks.section(
        "Hand-overs pass you over while you are away. A turn that has begun stays yours, unless its rotation hands over at once: ask somebody to cover it.",
    );
    blocks.input(FROM, "From", "", false, Element::Instant(from));
    blocks.input(TO, "Until", "", false, Element::Instant(to));
    let menu = Element::Menu(vec![(String::new(), choices)], Some(place.to_owned()));
    blocks.input(WHERE, "In", "", false, menu);
    field::reason(&mut blocks, "Others see it.", reason);
    add(&mut blocks);
    Ok(modal(
        NAME,
        "I am away",
        Some("Save"),
        &metadata.text(),
        blocks,
    ))
}

/// The rotations that the reader is a member of.
fn own(visit: &Visit) -> Result<Vec<Rotation>> {
    absences::own_rotations(visit.app, visit.caller(), visit.me())
}

/// The form was sent.
pub fn sent(visit: &Visit, view: &View, metadata: &Metadata) -> Outcome {
    let (from, to) = (field::instant(view, FROM), field::instant(view, TO));
    let (Some(from), Some(to)) = (from, to) else {
        let why = || "Choose a date and a time.".to_owned();
        let missing = [(FROM, from), (TO, to)].into_iter();
        let missing = missing.filter(|(_, at)| at.is_none());
        return Ok(errors(missing.map(|(field, _)| (field, why())).collect()));
    };
    let place = field::text(view, WHERE);
    let own = own(visit)?;
    let by_way_of = match place.as_str() {
        ALL | "" => own.first(),
        id => own.iter().find(|rotation| rotation.id.as_str() == id),
    };
    let Some(rotation) = by_way_of else {
        let why = "You are in no such rotation, so nobody counts on you there.".to_owned();
        return Ok(errors(vec![(WHERE, why)]));
    };
    let is_everywhere = matches!(place.as_str(), ALL | "");
    let reason = field::text(view, REASON_FIELD);
    let new = NewAbsence {
        user: visit.me().clone(),
        period: Interval { from, until: to },
        reason: Some(reason.clone()).filter(|reason| !reason.is_empty()),
        everywhere: is_everywhere,
    };
    let outcome = be_away(visit, &rotation.id, new, |token| {
        field::is_acknowledged(view, token)
    });
    match outcome {
        Ok(FormOutcome::Now) => Ok(closed(visit, metadata, "Your absence was saved.")),
        Ok(FormOutcome::Again) => Ok(Reply::nothing()),
        Ok(FormOutcome::InTheWay(standing)) => {
            let shown = (Some(from.as_second()), Some(to.as_second()));
            let view = render(visit, metadata, shown, &place, reason, |blocks| {
                still_theirs(visit, blocks, &standing);
            })?;
            Ok(update(view))
        }
        Err(ActionError::Refused(refusal)) => Ok(refused(visit, &refusal, &FIELDS)?),
        Err(stop) => Err(stop),
    }
}

/// The duty that stays with the reader while they are away, with the box to tick.
fn still_theirs(visit: &Visit, blocks: &mut Blocks, standing: &[Duty]) {
    let mut lines = vec![":warning: *Still yours meanwhile*".to_owned()];
    lines.extend(standing_lines(visit, standing));
    blocks.lines(&lines);
    let label = "I have seen it, and ask somebody to cover it.";
    field::acknowledge(blocks, &standing_token(standing), label);
}

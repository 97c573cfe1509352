//! What becomes of missed turns, the rest between turns, and everybody's share: a form on the page of absences.

use super::{Change, Saved, action, carried, carry_out, weigh};
use crate::actions::ActionError;
use crate::domain::books::{DealingChange, MissedTurn, Share, WHOLE};
use crate::domain::edit::RotationPatch;
use crate::domain::ids::UserId;
use crate::domain::limits::whole_number;
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::roster;
use crate::domain::rotation::Rotation;
use crate::server::{Outcome, Problem};
use crate::web::form::{Errors, Form};
use crate::web::pages::failing;
use crate::web::parts::fields::{Choice, Filled};
use crate::web::parts::people::People;
use crate::web::visit::Visit;
use maud::{Markup, html};

/// The page that the form is on.
const PART: &str = "absences";
const MISSED_TURN: &str = "dealing.missedTurn";
const REST_HOURS: &str = "dealing.restHours";
const SHARES: &str = "dealing.shares";
const FIELDS: [&str; 3] = [MISSED_TURN, REST_HOURS, SHARES];

/// The field of a person's share.
fn field(user: &UserId) -> String {
    format!("{SHARES}.{user}")
}

/// The people of a rotation, in order.
fn people(rotation: &Rotation) -> Vec<UserId> {
    let order = roster::order(&rotation.members, None).into_iter();
    order.map(|position| position.user).collect()
}

/// Whether a form that was sent is this one.
pub fn is_sent(form: &Form) -> bool {
    form.names(MISSED_TURN)
}

/// The fields as the rotation has them.
pub fn values(rotation: &Rotation) -> Form {
    let dealing = &rotation.dealing;
    let own = [
        (
            MISSED_TURN.to_owned(),
            dealing.missed_turn.name().to_owned(),
        ),
        (REST_HOURS.to_owned(), dealing.rest_hours.to_string()),
    ];
    let shares = people(rotation).into_iter();
    let shares = shares.map(|user| (field(&user), dealing.percent(&user).to_string()));
    Form::with(own.into_iter().chain(shares))
}

/// The form.
pub fn form(
    visit: &Visit,
    rotation: &Rotation,
    values: &Form,
    errors: &Errors,
) -> Result<Markup, Problem> {
    let filled = Filled { values, errors };
    let members = people(rotation);
    let named = People::load(visit.app(), &members, true)?;
    let missed = [
        Choice::new(
            "traded",
            "Somebody else takes it and is owed one; everybody else keeps their dates",
        ),
        Choice::new("lost", "It is lost, and everybody after them moves up"),
    ];
    Ok(html! {
        form.card.pad method="post" action=(action(rotation, PART)) {
            h2 { "Missed turns" }
            (filled.radios(MISSED_TURN, "When somebody cannot take their turn", "“Who is next, and why” in the manual says how turns are traded and paid back.", &missed))
            (filled.input("number", REST_HOURS, "Rest between two turns of a person, in hours", "0 to 48, where missed turns are traded. Where nobody is rested, somebody takes the turn all the same.", false))
            @if !members.is_empty() {
                fieldset.f {
                    legend { "Share of the turns, in percent" }
                    p.hint { "100 takes every turn of theirs, 50 every other one. 0 is a stand-in: no turn is theirs, and they only help out." }
                    @for wrong in errors.of(SHARES) { p.wrong id={ "f-" (SHARES) } { (wrong) } }
                    @for user in &members {
                        (filled.input("number", &field(user), named.name(user), "", false))
                    }
                }
            }
            (carried(visit, rotation))
            p.actions { button.btn type="submit" { "See what would change" } }
        }
    })
}

/// What is said of somebody's share beside their name; nothing of a whole one.
pub fn share(rotation: &Rotation, user: &UserId) -> Option<String> {
    match rotation.dealing.percent(user) {
        0 => Some("Stand-in".to_owned()),
        WHOLE => None,
        percent => Some(format!("Share {percent} %")),
    }
}

/// What a form asks for. Where missed turns are lost, it has no rest and no shares.
fn asked(rotation: &Rotation, form: &Form) -> Result<DealingChange, Refusal> {
    let Some(missed_turn) = MissedTurn::parse(form.one(MISSED_TURN)) else {
        return invalid(MISSED_TURN, "choose one");
    };
    let mut change = DealingChange {
        missed_turn: Some(missed_turn),
        ..DealingChange::default()
    };
    if missed_turn == MissedTurn::Lost {
        return Ok(change);
    }
    if let Some(typed) = form.filled(REST_HOURS) {
        let hours = whole_number(REST_HOURS, typed.trim())?;
        change.rest_hours = Some(DealingChange::hours(hours)?);
    }
    let mut shares = Vec::new();
    for user in people(rotation) {
        let Some(typed) = form.filled(&field(&user)) else {
            continue;
        };
        let percent = whole_number(SHARES, typed.trim())?;
        let share = Share::new(shares.len(), user, percent)?;
        shares.extend((share.percent < WHOLE).then_some(share));
    }
    change.shares = Some(shares);
    change.checked()
}

/// The dealing of a rotation, as a change to it.
fn was(rotation: &Rotation) -> DealingChange {
    let dealing = &rotation.dealing;
    let trades = dealing.missed_turn == MissedTurn::Traded;
    DealingChange {
        missed_turn: Some(dealing.missed_turn),
        rest_hours: trades.then_some(dealing.rest_hours),
        shares: trades.then(|| dealing.shares.clone()),
    }
}

fn edit(dealing: DealingChange) -> RotationPatch {
    RotationPatch {
        dealing: Some(dealing),
        ..RotationPatch::default()
    }
}

/// POST: what would change first, then the write. `again` shows the page once more.
pub fn save(
    visit: &Visit,
    rotation: &Rotation,
    again: impl FnOnce(u16, Errors) -> Outcome,
) -> Outcome {
    let asked = asked(rotation, &visit.form).map(edit);
    if visit.form.one("confirmed") != "true" {
        let edits = asked.map(weigh::patch).map_err(ActionError::from);
        let looked = edits.and_then(|edits| weigh::look(visit, &rotation.id, edits));
        return match failing(visit, &rotation.id, looked, &FIELDS, again)? {
            Ok(looked) => weigh::shown(visit, rotation, PART, looked, (&[], html! {})),
            Err(page) => Ok(page),
        };
    }
    let saved = Saved {
        part: PART,
        names: &FIELDS,
        told: "What becomes of missed turns was saved.",
        before: Some(Change::Patch(edit(was(rotation)))),
    };
    carry_out(visit, rotation, asked.map(Change::Patch), saved, again)
}

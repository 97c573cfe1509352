//! Recording and ending absences of the reader.

use super::{instant, remarks, slot_text, times};
use crate::actions::absences;
use crate::actions::duties;
use crate::actions::{ActionError, reads};
use crate::domain::absence::{Absence, AppliesTo};
use crate::domain::edit::NewAbsence;
use crate::domain::forecast::Shift;
use crate::domain::ids::{AbsenceId, RotationId};
use crate::domain::refusal::Refusal;
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use crate::server::{Outcome, Problem, Response};
use crate::web::form::{Errors, Form};
use crate::web::notes::{Note, Undo};
use crate::web::parts::fields::{self, Choice, Filled, zone_field};
use crate::web::parts::refusals;
use crate::web::visit::Visit;
use crate::web::{answer, layout};
use jiff::SignedDuration;
use maud::html;

const FIELDS: [&str; 4] = ["from", "until", "reason", "rotationId"];

/// GET /me/absences/new.
pub fn show_new(visit: &Visit) -> Outcome {
    let times = times(visit);
    let day = |days: i64| {
        let at = visit
            .now
            .saturating_add(SignedDuration::from_hours(24 * days));
        let date = times.date(at.unwrap_or(visit.now));
        times.midnight(date).unwrap_or(visit.now)
    };
    let values = Form::with([
        ("from", times.value(day(1))),
        ("until", times.value(day(2))),
    ]);
    page(visit, 200, &values, &Errors::default())
}

/// The rotations that the reader is a member of.
fn own_rotations(visit: &Visit) -> Result<Vec<Rotation>, Problem> {
    let me = &visit.me()?.person.id;
    Ok(absences::own_rotations(visit.app(), &visit.caller, me)?)
}

fn page(visit: &Visit, status: u16, values: &Form, errors: &Errors) -> Result<Response, Problem> {
    let rotations = own_rotations(visit)?;
    let mut choices = vec![Choice::new("", "All rotations")];
    choices.extend(
        rotations
            .iter()
            .map(|rotation| Choice::new(rotation.id.as_str(), &rotation.profile.name)),
    );
    let filled = Filled { values, errors };
    let content = html! {
        p.crumb { a href="/me" { "Me" } }
        (fields::summary(errors))
        h1 { "I am away" }
        @if rotations.is_empty() {
            div.card.pad {
                p.muted { "You are in no rotation, so nobody counts on you." }
                p.actions { a.btn href="/rotations" { "Rotations" } }
            }
        } @else {
            form.card.pad method="post" action="/me/absences" {
                p { "Hand-overs pass you over while you are away. A turn that has begun stays yours, unless its rotation hands over at once: ask somebody to cover it." }
                div.pair {
                    (filled.instant("from", "From", visit.zone, ""))
                    (filled.instant("until", "Until", visit.zone, ""))
                }
                (filled.select("rotationId", "In", "", &choices))
                (filled.input("text", "reason", "Reason", "Others see it. You may leave it empty.", false))
                (zone_field(visit.zone))
                p.actions {
                    button.btn.go type="submit" { "Save" }
                    a.btn href="/me" { "Back" }
                }
            }
        }
    };
    Ok(layout::page_with(visit, status, "I am away", content))
}

/// POST /me/absences: the next page shows what is still theirs meanwhile.
pub fn create(visit: &Visit) -> Outcome {
    let me = visit.me()?.person.id.clone();
    let (mut errors, mut remarked) = (Errors::default(), Vec::new());
    let from = instant(visit, "from", &mut errors, &mut remarked);
    let until = instant(visit, "until", &mut errors, &mut remarked);
    let rotations = own_rotations(visit)?;
    let chosen = visit.form.filled("rotationId").map(RotationId::from);
    let everywhere = chosen.is_none();
    let by_way_of = match &chosen {
        Some(id) => rotations.iter().find(|rotation| rotation.id == *id),
        None => rotations.first(),
    };
    if by_way_of.is_none() {
        errors.add("rotationId", "Choose a rotation that you are in.");
    }
    let (Some(from), Some(until), Some(rotation)) = (from, until, by_way_of) else {
        return page(visit, 400, &visit.form, &errors);
    };
    let new = NewAbsence {
        user: me,
        period: Interval { from, until },
        reason: visit.form.filled("reason").map(str::to_owned),
        everywhere,
    };
    let created = new.checked().map_err(ActionError::from).and_then(|new| {
        absences::create(
            visit.app(),
            &visit.author("createAbsence"),
            &rotation.id,
            new,
        )
    });
    let created = match created {
        Ok((created, _)) => created,
        Err(ActionError::Refused(refusal @ Refusal::Invalid { .. })) => {
            refusals::add(visit.app(), &mut errors, &Problem::from(refusal), &FIELDS)?;
            return page(visit, 400, &visit.form, &errors);
        }
        Err(stop) => return Err(stop.into()),
    };
    let note = Note::new("Your absence was saved.").with_undo(Undo {
        action: format!("/me/absences/{}/end", created.id),
        fields: Vec::new(),
    });
    visit.note(note);
    let odd = if remarked.is_empty() { "" } else { "?odd=true" };
    Ok(answer::see(format!("/me/absences/{}{odd}", created.id)))
}

/// The absence that the path names, of the reader.
fn own(visit: &Visit) -> Result<Absence, Problem> {
    let me = &visit.me()?.person.id;
    let id = AbsenceId::from(visit.part(0));
    let found = absences::read(visit.app(), &id)?;
    let found = found.filter(|absence| absence.user == *me);
    found.ok_or_else(|| Refusal::NotFound("absence").into())
}

/// GET /me/absences/{absence}: what is still the reader's while they are away.
pub fn show(visit: &Visit) -> Outcome {
    let (absence, times) = (own(visit)?, times(visit));
    let turns = duties::to_come(visit.app(), &visit.caller, &absence.user, absence.period)?;
    let counts = |own: &&Shift| match &absence.applies_to {
        AppliesTo::AllRotations => true,
        AppliesTo::Rotation(id) => own.rotation.id == *id,
    };
    let standing: Vec<&Shift> = turns.iter().filter(counts).take(100).collect();
    let odd = visit.query.names("odd").then(|| {
        let shown = (
            times.text(absence.period.from),
            times.text(absence.period.until),
        );
        format!(
            "The clocks change then: taken is {} ({} UTC) to {} ({} UTC).",
            shown.0, absence.period.from, shown.1, absence.period.until
        )
    });
    let content = html! {
        p.crumb { a href="/me" { "Me" } }
        h1 { "Away " (times.period(absence.period.from, Some(absence.period.until))) }
        (remarks(&odd.into_iter().collect::<Vec<_>>()))
        section.card.pad aria-labelledby="standing" {
            h2 #standing { "Still yours meanwhile" }
            @if standing.is_empty() { p.muted { "Nothing: you are not on call while you are away." } } @else {
                ul.items {
                    @for own in standing {
                        @let from = own.duty.entry.start.max(absence.period.from).max(visit.now);
                        @let until = own.duty.end.map_or(absence.period.until, |end| end.min(absence.period.until));
                        @let base = super::path_of(&own.rotation.id, own.rotation.code.as_deref());
                        @if from < until {
                            li {
                                div.split {
                                    span {
                                        a href=(base) { bdi { (own.rotation.name) } }
                                        @if !own.slot.is_empty() { " " span.muted { bdi { (slot_text(&own.slot)) } } }
                                        ", " (times.period_with(from, Some(until), own.zone))
                                    }
                                    a.btn.s href=(format!("{base}/cover?cellId={}&from={from}&to={until}", own.duty.cell)) { "Ask for cover" }
                                }
                            }
                        }
                    }
                }
            }
        }
        p.actions {
            a.btn href="/me" { "My page" }
            form.bare method="post" action=(format!("/me/absences/{}/end", absence.id)) { button.btn.bad type="submit" { "End the absence" } }
        }
    };
    Ok(layout::page(visit, "Absence", content))
}

/// POST /me/absences/{absence}/end.
pub fn end(visit: &Visit) -> Outcome {
    let absence = own(visit)?;
    let by_way_of = match &absence.applies_to {
        AppliesTo::Rotation(id) => reads::rotation(visit.app(), &visit.caller, id)?,
        AppliesTo::AllRotations => {
            let mut all = own_rotations(visit)?;
            all.pop().ok_or(Refusal::NotFound("absence"))?
        }
    };
    let author = visit.author("deleteAbsence");
    absences::remove(visit.app(), &author, &by_way_of.id, &absence.id)?;
    let mut fields = vec![
        ("from", absence.period.from.to_string()),
        ("until", absence.period.until.to_string()),
        ("reason", absence.reason.clone().unwrap_or_default()),
    ];
    if let AppliesTo::Rotation(id) = &absence.applies_to {
        fields.push(("rotationId", id.to_string()));
    }
    visit.note(Note::new("The absence was ended.").with_undo(Undo {
        action: "/me/absences".into(),
        fields,
    }));
    Ok(answer::see("/me"))
}

//! Recording and ending absences of the reader.

use super::{cover, instant, path_of, remarks, slot_text, times};
use crate::actions::absences;
use crate::actions::duties;
use crate::actions::mutation::Mutation;
use crate::actions::proposals::{self, Decision};
use crate::actions::{ActionError, reads};
use crate::domain::absence::{Absence, AppliesTo};
use crate::domain::agreement::Preview;
use crate::domain::edit::{NewAbsence, NewCover};
use crate::domain::forecast::Shift;
use crate::domain::ids::{AbsenceId, RotationId, UserId};
use crate::domain::refusal::Refusal;
use crate::domain::rotation::Rotation;
use crate::domain::time::{FOREVER, Interval};
use crate::server::{Outcome, Problem, Response};
use crate::web::form::{Errors, Form};
use crate::web::notes::{Note, Undo};
use crate::web::parts::absence;
use crate::web::parts::fields::{self, Choice, Filled, zone_field};
use crate::web::parts::refusals;
use crate::web::visit::Visit;
use crate::web::{answer, layout};
use crate::wire::etag::Precondition;
use jiff::SignedDuration;
use maud::{Markup, html};

/// Stretches that are still the reader's, at the most.
const MOST: usize = 100;

const FIELDS: [&str; 4] = ["from", "until", "reason", "rotationId"];

/// GET /me/absences/new.
pub fn show_new(visit: &Visit) -> Outcome {
    page(visit, 200, &tomorrow(visit), &Errors::default())
}

/// The form as it is offered: for all of tomorrow.
pub fn tomorrow(visit: &Visit) -> Form {
    let times = times(visit);
    let day = |days: i64| {
        let at = visit
            .now
            .saturating_add(SignedDuration::from_hours(24 * days));
        let date = times.date(at.unwrap_or(visit.now));
        times.midnight(date).unwrap_or(visit.now)
    };
    Form::with([
        ("from", times.value(day(1))),
        ("until", times.value(day(2))),
    ])
}

/// The rotations that the reader is a member of.
fn own_rotations(visit: &Visit) -> Result<Vec<Rotation>, Problem> {
    let me = &visit.me()?.person.id;
    Ok(absences::own_rotations(visit.app(), &visit.caller, me)?)
}

fn page(visit: &Visit, status: u16, values: &Form, errors: &Errors) -> Result<Response, Problem> {
    let content = html! {
        p.crumb { a href="/me" { "Me" } }
        (fields::summary(errors))
        h1 { "I am away" }
        section.card aria-label="I am away" { (form(visit, values, errors, "pad stack")?) }
    };
    Ok(layout::page_with(visit, status, "I am away", content))
}

/// The form for an absence, which is on the reader's own page too.
pub fn form(visit: &Visit, values: &Form, errors: &Errors, class: &str) -> Result<Markup, Problem> {
    let rotations = own_rotations(visit)?;
    let mut choices = vec![Choice::new("", "All my rotations")];
    choices.extend(
        rotations
            .iter()
            .map(|rotation| Choice::new(rotation.id.as_str(), &rotation.profile.name)),
    );
    let filled = Filled { values, errors };
    Ok(html! {
        @if rotations.is_empty() {
            div.pad.pt0 {
                p.muted { "You are in no rotation, so nobody counts on you. " a href="/rotations" { "Rotations" } }
            }
        } @else {
            form class=(class) method="post" action="/me/absences" {
                p.small.muted { "Hand-overs leave you out while you are away. A turn that has begun stays yours, unless its rotation hands over at once: ask somebody to cover it." }
                div.two-c {
                    (filled.instant("from", "From", visit.zone, ""))
                    (filled.instant("until", "Until", visit.zone, ""))
                }
                (filled.input("text", "reason", "Why", "Optional. Your teams see it.", false))
                (filled.select("rotationId", "Where", "", &choices))
                (zone_field(visit.zone))
                div.row { button.btn.go type="submit" data-action="absence" { "Save and see what stands" } }
            }
        }
    })
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
            refusals::add(visit, &mut errors, &Problem::from(refusal), &FIELDS)?;
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

/// The reader's absences that are not over.
pub fn of_reader(visit: &Visit) -> Result<Vec<Absence>, Problem> {
    let me = &visit.me()?.person.id;
    let all = absences::of_person(visit.app(), &visit.caller, me, visit.now)?;
    Ok(all.into_iter().map(|(absence, _)| absence).collect())
}

/// What is still the reader's during an absence, a stretch each.
struct Standing {
    own: Shift,
    period: Interval,
}

fn standing(visit: &Visit, gone: &Absence) -> Result<Vec<Standing>, Problem> {
    let turns = duties::to_come(visit.app(), &visit.caller, &gone.user, gone.period)?;
    let rest = Interval::new(visit.now, FOREVER);
    let standing = turns.into_iter().filter_map(|own| {
        let counts = absence::counts(gone, &own.rotation.id);
        let period = own.duty.period().meets(gone.period)?.meets(rest)?;
        counts.then_some(Standing { own, period })
    });
    Ok(standing.take(MOST).collect())
}

/// GET /me/absences/{absence}: what is still the reader's while they are away.
pub fn show(visit: &Visit) -> Outcome {
    let (gone, times) = (own(visit)?, times(visit));
    let standing = standing(visit, &gone)?;
    let odd = visit.query.names("odd").then(|| {
        let shown = (times.text(gone.period.from), times.text(gone.period.until));
        format!(
            "The clocks change then: taken is {} to {}.",
            shown.0, shown.1
        )
    });
    let path = format!("/me/absences/{}", gone.id);
    let content = html! {
        p.crumb { a href="/me" { "Me" } }
        h1 { "Away " (times.period(gone.period.from, Some(gone.period.until))) }
        (remarks(&odd.into_iter().collect::<Vec<_>>()))
        section.card aria-labelledby="standing" {
            header { h2 #standing { "Still yours meanwhile" } }
            @if standing.is_empty() { p.pad.pt0.muted { "Nothing: you are not on call while you are away." } } @else {
                ul.list {
                    @for Standing { own, period } in &standing {
                        @let base = path_of(&own.rotation.id, own.rotation.code.as_deref());
                        li {
                            div.what {
                                a href=(base) { bdi { (own.rotation.name) } }
                                small.muted {
                                    @if !own.slot.is_empty() { bdi { (slot_text(&own.slot)) } ", " }
                                    (times.period_with(period.from, Some(period.until), own.zone))
                                }
                            }
                            a.btn.s href=(format!("{base}/cover?cellId={}&from={}&to={}", own.duty.cell, period.from, period.until)) data-action="cover" { "Ask for cover" }
                        }
                    }
                }
                div.step { div.row {
                    (absence::ask(&path, "go"))
                    span.small.muted { "Everybody who could take it is asked. You stay on call until somebody accepts." }
                } }
            }
        }
        p.actions {
            a.btn href="/me" { "My page" }
            form.bare method="post" action=(format!("{path}/end")) { button.btn.bad type="submit" data-action="end" { "End the absence" } }
        }
    };
    Ok(layout::page(visit, "Absence", content))
}

/// POST /me/absences/{absence}/cover: asks everybody who could take it to cover each stretch that still stands.
pub fn ask_for_all(visit: &Visit) -> Outcome {
    let absence = own(visit)?;
    visit.once(|| {
        let (mut asked, mut left) = (0, 0);
        for Standing { own, period } in standing(visit, &absence)? {
            match ask(visit, &absence, &own, period) {
                Ok(true) => asked += 1,
                // Nobody can be asked, or it is asked already: the page says what still stands.
                Ok(false) | Err(ActionError::Refused(_)) => left += 1,
                Err(error) => return Err(error.into()),
            }
        }
        let told = match (asked, left) {
            (0, 0) => "Nothing stands any more.".to_owned(),
            (0, _) => "There is nobody to ask, or they have been asked already.".to_owned(),
            (1, 0) => "One request was sent. You stay on call until somebody accepts.".to_owned(),
            (all, 0) => {
                format!("{all} requests were sent. You stay on call until somebody accepts.")
            }
            (some, rest) => format!("Sent: {some}. For {rest} more nobody could be asked."),
        };
        visit.note(Note::new(told));
        Ok(answer::see(match asked {
            0 => format!("/me/absences/{}", absence.id),
            _ => "/requests".to_owned(),
        }))
    })
}

/// Asks for cover of one stretch those who are free, or everybody where nobody is. Whether there is anybody to ask.
fn ask(
    visit: &Visit,
    absence: &Absence,
    own: &Shift,
    period: Interval,
) -> Result<bool, ActionError> {
    let rotation = reads::rotation(visit.app(), &visit.caller, &own.rotation.id)?;
    let all = cover::eligible(visit, &rotation, own.duty.cell.as_str());
    let is_free = |user: &UserId| {
        let away = rotation.absences.periods_of(user);
        away.iter().all(|away| away.meets(period).is_none())
    };
    let free: Vec<UserId> = all.iter().filter(|user| is_free(user)).cloned().collect();
    let recipients = if free.is_empty() { all } else { free };
    if recipients.is_empty() {
        return Ok(false);
    }
    let new = NewCover {
        cell: own.duty.cell.clone(),
        asked: period,
        recipients,
        reason: absence.reason.clone().unwrap_or_default(),
        turn_selection: None,
        acknowledged: Vec::new(),
    };
    let write = |operation| {
        let mutation = Mutation {
            author: &visit.author("createCoverRequest"),
            rotation: &rotation.id,
            precondition: &Precondition::Any,
            operation,
        };
        Ok(mutation.run(visit.app())?.output)
    };
    let who = (visit.app(), &visit.caller);
    let acknowledge = |_: &Rotation, _: &Preview| Ok(Decision::Acknowledge);
    proposals::propose(who, &rotation.id, new.checked()?, acknowledge, write)?;
    Ok(true)
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

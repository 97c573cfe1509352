//! Turns that are owed: those of a rotation, with Forgive, and those of the reader.

use super::{crumbs, failing, named, path_of, path_to, tag, times};
use crate::actions::trades::{self, ForgiveTrade};
use crate::domain::forecast::{self, OpenTrade};
use crate::domain::ids::{TradeId, UserId};
use crate::domain::rotation::Rotation;
use crate::server::{Outcome, Problem};
use crate::store::Error;
use crate::web::answer;
use crate::web::form::Errors;
use crate::web::layout;
use crate::web::notes::Note;
use crate::web::parts::confirm;
use crate::web::parts::fields;
use crate::web::parts::icon::icon;
use crate::web::parts::people::People;
use crate::web::visit::Visit;
use maud::{Markup, html};

/// The open trades of a rotation as lines of a list; `None` where there is none, and for whoever is not signed in.
pub fn of_rotation(visit: &Visit, rotation: &Rotation) -> Result<Option<Markup>, Problem> {
    if visit.reader.is_none() || forecast::open_trades(rotation).is_empty() {
        return Ok(None);
    }
    let open = trades::list(visit.app(), &visit.caller, &rotation.id)?;
    let people = People::load(visit.app(), open.iter().flat_map(sides), true)?;
    let lines = html! {
        @for one in &open {
            li data-trade=(one.trade.id) {
                div.ml {
                    span.mark.me { (icon("swap")) }
                    div.what {
                        span { (people.show(&one.trade.owes)) " owes " (people.show(&one.trade.owed)) " " (turn(visit, rotation, one)) }
                        (forgive_form(visit, rotation, one, &people))
                    }
                }
            }
        }
    };
    Ok((!open.is_empty()).then_some(lines))
}

fn sides(open: &OpenTrade) -> [&UserId; 2] {
    [&open.trade.owes, &open.trade.owed]
}

/// The turn that was taken, and the one that pays it back: `a turn of nights (16 Jan)`.
fn turn(visit: &Visit, rotation: &Rotation, open: &OpenTrade) -> Markup {
    let times = times(visit);
    let slot = forecast::slot_named(rotation, &open.trade.cell).join(", ");
    html! {
        "a turn " @if !slot.is_empty() { "of " bdi { (slot) } " " }
        "(" (times.day_text(times.date(open.trade.from))) ")"
        @match &open.expected {
            Some(expected) => span.muted { ", to be paid back on " (times.day_text(times.date(expected.period.from))) }
            None => {}
        }
    }
}

/// The button for whoever may forgive it.
fn forgive_form(visit: &Visit, rotation: &Rotation, open: &OpenTrade, people: &People) -> Markup {
    let trade = &open.trade;
    let may = visit.caller.check_forgive(rotation, &trade.owed).is_ok();
    let action = format!(
        "{}/trades/{}/forgive",
        path_of(&rotation.id, None),
        trade.id
    );
    html! {
        @if may {
            form.bare method="post" action=(action) {
                (confirm::carried(&tag(visit, rotation), rotation))
                button.btn.s type="submit" data-action="forgive" {
                    "Forgive" span.sr { ": " (people.name(&trade.owes)) " owes nothing for it any more" }
                }
            }
        }
    }
}

/// What the reader owes and is owed; nothing where that is nothing.
pub fn of_reader(visit: &Visit) -> Result<Markup, Problem> {
    let me = &visit.me()?.person.id;
    let found = trades::of_person(visit.app(), &visit.caller, me)?;
    let all = found.iter().flat_map(|(_, open)| open);
    let people = People::load(visit.app(), all.flat_map(sides), true)?;
    Ok(html! {
        @if !found.is_empty() {
            section.card.pad aria-labelledby="owed" {
                h2 #owed { "Owed turns" }
                ul.items {
                    @for (rotation, open) in &found {
                        @for one in open {
                            li data-trade=(one.trade.id) {
                                a href=(path_to(rotation)) { bdi { (rotation.profile.name) } } ": "
                                @if one.trade.owes == *me {
                                    "you owe " (people.show(&one.trade.owed)) " "
                                } @else {
                                    (people.show(&one.trade.owes)) " owes you "
                                }
                                (turn(visit, rotation, one))
                            }
                        }
                    }
                }
            }
        }
    })
}

fn nothing(_: &str, _: &()) -> Result<String, Error> {
    Ok(String::new())
}

/// POST /rotations/{rotation}/trades/{trade}/forgive.
pub fn forgive(visit: &Visit) -> Outcome {
    let rotation = named(visit)?;
    let id = TradeId::from(visit.part(1));
    let here = ("forgiveTrade", visit.part(1));
    let outcome = visit.write(&rotation.id, here, ForgiveTrade(id), nothing);
    let back = |status, errors: Errors| {
        let title = "The trade stays as it is";
        let content = html! {
            (crumbs(&rotation))
            (fields::summary(&errors))
            h1 { (title) }
            p { a.btn href=(path_to(&rotation)) { "Look at the rotation" } }
        };
        Ok(layout::page_with(visit, status, title, content))
    };
    if let Err(page) = failing(visit, &rotation.id, outcome, &[], back)? {
        return Ok(page);
    }
    visit.note(Note::new(
        "The trade was forgiven: nothing is owed for that turn any more.",
    ));
    Ok(answer::see(path_to(&rotation)))
}

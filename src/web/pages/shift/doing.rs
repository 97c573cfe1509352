//! What the reader may do with a turn: take it, ask for cover, offer a swap, give it to somebody. One of them is open at a time.

use super::{Shown, candidates, end};
use crate::server::Problem;
use crate::web::form::{Errors, Form};
use crate::web::pages::{cover, localised, swap, tag, zone_of};
use crate::web::parts::confirm;
use crate::web::parts::fields::{Choice, Filled, hidden, zone_field};
use crate::web::parts::icon::icon;
use crate::web::parts::item::Kind;
use crate::web::parts::near;
use maud::{Markup, html};

/// Something that can be done.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Take,
    Cover,
    Swap,
    Assign,
}

impl Step {
    const ALL: [Step; 4] = [Step::Take, Step::Cover, Step::Swap, Step::Assign];

    /// How the address calls it.
    fn name(self) -> &'static str {
        match self {
            Step::Take => "take",
            Step::Cover => "cover",
            Step::Swap => "swap",
            Step::Assign => "assign",
        }
    }

    fn drawing(self) -> &'static str {
        match self {
            Step::Take => "hand",
            Step::Cover => "cover",
            Step::Swap => "swap",
            Step::Assign => "assign",
        }
    }

    /// Whether the reader may do it with this turn.
    fn is_for(self, page: &Shown) -> bool {
        let kind = page.item.kind;
        match self {
            Step::Take => {
                let may = page.is_editor || kind == Kind::Gap;
                page.is_member && !page.is_mine() && may && kind != Kind::Off
            }
            Step::Cover => page.is_mine(),
            Step::Swap => {
                let is_whole = kind == Kind::Turn && page.turn.from() > page.visit.now;
                page.is_member && is_whole
            }
            Step::Assign => page.is_editor && kind != Kind::Off,
        }
    }

    fn said(self, page: &Shown) -> (&'static str, String) {
        let who = &page.item.who;
        let is_gap = page.item.kind == Kind::Gap;
        match self {
            Step::Take if is_gap => ("Take it", "All of it or some hours.".to_owned()),
            Step::Take => (
                "Take it myself",
                format!("All of it or some hours. {who} is told."),
            ),
            Step::Cover => (
                "Ask for cover",
                "You stay on call until somebody accepts.".to_owned(),
            ),
            Step::Swap => ("Swap", "Two turns change hands when both agree.".to_owned()),
            Step::Assign => (
                "Give to somebody",
                "For editors: at once, without asking.".to_owned(),
            ),
        }
    }
}

/// The card: what can be done, and the form of what was chosen.
pub fn card(page: &Shown) -> Result<Markup, Problem> {
    let steps: Vec<Step> = Step::ALL
        .into_iter()
        .filter(|step| step.is_for(page))
        .collect();
    let asked = page.visit.query.one("do");
    let chosen = steps.iter().find(|step| step.name() == asked).copied();
    Ok(html! {
        section.card aria-labelledby="do" {
            header { h2 #do { "What do you want to do?" } }
            div.pad.pt0.stack {
                @if steps.is_empty() { p.muted { "Nothing here is yours to change. Whoever edits the rotation can." } }
                nav.pick.four aria-label="What to do" {
                    @for step in &steps {
                        @let (words, more) = step.said(page);
                        a.tile href=(page.doing(step.name())) aria-current=[(chosen == Some(*step)).then_some("true")] {
                            span.act { span.mark.me { (icon(step.drawing())) } b { (words) } small.muted { (more) } }
                        }
                    }
                }
                (end(page))
            }
            @match chosen {
                Some(Step::Take) => (take(page)),
                Some(Step::Cover) => (ask(page)),
                Some(Step::Swap) => (offer(page)?),
                Some(Step::Assign) => (give(page)?),
                None => {}
            }
        }
    })
}

/// Filled in, as local times.
fn filled(page: &Shown) -> Form {
    let (from, to) = page.hours();
    let fields = [("from", Some(from)), ("to", to)];
    let fields = fields
        .into_iter()
        .filter_map(|(name, at)| Some((name, at?.to_string())));
    localised(page.visit, &Form::with(fields), &["from", "to"])
}

/// From and until as fields, and what is carried along.
fn fields(page: &Shown) -> Markup {
    let (values, errors) = (filled(page), Errors::default());
    let filled = Filled {
        values: &values,
        errors: &errors,
    };
    html! {
        (hidden("cellId", page.item.cell.as_str()))
        div.row.wide {
            (filled.instant("from", "From", page.visit.zone, ""))
            (filled.instant("to", "Until", page.visit.zone, "Kept to the hours of this turn."))
        }
        (zone_field(zone_of(page.visit)))
        (confirm::carried(&tag(page.visit, page.rotation), page.rotation))
    }
}

/// "Fri 18:00 to Mon 09:00", and how long that is.
fn said(page: &Shown) -> (String, String) {
    let times = page.times();
    match page.hours() {
        (from, Some(to)) => (
            format!("{} to {}", times.brief(from), times.brief(to)),
            format!("{}.", near::length(to.duration_since(from))),
        ),
        (from, None) => (format!("from {} on", times.brief(from)), String::new()),
    }
}

fn take(page: &Shown) -> Markup {
    let me = page.visit.user();
    let name = me.map_or("You", |me| page.people.name(me));
    let (when, length) = said(page);
    html! {
        form method="post" action=(format!("{}/assign", page.base())) {
            div.step {
                (fields(page))
                (hidden("userId", me.map_or("", |me| me.as_str())))
                (hidden("confirmed", "true"))
            }
            div.bar-foot {
                button.btn.go type="submit" data-action="take" { (icon("check")) span { bdi { (name) } " takes " span.hours { (when) } } }
                span.small.muted { (length) }
            }
        }
    }
}

fn ask(page: &Shown) -> Markup {
    let (values, errors) = (Form::default(), Errors::default());
    let filled = Filled {
        values: &values,
        errors: &errors,
    };
    let eligible = cover::eligible(page.visit, page.rotation, page.item.cell.as_str());
    let choices: Vec<Choice> = (eligible.iter())
        .map(|user| Choice {
            value: user.to_string(),
            label: page.people.label(user),
        })
        .collect();
    let (when, length) = said(page);
    html! {
        form method="post" action=(format!("{}/cover", page.base())) {
            div.step {
                (fields(page))
                @if choices.is_empty() { p.muted { "There is nobody else in the list whom you could ask." } }
                @else { (filled.boxes("recipientUserIds", "Whom to ask", "The first who accepts takes over.", &choices)) }
                (filled.area("reason", "Reason, optional", "Those whom you ask read it."))
            }
            div.bar-foot {
                button.btn.go type="submit" data-action="cover" { (icon("check")) span { "Ask for cover, " span.hours { (when) } } }
                span.small.muted { (length) }
            }
        }
    }
}

fn offer(page: &Shown) -> Result<Markup, Problem> {
    let (own, theirs) = swap::choices(page.visit, page.rotation, page.item, page.is_mine())?;
    let (values, errors) = (Form::default(), Errors::default());
    let filled = Filled {
        values: &values,
        errors: &errors,
    };
    Ok(html! {
        @if own.is_empty() || theirs.is_empty() {
            div.step { p.muted { "No whole turn of the next eight weeks can be swapped for this one." } }
        } @else {
            form method="post" action=(format!("{}/swap", page.base())) {
                div.step {
                    (filled.select("own", "Your turn", "", &own))
                    (filled.select("theirs", "For the turn of", "", &theirs))
                    (filled.area("reason", "Reason, optional", "The other one reads it."))
                    (confirm::carried(&tag(page.visit, page.rotation), page.rotation))
                }
                div.bar-foot {
                    button.btn.go type="submit" data-action="swap" { (icon("swap")) "Offer the swap" }
                    span.small.muted { "Both keep their turns until it is accepted." }
                }
            }
        }
    })
}

fn give(page: &Shown) -> Result<Markup, Problem> {
    let (list, names) = candidates::list(page)?;
    let (when, length) = said(page);
    Ok(html! {
        form.give method="post" action=(format!("{}/assign", page.base())) {
            div.step {
                (fields(page))
                (hidden("confirmed", "true"))
                (list)
            }
            div.bar-foot {
                button.btn.go type="submit" data-action="assign" { (icon("check")) span { (names) " " span.hours { (when) } } }
                span.small.muted { (length) }
            }
        }
    })
}

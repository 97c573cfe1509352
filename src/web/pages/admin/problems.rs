//! What is wrong with the plans of the rotations that the reader may change, by kind: what matters now first, and what is silenced.

mod silenced;
pub mod words;

use crate::actions::mutation::Mutation;
use crate::actions::warnings::{self, Asked, DAYS, MOST_DAYS, RotationWarning, Silence, Wants};
use crate::domain::forecast::ShiftRotation;
use crate::domain::ids::RotationId;
use crate::domain::naming::Naming;
use crate::domain::refusal::Refusal;
use crate::domain::warning::{Warning, by_day};
use crate::domain::warning_kinds::WarningKind;
use crate::server::{Outcome, Problem};
use crate::web::form::{Errors, Form};
use crate::web::notes::{Note, Undo};
use crate::web::pages::{path_of, times};
use crate::web::parts::confirm;
use crate::web::parts::fields::{Choice, Filled, hidden};
use crate::web::parts::icon::icon;
use crate::web::parts::people::People;
use crate::web::parts::time::Times;
use crate::web::visit::Visit;
use crate::web::{answer, layout};
use crate::wire::etag::Precondition;
use maud::{Markup, html};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

const PATH: &str = "/admin/problems";

/// Lines of a kind that are shown at once, and on the page of the kind at the most.
const FIRST: usize = 3;
const MOST: usize = 40;

/// Rotations of a kind that have a button each.
const NAMED: usize = 3;

/// The hours that a button lowers the rest to: a night's sleep.
const REST: u32 = 9;

/// The days that can be chosen.
const SPANS: [(u32, &str); 4] = [
    (14, "within 14 days"),
    (30, "within 30 days"),
    (DAYS, "within 90 days"),
    (MOST_DAYS, "within a year"),
];

/// The lines of one kind, by where they begin: those that matter now, or the smaller notes.
struct Group {
    kind: WarningKind,
    is_red: bool,
    lines: Vec<RotationWarning>,
}

impl Group {
    fn id(&self) -> String {
        let place = if self.is_red { "now" } else { "note" };
        format!("{place}-{}", self.kind.name())
    }
}

/// GET /admin/problems.
pub fn show(visit: &Visit) -> Outcome {
    let all = warnings::editable(visit.app(), &visit.caller)?;
    let days = visit.query.one("within").parse().unwrap_or(DAYS);
    let days = days.clamp(1, MOST_DAYS);
    let groups = groups(visit, &all, days)?;
    let chosen = WarningKind::parse(visit.query.one("kind"));
    let users = groups.iter().flat_map(|group| &group.lines);
    let users = users.flat_map(|line| &line.warning.users);
    let people = People::load(visit.app(), users, true)?;
    let shown = |group: &&Group| chosen.is_none_or(|kind| group.kind == kind);
    let (red, notes): (Vec<&Group>, Vec<&Group>) =
        groups.iter().filter(shown).partition(|group| group.is_red);
    let page = Page {
        visit,
        all: &all,
        people,
        times: times(visit),
        days,
        is_whole: chosen.is_some(),
        from: visit.query.one("from").parse().unwrap_or(0),
    };
    let content = html! {
        @if visit.caller.check_administer().is_ok() { (super::crumbs()) }
        div.head.problems {
            div {
                h1 { "Problems" }
                p.sub { (page.summary(&groups)) }
            }
            (page.choose())
        }
        @if chosen.is_some() { p { a href=(format_args!("{PATH}?within={days}")) { "All kinds" } } }
        @if !red.is_empty() { h2.band { "Matter now" } }
        @for group in red { (page.group(group)) }
        @if !notes.is_empty() { h2.band { "Smaller notes" } }
        @for (index, group) in notes.into_iter().enumerate() { (page.folded(group, index == 0)) }
        (silenced::card(visit, &all)?)
    };
    Ok(layout::page(visit, "Problems", content))
}

/// What is wrong in rotations, by kind: what matters now first, then by how much it matters.
fn groups(visit: &Visit, all: &[Wants], days: u32) -> Result<Vec<Group>, Problem> {
    let asked = Asked {
        days,
        severity: None,
        naming: Naming::Names,
    };
    let mut found = warnings::of_all(visit.app(), &visit.caller, asked)?;
    let edits = |one: &RotationWarning| all.iter().any(|it| it.rotation.id == one.rotation.id);
    found.retain(edits);
    let times = times(visit);
    let mut groups: BTreeMap<_, Group> = BTreeMap::new();
    for one in in_lines(found, &times) {
        let kind = one.warning.kind;
        let is_red = one.warning.matters(visit.now, true);
        let group = groups.entry((!is_red, kind.severity(), kind));
        let group = group.or_insert_with(|| Group {
            kind,
            is_red,
            lines: Vec::new(),
        });
        group.lines.push(one);
    }
    Ok(groups.into_values().collect())
}

/// The warnings as lines, by where they begin.
fn in_lines(found: Vec<RotationWarning>, times: &Times) -> Vec<RotationWarning> {
    let mut rotations: HashMap<RotationId, (Arc<ShiftRotation>, Vec<Warning>)> = HashMap::new();
    for RotationWarning { rotation, warning } in found {
        let of_one = rotations.entry(rotation.id.clone());
        let (_, warnings) = of_one.or_insert_with(|| (rotation, Vec::new()));
        warnings.push(warning);
    }
    let mut lines = Vec::new();
    for (rotation, warnings) in rotations.into_values() {
        let of_one = by_day(warnings, |at| times.date(at)).into_iter();
        lines.extend(of_one.map(|warning| RotationWarning {
            rotation: rotation.clone(),
            warning,
        }));
    }
    lines.sort_by(|one, other| {
        let order = |line: &RotationWarning| line.warning.rank();
        order(one)
            .cmp(&order(other))
            .then_with(|| one.rotation.name.cmp(&other.rotation.name))
    });
    lines
}

/// The page as it is rendered.
struct Page<'a, 'v> {
    visit: &'a Visit<'v>,
    all: &'a [Wants],
    people: People,
    times: Times,
    days: u32,
    /// Whether one kind is shown with all of its lines, from which one on.
    is_whole: bool,
    from: usize,
}

impl Page<'_, '_> {
    fn summary(&self, groups: &[Group]) -> String {
        let count = |red: bool| -> usize {
            let groups = groups.iter().filter(|group| group.is_red == red);
            groups.map(|group| group.lines.len()).sum()
        };
        let whose = match self.visit.caller.check_administer() {
            Ok(()) => "all rotations",
            Err(_) => "your rotations",
        };
        let matter = match count(true) {
            0 => "Nothing matters within 14 days".to_owned(),
            1 => "One problem matters within 14 days".to_owned(),
            red => format!("{red} problems matter within 14 days"),
        };
        let notes = match count(false) {
            0 => "there are no smaller notes".to_owned(),
            1 => "one smaller note does not".to_owned(),
            notes => format!("{notes} smaller notes do not"),
        };
        let notes = match (count(true), count(false)) {
            (0, 1) => "there is one smaller note".to_owned(),
            (0, notes) if notes > 1 => format!("there are {notes} smaller notes"),
            _ => notes,
        };
        format!("Next {} days, {whose}. {matter}, {notes}.", self.days)
    }

    fn choose(&self) -> Markup {
        let values = Form::with([("within", self.days.to_string())]);
        let filled = Filled {
            values: &values,
            errors: &Errors::default(),
        };
        let spans = SPANS.map(|(days, label)| Choice::new(days.to_string(), label));
        html! {
            form.row method="get" action=(PATH) {
                (filled.select("within", "Look", "", &spans))
                button.btn.end type="submit" { "Show" }
            }
        }
    }

    fn group(&self, group: &Group) -> Markup {
        self.folded(group, true)
    }

    fn folded(&self, group: &Group, is_open: bool) -> Markup {
        let (kind, count, id) = (group.kind, group.lines.len(), group.id());
        let shown = if self.is_whole { MOST } else { FIRST };
        let from = if self.is_whole {
            self.from.min(count)
        } else {
            0
        };
        let left = count.saturating_sub(from + shown);
        let mark = if group.is_red { "bad" } else { "warn" };
        html! {
            section.card aria-labelledby=(id) {
                details.grp open[is_open || self.is_whole] {
                    summary data-kind=(kind.name()) {
                        span.mark.(mark) { (icon(words::drawing(kind))) }
                        span.what {
                            b id=(id) { (words::name(kind)) }
                            small.muted { (words::meaning(kind)) }
                        }
                        span.count.(mark) { (count) }
                    }
                    ul.list.top1 {
                        @for line in group.lines.iter().skip(from).take(shown) { (self.line(line)) }
                        @if left > 0 && self.is_whole {
                            li { a href=(format_args!("{PATH}?within={}&kind={}&from={}", self.days, kind.name(), from + MOST)) { "And " (left) " more" } }
                        }
                    }
                    div.step {
                        div.row {
                            @if left > 0 && !self.is_whole {
                                a.btn.s.ghost href=(format_args!("{PATH}?within={}&kind={}", self.days, kind.name())) { "All " (count) }
                            }
                            (self.silencing(group))
                        }
                    }
                }
            }
        }
    }

    fn line(&self, line: &RotationWarning) -> Markup {
        let (warning, rotation) = (&line.warning, &line.rotation);
        let base = path_of(&rotation.id, rotation.code.as_deref());
        let told = words::Told {
            warning,
            rotation: &rotation.name,
            people: &self.people,
            times: &self.times,
        };
        let (title, more) = (told.title(), told.more());
        let is_member = self
            .all
            .iter()
            .any(|one| one.rotation.id == rotation.id && one.is_member);
        let offers = words::offers(warning, &base, is_member);
        let first = offers
            .first()
            .map_or_else(|| base.clone(), |offer| offer.path.clone());
        html! {
            li data-kind=(warning.kind.name()) {
                div.what {
                    a href=(first) { bdi { (title) } }
                    @if !more.is_empty() { small.muted { bdi { (more) } } }
                }
                span.row {
                    @for (index, offer) in offers.iter().enumerate() {
                        a.btn.s.go[index == 0 && warning.kind.concern().is_some()] href=(offer.path) data-action=[offer.action] {
                            (offer.words) span.sr { ": " (title) }
                        }
                    }
                }
            }
        }
    }

    /// The buttons that show fewer of a kind.
    fn silencing(&self, group: &Group) -> Markup {
        let kind = group.kind;
        let mut counts: Vec<(&ShiftRotation, usize)> = Vec::new();
        for line in &group.lines {
            match counts
                .iter_mut()
                .find(|(known, _)| known.id == line.rotation.id)
            {
                Some((_, count)) => *count += 1,
                None => counts.push((&line.rotation, 1)),
            }
        }
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let named = if self.is_whole { MOST } else { NAMED };
        let is_above = |one: &Wants| Silence::RestUnder(REST).changes(&one.settings);
        html! {
            form.row.push method="post" action=(PATH) {
                (hidden("operationId", &confirm::operation_id()))
                span.small.muted { "Show:" }
                @if kind == WarningKind::ShortRest && self.all.iter().any(is_above) {
                    (button(&format!("shortRestHours:{REST}"), html! { span { "Only under " (REST) " hours" } }))
                }
                @for (rotation, _) in counts.into_iter().take(named) {
                    (button(&format!("off:{}:{}", kind.name(), rotation.id), html! { span { "Not for " bdi { (rotation.name) } } }))
                }
                @if self.all.len() > 1 { (button(&format!("off:{}", kind.name()), html! { "Nowhere" })) }
            }
        }
    }
}

/// A button that changes which warnings are wanted.
fn button(value: &str, label: Markup) -> Markup {
    html! { button.btn.s type="submit" name="silence" value=(value) data-action="silence" { (label) } }
}

/// POST /admin/problems: switches a kind off or on in one rotation, or in each that the reader may change.
pub fn silence(visit: &Visit) -> Outcome {
    let all = warnings::editable(visit.app(), &visit.caller)?;
    visit.once(|| {
        let asked = visit.form.one("silence");
        let mut parts = asked.splitn(3, ':');
        let (does, what, named) = (parts.next(), parts.next(), parts.next());
        let silence = Silence::parse(does.unwrap_or_default(), what.unwrap_or_default())?;
        let concerned: Vec<&Wants> = (all.iter())
            .filter(|one| named.is_none_or(|id| one.rotation.id.as_str() == id))
            .filter(|one| silence.changes(&one.settings))
            .collect();
        if named.is_some_and(|id| all.iter().all(|one| one.rotation.id.as_str() != id)) {
            return Err(Refusal::NotFound("rotation").into());
        }
        for one in &concerned {
            let mutation = Mutation {
                author: &visit.author("setWarningSettings"),
                rotation: &one.rotation.id,
                precondition: &Precondition::Any,
                operation: silence,
            };
            mutation.run(visit.app())?;
        }
        visit.note(told(silence, &concerned));
        Ok(answer::see(PATH))
    })
}

/// What was done, with what undoes it where that is one write.
fn told(silence: Silence, concerned: &[&Wants]) -> Note {
    let place = match concerned {
        [one] => format!("for {}", one.rotation.name),
        all => format!("for {} rotations", all.len()),
    };
    let (text, back) = match silence {
        Silence::Off(kind) => (
            format!("“{}” is not shown any more {place}.", words::name(kind)),
            Some(("on", kind)),
        ),
        Silence::On(kind) => (
            format!("“{}” is shown again {place}.", words::name(kind)),
            Some(("off", kind)),
        ),
        Silence::RestUnder(hours) => (
            format!("Only rest of less than {hours} hours is shown now, {place}."),
            None,
        ),
    };
    let undo = match (back, concerned) {
        (Some((does, kind)), [one]) => Some(Undo {
            action: PATH.to_owned(),
            fields: vec![
                ("operationId", confirm::operation_id()),
                (
                    "silence",
                    format!("{does}:{}:{}", kind.name(), one.rotation.id),
                ),
            ],
        }),
        _ => None,
    };
    Note {
        undo,
        ..Note::new(text)
    }
}

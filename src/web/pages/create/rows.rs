//! The people of the form of a new rotation: check boxes in their order, and the steps that change it.

use super::with;
use crate::actions::sessions::zone_of;
use crate::domain::directory::Person;
use crate::domain::ids::UserId;
use crate::server::Problem;
use crate::store::{Page, PersonFilter, list_people};
use crate::web::form::{Errors, Form};
use crate::web::visit::Visit;
use maud::{Markup, html};
use std::collections::BTreeMap;

/// People that a form offers at the most; others are named by their id or address.
const OFFERED: u32 = 500;

/// With so many people or fewer all of them take turns at first.
const ALL_TICKED: usize = 12;

/// So many people or fewer have a row each; of more only those who were added.
const ROWS: usize = 60;

/// The names of the rosters of the zones that follow the sun.
pub(super) const SUN: [&str; 3] = ["first", "second", "third"];

/// What a new form has in its fields.
pub(super) fn first(visit: &Visit) -> Result<Form, Problem> {
    let people = offered(visit)?;
    let own = visit.zone.as_str().to_owned();
    let mut zones = vec![own.clone()];
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for person in &people {
        let zone = zone_of(person.time_zone.as_deref()).as_str().to_owned();
        if zone != own {
            *counts.entry(zone).or_default() += 1;
        }
    }
    // The zone of the most others; where nobody is elsewhere, one that is far away.
    let most = counts.iter().max_by_key(|(_, count)| **count);
    let far = match own.starts_with("America/") {
        true => "Europe/Berlin",
        false => "America/New_York",
    };
    zones.push(most.map_or(far.to_owned(), |(zone, _)| zone.clone()));
    let mut fields: Vec<(String, String)> = [
        ("pattern", "weekly"),
        ("lanes", "1"),
        ("dayOfWeek", "monday"),
        ("time", "09:00"),
        ("weekendTime", "18:00"),
        ("daysFrom", "09:00"),
        ("daysTo", "17:00"),
        ("timeZone", own.as_str()),
        ("dealing.missedTurn", "traded"),
        ("dealing.restHours", "0"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .into();
    let mut add = |name: &str, value: &str| fields.push((name.to_owned(), value.to_owned()));
    for day in ["monday", "tuesday", "wednesday", "thursday", "friday"] {
        add("days", day);
    }
    for zone in &zones {
        add("sunTimeZone", zone);
        add("sunStart", "09:00");
        add("sunEnd", "21:00");
    }
    let is_offered = people.len() <= ROWS;
    for person in people.iter().filter(|_| is_offered) {
        add("offered", person.id.as_str());
        if people.len() <= ALL_TICKED {
            add("userIds", person.id.as_str());
        }
        let index = nearest(person, &zones);
        add(&format!("{}UserIds", SUN[index]), person.id.as_str());
    }
    Ok(Form::with(fields))
}

/// The index of the zone in which the hours of a person are most like their own.
fn nearest(person: &Person, zones: &[String]) -> usize {
    let now = jiff::Timestamp::UNIX_EPOCH;
    let offset = |name: Option<&str>| zone_of(name).tz().to_offset(now).seconds();
    let own = offset(person.time_zone.as_deref());
    let apart = |zone: &String| {
        let apart = (offset(Some(zone)) - own).abs();
        apart.min(86_400 - apart)
    };
    let nearest = zones.iter().enumerate().min_by_key(|(_, zone)| apart(zone));
    nearest.map_or(0, |(index, _)| index)
}

/// The people of the rows of a form, in order.
pub(super) fn in_rows(values: &Form) -> Vec<UserId> {
    let mut rows: Vec<UserId> = Vec::new();
    for id in values.list("offered").into_iter().map(UserId::from) {
        if !rows.contains(&id) {
            rows.push(id);
        }
    }
    rows
}

/// The form after a step: somebody is moved, added, or a zone is.
pub(super) fn stepped(visit: &Visit, step: &str, errors: &mut Errors) -> Result<Form, Problem> {
    let form = &visit.form;
    let mut rows = in_rows(form);
    let mut ticked: Vec<UserId> = Vec::new();
    for named in form.list("userIds") {
        match person(visit, named.trim())? {
            Some(user) => {
                if !rows.contains(&user) {
                    rows.push(user.clone());
                }
                ticked.push(user);
            }
            None => errors.add(
                "userIds",
                format!("Nobody, or more than one, is called “{named}”."),
            ),
        }
    }
    match step.split_once(':') {
        Some(("up", id)) => swap(&mut rows, id, -1),
        Some(("down", id)) => swap(&mut rows, id, 1),
        _ => {}
    }
    let mut fields: Vec<(String, String)> = Vec::new();
    for user in &rows {
        fields.push(("offered".to_owned(), user.to_string()));
        if ticked.contains(user) {
            fields.push(("userIds".to_owned(), user.to_string()));
        }
    }
    if step == "zone" && form.all("sunTimeZone").count() < SUN.len() {
        for (name, value) in [
            ("sunTimeZone", "Asia/Tokyo"),
            ("sunStart", "09:00"),
            ("sunEnd", "21:00"),
        ] {
            fields.push((name.to_owned(), value.to_owned()));
        }
    }
    Ok(with(form, &["offered", "userIds", "step"], fields))
}

fn swap(rows: &mut [UserId], id: &str, by: isize) {
    let at = rows.iter().position(|user| user.as_str() == id);
    let to = at.and_then(|at| at.checked_add_signed(by));
    if let (Some(at), Some(to)) = (at, to)
        && to < rows.len()
    {
        rows.swap(at, to);
    }
}

/// The people that a form names, by id, address or name, in the order of its rows.
pub(super) fn named(
    visit: &Visit,
    field: &str,
    errors: &mut Errors,
) -> Result<Vec<UserId>, Problem> {
    let mut found: Vec<UserId> = Vec::new();
    for named in visit.form.list(field) {
        let named = named.trim();
        if named.is_empty() {
            continue;
        }
        match person(visit, named)? {
            // A name that is typed may be that of somebody whose box is ticked.
            Some(user) if found.contains(&user) => {}
            Some(user) => found.push(user),
            None => errors.add(
                field,
                format!("Nobody, or more than one, is called “{named}”."),
            ),
        }
    }
    Ok(found)
}

/// The people that a form offers.
///
/// # Errors
/// When the storage cannot be read.
pub fn offered(visit: &Visit) -> Result<Vec<Person>, Problem> {
    let page = Page::first(OFFERED);
    let filter = PersonFilter::default();
    let read = visit
        .app()
        .store()
        .read(|tx| list_people(tx, &filter, false, page));
    let mut people = read?.0;
    people.retain(|person| !person.is_external);
    Ok(people)
}

/// People to choose from, for lines that name somebody.
pub fn people_list(people: &[Person]) -> Markup {
    html! {
        datalist #people {
            @for person in people { option value=(person.id) { (person.name()) @if let Some(name) = &person.real_name { ", " (name) } } }
        }
    }
}

/// Somebody of the workspace, by id, address or name; `None` where it is nobody, or more than one.
///
/// # Errors
/// When the storage cannot be read.
pub fn person(visit: &Visit, named: &str) -> Result<Option<UserId>, Problem> {
    let filter = PersonFilter {
        text: Some(named.to_owned()),
        ..PersonFilter::default()
    };
    let by_email = PersonFilter {
        email: Some(named.to_owned()),
        ..PersonFilter::default()
    };
    let page = Page::first(50);
    Ok(visit
        .app()
        .store()
        .read(|tx| -> Result<_, crate::actions::Error> {
            let id = UserId::from(named);
            if crate::store::is_present(tx, &id)? {
                return Ok(Some(id));
            }
            let filter = if named.contains('@') {
                &by_email
            } else {
                &filter
            };
            let (people, _) = list_people(tx, filter, false, page)?;
            let same = |person: &&Person| {
                let names = [&person.display_name, &person.real_name, &person.email];
                let lower = named.to_lowercase();
                names
                    .into_iter()
                    .flatten()
                    .any(|name| name.to_lowercase() == lower)
            };
            let mut exact = people.iter().filter(same);
            let (first, second) = (exact.next(), exact.next());
            Ok(first
                .filter(|_| second.is_none())
                .map(|person| person.id.clone()))
        })?)
}

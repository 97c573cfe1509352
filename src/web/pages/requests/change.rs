//! What a request changes, as two rows of bars: now, and if it is accepted; and the reader's own turns elsewhere.

use super::words::taker;
use crate::actions::duties;
use crate::actions::overview::Asked;
use crate::domain::duty::Duty;
use crate::domain::ids::UserId;
use crate::domain::request::{Leg, RequestKind};
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use crate::server::Problem;
use crate::web::pages::elsewhere::elsewhere;
use crate::web::pages::{path_to, times};
use crate::web::parts::agenda::{Listed, agenda};
use crate::web::parts::days::Days;
use crate::web::parts::item::{self, Item, Kind, Row};
use crate::web::parts::people::People;
use crate::web::parts::timeline::{Lane, timeline};
use crate::web::visit::Visit;
use maud::{Markup, html};

/// How many days can be drawn.
const WIDTHS: [i64; 3] = [7, 14, 28];

/// The card of a request that is open.
pub fn card(
    visit: &Visit,
    rotation: &Rotation,
    asked: &Asked,
    people: &People,
) -> Result<Markup, Problem> {
    let request = &asked.view.request;
    let (times, span) = (times(visit), request.span());
    let (first, last) = (times.date(span.from), times.date(span.until));
    let wanted = first
        .until(last)
        .map_or(28, |span| i64::from(span.get_days()) + 1);
    let count = WIDTHS
        .into_iter()
        .find(|count| *count >= wanted)
        .unwrap_or(28);
    let days = Days::new(first, count, times);
    let found = duties::list(visit.app(), &visit.caller, &rotation.id, days.range())?;
    let (rotation, duties, arranged) = found;
    let users = duties.iter().flat_map(Duty::people);
    let beneath = arranged.iter().flat_map(|one| one.snapshot.people());
    let users: Vec<_> = users
        .chain(beneath)
        .chain(&request.recipients)
        .chain([&request.requester])
        .cloned()
        .collect();
    let all = People::load(visit.app(), &users, true)?.read_by(visit.user());
    let rows = item::rows(&rotation, (&duties, &arranged), &all, &path_to(&rotation));
    let concerned = |row: &&Row| {
        let is_in = |leg: &Leg| row.items.iter().any(|item| item.cell == leg.cell);
        request.legs.iter().any(is_in)
    };
    let before: Vec<&Row> = rows.iter().filter(concerned).collect();
    let after: Vec<Vec<Item>> = before
        .iter()
        .map(|row| changed(visit, row, asked, &all))
        .collect();
    let is_me = |user: &&UserId| people.is_me(user);
    let own = match request
        .recipients
        .iter()
        .chain([&request.requester])
        .find(is_me)
    {
        Some(_) => elsewhere(visit, &rotation.id, &days)?,
        None => Vec::new(),
    };
    let name = &rotation.profile.name;
    let one = before.len() == 1;
    let lane = |label: &str, row: &'_ Row, items: &'_ [Item]| {
        (
            label.to_owned(),
            if one { name.clone() } else { row.name.clone() },
            items.to_vec(),
        )
    };
    let now = before.iter().map(|row| lane("Now", row, &row.items));
    let then = before
        .iter()
        .zip(&after)
        .map(|(row, items)| lane(if_accepted(people, asked), row, items));
    let named: Vec<(String, String, Vec<Item>)> = now.chain(then).collect();
    let mut lanes: Vec<Lane> = named
        .iter()
        .map(|(label, more, items)| Lane {
            name: html! { b { (label) } },
            more,
            label: format!("{label}, {more}"),
            items,
            is_plan: false,
            may: "",
        })
        .collect();
    if !own.is_empty() {
        lanes.push(Lane {
            name: html! { b { "You, too" } },
            more: "elsewhere",
            label: "You, too".to_owned(),
            items: &own,
            is_plan: false,
            may: "",
        });
    }
    let listed: Vec<Listed> = after
        .iter()
        .flatten()
        .filter(|item| item.from < span.until && item.end() > span.from)
        .map(|item| Listed {
            item,
            rotation: Some(name),
        })
        .collect();
    Ok(html! {
        section.card aria-labelledby="changes" {
            header { h2 #changes { "What changes" } }
            (timeline(&days, &lanes, &[], &all))
            (agenda(&days, &listed, &all, &path_to(&rotation)))
        }
    })
}

fn if_accepted(people: &People, asked: &Asked) -> &'static str {
    let is_asked = asked
        .view
        .request
        .recipients
        .iter()
        .any(|user| people.is_me(user));
    if is_asked {
        "If you accept"
    } else {
        "If accepted"
    }
}

/// The items of a row with what changes hands.
fn changed(visit: &Visit, row: &Row, asked: &Asked, people: &People) -> Vec<Item> {
    let request = &asked.view.request;
    let mut items = row.items.clone();
    for leg in &request.legs {
        let rest = Interval::new(leg.period.from.max(visit.now), leg.period.until);
        let taker = taker(request, leg, people);
        let (kind, word) = match request.kind {
            RequestKind::Cover => (Kind::Cover, format!("covers {}", people.name(&leg.holder))),
            RequestKind::Swap => (Kind::Swap, "swap".to_owned()),
        };
        let handed = |item: &Item| Item {
            user: taker.cloned(),
            who: taker
                .map_or("Whoever accepts", |user| people.name(user))
                .to_owned(),
            kind,
            word: Some(word.clone()),
            from: item.from.max(rest.from),
            until: Some(item.end().min(rest.until)),
            ..item.clone()
        };
        items = items
            .into_iter()
            .flat_map(|item| {
                let is_theirs = item.cell == leg.cell && item.user.as_ref() == Some(&leg.holder);
                if !is_theirs
                    || item.from >= rest.until
                    || item.end() <= rest.from
                    || rest.from >= rest.until
                {
                    return vec![item];
                }
                let before = (item.from < rest.from).then(|| Item {
                    until: Some(rest.from),
                    ..item.clone()
                });
                let after = (item.end() > rest.until).then(|| Item {
                    from: rest.until,
                    ..item.clone()
                });
                let parts = [before, Some(handed(&item)), after];
                parts.into_iter().flatten().collect()
            })
            .collect();
    }
    items
}

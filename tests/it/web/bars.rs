//! The timeline beside the schedule of the API: 200 random rotations, each bar where its instants are.

use super::{Browser, attribute, with_admin};
use crate::fuzz::Chance;
use crate::support::{Rot, Rota, Start, always, cadence, hours, text, weekdays};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

const ROTATIONS: usize = 200;

/// Steps across a timeline.
const STEPS: i64 = 336;

/// The first day that is shown, a Monday, on whose morning it is looked at.
const FIRST: &str = "2026-01-05";

/// Zones of hours and hand-overs; the reader is in Oslo.
const ZONES: [&str; 4] = [
    "Europe/Oslo",
    "America/New_York",
    "Asia/Kolkata",
    "Australia/Lord_Howe",
];

/// A bar of a page.
#[derive(Debug)]
struct Bar {
    class: String,
    x: i64,
    w: i64,
    cell: String,
    start: String,
    end: Option<String>,
    user: Option<String>,
    label: String,
}

impl Bar {
    fn is(&self, name: &str) -> bool {
        self.class.split(' ').any(|class| class == name)
    }

    fn key(&self) -> (String, String, Option<String>) {
        (self.cell.clone(), self.start.clone(), self.user.clone())
    }
}

fn at(text: &str) -> Timestamp {
    text.parse().expect("an instant")
}

fn number(class: &str, of: char) -> i64 {
    let mut numbers = class.split(' ').filter_map(|name| {
        let rest = name.strip_prefix(of)?;
        rest.parse().ok()
    });
    numbers
        .next_back()
        .unwrap_or_else(|| panic!("no {of} in {class}"))
}

/// The rows of the timeline of a page: those whose items are from the plan of the API.
fn rows(page: &str) -> Vec<Vec<Bar>> {
    let timeline = page.split("class=\"tl-body\"").nth(1).expect("a timeline");
    let timeline = timeline.split("class=\"key\"").next().unwrap_or_default();
    let rows = timeline.split("<ol class=\"track\"").skip(1);
    // Who is away, and the plan beneath, are rows of their own.
    let rows = rows.filter(|row| {
        let label = row.split('>').next().unwrap_or_default();
        !label.contains("\"Away\"") && !label.contains(", as planned\"")
    });
    rows.map(|row| {
        let row = row.split("</ol>").next().unwrap_or_default();
        row.split("<li class=\"").skip(1).map(bar).collect()
    })
    .collect()
}

fn bar(item: &str) -> Bar {
    let class = item.split('"').next().unwrap_or_default().to_owned();
    let label = item.split("<span class=\"sr\">").nth(1).unwrap_or_default();
    Bar {
        x: number(&class, 'x'),
        w: number(&class, 'w'),
        class,
        cell: attribute(item, "data-cell").unwrap_or_default(),
        start: attribute(item, "data-start").unwrap_or_default(),
        end: attribute(item, "data-end"),
        user: attribute(item, "data-user"),
        label: label.split("</span>").next().unwrap_or_default().to_owned(),
    }
}

/// The step of an instant by the reader's clock, days being equally wide.
fn step(instant: Timestamp, zone: &TimeZone, first: Date, days: i64) -> f64 {
    let local = zone.to_datetime(instant);
    let day = f64::from((local.date() - first).get_days());
    let seconds = i64::from(local.hour()) * 3600 + i64::from(local.minute()) * 60;
    let width = (STEPS / days) as f64;
    ((day + seconds as f64 / 86_400.0) * width).clamp(0.0, STEPS as f64)
}

/// A random rotation with covered hours, hand-overs, and something over its plan.
fn random<'r>(rota: &'r Rota, chance: &mut Chance) -> Rot<'r> {
    let count = 1 + chance.below(6);
    let people: Vec<String> = (1..=count).map(|one| format!("U{one}")).collect();
    let rotation = rota.rotation(&people.join(" "));
    let zone = *chance.pick(&ZONES);
    let hour = chance.below(24);
    let minute = *chance.pick(&[0, 15, 30, 45]);
    let starts = format!("2025-12-{:02}T{hour:02}:{minute:02}", 1 + chance.below(28));
    let turns = match chance.below(4) {
        0 => cadence("dayOfWeek", zone, &starts, json!({})),
        1 => {
            let times = format!("{hour:02}:{minute:02}");
            let mut all = vec![times];
            if chance.once_in(2) {
                all.push(format!("{:02}:{minute:02}", (hour + 7) % 24));
            }
            cadence("daily", zone, &starts, json!({ "times": all }))
        }
        2 => {
            let days = json!({ "daysOfWeek": ["tuesday", "saturday"] });
            cadence("daysOfWeekList", zone, &starts, days)
        }
        _ => cadence("dayOfWeek", zone, &starts, json!({ "period": 2 })),
    };
    let shown = match chance.below(3) {
        0 => hours(zone, &weekdays("08:00", "18:30"), turns),
        1 => hours(
            zone,
            "friday 18:00 - monday 07:45, wednesday 09:00 - wednesday 09:20",
            turns,
        ),
        _ => always(turns),
    };
    let lanes = if count > 2 { 1 + chance.below(2) } else { 1 };
    rotation.cover(lanes, &[shown]);
    for _ in 0..chance.below(3) {
        let day = 5 + chance.below(9);
        let from = format!("2026-01-{day:02}T{:02}:00:00Z", 13 + chance.below(10));
        let until = at(&from) + jiff::SignedDuration::from_mins(20 + chance.below(2_000) as i64);
        let body = json!({
            "operationId": format!("o{}", chance.below(1_000_000)), "cellId": rotation.place(0),
            "userId": *chance.pick(&people), "from": from, "to": until.to_string(),
        });
        // Hours that are not covered cannot be given.
        rotation
            .by
            .post_if(&rotation.path("/duty-arrangements"), "*", body);
    }
    if chance.once_in(3) {
        let user = chance.pick(&people).clone();
        rotation.away(&user, "2026-01-08T06:00Z", "2026-01-12T18:00Z");
    }
    rotation
}

/// The items of the API in these days by cell, start and person, with their ends.
fn planned(
    rotation: &Rot,
    from: Timestamp,
    until: Timestamp,
) -> BTreeMap<(String, String, Option<String>), Option<String>> {
    let found = rotation
        .by
        .all(&rotation.path(&format!("/schedule?from={from}&to={until}")));
    let line = |item: &Value| {
        let (cell, start) = (
            text(&item["cellId"]).to_owned(),
            text(&item["start"]).to_owned(),
        );
        let user = item["userId"].as_str().map(str::to_owned);
        ((cell, start, user), item["end"].as_str().map(str::to_owned))
    };
    found.iter().map(line).collect()
}

/// The links of the agenda or of bars, by cell, start and person.
fn linked(page: &str, begin: &str) -> Vec<(String, String, Option<String>)> {
    let tags = page.split("<a ").filter(|tag| tag.starts_with(begin));
    let tags = tags.filter_map(|tag| {
        let tag = tag.split('>').next()?;
        Some((
            attribute(tag, "data-cell")?,
            attribute(tag, "data-start")?,
            attribute(tag, "data-user"),
        ))
    });
    tags.collect()
}

#[track_caller]
fn compare(rotation: &Rot, page: &str, days: i64, zone: &TimeZone) {
    let first: Date = FIRST.parse().expect("a date");
    let midnight = |days: i64| {
        let day = first
            .checked_add(jiff::SignedDuration::from_hours(24 * days))
            .expect("a day");
        day.to_zoned(zone.clone()).expect("midnight").timestamp()
    };
    let (from, until) = (midnight(0), midnight(days));
    let plan = planned(rotation, from, until);
    let mut shown: BTreeSet<(String, String, Option<String>)> = BTreeSet::new();
    let mut hidden = 0;
    for row in rows(page) {
        let mut free = 0;
        let by_day = days == 28 && row.iter().all(|bar| bar.x % 12 == 0 && bar.w % 12 == 0);
        for bar in &row {
            let what = format!("{} at {days} days: {bar:?}", rotation.id);
            assert!(
                bar.x >= free && bar.w >= 1 && bar.x + bar.w <= STEPS,
                "{what}"
            );
            free = bar.x + bar.w;
            if bar.is("off") {
                continue;
            }
            if bar.is("many") {
                hidden += 1;
                continue;
            }
            let end = plan
                .get(&bar.key())
                .unwrap_or_else(|| panic!("not planned: {what}"));
            assert_eq!(*end, bar.end, "{what}");
            shown.insert(bar.key());
            let until = bar.end.as_deref().map_or(Timestamp::MAX, at);
            assert!(at(&bar.start) < until, "{what}");
            let said = zone
                .to_datetime(at(&bar.start))
                .strftime("%a %-d %b")
                .to_string();
            assert!(bar.label.contains(&said), "{said}: {what}");
            let now = at("2026-01-05T08:00:00Z");
            let is_now = at(&bar.start) <= now && now < until && bar.user.is_some();
            assert_eq!(bar.label.ends_with(", on call now"), is_now, "{what}");
            if by_day {
                continue;
            }
            let ends = if until == Timestamp::MAX {
                STEPS as f64
            } else {
                step(until, zone, first, days)
            };
            let begins = step(at(&bar.start), zone, first, days);
            assert!(
                (bar.x as f64 - begins).abs() <= 1.0,
                "begins at {begins}: {what}"
            );
            assert!(
                ((bar.x + bar.w) as f64 - ends).abs() <= 2.0,
                "ends at {ends}: {what}"
            );
        }
    }
    // Whoever has hours in these days has a bar, unless it is one of several that are too short to be told apart.
    let held: BTreeSet<_> = plan
        .keys()
        .filter(|(.., user)| user.is_some())
        .cloned()
        .collect();
    let missing: Vec<_> = held.difference(&shown).collect();
    assert!(
        missing.is_empty() || hidden > 0,
        "{}: {missing:?}",
        rotation.id
    );
    let agenda = linked(page, "class=\"ag");
    let bars: BTreeSet<_> = shown.iter().cloned().collect();
    for one in &agenda {
        assert!(
            plan.contains_key(one),
            "{}: {one:?} of the agenda is not planned",
            rotation.id
        );
        assert!(hidden > 0 || bars.contains(one), "{}: {one:?}", rotation.id);
    }
}

#[test]
fn each_bar_is_where_its_instants_are() {
    let rota = with_admin(Start::default(), 6);
    let admin = Browser::signed_in(&rota, "U1");
    let zone = TimeZone::get("Europe/Oslo").expect("a zone");
    let mut chance = Chance::new();
    let mut named: BTreeMap<String, String> = BTreeMap::new();
    for index in 0..ROTATIONS {
        let rotation = random(&rota, &mut chance);
        let days = [7, 14, 28][index % 3];
        let path = format!(
            "/rotations/{}?from={FIRST}&span={days}d&plan=true",
            rotation.id
        );
        let page = admin.get(&path).is(200).text();
        assert!(page.len() < 100_000, "{path}: {} bytes", page.len());
        compare(&rotation, &page, days, &zone);
        for row in rows(&page) {
            for bar in row.iter().filter(|bar| bar.user.is_some()) {
                let mut colours = bar.class.split(' ').filter(|name| {
                    name.len() > 1
                        && name.starts_with('p')
                        && name[1..].chars().all(|c| c.is_ascii_digit())
                });
                let colour = colours.next().expect("a colour").to_owned();
                let user = bar.user.clone().expect("a person");
                assert_eq!(
                    *named.entry(user).or_insert(colour.clone()),
                    colour,
                    "one colour a person"
                );
            }
        }
        rotation.by.delete_if(&rotation.path(""), "*");
    }
}

/// In the agenda, what is over within a day has both its times, also where it ends at midnight or in the morning.
#[test]
fn short_turns_have_both_times() {
    let rota = with_admin(Start::default(), 3);
    let admin = Browser::signed_in(&rota, "U1");
    let rotation = rota.rotation("U1 U2 U3");
    let turns = cadence(
        "daily",
        "Europe/Oslo",
        "2025-12-01T16:00",
        json!({ "times": ["16:00"] }),
    );
    let nights = "monday 16:00 - tuesday 00:00, tuesday 18:00 - wednesday 09:00, friday 16:00 - sunday 20:00";
    rotation.cover(1, &[hours("Europe/Oslo", nights, turns)]);
    let page = admin
        .get(&format!("/rotations/{}", rotation.id))
        .is(200)
        .text();
    for times in [
        "16:00<br>to 00:00",
        "18:00<br>to 09:00",
        "to Sun 11 Jan<br>16:00",
    ] {
        assert!(
            page.contains(&format!("<span class=\"tm\">{times}</span>")),
            "{times}: {page}"
        );
    }
}

/// A rotation with four weeks and sixty turns, and the first page with as many rotations as it looks at.
#[test]
fn pages_stay_small() {
    let rota = with_admin(Start::default(), 6);
    let admin = Browser::signed_in(&rota, "U1");
    let twice = json!({ "times": ["08:00", "20:00"] });
    let rotation = rota.rotation("U1 U2 U3 U4 U5 U6");
    let turns = cadence("daily", "Europe/Oslo", "2025-12-01T08:00", twice);
    rotation.cover(1, &[always(turns)]);
    let size = |path: &str| admin.get(path).is(200).text().len();
    let path = format!("/rotations/{}?from={FIRST}&span=28d", rotation.id);
    let four_weeks = size(&path);
    assert!(four_weeks < 60_000, "{path}: {four_weeks} bytes");
    // More items than can be told apart are not drawn.
    rotation.cover(
        2,
        &[always(cadence(
            "daily",
            "Europe/Oslo",
            "2025-12-01T00:00",
            json!({
                "times": ["00:00", "06:00", "12:00", "18:00"],
            }),
        ))],
    );
    let page = admin.get(&path).is(200).text();
    assert!(
        page.contains("Show fewer days") && page.len() < 100_000,
        "{}",
        page.len()
    );
    for _ in 1..ROTATIONS {
        let rotation = rota.rotation("U2 U3");
        rotation.cover(1, &[always(crate::support::daily())]);
    }
    let home = size("/");
    assert!(home < 100_000, "/: {home} bytes");
}

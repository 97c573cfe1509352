//! `hand_over` of a window, and the API's cadence.

use super::document::{Out, Table};
use super::reader::{Named, Reader};
use super::tree::Content;
use crate::domain::cadence::CadenceType;
use crate::domain::time::HhMm;
use crate::domain::zones::ZoneName;
use crate::wire::coverage::Weekday;
use crate::wire::moment::parse_instant;
use jiff::Timestamp;
use jiff::civil::{Date, Time};
use serde_json::{Map, Value, json};

/// What `every` may say, and the API's type of it.
const KINDS: [(&str, CadenceType); 6] = [
    ("week", CadenceType::DayOfWeek),
    ("weekdays", CadenceType::DaysOfWeekList),
    ("month", CadenceType::DayOfMonth),
    ("nth_weekday", CadenceType::NthWeekdayOfMonth),
    ("day", CadenceType::Daily),
    ("workday", CadenceType::Workday),
];

/// The names of weekdays.
pub fn weekdays() -> [&'static str; 7] {
    Weekday::ALL.map(Weekday::name)
}

/// Reads a time zone.
pub fn zone(reader: &Reader, name: &'static str) -> Option<ZoneName> {
    let given = reader.text(name)?;
    let read = ZoneName::parse(&given.text);
    read.inspect_err(|refusal| reader.fault(name, refusal.to_string()))
        .ok()
}

/// Where `starting` says that hand-overs begin.
enum Starting {
    On(Date),
    At(Timestamp),
}

/// Reads a hand-over as the API's cadence; `None`, and faults, where something is wrong. `window` is the zone of the window.
pub fn read(reader: &Reader, window: Option<ZoneName>) -> Option<Value> {
    let every = reader.word("every", &KINDS.map(|(every, _)| every));
    if every.is_none() && !reader.has("every") {
        reader.fault("every", "missing; write every = \"week\"");
    }
    let kind = KINDS
        .iter()
        .find(|(known, _)| Some(*known) == every.as_deref());
    let given = reader.has("time_zone");
    let zone = match given {
        true => zone(reader, "time_zone"),
        false => window,
    };
    if zone.is_none() && !given {
        reader.fault(
            "time_zone",
            "missing; write time_zone = \"Europe/Oslo\", here or in the window",
        );
    }
    let starting = starting(reader);
    let mut cadence = Map::new();
    for (name, member) in [
        ("skip_weekends", "skipWeekends"),
        ("skip_national_holidays", "skipNationalHolidays"),
    ] {
        if let Some(flag) = reader.flag(name) {
            cadence.insert(member.into(), flag.into());
        }
    }
    if let Some(period) = reader.whole("period") {
        cadence.insert("period".into(), period.into());
    }
    if let Some(countries) = reader.names("country_codes") {
        let countries: Vec<String> = countries.into_iter().map(|named| named.text).collect();
        cadence.insert("countryCodes".into(), countries.into());
    }
    let Some((_, kind)) = kind else {
        // Each belongs to some kind, and which it is to be is not known.
        for name in ["at", "on", "weeks"] {
            reader.node(name);
        }
        return None;
    };
    let own = own_members(reader, *kind);
    let (zone, starting) = (zone?, starting?);
    let at = starts_at(reader, *kind, zone, &starting)?;
    let first = zone.tz().to_datetime(at);
    match kind {
        CadenceType::DayOfWeek => {
            let day = Weekday::from(first.weekday());
            if let Some(on) = reader.word("on", &weekdays())
                && on != day.name()
            {
                let what = format!(
                    "`starting` is a {}; write on = \"{}\", or another day",
                    day.name(),
                    day.name()
                );
                reader.fault("on", what);
            }
        }
        CadenceType::Workday => {
            for name in ["skip_weekends", "skip_national_holidays"] {
                if reader.flag(name) == Some(false) {
                    reader.fault(
                        name,
                        "workdays skip both weekends and national holidays; leave it out",
                    );
                }
            }
        }
        _ => {}
    }
    cadence.extend(own?);
    cadence.insert("type".into(), kind.name().into());
    cadence.insert("timeZone".into(), zone.as_str().into());
    cadence.insert("startsAt".into(), at.to_string().into());
    Some(Value::Object(cadence))
}

/// The members that only this kind has.
fn own_members(reader: &Reader, kind: CadenceType) -> Option<Map<String, Value>> {
    let needed = |name: &'static str, example: &str| {
        if !reader.has(name) {
            reader.fault(name, format!("missing; write {name} = {example}"));
        }
    };
    let mut own = Map::new();
    match kind {
        CadenceType::DaysOfWeekList => {
            needed("on", "[\"monday\", \"thursday\"]");
            own.insert("daysOfWeek".into(), reader.words("on", &weekdays())?.into());
        }
        CadenceType::NthWeekdayOfMonth => {
            needed("on", "\"monday\"");
            needed("weeks", "[1, 3]");
            let weeks = reader.list("weeks")?.iter().map(|week| match week.value {
                Content::Whole(week) => Some(Value::from(week)),
                _ => {
                    reader.fault("weeks", "write a list of whole numbers, such as [1, 3]");
                    None
                }
            });
            let weeks: Vec<Value> = weeks.collect::<Option<_>>()?;
            own.insert("dayOfWeek".into(), reader.word("on", &weekdays())?.into());
            own.insert("weeksInMonth".into(), weeks.into());
        }
        CadenceType::Daily => {
            needed("at", "[\"08:00\", \"20:00\"]");
            let times = reader.names("at")?;
            let times = times
                .into_iter()
                .map(|named| time(reader, &named).map(|_| named.text));
            let times: Vec<String> = times.collect::<Option<_>>()?;
            own.insert("times".into(), times.into());
        }
        _ => {}
    }
    Some(own)
}

fn time(reader: &Reader, named: &Named) -> Option<HhMm> {
    let read = HhMm::parse(&named.text);
    if read.is_none() {
        let what = format!(
            "`{}` is not a time of day; write HH:MM, such as \"09:00\"",
            named.text
        );
        reader.faults.add(named.line, &reader.path_of("at"), what);
    }
    read
}

fn starting(reader: &Reader) -> Option<Starting> {
    const WANTED: &str = "write a date such as 2026-11-23, or an instant with its offset such as 2026-11-23T09:00:00+01:00";
    let Some(node) = reader.node("starting") else {
        reader.fault("starting", format!("missing; {WANTED}"));
        return None;
    };
    let (Content::Text(text) | Content::Date(text)) = &node.value else {
        reader.fault("starting", format!("not {}; {WANTED}", node.value.kind()));
        return None;
    };
    if text.len() == 10
        && let Ok(date) = text.parse::<Date>()
    {
        return Some(Starting::On(date));
    }
    let at = parse_instant(&text.replacen(' ', "T", 1)).map(Starting::At);
    if at.is_none() {
        reader.fault("starting", format!("`{text}` is neither; {WANTED}"));
    }
    at
}

/// The anchor, by the one rule for clock changes: a time that does not exist moves forward, one that exists twice is the first.
fn starts_at(
    reader: &Reader,
    kind: CadenceType,
    zone: ZoneName,
    starting: &Starting,
) -> Option<Timestamp> {
    let daily = kind == CadenceType::Daily;
    let at = match daily {
        true => None,
        false => match reader.text("at") {
            Some(named) => Some(time(reader, &named)?),
            None if reader.has("at") => return None,
            None => None,
        },
    };
    match (starting, at) {
        (Starting::On(date), at) => {
            let time = match at {
                Some(at) => at.civil(),
                None if daily => Time::midnight(),
                None => {
                    reader.fault("at", "missing; write at = \"09:00\"");
                    return None;
                }
            };
            resolve(*date, time, zone)
        }
        (Starting::At(instant), Some(at)) => {
            let local = zone.tz().to_datetime(*instant);
            let said = at.civil();
            if (local.hour(), local.minute()) != (said.hour(), said.minute()) {
                let own = HhMm::of(i64::from(local.hour()) * 60 + i64::from(local.minute()));
                let what = format!(
                    "`starting` is at {own} in {}; leave `at` out, or write \"{own}\"",
                    zone.as_str()
                );
                reader.fault("at", what);
                return None;
            }
            Some(*instant)
        }
        (Starting::At(instant), None) => Some(*instant),
    }
}

fn resolve(date: Date, time: Time, zone: ZoneName) -> Option<Timestamp> {
    let at = zone.tz().to_ambiguous_timestamp(date.to_datetime(time));
    at.compatible().ok()
}

/// Writes the API's cadence as a hand-over; `None` where it is manual.
pub fn write(cadence: &Value) -> Option<Table> {
    let kind = CadenceType::parse(cadence["type"].as_str()?)?;
    let (every, _) = KINDS.iter().find(|(_, known)| *known == kind)?;
    let zone = ZoneName::parse(cadence["timeZone"].as_str()?).ok()?;
    let shown = cadence["startsAt"].as_str()?;
    let instant = parse_instant(shown)?;
    let local = zone.tz().to_datetime(instant);
    let daily = kind == CadenceType::Daily;
    let time = match daily {
        true => Time::midnight(),
        false => jiff::civil::time(local.hour(), local.minute(), 0, 0),
    };
    let is_exact = resolve(local.date(), time, zone) == Some(instant);
    let mut table = Table::default();
    table.add("every", Out::Text((*every).to_owned()));
    let texts = |value: &Value| {
        let items = value.as_array().into_iter().flatten();
        Out::List(
            items
                .filter_map(Value::as_str)
                .map(|text| Out::Text(text.to_owned()))
                .collect(),
        )
    };
    match kind {
        CadenceType::DayOfWeek | CadenceType::NthWeekdayOfMonth => {
            table.add("on", Out::text(cadence["dayOfWeek"].as_str()));
        }
        CadenceType::DaysOfWeekList => table.add("on", texts(&cadence["daysOfWeek"])),
        _ => {}
    }
    if kind == CadenceType::NthWeekdayOfMonth {
        let weeks = cadence["weeksInMonth"].as_array().into_iter().flatten();
        let weeks = weeks.filter_map(Value::as_i64).map(Out::Whole);
        table.add("weeks", Out::List(weeks.collect()));
    }
    if daily {
        table.add("at", texts(&cadence["times"]));
    } else if is_exact {
        table.add(
            "at",
            Out::Text(format!("{:02}:{:02}", local.hour(), local.minute())),
        );
    }
    let starting = match is_exact {
        true => local.date().to_string(),
        false => shown.to_owned(),
    };
    table.add("starting", Out::Date(starting));
    table.add(
        "period",
        Out::Whole(cadence["period"].as_i64().unwrap_or(1)),
    );
    table.add("time_zone", Out::Text(zone.as_str().to_owned()));
    if kind != CadenceType::Workday {
        for (name, member) in [
            ("skip_weekends", "skipWeekends"),
            ("skip_national_holidays", "skipNationalHolidays"),
        ] {
            table.add(name, Out::Flag(cadence[member] == json!(true)));
        }
    }
    table.add("country_codes", texts(&cadence["countryCodes"]));
    Some(table)
}

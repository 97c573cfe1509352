//! `rota report`: who carries how much.

use super::named;
use super::operator::operator;
use super::output::{answer, answer_data, answer_lines, table};
use super::workspace::{database, days, open, settings};
use super::{Failure, Place};
use crate::actions::report::{self, ReportQuery};
use crate::config;
use crate::domain::report::{GroupBy, Row};
use crate::domain::time::Interval;
use crate::store::{ReadTx, Store, list_rotation_names, load_name};
use crate::wire::report as wire;
use clap::Args;
use clap::builder::PossibleValuesParser;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use std::collections::HashMap;

const EXAMPLES: &str = "\
Hours on call by the record up to now and by the plan after it, with those of nights, weekends and holidays, to a tenth; --csv
and --json have them exactly. A date is its midnight in UTC.

Examples:
  rota report --from 2026-10-01 --to 2026-11-01
  rota report --from 2026-01-01 --to 2027-01-01 --by month
  rota report --from 2026-01-01 --to 2027-01-01 --by personRotation --csv > duty.csv";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Flags {
    /// From this date or instant on
    #[arg(long, value_name = "INSTANT", value_parser = date_or_instant)]
    from: Timestamp,
    /// Before this date or instant; at most 5 years later
    #[arg(long, value_name = "INSTANT", value_parser = date_or_instant)]
    to: Timestamp,
    /// What a row is about; weeks and months are those of each person
    #[arg(long, value_name = "GROUP", default_value = "person",
          value_parser = PossibleValuesParser::new(GroupBy::ALL.map(GroupBy::name)))]
    by: String,
    /// Only duty in this rotation: its code, name or id; it may have been deleted
    #[arg(long, value_name = "ROTATION")]
    rotation: Option<String>,
    /// Only duty of this person: a name, an address or an id
    #[arg(long, value_name = "PERSON")]
    user: Option<String>,
    /// Print CSV
    #[arg(long)]
    csv: bool,
    /// Print JSON, rows as of GET /v1/reports/duty
    #[arg(long, conflicts_with = "csv")]
    json: bool,
}

fn date_or_instant(text: &str) -> Result<Timestamp, String> {
    let midnight = |date: Date| TimeZone::UTC.to_timestamp(date.at(0, 0, 0, 0)).ok();
    match text
        .parse()
        .ok()
        .filter(|_| text.len() == "2026-11-23".len())
    {
        Some(date) => midnight(date).ok_or_else(|| format!("{text:?} is out of range")),
        None => config::instant(text),
    }
}

/// Prints the report.
pub fn run(place: Place, flags: Flags) -> Result<(), Failure> {
    if flags.to <= flags.from {
        let wrong = "--to: send an instant later than --from";
        return Err(Failure::Usage(wrong.into()));
    }
    let config = settings(place)?;
    let calendar = days(&config)?;
    let store = open(&database(&config)?)?;
    let (rotation, user) = store.read(|tx: &ReadTx| -> Result<_, Failure> {
        let (rotation, user) = (flags.rotation.as_deref(), flags.user.as_deref());
        let rotation = rotation.map(|name| named::rotation_or_gone(tx, name));
        let user = user.map(|name| named::person(tx, name));
        Ok((rotation.transpose()?, user.transpose()?))
    })?;
    let wanted = ReportQuery {
        range: Interval::new(flags.from, flags.to),
        rotation,
        user,
        by: GroupBy::parse(&flags.by).unwrap_or(GroupBy::Person),
    };
    let caller = operator("report").principal;
    let rows = report::duty(&store, &calendar, &caller, &wanted)?;
    match (flags.csv, flags.json) {
        (true, _) => print_csv(wanted.by, &rows),
        (_, true) => {
            let rows = rows.iter().map(|row| wire::render(wanted.by, row));
            answer_lines(rows)
        }
        (false, false) => print_table(&store, wanted.by, &rows),
    }
}

fn print_csv(by: GroupBy, rows: &[Row]) -> Result<(), Failure> {
    let text = wire::table(by, rows.iter().map(|row| wire::render(by, row)));
    answer_data(text.strip_suffix('\n').unwrap_or(&text))
}

fn print_table(store: &Store, by: GroupBy, rows: &[Row]) -> Result<(), Failure> {
    let names = store.read(|tx: &ReadTx| Names::load(tx, by, rows))?;
    let subjects = wire::subjects(by);
    let lines: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            let mut fields = wire::fields(rounded(wire::render(by, row)));
            for (field, subject) in fields.iter_mut().zip(&subjects) {
                if let Some(name) = names.of(subject, field) {
                    *field = format!("{name} ({field})");
                }
            }
            fields
        })
        .collect();
    let heads = subjects
        .iter()
        .chain(&wire::NUMBERS)
        .map(|head| shout(head));
    let heads: Vec<String> = heads.collect();
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    answer(&table(&heads, &lines))
}

/// Hours to a tenth, as people read them.
fn rounded(mut row: wire::DutyRow) -> wire::DutyRow {
    let hours = [
        &mut row.hours,
        &mut row.place_hours,
        &mut row.nights,
        &mut row.weekends,
        &mut row.holidays,
    ];
    for hours in hours {
        *hours = (*hours * 10.0).round() / 10.0;
    }
    row
}

/// A column's name as a heading: `placeHours` is `PLACE HOURS`; ids stand for whom they name.
fn shout(name: &str) -> String {
    let mut head = String::new();
    for c in name.strip_suffix("Id").unwrap_or(name).chars() {
        if c.is_uppercase() {
            head.push(' ');
        }
        head.extend(c.to_uppercase());
    }
    head
}

/// What people and rotations are called, by id.
struct Names {
    people: HashMap<String, String>,
    rotations: HashMap<String, String>,
}

impl Names {
    fn load(tx: &ReadTx, by: GroupBy, rows: &[Row]) -> Result<Names, crate::store::Error> {
        let mut people = HashMap::new();
        for user in rows.iter().filter_map(|row| row.user.as_ref()) {
            if !people.contains_key(user.as_str())
                && let Some((name, _)) = load_name(tx, user)?
            {
                people.insert(user.to_string(), name);
            }
        }
        let listed = match by.has_rotation() {
            true => list_rotation_names(tx)?,
            false => Vec::new(),
        };
        let listed = listed.into_iter();
        Ok(Names {
            people,
            rotations: listed.map(|one| (one.id.to_string(), one.name)).collect(),
        })
    }

    fn of(&self, subject: &str, id: &str) -> Option<&String> {
        match subject {
            "userId" => self.people.get(id),
            "rotationId" => self.rotations.get(id),
            _ => None,
        }
    }
}

//! A world of the model as a rotation, and both in the same words.

use super::super::trading_model::How;
use super::*;
use crate::domain::books::Dealt;

const DAYS: [Weekday; 7] = [
    Weekday::Monday,
    Weekday::Tuesday,
    Weekday::Wednesday,
    Weekday::Thursday,
    Weekday::Friday,
    Weekday::Saturday,
    Weekday::Sunday,
];

/// The cadence and the stretches of a window.
pub fn hours(window: &Plain) -> (Cadence, Vec<Stretch>) {
    let starts_at = hour(window.first);
    let time = |hour: Hour| format!("{:02}:00", hour.rem_euclid(24));
    let day = |hour: Hour| DAYS[(hour.rem_euclid(168) / 24) as usize];
    let cadence = Cadence {
        kind: match window.every % 168 {
            0 => Kind::DayOfWeek,
            _ => Kind::Daily {
                times: vec![HhMm::parse(&time(window.first)).unwrap()],
            },
        },
        period: match window.every % 168 {
            0 => (window.every / 168) as u32,
            _ => (window.every / 24) as u32,
        },
        ..weekly(&starts_at.to_string())
    };
    let stretches = window.covered.iter();
    let stretches = stretches
        .map(|&(from, until)| stretch(day(from), &time(from), day(until), &time(until)))
        .collect();
    (cadence, stretches)
}

/// The people of each roster.
pub fn rosters(members: &[Person], listed: &[Option<Vec<Person>>]) -> Vec<Vec<Person>> {
    let people = |list: &Option<Vec<Person>>| match list {
        None => members.to_vec(),
        Some(list) => {
            let members = list.iter().filter(|one| members.contains(one));
            members.copied().collect()
        }
    };
    listed.iter().map(people).collect()
}

/// Gives a rotation its members and lists.
pub fn list(rotation: &mut Rotation, members: &[Person], listed: &[Option<Vec<Person>>]) {
    rotation.members.users = members.iter().copied().map(name).collect();
    for (roster, list) in rotation.rosters.iter_mut().zip(listed) {
        roster.narrowed = list.as_ref().map(|list| Narrowed {
            users: list.iter().copied().map(name).collect(),
            groups: Vec::new(),
        });
    }
    let members = &rotation.members;
    let shares = &mut rotation.dealing.shares;
    shares.retain(|share| members.contains(&share.user));
}

pub fn dealing(model: &World) -> Dealing {
    let share = |(person, percent): (&Person, &u32)| Share {
        user: name(*person),
        percent: u8::try_from(*percent).unwrap(),
    };
    Dealing {
        missed_turn: match model.traded {
            true => MissedTurn::Traded,
            false => MissedTurn::Lost,
        },
        rest_hours: u8::try_from(model.rest).unwrap(),
        shares: model.shares.iter().map(share).collect(),
    }
}

pub fn absences(model: &World) -> Absences {
    let one = |(person, (from, until)): &(Person, (Hour, Hour))| {
        let period = Interval::new(hour(*from), hour(*until));
        (name(*person), period)
    };
    Absences::new(model.absences.iter().map(one).collect())
}

/// The rotation of a world that nobody is on duty in yet.
pub fn product(model: &World, members: &[Person], listed: &[Option<Vec<Person>>]) -> Rotation {
    let lanes = model.cells.len() / model.windows.len();
    let windows = model.windows.iter().map(hours).collect();
    let mut rotation = rotation(members.len(), lanes, windows, hour(0));
    rotation.dealing = dealing(model);
    rotation.double_cover = model.double_cover;
    rotation.absence_policy = AbsencePolicy {
        pass_over: match model.during_turn {
            true => PassOver::DuringTurn,
            false => PassOver::AtHandOver,
        },
        while_on_duty: match model.hands_over {
            true => WhileOnDuty::HandOver,
            false => WhileOnDuty::Keep,
        },
        ..AbsencePolicy::default()
    };
    let id = |roster: usize| (roster > 0).then(|| format!("r{roster}").as_str().into());
    for (cell, plain) in rotation.cells.iter_mut().zip(&model.cells) {
        cell.roster = id(plain.roster);
    }
    rotation.rosters = (0..listed.len())
        .map(|roster| Roster {
            id: id(roster),
            narrowed: None,
            next_turns: Vec::new(),
        })
        .collect();
    list(&mut rotation, members, listed);
    rotation
}

/// Who holds each cell, and the books of each line, of the product.
pub fn shown(rotation: &Rotation) -> Vec<String> {
    let mut shown = Vec::new();
    for cell in &rotation.cells {
        let text = cell.holder.as_ref().map_or("-".to_owned(), |holder| {
            let dealt = holder.dealt.as_ref();
            let how = dealt.map(|dealt| format!("{:?} {}", dealt.dealt, dealt.owner));
            let since = (holder.since.as_second() - hour(0).as_second()) / 3600;
            format!("{} since {since} {}", holder.user, how.unwrap_or_default())
        });
        shown.push(format!("{} {text}", cell.id));
    }
    for (index, roster) in rotation.rosters.iter().enumerate() {
        for line in &roster.next_turns {
            let people = rotation.order(roster).into_iter();
            let mut people: Vec<UserId> = people.map(|position| position.user).collect();
            let turn = people.get(line.turn).cloned();
            people.sort();
            let all = |user: &&UserId| rotation.dealing.percent(user) == 0;
            let stand_ins = people.iter().filter(all).count() == people.len();
            let credits = people.iter().filter_map(|user| {
                let percent = rotation.dealing.percent(user);
                let known = line.books.credits.iter().find(|known| known.user == *user);
                let credit = known.map_or(100 - percent, |known| known.credit);
                let shown = !stand_ins && (1..100).contains(&percent);
                (shown && rotation.dealing.missed_turn == MissedTurn::Traded)
                    .then(|| format!("{user}{credit}"))
            });
            let credits: Vec<String> = credits.collect();
            let mut helped: Vec<String> = (line.books.helped.iter())
                .map(|(user, count)| format!("{user}{count}"))
                .collect();
            helped.sort();
            let trades = line.books.trades.iter().map(|trade| {
                let slot = rotation.slot_of(&trade.cell).unwrap();
                let [from, until] = [trade.from, trade.until]
                    .map(|at| (at.as_second() - hour(0).as_second()) / 3600);
                format!(
                    "{}>{} {slot} {from}..{until} {}",
                    trade.owes, trade.owed, trade.dealt_since
                )
            });
            let trades: Vec<String> = trades.collect();
            shown.push(format!(
                "{index} {} next {turn:?} credits {credits:?} helped {helped:?} trades {trades:?}",
                line.window
            ));
        }
    }
    shown
}

/// The same of the model.
pub fn shown_of(model: &World) -> Vec<String> {
    let mut shown = Vec::new();
    for (index, cell) in model.cells.iter().enumerate() {
        let text = cell.held.as_ref().map_or("-".to_owned(), |held| {
            let how = held.dealt.map(|(owner, how)| {
                let how = match how {
                    How::Own => Dealt::Own,
                    How::Trade => Dealt::Trade,
                    How::Repayment => Dealt::Repayment,
                    How::Help => Dealt::Help,
                    How::ShortRest => Dealt::ShortRest,
                };
                format!("{how:?} {}", name(owner))
            });
            let how = how.unwrap_or_default();
            format!("{} since {} {how}", name(held.user), held.since)
        });
        shown.push(format!("cel_{index} {text}"));
    }
    for (index, line) in model.lines.iter().enumerate() {
        let mut people = model.order(index).to_vec();
        let turn = people.get(line.next).copied().map(name);
        people.sort_unstable();
        let credits = people.iter().filter_map(|&person| {
            let percent = model.percent(index, person);
            let known = line.credits.get(&person);
            let credit = known.map_or(100 - percent, |(_, credit)| *credit);
            let shown = model.traded && (1..100).contains(&percent);
            shown.then(|| format!("{}{credit}", name(person)))
        });
        let credits: Vec<String> = credits.collect();
        let helped = line.helped.iter();
        let helped: Vec<String> = helped
            .map(|(person, count)| format!("{}{count}", name(*person)))
            .collect();
        let trades = line.trades.iter().map(|trade| {
            format!(
                "{}>{} {} {}..{} {}",
                name(trade.owes),
                name(trade.owed),
                trade.cell,
                trade.from,
                trade.until,
                trade.dealt_since
            )
        });
        let trades: Vec<String> = trades.collect();
        shown.push(format!(
            "{} win_{} next {turn:?} credits {credits:?} helped {helped:?} trades {trades:?}",
            line.roster, line.window
        ));
    }
    shown
}

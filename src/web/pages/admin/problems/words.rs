//! Problems in words: what each kind means, a line about one, and where it is mended.

use crate::domain::ids::CellId;
use crate::domain::warning::Warning;
use crate::domain::warning_kinds::WarningKind;
use crate::web::parts::people::People;
use crate::web::parts::problem::Offer;
use crate::web::parts::time::Times;
use crate::web::parts::warned;

/// The name of a group.
pub fn name(kind: WarningKind) -> &'static str {
    match kind {
        WarningKind::Nobody => "Nobody is on call",
        WarningKind::AbsentOnDuty => "Away and still on call",
        WarningKind::EmptyRoster => "Nobody to take turns",
        WarningKind::Unreachable => "Cannot be reached",
        WarningKind::StaleSource => "Not read lately",
        WarningKind::DoubleDuty => "On call twice at a time",
        WarningKind::NoFallback => "Nobody else is left",
        WarningKind::BackToBack => "Two turns without a free day",
        WarningKind::ShortRest => "Short rest between turns",
        WarningKind::Uncovered => "Hours left out of the week",
        WarningKind::NightWork => "Nights that others have by day",
        WarningKind::Unfair => "Shares drifting apart",
        WarningKind::ClockChange => "Clocks change at a hand-over",
        WarningKind::HolidayDuty => "On call on a holiday",
        WarningKind::EndsSoon => "Holidays not known",
    }
}

/// What a kind means, in one sentence.
pub fn meaning(kind: WarningKind) -> &'static str {
    match kind {
        WarningKind::Nobody => "Covered hours without a person.",
        WarningKind::AbsentOnDuty => "Somebody is on call while they are away.",
        WarningKind::EmptyRoster => "There is nobody whom a turn could be given to.",
        WarningKind::Unreachable => {
            "Whoever is on call, or is next, has left or is not known here."
        }
        WarningKind::StaleSource => {
            "A calendar or a partner’s schedule cannot be read, so absences or turns may be missing."
        }
        WarningKind::DoubleDuty => "One person in two rotations at the same hours.",
        WarningKind::NoFallback => "If one more person drops out, nobody can take over.",
        WarningKind::BackToBack => "One person, two turns one after the other.",
        WarningKind::ShortRest => {
            "Less time between two turns of one person than the rotation wants."
        }
        WarningKind::Uncovered => "Nearly the whole week is covered, and a little of it is not.",
        WarningKind::NightWork => {
            "Somebody is on call in their night, which is day for somebody else."
        }
        WarningKind::Unfair => "One person carries much more than the others.",
        WarningKind::ClockChange => {
            "Daylight saving time moves or doubles the time of a hand-over."
        }
        WarningKind::HolidayDuty => "Somebody is on call on a public holiday.",
        WarningKind::EndsSoon => "The public holidays of a country are not known that far ahead.",
    }
}

/// The drawing beside the name.
pub fn drawing(kind: WarningKind) -> &'static str {
    match kind {
        WarningKind::Nobody | WarningKind::EmptyRoster | WarningKind::Uncovered => "gap",
        WarningKind::AbsentOnDuty => "away",
        WarningKind::Unreachable | WarningKind::NoFallback => "people",
        WarningKind::StaleSource | WarningKind::BackToBack | WarningKind::HolidayDuty => "cal",
        WarningKind::EndsSoon => "cal",
        WarningKind::DoubleDuty => "swap",
        WarningKind::ShortRest | WarningKind::NightWork | WarningKind::ClockChange => "clock",
        WarningKind::Unfair => "chart",
    }
}

/// A warning that is told in a line.
pub struct Told<'a> {
    pub warning: &'a Warning,
    pub rotation: &'a str,
    pub people: &'a People,
    pub times: &'a Times,
}

impl Told<'_> {
    /// "Payments, Thu 26 Nov 08:00 to 20:00", "Katherine, Tue 1 Dec 08:00 to 17:00".
    pub fn title(&self) -> String {
        let warning = self.warning;
        let when = self
            .times
            .stretch(warning.period.from, warning.period.until);
        let who = warning.users.first().map(|user| self.people.name(user));
        match (warning.kind, who) {
            (WarningKind::StaleSource, _) => {
                let text = warned::text(warning, self.people, self.times);
                text.trim_end_matches('.').to_owned()
            }
            (WarningKind::EmptyRoster, _) => format!("Nobody is in {}", self.rotation),
            (WarningKind::Unfair, Some(who)) => format!("{who}, {}", self.rotation),
            (WarningKind::Uncovered | WarningKind::EndsSoon, _) => self.rotation.to_owned(),
            (_, Some(who)) => format!("{who}, {when}"),
            (_, None) => format!("{}, {when}", self.rotation),
        }
    }

    /// What else there is to say, which the title and the name of the group do not.
    pub fn more(&self) -> String {
        let text = warned::text(self.warning, self.people, self.times);
        match self.warning.kind {
            WarningKind::Nobody => match text.split_once(" in ") {
                Some((_, place)) => place.split(" for ").next().unwrap_or_default().to_owned(),
                None => String::new(),
            },
            WarningKind::AbsentOnDuty | WarningKind::BackToBack | WarningKind::StaleSource => {
                self.rotation.to_owned()
            }
            WarningKind::EmptyRoster => "The first who is added comes on.".to_owned(),
            WarningKind::Uncovered => {
                let left = text.split(", but ").nth(1).unwrap_or_default();
                format!("Of the week {left}")
            }
            _ => format!("{}. {text}", self.rotation),
        }
    }
}

/// Where a problem is mended, first what mends it best; `base` is the address of its rotation, whose members can take
/// hours that nobody has.
pub fn offers(warning: &Warning, base: &str, is_member: bool) -> Vec<Offer> {
    let link = |words, path: String, action| Offer {
        words,
        path,
        action,
    };
    let (from, until) = (warning.period.from, warning.period.until);
    let turn = |cell: &CellId, step: &str| {
        format!("{base}/shifts/{cell}/{from}?do={step}&from={from}&to={until}")
    };
    match (warning.kind, &warning.cell) {
        (WarningKind::Nobody, Some(cell)) if is_member => vec![
            link("Take it", turn(cell, "take"), Some("take")),
            link("Find somebody", turn(cell, "assign"), Some("assign")),
        ],
        (WarningKind::Nobody | WarningKind::AbsentOnDuty, Some(cell)) => {
            vec![link("Find somebody", turn(cell, "assign"), Some("assign"))]
        }
        (WarningKind::EmptyRoster, _) => {
            vec![link("Add people", format!("{base}/settings/people"), None)]
        }
        (WarningKind::Unreachable, _) => {
            vec![link(
                "See the people",
                format!("{base}/settings/people"),
                None,
            )]
        }
        (WarningKind::StaleSource, _) => match warning.users.first() {
            Some(_) => vec![link("See it", format!("{base}/settings/absences"), None)],
            None => vec![link("See it", format!("{base}/settings/partner"), None)],
        },
        (WarningKind::EndsSoon | WarningKind::Uncovered, _) => {
            vec![link("See", format!("{base}/settings"), None)]
        }
        (_, Some(cell)) => vec![link("See", format!("{base}/shifts/{cell}/{from}"), None)],
        (_, None) => vec![link("See", base.to_owned(), None)],
    }
}

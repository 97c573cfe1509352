//! The first weeks of a rotation that is not made yet: a timeline, gaps, and what each person has.

use crate::actions::first_weeks::FirstWeeks;
use crate::domain::time::HhMm;
use crate::domain::zones::ZoneName;
use crate::server::Problem;
use crate::web::form::Form;
use crate::web::pages::times;
use crate::web::parts::agenda::{Listed, agenda};
use crate::web::parts::days::Days;
use crate::web::parts::icon::icon;
use crate::web::parts::item;
use crate::web::parts::legend::legend;
use crate::web::parts::people::People;
use crate::web::parts::time::duration;
use crate::web::parts::timeline::{Lane, timeline};
use crate::web::visit::Visit;
use jiff::Timestamp;
use maud::{Markup, html};

/// Where the drawing and the list lead: there is no turn to look at yet.
const HERE: &str = "#shown";

/// Weeks that are shown.
const WEEKS: i64 = 4;

/// Gaps that are named at the most.
const GAPS: usize = 5;

/// The card below the form.
pub(super) fn first_weeks(visit: &Visit, seen: &FirstWeeks) -> Result<Markup, Problem> {
    let times = times(visit);
    let users = seen
        .duties
        .iter()
        .filter_map(|duty| duty.entry.user.as_ref());
    let people = People::load(visit.app(), users.chain(seen.shares.keys()), false)?;
    let people = people.read_by(visit.user());
    let days = Days::new(times.date(seen.range.from), WEEKS * 7, times);
    let mut rows = item::rows(&seen.rotation, (&seen.duties, &[]), &people, "");
    for item in rows.iter_mut().flat_map(|row| &mut row.items) {
        item.path = HERE.to_owned();
    }
    let lanes: Vec<Lane> = rows.iter().map(Lane::of).collect();
    let items = || rows.iter().flat_map(|row| &row.items);
    let mut listed: Vec<Listed> = (items())
        .map(|item| Listed {
            item,
            rotation: None,
        })
        .collect();
    listed.sort_by_key(|one| one.item.from);
    let more = seen.gaps.len().saturating_sub(GAPS);
    Ok(html! {
        section.card #shown aria-labelledby="weeks" {
            header {
                h2 #weeks { "The first four weeks" }
                @match seen.gaps.len() {
                    0 => span.tag.good { (icon("check")) "no gap" },
                    1 => span.tag.bad { "one gap" },
                    count => span.tag.bad { (count) " gaps" },
                }
            }
            (timeline(&days, &lanes, &[], &people))
            (legend(items(), &people))
            (agenda(&days, &listed, &people, HERE))
            div.step {
                @if !seen.gaps.is_empty() {
                    ul.stack.g2.small {
                        @for gap in seen.gaps.iter().take(GAPS) {
                            li { (icon("gap")) " Nobody: " (times.period(gap.period.from, Some(gap.period.until))) }
                        }
                        @if more > 0 { li { "and " (more) " more" } }
                    }
                }
                @if seen.shares.is_empty() {
                    p.small.muted { "Nobody hands over by itself. Put somebody on call once it is created." }
                } @else {
                    ul.stack.g2.small aria-label="Hours of each person" {
                        @for (user, (turns, hours)) in &seen.shares {
                            li { (people.show(user)) " " (turns) @if *turns == 1 { " turn, " } @else { " turns, " } (duration(*hours)) }
                        }
                    }
                }
            }
        }
    })
}

/// The hours of a day that no zone of a form takes, in its first zone; `None` where the form does not say its hours.
pub(super) fn uncovered(values: &Form) -> Option<Vec<String>> {
    const MINUTES: usize = 24 * 60;
    let mut taken = vec![false; MINUTES];
    let mut first = None;
    for (index, zone) in values.all("sunTimeZone").enumerate() {
        let zone = ZoneName::parse(zone).ok()?;
        let own = *first.get_or_insert(zone);
        let nth = |field| values.all(field).nth(index).and_then(HhMm::parse);
        let (start, end) = (nth("sunStart")?, nth("sunEnd")?);
        // In winter of the north: the clocks of two zones change on different days.
        let offset = |zone: ZoneName| zone.tz().to_offset(Timestamp::UNIX_EPOCH).seconds() / 60;
        let minute = |time: HhMm| {
            let time = time.civil();
            i32::from(time.hour()) * 60 + i32::from(time.minute()) - offset(zone) + offset(own)
        };
        let (from, mut until) = (minute(start), minute(end));
        if until <= from {
            until += 24 * 60;
        }
        for at in from..until {
            taken[at.rem_euclid(24 * 60) as usize] = true;
        }
    }
    first?;
    let clock = |at: usize| format!("{:02}:{:02}", at / 60 % 24, at % 60);
    let mut gaps = Vec::new();
    let mut at = 0;
    while at < MINUTES {
        let run = taken[at..].iter().take_while(|taken| !**taken).count();
        if run > 0 {
            gaps.push(format!("{} to {}", clock(at), clock(at + run)));
        }
        at += run.max(1);
    }
    Some(gaps)
}

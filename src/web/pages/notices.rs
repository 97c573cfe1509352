//! The line of a rotation's page that says when people are told, or were told, that their shifts moved.

use super::{editable, path_to, times};
use crate::actions::told_plan::{self, NoticeStatus};
use crate::domain::ids::UserId;
use crate::domain::rotation::Rotation;
use crate::runtime::clock::real_time;
use crate::server::{Outcome, Problem};
use crate::web::answer;
use crate::web::notes::Note;
use crate::web::parts::people::People;
use crate::web::parts::time::Times;
use crate::web::visit::Visit;
use jiff::{SignedDuration, Timestamp};
use maud::{Markup, html};

/// People who are named; the others are counted.
const NAMED: usize = 8;

/// The line, with a button for whoever may tell them now; nothing where nobody is told, or was lately.
pub fn line(visit: &Visit, rotation: &Rotation, is_editor: bool) -> Result<Markup, Problem> {
    let status = told_plan::status(visit.app(), rotation)?;
    // People are told in real time, whatever the development clock shows.
    let times = Times {
        now: real_time(),
        ..times(visit)
    };
    Ok(html! {
        @match status {
            None => {},
            Some(NoticeStatus::Told(users, at)) => p.muted { "Told " (times.away(at)) ": " (names(visit, &users)?) },
            Some(NoticeStatus::Pending(count, at)) => {
                @let are = if count == 1 { " is told at " } else { " are told at " };
                div.note.said {
                    p { (people(count as u64)) (are) (times.hour(minute(at))) }
                    @if is_editor {
                        form.bare method="post" action=(format!("{}/tell", path_to(rotation))) {
                            button.btn.s type="submit" data-action="tell" { "Tell now" }
                        }
                    }
                }
            }
        }
    })
}

/// People by name, the first ones of many.
fn names(visit: &Visit, users: &[UserId]) -> Result<Markup, Problem> {
    let named = &users[..users.len().min(NAMED)];
    let people = People::load(visit.app(), named, false)?;
    Ok(html! {
        @for (index, user) in named.iter().enumerate() {
            @if index > 0 { ", " }
            bdi { (people.name(user)) }
        }
        @if users.len() > NAMED { " and " (users.len() - NAMED) " more" }
    })
}

fn people(count: u64) -> String {
    match count {
        1 => "1 person".to_owned(),
        count => format!("{count} people"),
    }
}

/// The next whole minute.
fn minute(at: Timestamp) -> Timestamp {
    let past = at.as_millisecond().rem_euclid(60_000);
    let rest = SignedDuration::from_millis(if past > 0 { 60_000 - past } else { 0 });
    at.saturating_add(rest).unwrap_or(at)
}

/// POST /rotations/{rotation}/tell.
pub fn tell(visit: &Visit) -> Outcome {
    let rotation = editable(visit)?;
    let author = visit.author("sendPendingNotices");
    let told = told_plan::send_now(visit.app(), &author, &rotation.id)?;
    visit.note(Note::new(match told.len() {
        0 => "There was nobody to tell.".to_owned(),
        count => format!("Told to {}.", people(count as u64)),
    }));
    Ok(answer::see(path_to(&rotation)))
}

//! What is asked in a rotation, and who is away from it.

use super::{MOST_REQUESTS, Shown};
use crate::domain::request::{Request, RequestKind};
use crate::server::Problem;
use crate::web::parts::icon::icon;
use crate::web::parts::people::Size;
use maud::{Markup, html};

/// The open requests.
pub fn requests(page: &Shown) -> Markup {
    html! {
        section.card aria-labelledby="requests" {
            header { h2 #requests { "Requests" } @if !page.asked.is_empty() { span.count { (page.asked.len().min(MOST_REQUESTS)) } } }
            @if page.asked.is_empty() {
                p.pad.pt0.muted { "Nobody asks for anything." }
            } @else {
                ul.list { @for request in page.asked.iter().take(MOST_REQUESTS) { (asked(page, request)) } }
            }
            @if page.asked.len() > MOST_REQUESTS {
                p.pad.muted { "There are more than these " (MOST_REQUESTS) ". Yours are on " a href="/requests" { "Requests" } "." }
            }
        }
    }
}

fn asked(page: &Shown, request: &Request) -> Markup {
    let times = &page.days.times;
    let me = page.visit.user();
    let is_mine = Some(&request.requester) == me;
    let asks_me =
        me.is_some_and(|me| request.recipients.contains(me) && !request.declined.contains(me));
    let from = if is_mine {
        "You"
    } else {
        page.people.name(&request.requester)
    };
    let names: Vec<&str> = (request.recipients.iter())
        .map(|user| {
            if Some(user) == me {
                "you"
            } else {
                page.people.name(user)
            }
        })
        .collect();
    let span = request.span();
    html! {
        li.keep {
            div.ml {
                span.mark.me { (icon(match request.kind { RequestKind::Cover => "cover", RequestKind::Swap => "swap" })) }
                div.what {
                    a href=(format!("/requests/{}", request.id)) {
                        bdi { (from) }
                        @match (request.kind, is_mine) {
                            (RequestKind::Cover, true) => " ask ",
                            (RequestKind::Cover, false) => " asks ",
                            (RequestKind::Swap, true) => " offer ",
                            (RequestKind::Swap, false) => " offers ",
                        }
                        bdi { (names.join(", ")) }
                        @match request.kind { RequestKind::Cover => " to cover ", RequestKind::Swap => " a swap, " }
                        (times.stretch(span.from, span.until))
                    }
                    small.muted { @if asks_me { "waits for you" } @else { "waits for an answer" } }
                }
            }
        }
    }
}

/// Who is away, and the turns that are owed.
pub fn away(page: &Shown) -> Result<Markup, Problem> {
    let (times, now) = (&page.days.times, page.visit.now);
    let coming = || {
        page.away
            .iter()
            .filter(|absence| absence.period.until > now)
    };
    let owed = crate::web::pages::trades::of_rotation(page.visit, &page.rotation)?;
    let is_quiet = coming().next().is_none() && owed.is_none();
    Ok(html! {
        section.card aria-labelledby="away" {
            header {
                h2 #away { "Away and owed" }
                @if page.is_member { a.btn.s.ghost href="/me/absences/new" data-action="absence" { "I am away" } }
            }
            @if is_quiet { p.pad.pt0.muted { "Nobody is away, and no turn is owed." } }
            ul.list {
                @for absence in coming() {
                    li.keep {
                        div.ml.mid {
                            (page.people.avatar(&absence.user, Size::Usual))
                            div.what {
                                b { bdi { (page.people.name(&absence.user)) } ", " (times.stretch(absence.period.from, absence.period.until)) }
                                @if let Some(reason) = &absence.reason { small.muted { bdi { (reason) } } }
                            }
                        }
                    }
                }
            }
            @if let Some(owed) = &owed {
                h3.pad.tight { "Open trades" }
                ul.list { (owed) }
            }
        }
    })
}

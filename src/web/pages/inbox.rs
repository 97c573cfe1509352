//! The inbox of the reader: every direct message to them, and how else each reached them.

use super::times;
use crate::actions::messages::{self, ListedMessage, ReachedBy};
use crate::domain::message::Subject;
use crate::domain::relay::MessageState;
use crate::server::{Outcome, Problem};
use crate::store::{MessageFilter, Page};
use crate::web::layout;
use crate::web::visit::Visit;
use maud::{Markup, html};

/// Messages on one page.
const ROWS: u32 = 50;

/// GET /me/inbox.
pub fn show(visit: &Visit) -> Outcome {
    let number = visit.query.one("page").parse().unwrap_or(1).clamp(1, 1_000);
    let filter = MessageFilter {
        user: Some(visit.me()?.person.id.clone()),
        ..MessageFilter::default()
    };
    let page = Page { number, size: ROWS };
    let (found, total) = messages::list(visit.app(), &visit.caller, filter, page)?;
    let pages = total.div_ceil(ROWS.into());
    let content = html! {
        p.crumb { a href="/me" { "Me" } }
        div.head {
            h1 { "Inbox" }
            p.actions { a.btn href="/me/mail" { "How I am told" } }
        }
        section.card.pad aria-label="Messages" {
            @if found.is_empty() {
                p.muted { "No messages. What concerns you appears here, and stays for 90 days." }
            } @else {
                ul.items { @for message in &found { li { (line(visit, message)) } } }
            }
        }
        @if pages > 1 {
            nav.pages aria-label="Pages" {
                @if number > 1 { a.btn href=(format!("/me/inbox?page={}", number - 1)) rel="prev" { "Newer" } }
                " Page " (number) " of " (pages) " "
                @if u64::from(number) < pages { a.btn href=(format!("/me/inbox?page={}", number + 1)) rel="next" { "Older" } }
            }
        }
    };
    Ok(layout::page(visit, "Inbox", content))
}

fn line(visit: &Visit, message: &ListedMessage) -> Markup {
    let place = match &message.subject {
        Subject::Request(id) => Some((format!("/requests/{id}"), "Open the request")),
        Subject::Mention(id) => Some((format!("/mentions/{id}"), "Open the mention")),
        Subject::Rotation => {
            let moved = message.moved.as_ref();
            let path = moved.and_then(|(moved, _)| moved.path(message.rotation.as_ref()?));
            path.map(|path| (path, "Open the plan"))
        }
    };
    html! {
        @for said in message.text.lines() { p { bdi { (said) } } }
        p.muted {
            (times(visit).show(message.created_at))
            @if message.reached.iter().any(|(by, _)| *by == ReachedBy::Mail) { ", mailed" }
            @if let (MessageState::Waiting | MessageState::Dropped, Some(error)) = (message.state, &message.error) {
                ", " (message.state.name()) ": " bdi { (error) }
            }
            @if let Some((path, label)) = place { " " a href=(path) { (label) } }
        }
    }
}

/// The way to the inbox and to the choice of what is mailed, for the reader's own page.
pub fn summary(visit: &Visit) -> Result<Markup, Problem> {
    let filter = MessageFilter {
        user: Some(visit.me()?.person.id.clone()),
        ..MessageFilter::default()
    };
    let page = Page { number: 1, size: 1 };
    let (_, total) = messages::list(visit.app(), &visit.caller, filter, page)?;
    Ok(html! {
        section.card.pad aria-labelledby="inbox" {
            h2 #inbox { "Inbox" }
            p.muted { @match total { 0 => "No messages yet.", 1 => "1 message.", all => { (all) " messages." } } }
            p.actions {
                a.btn.s href="/me/inbox" { "All messages" @if total > 0 { " (" (total) ")" } }
                a.btn.s href="/me/mail" { "How I am told" }
            }
        }
    })
}

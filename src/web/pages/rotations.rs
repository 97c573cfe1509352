//! The rotations, each with its week.

use super::{link_to, week};
use crate::actions::overview::{self, Overview};
use crate::domain::rotation::Mode;
use crate::server::Outcome;
use crate::store::{Page, RotationFilter, RotationOrder};
use crate::web::form::Errors;
use crate::web::layout::{self, encoded};
use crate::web::parts::fields::{Choice, Filled};
use crate::web::parts::icon::icon;
use crate::web::visit::Visit;
use jiff::SignedDuration;
use maud::{Markup, html};

/// Rotations on one page.
const ROWS: u32 = 50;

/// How far ahead it is looked until when somebody is on call.
const AHEAD: SignedDuration = SignedDuration::from_hours(24);

/// GET /rotations.
pub fn show(visit: &Visit) -> Outcome {
    let query = &visit.query;
    let number = query.one("page").parse().unwrap_or(1).clamp(1, 10_000);
    let text = query.filled("q");
    let filter = RotationFilter {
        text: text.map(str::to_owned),
        enabled: match query.one("enabled") {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        },
        user: visit.user().filter(|_| query.has("mine", "true")).cloned(),
        order: RotationOrder::Name,
        ..RotationFilter::default()
    };
    let page = Page { number, size: ROWS };
    let (all, total) = overview::rotations(visit.app(), &visit.caller, filter, page, AHEAD)?;
    let days = week::days(visit);
    let (weekly, people) = week::load(visit, all.iter().map(|one| &one.rotation), &days)?;
    let errors = Errors::default();
    let search = Filled {
        values: query,
        errors: &errors,
    };
    let states = [
        Choice::new("", "Any"),
        Choice::new("true", "Enabled"),
        Choice::new("false", "Disabled"),
    ];
    let pages = total.div_ceil(u64::from(ROWS)).max(1);
    let page_path = |number: u32| {
        let (q, enabled, mine) = (query.one("q"), query.one("enabled"), query.one("mine"));
        let (q, enabled, mine) = (encoded(q), encoded(enabled), encoded(mine));
        format!("/rotations?q={q}&enabled={enabled}&mine={mine}&page={number}")
    };
    let content = html! {
        div.head {
            div { h1 { "Rotations" } p.sub { (total) @if total == 1 { " rotation" } @else { " rotations" } } }
            @if visit.caller.check_create().is_ok() {
                div.row { a.btn.go href="/rotations/new" data-action="create" { (icon("plus")) "New rotation" } }
            }
        }
        form.card.pad role="search" method="get" action="/rotations" {
            div.inline {
                (search.input("search", "q", "Search", "", false))
                (search.select("enabled", "State", "", &states))
                (search.tick("mine", "Mine only"))
                button.btn type="submit" { "Search" }
            }
        }
        @if all.is_empty() {
            section.card aria-label="Rotations" {
                div.empty {
                    @if text.is_some() || query.names("enabled") || query.names("mine") {
                        p { "No rotation matches. " a href="/rotations" { "Show all" } }
                    } @else if visit.caller.check_create().is_ok() {
                        p { "There are no rotations yet. Make one with “New rotation”." }
                    } @else {
                        p { "There is no rotation that you may see. Ask its owner, or a workspace administrator, to add you." }
                    }
                }
            }
        } @else {
            (list(&all))
            (week::card(visit, &days, &weekly, &people, &format!("{}&", page_path(number))))
        }
        @if pages > 1 {
            nav aria-label="Pages" {
                p.actions {
                    @if number > 1 { a.btn.s href=(page_path(number - 1)) { "Back" } }
                    span.muted { "Page " (number) " of " (pages) }
                    @if u64::from(number) < pages { a.btn.s href=(page_path(number + 1)) { "More" } }
                }
            }
        }
    };
    Ok(layout::page(visit, "Rotations", content))
}

/// What is particular about rotations that do not hand over by themselves, or that few may see; nothing where there are none.
fn list(all: &[Overview]) -> Markup {
    let is_odd = |one: &&Overview| {
        let rotation = &one.rotation;
        !rotation.enabled || rotation.mode() != Mode::Auto || !rotation.profile.public
    };
    let mut odd = all.iter().filter(is_odd).peekable();
    html! {
        @if odd.peek().is_some() {
            ul.row.wide aria-label="Remarks" {
                @for one in odd {
                    @let rotation = &one.rotation;
                    li {
                        (link_to(rotation))
                        @if !rotation.enabled { " " span.tag.warn { "Disabled" } }
                        @if rotation.mode() == Mode::Manual { " " span.tag { "Manual" } }
                        @if rotation.mode() == Mode::External { " " span.tag { "External" } }
                        @if !rotation.profile.public { " " span.tag { "Private" } }
                    }
                }
            }
        }
    }
}

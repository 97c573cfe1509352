//! The list of rotations.

use super::{link_to, times};
use crate::actions::overview;
use crate::domain::ids::UserId;
use crate::domain::rotation::Mode;
use crate::server::Outcome;
use crate::store::{Page, RotationFilter, RotationOrder};
use crate::web::form::Errors;
use crate::web::layout::{self, encoded};
use crate::web::parts::external;
use crate::web::parts::fields::{Choice, Filled};
use crate::web::parts::people::People;
use crate::web::visit::Visit;
use jiff::SignedDuration;
use maud::html;

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
    let shown = all.iter().flat_map(|one| &one.summary.on_call);
    let people = People::load(visit.app(), shown.collect::<Vec<&UserId>>(), true)?;
    let (times, errors) = (times(visit), Errors::default());
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
                p.actions { a.btn.go href="/rotations/new" { "New rotation" } }
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
        section.card.flush aria-label="Rotations" {
            @if all.is_empty() {
                div.pad {
                    @if text.is_some() || query.names("enabled") || query.names("mine") {
                        p.muted { "No rotation matches. " a href="/rotations" { "Show all" } }
                    } @else if visit.caller.check_create().is_ok() {
                        p.muted { "There are no rotations yet. Make one with “New rotation”." }
                    } @else {
                        p.muted { "There is no rotation that you may see. Ask its owner, or a workspace administrator, to add you." }
                    }
                }
            } @else {
                table.rows {
                    caption.sr { "Rotations, with who is on call" }
                    thead { tr { th scope="col" { "Rotation" } th scope="col" { "Code" } th scope="col" { "State" } th scope="col" { "On call" } th scope="col" { "Until" } } }
                    tbody {
                        @for one in &all {
                            @let rotation = &one.rotation;
                            tr data-rotation=(rotation.id) {
                                th scope="row" { (link_to(rotation)) }
                                td data-label="Code" { @if let Some(code) = &rotation.profile.code { code { (code) } } }
                                td data-label="State" {
                                    @if rotation.enabled { span.tag.good { "Enabled" } } @else { span.tag.warn { "Disabled" } }
                                    @if rotation.mode() == Mode::Manual { " " span.tag { "Manual" } }
                                    @if rotation.mode() == Mode::External { " " span.tag { "External" } }
                                    @if !rotation.profile.public { " " span.tag { "Private" } }
                                }
                                td data-label="On call" {
                                    @if let Some(outsider) = external::outsider(&one.rotation).filter(|_| one.summary.on_call.is_empty()) { (outsider) } @else if one.summary.on_call.is_empty() { span.muted { "Nobody" } } @else { (people.show_all(&one.summary.on_call)) }
                                }
                                td data-label="Until" { @if let Some(until) = one.until.filter(|_| !one.summary.on_call.is_empty()) { (times.show_with(until, one.summary.zone)) } }
                            }
                        }
                    }
                }
            }
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

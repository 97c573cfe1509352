//! What the script opens for a bar: who and when, and what the page of the turn offers. Without the script the bar leads there.

use super::icon::icon;
use crate::web::visit::Visit;
use maud::{Markup, html};

/// The menu, closed; the script fills it in by what the row of the bar permits. Whoever is not signed in has none.
pub fn menu(visit: &Visit) -> Markup {
    let step = |name: &str, drawing: &str, words: &str, main: bool| {
        html! {
            a.btn.s.go[main] href="#turn-menu" data-step=(name) data-action=(name) hidden { (icon(drawing)) (words) }
        }
    };
    html! {
        @if visit.reader.is_some() {
            div.pop #turn-menu popover role="dialog" aria-label="Turn" data-now=(visit.now) {
                div.pad.stack {
                    div.ml.mid { span.av.l aria-hidden="true" {} div.what { b {} small.muted {} } }
                    p.small { a data-why href="#turn-menu" { "Why" } }
                    div.two-b {
                        (step("cover", "cover", "Ask for cover", true))
                        (step("swap", "swap", "Offer a swap", false))
                        (step("take", "hand", "Take it", false))
                        (step("assign", "assign", "Give to somebody", false))
                        a.btn.s href="#turn-menu" data-step="all" { (icon("eye")) "All about it" }
                    }
                }
            }
        }
    }
}

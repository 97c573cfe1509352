//! What the script opens for a bar: who and when, and what the page of the turn offers. Without the script the bar leads there.

use super::Shown;
use crate::web::parts::icon::icon;
use maud::{Markup, html};

/// The menu, closed; the script fills it in.
pub fn menu(page: &Shown) -> Markup {
    let base = page.base();
    let step = |name: &str, drawing: &str, words: &str, main: bool| {
        html! {
            a.btn.s.go[main] href=(base) data-step=(name) data-action=(name) data-editor=[page.is_editor.then_some("true")] {
                (icon(drawing)) (words)
            }
        }
    };
    html! {
        div.pop #turn-menu popover role="dialog" aria-label="Turn" data-now=(page.visit.now) {
            div.pad.stack {
                div.ml.mid { span.av.l aria-hidden="true" {} div.what { b {} small.muted {} } }
                p.small { a data-why href=(base) { "Why" } }
                div.two-b {
                    @if page.is_member {
                        (step("cover", "cover", "Ask for cover", true))
                        (step("swap", "swap", "Offer a swap", false))
                        (step("take", "hand", "Take it", false))
                    }
                    @if page.is_editor { (step("assign", "assign", "Give to somebody", false)) }
                    a.btn.s href=(base) data-step="all" { (icon("eye")) "All about it" }
                }
            }
        }
    }
}

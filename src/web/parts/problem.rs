//! Problems that matter, a line each, with what mends them; everything else that is odd about a plan is a smaller note.

use super::icon::icon;
use crate::domain::warning_kinds::WarningKind;
use maud::{Markup, html};

/// Whether a kind is shown in red where it begins soon.
pub fn matters(kind: WarningKind) -> bool {
    matches!(
        kind,
        WarningKind::Nobody
            | WarningKind::AbsentOnDuty
            | WarningKind::EmptyRoster
            | WarningKind::Unreachable
            | WarningKind::StaleSource
    )
}

/// One problem.
pub struct Problem {
    /// A sentence without its full stop: "Nobody is on call for Payments on Thu 26 Nov, 08:00 to 20:00".
    pub text: String,
    pub more: String,
    /// Where it is mended, first what mends it best.
    pub offers: Vec<Offer>,
}

/// A link to what mends a problem.
pub struct Offer {
    pub words: &'static str,
    pub path: String,
    /// What the old name of the write is that it begins.
    pub action: Option<&'static str>,
}

impl Problem {
    fn offers(&self) -> Markup {
        html! {
            @for (index, offer) in self.offers.iter().enumerate() {
                a.btn.s.go[index == 0] href=(offer.path) data-action=[offer.action] { (offer.words) }
            }
        }
    }
}

/// Problems across a page, in red.
pub fn alert(problems: &[&Problem], left: usize) -> Markup {
    html! {
        section.alert aria-labelledby="problems" {
            h2.sr #problems { "Problems that matter" }
            ul.list {
                @for problem in problems {
                    li {
                        div.ml.mid {
                            span.mark.bad { (icon("gap")) }
                            div.what { b { bdi { (problem.text) } } @if !problem.more.is_empty() { small { (problem.more) } } }
                        }
                        span.row { (problem.offers()) }
                    }
                }
                @if left > 0 { li { span { "And " (left) " more" } } }
            }
        }
    }
}

/// Problems in a card.
pub fn listed(problems: &[Problem]) -> Markup {
    html! {
        ul.list {
            @for problem in problems {
                li {
                    div.ml {
                        span.mark.bad { (icon("gap")) }
                        div.what {
                            b { bdi { (problem.text) } }
                            @if !problem.more.is_empty() { small.muted { (problem.more) } }
                            @if !problem.offers.is_empty() { span.row.pt { (problem.offers()) } }
                        }
                    }
                }
            }
        }
    }
}

//! The kinds that are switched off, where and by whom.

use super::{PATH, words};
use crate::actions::warnings::{self, Wants};
use crate::domain::audit::AuditEntry;
use crate::domain::warning_kinds::{SHORT_REST_HOURS, WarningKind};
use crate::server::Problem;
use crate::web::pages::times;
use crate::web::parts::confirm;
use crate::web::parts::fields::hidden;
use crate::web::parts::icon::icon;
use crate::web::visit::Visit;
use maud::{Markup, html};

/// Rules that are listed at the most.
const MOST: usize = 100;

/// One rule: a kind that a rotation does not show, or less of.
struct Rule<'a> {
    of: &'a Wants,
    /// `None` where it is the hours of rest.
    kind: Option<WarningKind>,
}

impl Rule<'_> {
    fn name(&self) -> String {
        let rotation = &self.of.rotation.name;
        match self.kind {
            Some(kind) => format!("{}, {rotation}", words::name(kind)),
            None => {
                let hours = self.of.settings.short_rest_hours;
                format!("Rest of {hours} hours and more, {rotation}")
            }
        }
    }
}

/// The last card of the page; nothing where nothing is silenced.
pub fn card(visit: &Visit, all: &[Wants]) -> Result<Markup, Problem> {
    let mut rules: Vec<Rule> = Vec::new();
    for of in all {
        let kinds = of.settings.off.iter();
        rules.extend(kinds.map(|kind| Rule {
            of,
            kind: Some(*kind),
        }));
        if of.settings.short_rest_hours < SHORT_REST_HOURS {
            rules.push(Rule { of, kind: None });
        }
    }
    if rules.is_empty() {
        return Ok(html! {});
    }
    let count = rules.len();
    let mut lines = Vec::new();
    let mut last: Option<(&Wants, Option<AuditEntry>)> = None;
    for rule in rules.iter().take(MOST) {
        if last
            .as_ref()
            .is_none_or(|(of, _)| of.rotation.id != rule.of.rotation.id)
        {
            let id = &rule.of.rotation.id;
            last = Some((
                rule.of,
                warnings::last_change(visit.app(), &visit.caller, id)?,
            ));
        }
        let entry = last.as_ref().and_then(|(_, entry)| entry.as_ref());
        lines.push(line(visit, rule, entry));
    }
    Ok(html! {
        section.card aria-labelledby="silenced" {
            details.grp {
                summary {
                    span.mark.me { (icon("mute")) }
                    span.what {
                        b #silenced { "Silenced" }
                        small.muted { "What is not looked for, where, and who said so." }
                    }
                    span.tag { (count) @if count == 1 { " rule" } @else { " rules" } }
                }
                ul.list.top1 {
                    @for line in lines { (line) }
                    @if count > MOST { li { span.muted { "And " (count - MOST) " more" } } }
                }
            }
        }
    })
}

fn line(visit: &Visit, rule: &Rule, changed: Option<&AuditEntry>) -> Markup {
    let times = times(visit);
    html! {
        li {
            div.what {
                b { bdi { (rule.name()) } }
                @if let Some(entry) = changed {
                    small.muted {
                        "since " (times.day_text(times.date(entry.at)))
                        @if let Some(name) = &entry.actor.name { ", by " bdi { (name) } }
                    }
                }
            }
            @if let Some(kind) = rule.kind {
                form.bare method="post" action=(PATH) {
                    (hidden("operationId", &confirm::operation_id()))
                    (super::button(
                        &format!("on:{}:{}", kind.name(), rule.of.rotation.id),
                        html! { "Show again" span.sr { ": " (rule.name()) } },
                    ))
                }
            } @else {
                a.btn.s href=(format_args!("{}/settings/warnings", crate::web::pages::path_of(&rule.of.rotation.id, rule.of.rotation.code.as_deref()))) { "Change" }
            }
        }
    }
}

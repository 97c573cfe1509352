//! Fields of forms: each with its label, a hint, what is wrong with it, and what was typed. The summary of what is wrong comes
//! first on the page and links to each field.

use crate::domain::zones::ZoneName;
use crate::web::form::{Errors, Form};
use maud::{Markup, html};

/// A form that is shown: what it has in its fields, and what is wrong with them.
#[derive(Clone, Copy)]
pub struct Filled<'a> {
    pub values: &'a Form,
    pub errors: &'a Errors,
}

/// One choice of several: its value and what it is called.
pub struct Choice {
    pub value: String,
    pub label: Markup,
}

impl Choice {
    /// A choice that is called by a text.
    pub fn new(value: impl Into<String>, label: &str) -> Choice {
        Choice {
            value: value.into(),
            label: html! { (label) },
        }
    }

    /// A choice of so many days.
    pub fn days((name, days): (&str, i64)) -> Choice {
        let unit = if days == 1 { "day" } else { "days" };
        Choice::new(name, &format!("{days} {unit}"))
    }
}

/// The id of a field, which labels and the summary refer to.
fn id(name: &str) -> String {
    format!("f-{name}")
}

/// The summary of what is wrong: first on the page, focused, linking to each field.
pub fn summary(errors: &Errors) -> Markup {
    html! {
        @if !errors.is_empty() {
            div.errors #errors role="alert" tabindex="-1" autofocus {
                h2 { "There is a problem" }
                ul {
                    @for error in errors.all() {
                        li {
                            @match &error.field {
                                Some(field) => a href={ "#" (id(field)) } { (error.message) },
                                None => (error.message),
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The button that Enter presses in a form whose main button is not its first: browsers take the first one. It comes first, and
/// nobody sees it; `named` is what the main button sends.
pub fn entered(named: Option<(&str, &str)>) -> Markup {
    html! {
        button.sr type="submit" name=[named.map(|(name, _)| name)] value=[named.map(|(_, value)| value)]
            tabindex="-1" aria-hidden="true" {}
    }
}

/// Fields that nobody sees.
pub fn hidden(name: &str, value: &str) -> Markup {
    html! { input type="hidden" name=(name) value=(value); }
}

impl Filled<'_> {
    fn described(&self, name: &str, hint: &str) -> Option<String> {
        let wrong = self.errors.of(name).next().is_some();
        let parts = [(!hint.is_empty(), "hint"), (wrong, "wrong")];
        let ids = parts.iter().filter(|(shown, _)| *shown);
        let ids: Vec<String> = ids.map(|(_, part)| format!("f-{name}-{part}")).collect();
        (!ids.is_empty()).then(|| ids.join(" "))
    }

    fn around(&self, name: &str, hint: &str) -> Markup {
        html! {
            @if !hint.is_empty() { p.hint id={ (id(name)) "-hint" } { (hint) } }
            @for (index, wrong) in self.errors.of(name).enumerate() {
                p.wrong id=[(index == 0).then(|| id(name) + "-wrong")] { (wrong) }
            }
        }
    }

    fn invalid(&self, name: &str) -> Option<&'static str> {
        self.errors.of(name).next().map(|_| "true")
    }

    /// A line of text; `kind` is the type of the input.
    pub fn input(&self, kind: &str, name: &str, label: &str, hint: &str, required: bool) -> Markup {
        html! {
            div.f {
                label for=(id(name)) { (label) }
                (self.around(name, hint))
                input type=(kind) id=(id(name)) name=(name) value=(self.values.one(name)) required[required]
                    autocomplete="off" aria-invalid=[self.invalid(name)] aria-describedby=[self.described(name, hint)];
            }
        }
    }

    /// Several lines of text.
    pub fn area(&self, name: &str, label: &str, hint: &str) -> Markup {
        html! {
            div.f {
                label for=(id(name)) { (label) }
                (self.around(name, hint))
                textarea id=(id(name)) name=(name) aria-invalid=[self.invalid(name)]
                    aria-describedby=[self.described(name, hint)] { (self.values.one(name)) }
            }
        }
    }

    /// An instant, as a local time of a zone; the zone is named, and sent along by [`zone_field`].
    pub fn instant(&self, name: &str, label: &str, zone: ZoneName, hint: &str) -> Markup {
        let hint = match hint {
            "" => format!("Time in {}", zone.as_str()),
            hint => format!("Time in {}. {hint}", zone.as_str()),
        };
        html! {
            div.f {
                label for=(id(name)) { (label) }
                (self.around(name, &hint))
                input type="datetime-local" id=(id(name)) name=(name) value=(self.values.one(name)) required
                    aria-invalid=[self.invalid(name)] aria-describedby=[self.described(name, &hint)];
            }
        }
    }

    /// One of several, from a list that opens.
    pub fn select(&self, name: &str, label: &str, hint: &str, choices: &[Choice]) -> Markup {
        html! {
            div.f {
                label for=(id(name)) { (label) }
                (self.around(name, hint))
                select id=(id(name)) name=(name) aria-invalid=[self.invalid(name)]
                    aria-describedby=[self.described(name, hint)] {
                    @for choice in choices {
                        option value=(choice.value) selected[self.values.has(name, &choice.value)] { (choice.label) }
                    }
                }
            }
        }
    }

    /// One of several, all of them seen.
    pub fn radios(&self, name: &str, label: &str, hint: &str, choices: &[Choice]) -> Markup {
        self.group("radio", name, label, hint, choices)
    }

    /// Any of several.
    pub fn boxes(&self, name: &str, label: &str, hint: &str, choices: &[Choice]) -> Markup {
        self.group("checkbox", name, label, hint, choices)
    }

    /// Any of several, beside each other.
    pub fn chips(&self, name: &str, label: &str, choices: &[Choice]) -> Markup {
        html! {
            fieldset id=(id(name)) tabindex="-1" {
                legend { (label) }
                (self.around(name, ""))
                span.chips {
                    @for choice in choices {
                        label.chip {
                            input type="checkbox" name=(name) value=(choice.value) checked[self.values.has(name, &choice.value)];
                            span { (choice.label) }
                        }
                    }
                }
            }
        }
    }

    fn group(&self, kind: &str, name: &str, label: &str, hint: &str, choices: &[Choice]) -> Markup {
        let choice_id = |index: usize| match index {
            0 => id(name),
            index => format!("f-{name}-{index}"),
        };
        html! {
            fieldset aria-describedby=[self.described(name, hint)] {
                legend { (label) }
                (self.around(name, hint))
                @for (index, choice) in choices.iter().enumerate() {
                    div.choice {
                        input type=(kind) id=(choice_id(index)) name=(name) value=(choice.value)
                            checked[self.values.has(name, &choice.value)];
                        label for=(choice_id(index)) { (choice.label) }
                    }
                }
            }
        }
    }

    /// A box to tick, which sends `true`.
    pub fn tick(&self, name: &str, label: &str) -> Markup {
        html! {
            div.choice {
                input type="checkbox" id=(id(name)) name=(name) value="true" checked[self.values.has(name, "true")];
                label for=(id(name)) { (label) }
            }
        }
    }
}

/// The zone that the local times of a form are in.
pub fn zone_field(zone: ZoneName) -> Markup {
    hidden("zone", zone.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_keeps_what_was_typed_and_says_what_is_wrong() {
        let values = Form::with([("name", "<b>\"x\"")]);
        let mut errors = Errors::default();
        errors.add("name", "Too odd.");
        let filled = Filled {
            values: &values,
            errors: &errors,
        };
        let shown = filled
            .input("text", "name", "Name", "Any", true)
            .into_string();
        for part in [
            "value=\"&lt;b&gt;&quot;x&quot;\"",
            "aria-invalid=\"true\"",
            "aria-describedby=\"f-name-hint f-name-wrong\"",
            "Too odd.",
        ] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        let summary = summary(&errors).into_string();
        assert!(summary.contains("href=\"#f-name\""), "{summary}");
    }
}

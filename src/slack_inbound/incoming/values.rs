//! Values that people enter into a view: texts, choices, dates and boxes alike are lists of texts.

use serde_json::Value;
use std::collections::BTreeMap;

/// The value of one element.
///
/// | Element | Texts |
/// |---|---|
/// | text input, button | its value |
/// | menu, radio buttons, overflow menu | the value of the option that is chosen |
/// | menu of several options, checkboxes | the values of those that are chosen |
/// | menu of people, channels or conversations | their ids |
/// | date, time | `2026-11-22`, `09:30` |
/// | date with time | seconds since 1970 |
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entered(pub Vec<String>);

/// The values of a view, by block and action.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Values(BTreeMap<(String, String), Entered>);

/// Members with one value.
const ONE: [&str; 8] = [
    "value",
    "selected_user",
    "selected_channel",
    "selected_conversation",
    "selected_date",
    "selected_time",
    "selected_date_time",
    "selected_option",
];

/// Members with several.
const SEVERAL: [&str; 4] = [
    "selected_options",
    "selected_users",
    "selected_channels",
    "selected_conversations",
];

impl Entered {
    /// The value of an element of a view's state, or of an action.
    pub(super) fn of(element: &Value) -> Entered {
        let one = ONE.iter().filter_map(|name| element.get(name));
        let several = SEVERAL
            .iter()
            .filter_map(|name| element.get(name)?.as_array());
        let all = one.chain(several.flatten());
        Entered(all.filter_map(text).collect())
    }

    /// The first text, if there is one.
    pub fn one(&self) -> Option<&str> {
        self.0.first().map(String::as_str)
    }

    /// Whether an option is chosen, or a box of this value is ticked.
    pub fn has(&self, value: &str) -> bool {
        self.0.iter().any(|known| known == value)
    }
}

/// An option is known by its value.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Object(option) => Some(option.get("value")?.as_str()?.to_owned()),
        _ => None,
    }
}

impl Values {
    /// Reads `view.state.values`. A view without inputs has none.
    pub(super) fn parse(values: Option<&Value>) -> Values {
        let blocks = values.and_then(Value::as_object).into_iter().flatten();
        let elements = blocks.flat_map(|(block, elements)| {
            let elements = elements.as_object().into_iter().flatten();
            elements.map(move |(action, element)| {
                ((block.clone(), action.clone()), Entered::of(element))
            })
        });
        Values(elements.collect())
    }

    /// The value of an element; none where the view does not have the element.
    pub fn of(&self, block_id: &str, action_id: &str) -> Entered {
        let key = (block_id.to_owned(), action_id.to_owned());
        self.0.get(&key).cloned().unwrap_or_default()
    }

    /// The first text of an element without blanks around it; `None` where nothing is left.
    pub fn filled(&self, block_id: &str, action_id: &str) -> Option<String> {
        let entered = self.of(block_id, action_id);
        let text = entered.one()?.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }
}

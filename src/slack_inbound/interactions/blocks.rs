//! Blocks of messages and views, within Slack's limits: what is too long is cut, and what is too much is counted.

use super::mrkdwn::{cut, cut_plain, length};
use serde_json::{Value, json};

/// Blocks of a message. A modal or home tab may have twice as many, which nobody reads.
const MOST: usize = 50;

/// Text in the blocks of one message, and of one view. Slack names no limit, and refuses long ones.
const MESSAGE_TEXT: usize = 12_000;
const VIEW_TEXT: usize = 60_000;

/// Text of one section, of a header, of a button or another label.
const SECTION: usize = 3000;
const HEADER: usize = 150;
const LABEL: usize = 75;

/// The text of a hint below an input.
const HINT: usize = 2000;

/// Title and buttons of a modal.
const TITLE: usize = 24;

/// Options in one menu, and the text of its placeholder.
pub const OPTIONS: usize = 100;
const PLACEHOLDER: usize = 150;

/// Buttons in one block.
const BUTTONS: usize = 25;

/// How a button looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    Plain,
    Danger,
}

/// A button.
#[derive(Clone, Debug)]
pub struct Button {
    pub text: String,
    pub action_id: String,
    pub value: String,
    pub style: Style,
    /// The confirmation before the click counts: a title and a text.
    pub confirm: Option<(String, String)>,
}

impl Button {
    /// A button that clicks at once.
    pub fn new(text: &str, action_id: impl Into<String>, value: impl Into<String>) -> Button {
        Button {
            text: text.to_owned(),
            action_id: action_id.into(),
            value: value.into(),
            style: Style::Plain,
            confirm: None,
        }
    }

    /// Sets another style.
    pub fn styled(self, style: Style) -> Button {
        Button { style, ..self }
    }

    /// The element of a block.
    pub fn render(&self) -> Value {
        let mut button = json!({
            "type": "button",
            "text": plain_text(&self.text, LABEL),
            "action_id": self.action_id,
            "value": self.value,
        });
        match self.style {
            Style::Plain => {}
            Style::Danger => button["style"] = json!("danger"),
        }
        if let Some((title, text)) = &self.confirm {
            button["confirm"] = json!({
                "title": plain_text(title, 100),
                "text": plain_text(text, 300),
                "confirm": plain_text(&self.text, 30),
                "deny": plain_text("Back", 30),
            });
        }
        button
    }
}

/// One choice of a menu, or one box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// At most 150 characters.
    pub value: String,
    pub label: String,
}

impl Choice {
    fn render(&self) -> Value {
        json!({ "text": plain_text(&self.label, LABEL), "value": self.value })
    }
}

/// Blocks one below the other.
#[derive(Clone, Debug)]
pub struct Blocks {
    blocks: Vec<Value>,
    /// Text that still fits.
    room: usize,
    /// Blocks that did not fit.
    left_out: usize,
}

impl Blocks {
    /// Of a message.
    pub fn message() -> Blocks {
        Blocks::with(MESSAGE_TEXT)
    }

    /// Of a modal or the home tab.
    pub fn view() -> Blocks {
        Blocks::with(VIEW_TEXT)
    }

    fn with(room: usize) -> Blocks {
        Blocks {
            blocks: Vec::new(),
            room,
            left_out: 0,
        }
    }

    /// The last block and some text are kept for saying how much was left out.
    fn push(&mut self, block: Value, text: usize) {
        if self.blocks.len() + 1 >= MOST || text + 100 > self.room {
            self.left_out += 1;
            return;
        }
        self.room -= text;
        self.blocks.push(block);
    }

    /// A heading.
    pub fn header(&mut self, text: &str) {
        let text = cut_plain(text, HEADER);
        let block = json!({ "type": "header", "text": plain_text(&text, HEADER) });
        self.push(block, length(&text));
    }

    /// A paragraph of markup.
    pub fn section(&mut self, text: &str) {
        let text = cut(text, SECTION);
        let block = json!({ "type": "section", "text": mrkdwn(&text) });
        self.push(block, length(&text));
    }

    /// A paragraph with a button beside it.
    pub fn section_with(&mut self, text: &str, button: &Button) {
        let text = cut(text, SECTION);
        let block =
            json!({ "type": "section", "text": mrkdwn(&text), "accessory": button.render() });
        self.push(block, length(&text));
    }

    /// Lines of markup, as many in a paragraph as fit.
    pub fn lines(&mut self, lines: &[String]) {
        let mut paragraph = String::new();
        for line in lines {
            let line = cut(line, SECTION);
            if length(&paragraph) + 1 + length(&line) > SECTION {
                self.section(&std::mem::take(&mut paragraph));
            }
            if !paragraph.is_empty() {
                paragraph.push('\n');
            }
            paragraph.push_str(&line);
        }
        if !paragraph.is_empty() {
            self.section(&paragraph);
        }
    }

    /// A small remark.
    pub fn context(&mut self, text: &str) {
        let text = cut(text, 2000);
        let block = json!({ "type": "context", "elements": [mrkdwn(&text)] });
        self.push(block, length(&text));
    }

    /// A line between two parts.
    pub fn divider(&mut self) {
        self.push(json!({ "type": "divider" }), 0);
    }

    /// Buttons in a row; none makes no row.
    pub fn buttons(&mut self, buttons: &[Button]) {
        self.elements(buttons.iter().map(Button::render).collect());
    }

    /// Adds a row of elements that are rendered already.
    pub fn elements(&mut self, mut elements: Vec<Value>) {
        elements.truncate(BUTTONS);
        if !elements.is_empty() {
            self.push(json!({ "type": "actions", "elements": elements }), 0);
        }
    }

    /// A field of a modal. What its element has is read under its id, in both places.
    pub fn input(
        &mut self,
        id: &str,
        label: &str,
        hint: &str,
        is_optional: bool,
        element: Element,
    ) {
        let mut block = json!({
            "type": "input",
            "block_id": id,
            "label": plain_text(label, 2000),
            "optional": is_optional,
            "element": element.render(id),
        });
        if !hint.is_empty() {
            block["hint"] = plain_text(hint, HINT);
        }
        self.push(block, 0);
    }

    /// The blocks, with a remark where some did not fit.
    pub fn finish(mut self) -> Vec<Value> {
        if self.left_out > 0 {
            let text = format!("And {} more that do not fit here.", self.left_out);
            let block = json!({ "type": "context", "elements": [mrkdwn(&text)] });
            self.blocks.push(block);
        }
        self.blocks
    }
}

/// The input of a field.
#[derive(Clone, Debug)]
pub enum Element {
    /// A menu: its choices, and the value of the one that is chosen. One group of choices has no heading.
    Menu(Vec<(String, Vec<Choice>)>, Option<String>),
    /// A menu of several choices, and the values of those that are chosen.
    Several(Vec<Choice>, Vec<String>),
    /// A menu of everybody in the workspace, and who is chosen.
    People(Vec<String>),
    /// Seconds since 1970.
    Instant(Option<i64>),
    /// Text of at most so many characters.
    Text(String, usize),
    /// Boxes to tick.
    Boxes(Vec<Choice>),
}

impl Element {
    fn render(&self, id: &str) -> Value {
        match self {
            Element::Menu(groups, chosen) => {
                let mut menu = json!({ "type": "static_select", "action_id": id,
                    "placeholder": plain_text("Choose", PLACEHOLDER) });
                match groups.as_slice() {
                    [(_, choices)] => menu["options"] = options(choices),
                    groups => {
                        let group = |(label, choices): &(String, Vec<Choice>)| json!({ "label": plain_text(label, LABEL), "options": options(choices) });
                        menu["option_groups"] = groups.iter().take(OPTIONS).map(group).collect();
                    }
                }
                let mut choices = groups
                    .iter()
                    .flat_map(|(_, choices)| choices.iter().take(OPTIONS));
                let chosen = chosen.as_ref();
                if let Some(choice) = choices.find(|choice| Some(&choice.value) == chosen) {
                    menu["initial_option"] = choice.render();
                }
                menu
            }
            Element::Several(choices, chosen) => {
                let mut menu = json!({ "type": "multi_static_select", "action_id": id,
                    "placeholder": plain_text("Choose", PLACEHOLDER), "options": options(choices) });
                let ticked = choices.iter().take(OPTIONS);
                let ticked = ticked.filter(|choice| chosen.contains(&choice.value));
                let ticked: Vec<Value> = ticked.map(Choice::render).collect();
                if !ticked.is_empty() {
                    menu["initial_options"] = ticked.into();
                }
                menu
            }
            Element::People(chosen) => {
                let mut menu = json!({ "type": "multi_users_select", "action_id": id,
                    "placeholder": plain_text("Choose", PLACEHOLDER) });
                if !chosen.is_empty() {
                    menu["initial_users"] = json!(chosen);
                }
                menu
            }
            Element::Instant(at) => {
                let mut picker = json!({ "type": "datetimepicker", "action_id": id });
                if let Some(at) = at {
                    picker["initial_date_time"] = json!(at);
                }
                picker
            }
            Element::Text(text, most) => {
                let mut field = json!({ "type": "plain_text_input", "action_id": id, "multiline": true,
                    "max_length": most });
                if !text.is_empty() {
                    field["initial_value"] = json!(text);
                }
                field
            }
            Element::Boxes(choices) => {
                json!({ "type": "checkboxes", "action_id": id, "options": options(choices) })
            }
        }
    }
}

fn options(choices: &[Choice]) -> Value {
    choices.iter().take(OPTIONS).map(Choice::render).collect()
}

fn plain_text(text: &str, most: usize) -> Value {
    // Emoji codes in names stay text.
    json!({ "type": "plain_text", "text": cut_plain(text, most), "emoji": false })
}

fn mrkdwn(text: &str) -> Value {
    // Verbatim: only `<...>` is more than text. `@channel` or an address in a name are not.
    json!({ "type": "mrkdwn", "text": text, "verbatim": true })
}

/// An answer that only the reader sees.
pub fn ephemeral(text: &str, blocks: Blocks) -> Value {
    json!({
        "response_type": "ephemeral",
        "text": cut(text, SECTION),
        "blocks": blocks.finish(),
    })
}

/// A modal. `metadata` comes back with it; without `submit` it has nothing to send.
pub fn modal(
    callback_id: &str,
    title: &str,
    submit: Option<&str>,
    metadata: &str,
    blocks: Blocks,
) -> Value {
    let mut view = json!({
        "type": "modal",
        "callback_id": callback_id,
        "private_metadata": metadata,
        "title": plain_text(title, TITLE),
        "close": plain_text(if submit.is_some() { "Cancel" } else { "Close" }, TITLE),
        "blocks": blocks.finish(),
    });
    if let Some(submit) = submit {
        view["submit"] = plain_text(submit, TITLE);
    }
    view
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_hold() {
        let mut blocks = Blocks::message();
        let long = "x".repeat(4000);
        blocks.header(&long);
        for _ in 0..60 {
            blocks.section("line");
        }
        blocks.buttons(&[]);
        let done = blocks.finish();
        assert_eq!(done.len(), MOST);
        let heading = done[0]["text"]["text"].as_str().unwrap();
        assert_eq!(length(heading), HEADER);
        let last = done[MOST - 1]["elements"][0]["text"].as_str();
        assert_eq!(last, Some("And 12 more that do not fit here."));

        let mut blocks = Blocks::message();
        for _ in 0..10 {
            blocks.section(&long);
        }
        let done = blocks.finish();
        assert_eq!(done.len(), 4, "three sections, and how many were left out");
    }

    #[test]
    fn lines_share_paragraphs() {
        let mut blocks = Blocks::message();
        blocks.lines(&vec!["y".repeat(1400); 3]);
        let done = blocks.finish();
        let lengths = done
            .iter()
            .map(|block| block["text"]["text"].as_str().unwrap().len());
        assert_eq!(lengths.collect::<Vec<_>>(), [2801, 1400]);
    }

    #[test]
    fn labels_are_cut_and_plain() {
        let button = Button::new(&"🙂".repeat(50), "a", "v")
            .styled(Style::Danger)
            .render();
        let text = button["text"]["text"].as_str().unwrap();
        assert!(length(text) <= LABEL, "{text}");
        assert_eq!(button["style"], "danger");
        let choice = |value: &str| Choice {
            value: value.into(),
            label: "<!channel> *b*".into(),
        };
        let choices = vec![choice("a"), choice("b")];
        let menu = Element::Menu(vec![(String::new(), choices)], Some("b".into())).render("turn");
        assert_eq!(menu["initial_option"]["value"], "b");
        assert_eq!(menu["options"][0]["text"]["text"], "<!channel> *b*");
        assert_eq!(menu["options"][0]["text"]["type"], "plain_text");
        let modal = modal("cover", &"t".repeat(99), None, "{}", Blocks::view());
        assert_eq!(modal["title"]["text"].as_str().map(length), Some(TITLE));
        assert_eq!(modal.get("submit"), None);
    }
}

//! What was written, and to whom it was said. Pure.

use serde_json::Value;

/// The text of a message: of its HTML where that links to people, as `<@ID|name>`, else as it stands; `None` where it is no text. The
/// quotation before a reply is cut off.
pub fn written(content: &Value) -> Option<String> {
    if content["msgtype"] != "m.text" {
        return None;
    }
    let body = content["body"].as_str()?;
    let html = content["formatted_body"].as_str();
    if let Some(html) = html.filter(|html| html.contains(LINK)) {
        return Some(of_html(html));
    }
    let is_reply = content["m.relates_to"]["m.in_reply_to"].is_object();
    Some(match is_reply {
        true => without_quotation(body).to_owned(),
        false => body.to_owned(),
    })
}

/// Begins links to people and rooms.
const LINK: &str = "https://matrix.to/#/";

/// Cuts off the lines that begin with `>` and the empty line behind them.
fn without_quotation(body: &str) -> &str {
    let mut rest = body;
    while let Some(line) = rest.strip_prefix('>') {
        match line.split_once('\n') {
            Some((_, behind)) => rest = behind,
            None => return body,
        }
    }
    match rest.len() == body.len() {
        true => body,
        false => rest.strip_prefix('\n').unwrap_or(rest),
    }
}

/// The text of HTML, with links to people as `<@ID|name>`.
fn of_html(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    // Some clients quote what they reply to in an element of its own.
    let html = match (html.find("<mx-reply>"), html.find("</mx-reply>")) {
        (Some(begin), Some(end)) if begin < end => {
            format!("{}{}", &html[..begin], &html[end + "</mx-reply>".len()..])
        }
        _ => html.to_owned(),
    };
    let mut rest = html.as_str();
    while let Some(begin) = rest.find('<') {
        text.push_str(&unescaped(&rest[..begin]));
        rest = &rest[begin..];
        let Some(end) = rest.find('>') else { break };
        let tag = &rest[1..end];
        rest = &rest[end + 1..];
        if let Some(id) = person_of(tag) {
            let label_end = rest.find("</a>").unwrap_or(rest.len());
            let label = unescaped(&rest[..label_end]);
            let label: String = label.chars().filter(|c| !"<>|\n".contains(*c)).collect();
            text.push_str(&format!("<@{id}|{label}>"));
            rest = rest[label_end..].strip_prefix("</a>").unwrap_or_default();
        } else if ["br", "br/", "br /", "/p", "/div", "/li"].contains(&tag) {
            text.push('\n');
        }
    }
    text.push_str(&unescaped(rest));
    text.trim().to_owned()
}

/// The person that a tag links to.
fn person_of(tag: &str) -> Option<String> {
    let (_, link) = tag.strip_prefix("a ")?.split_once(LINK)?;
    let link = link.split(['"', '\'', '?', ' ']).next()?;
    let id = decoded(link);
    (id.starts_with('@') && !id.contains(['<', '>', '|'])).then_some(id)
}

/// Undoes percent-encoding. What is none stays.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let hex = behind.get(..2).filter(|_| *first == b'%');
        let hex = hex.and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &behind[2..];
            }
            None => {
                bytes.push(*first);
                rest = behind;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn unescaped(text: &str) -> String {
    let text = text.replace("&lt;", "<").replace("&gt;", ">");
    let text = text.replace("&quot;", "\"").replace("&#39;", "'");
    text.replace("&nbsp;", " ").replace("&amp;", "&")
}

/// Text without marks: `<@ID|Ana>` is `@Ana`.
pub fn plainly(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(begin) = rest.find("<@") {
        plain.push_str(&rest[..begin]);
        let Some(end) = rest[begin..].find('>') else {
            break;
        };
        let inner = &rest[begin + 2..begin + end];
        let (id, label) = inner.split_once('|').unwrap_or((inner, ""));
        let label = label.trim_start_matches('@');
        plain.push('@');
        plain.push_str(if label.is_empty() {
            id.trim_start_matches('@')
        } else {
            label
        });
        rest = &rest[begin + end + 1..];
    }
    plain.push_str(rest);
    plain
}

/// Whether a text names a handle: `@HANDLE`, whatever the case, and nothing longer.
pub fn calls(text: &str, handle: &str) -> bool {
    let text = plainly(text).to_lowercase();
    let called = format!("@{}", handle.to_lowercase());
    let is_word = |c: char| c.is_alphanumeric() || "-_.:".contains(c);
    text.match_indices(&called).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let behind = &text[at + called.len()..];
        let mut behind = behind.chars();
        // A full stop or a colon may end the sentence.
        let is_longer = match behind.next() {
            Some('.' | ':') => behind.next().is_some_and(char::is_alphanumeric),
            Some(next) => is_word(next),
            None => false,
        };
        !before.is_some_and(is_word) && !is_longer
    })
}

/// What rota is called.
#[derive(Clone, Copy, Debug)]
pub struct Listener<'a> {
    /// The word that begins a command.
    pub command: &'a str,
    pub id: &'a str,
    /// The display name.
    pub name: Option<&'a str>,
}

impl<'a> Listener<'a> {
    /// What stands behind the word of the command in the first line; `None` where that does not begin with it.
    pub fn command_in<'t>(&self, text: &'t str) -> Option<&'t str> {
        let line = text.lines().next().unwrap_or_default().trim_start();
        let rest = strip(line, self.command)?;
        (rest.is_empty() || rest.starts_with(char::is_whitespace)).then(|| rest.trim())
    }

    /// What stands behind the mention that the text begins with.
    pub fn mention_in<'t>(&self, text: &'t str) -> Option<&'t str> {
        let text = text.trim_start();
        if let Some(rest) = text.strip_prefix("<@") {
            let (inner, rest) = rest.split_once('>')?;
            let id = inner.split('|').next()?;
            return (id == self.id).then(|| rest.trim_start_matches([':', ',']).trim());
        }
        let local = self.id.trim_start_matches('@').split(':').next();
        let names = [Some(self.id), self.id.strip_prefix('@'), self.name, local];
        let bare = text.strip_prefix('@').unwrap_or(text);
        let mut found = names.into_iter().flatten().filter_map(|name| {
            let rest = strip(text, name).or_else(|| strip(bare, name))?;
            let rest = match rest.strip_prefix([':', ',']) {
                Some(rest) => rest,
                None if rest.is_empty() || rest.starts_with(char::is_whitespace) => rest,
                None => return None,
            };
            Some(rest.trim())
        });
        found.next()
    }
}

/// What stands behind a beginning, whatever the case.
fn strip<'t>(text: &'t str, beginning: &str) -> Option<&'t str> {
    if beginning.is_empty() {
        return None;
    }
    let mut rest = text.chars();
    for wanted in beginning.chars() {
        let found = rest.next()?;
        if !found.to_lowercase().eq(wanted.to_lowercase()) {
            return None;
        }
    }
    Some(rest.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const ROTA: Listener = Listener {
        command: "!rota",
        id: "@rota-bot:a.org",
        name: Some("Rota on call"),
    };

    #[test]
    fn quotations_are_cut_off() {
        for (body, expected) in [
            ("> <@ana:a> hi\n> more\n\n!rota me", "!rota me"),
            ("> <@ana:a> hi\n\n!rota", "!rota"),
            ("!rota", "!rota"),
            ("> only", "> only"),
        ] {
            let reply = json!({ "m.in_reply_to": { "event_id": "$0" } });
            let content = json!({ "msgtype": "m.text", "body": body, "m.relates_to": reply });
            assert_eq!(written(&content).as_deref(), Some(expected), "{body}");
            let content = json!({ "msgtype": "m.text", "body": body });
            assert_eq!(written(&content).as_deref(), Some(body));
        }
    }

    #[test]
    fn links_to_people_are_read() {
        for (html, expected) in [
            (
                "!rota PLAT set <a href=\"https://matrix.to/#/@bo:a.org\">Bo &amp; co</a> now",
                "!rota PLAT set <@@bo:a.org|Bo & co> now",
            ),
            (
                "<mx-reply>x</mx-reply><a href='https://matrix.to/#/%40bo%3Aa.org?via=a'>B</a>: PLAT",
                "<@@bo:a.org|B>: PLAT",
            ),
            (
                "see <a href=\"https://matrix.to/#/!room:a.org\">it</a><br>next &lt;b&gt;",
                "see it\nnext <b>",
            ),
        ] {
            let content = json!({ "msgtype": "m.text", "body": "x", "formatted_body": html });
            assert_eq!(written(&content).as_deref(), Some(expected), "{html}");
        }
        assert_eq!(plainly("a <@@bo:a|Bo> <@@cy:a> <b"), "a @Bo @cy:a <b");
    }

    #[test]
    fn commands_begin_with_their_word() {
        for (text, expected) in [
            ("!rota", Some("")),
            ("!Rota  PLAT rotate \nmore", Some("PLAT rotate")),
            ("!rotate", None),
            ("a !rota", None),
            ("", None),
        ] {
            assert_eq!(ROTA.command_in(text), expected, "{text}");
        }
    }

    #[test]
    fn mentions_begin_with_a_name() {
        for (text, expected) in [
            ("rota-bot: PLAT look", Some("PLAT look")),
            ("@Rota-Bot PLAT look", Some("PLAT look")),
            ("@rota-bot:a.org, PLAT", Some("PLAT")),
            ("Rota on call PLAT", Some("PLAT")),
            ("@rota on CALL: PLAT", Some("PLAT")),
            ("<@@rota-bot:a.org|Rota on call>: PLAT x", Some("PLAT x")),
            ("<@@bo:a.org|Rota on call>: PLAT x", None),
            ("rota-bots PLAT", None),
            ("hello rota-bot PLAT", None),
        ] {
            assert_eq!(ROTA.mention_in(text), expected, "{text}");
        }
    }

    #[test]
    fn handles_are_called() {
        for (text, expected) in [
            ("@oncall help", true),
            ("please @OnCall.", true),
            ("(@oncall)", true),
            ("@oncall: look", true),
            ("@oncall-db", false),
            ("x@oncall", false),
            ("@oncall:a.org", false),
            ("oncall", false),
        ] {
            assert_eq!(calls(text, "oncall"), expected, "{text}");
        }
    }
}

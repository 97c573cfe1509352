//! Incoming webhooks: addresses at which a chat product takes messages for one channel. The formats are those that the products
//! document.

use super::plain::plain;
use crate::client::guard::GuardedClient;
use crate::client::{HttpResponse, Limits, Request};
use crate::domain::ids::ChannelId;
use crate::domain::relay::RelayError;
use crate::domain::retry_schedule;
use crate::domain::words::words;
use jiff::Timestamp;
use serde_json::{Value, json};
use std::fmt;
use std::time::Duration;

/// The limits of a post.
const LIMITS: Limits = Limits {
    total: Duration::from_secs(12),
    body: Duration::from_secs(2),
    body_bytes: 1024,
};

/// The characters of an answer that are shown.
const SHOWN: usize = 200;

/// `[[chat.incoming_webhook]]`: where the messages to a channel are posted.
#[derive(Clone, PartialEq, Eq)]
pub struct IncomingWebhook {
    pub channel: ChannelId,
    /// A secret: whoever knows it can post.
    pub url: String,
    pub style: Style,
}

/// Without the address, which is a secret.
impl fmt::Debug for IncomingWebhook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "IncomingWebhook({} {:?})", self.channel, self.style)
    }
}

words! {
    /// The format of a post.
    pub enum Style {
        /// Slack's, which Mattermost, Rocket.Chat and Discord (with `/slack` at the end of the address) take as well.
        Slack = "slack",
        /// An Adaptive Card, for Microsoft Teams.
        Teams = "teams",
        /// Google Chat.
        Google = "google",
        /// An object with the text and what it is about, for programs.
        Json = "json",
    }
}

impl Style {
    /// Text of people on one line, so that the product reads no markup and no mention in it. Slack decodes `&`, `<` and `>`
    /// again; other characters with a meaning are followed by a space without width, which takes it away. Mattermost, Rocket.Chat
    /// and Discord take Slack's format and read Markdown in it: a mark that begins a heading, a quotation or a list stands behind
    /// such a space, because the text may be the beginning of a line.
    pub fn escape(self, text: &str) -> String {
        let marks = match self {
            Style::Json => return plain(text),
            Style::Slack => "@*_~`[]()!",
            Style::Teams => "*_~`[]()#<>|\\!",
            Style::Google => "@*_~`<>|",
        };
        let text = plain(text);
        let mut escaped = String::with_capacity(text.len());
        if self == Style::Slack && text.trim_start().starts_with(['#', '>', '-', '+']) {
            escaped.push('\u{200b}');
        }
        for c in text.chars() {
            match c {
                '&' if self == Style::Slack => escaped.push_str("&amp;"),
                '<' if self == Style::Slack => escaped.push_str("&lt;"),
                '>' if self == Style::Slack => escaped.push_str("&gt;"),
                c => escaped.push(c),
            }
            if marks.contains(c) {
                escaped.push('\u{200b}');
            }
        }
        escaped
    }
}

/// The content of a post.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Post {
    /// Escaped for the style, with lines that end in `\n`.
    pub text: String,
    /// Where an answer is given, with what the link says.
    pub link: Option<(&'static str, String)>,
    pub rotation: Option<String>,
    pub kind: String,
    pub at: Timestamp,
}

impl Post {
    /// The body in a style.
    pub fn body(&self, style: Style) -> Value {
        let with_link = || match &self.link {
            Some((_, url)) => format!("{}\n{url}", self.text),
            None => self.text.clone(),
        };
        match style {
            // `mrkdwn` is Slack's; the others ignore it.
            Style::Slack => json!({ "text": with_link(), "mrkdwn": false }),
            Style::Google => json!({ "text": with_link() }),
            Style::Json => json!({
                "text": with_link(),
                "rotationId": self.rotation,
                "kind": self.kind,
                "at": self.at.to_string(),
            }),
            Style::Teams => self.card(),
        }
    }

    /// The text as runs, in which Teams reads no markup, a block a line.
    fn card(&self) -> Value {
        let block = |line: &str| json!({ "type": "RichTextBlock", "inlines": [{ "type": "TextRun", "text": line }] });
        let lines: Vec<Value> = self.text.lines().map(block).collect();
        let mut card = json!({
            "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
            "type": "AdaptiveCard",
            "version": "1.4",
            "fallbackText": self.text,
            "body": lines,
        });
        if let Some((label, url)) = &self.link {
            card["actions"] = json!([{ "type": "Action.OpenUrl", "title": label, "url": url }]);
        }
        let attachment = json!({
            "contentType": "application/vnd.microsoft.card.adaptive",
            "contentUrl": null,
            "content": card,
        });
        json!({ "type": "message", "attachments": [attachment] })
    }
}

impl IncomingWebhook {
    /// Posts. Returns what the product said. Takes at most 12 s.
    ///
    /// # Errors
    /// [`RelayError::Permanent`] if the product refuses the post for good; otherwise a retry may succeed.
    pub fn post(
        &self,
        client: &GuardedClient,
        post: &Post,
        now: Timestamp,
    ) -> Result<String, RelayError> {
        let body = post.body(self.style);
        let request = Request::post(&self.url).json(&body).within(LIMITS);
        let answer = client.send(&request).map_err(|error| {
            // The address of the webhook is a secret, so it is not in the text.
            RelayError::temporary(format!("the incoming webhook is not reached: {error}"))
        })?;
        judge(&answer, now)
    }
}

fn judge(answer: &HttpResponse, now: Timestamp) -> Result<String, RelayError> {
    let status = answer.status;
    let body = plain(&String::from_utf8_lossy(&answer.body));
    let body: String = body.trim().chars().take(SHOWN).collect();
    let said = match body.is_empty() {
        true => status.to_string(),
        false => format!("{status} {body}"),
    };
    let why = format!("the incoming webhook answered {said}");
    match status {
        200..=299 => Ok(said),
        429 => {
            let asked = answer.header("retry-after");
            let asked = asked.and_then(|header| retry_schedule::retry_after(header, now));
            let wait = asked.map(jiff::SignedDuration::from_secs);
            Err(RelayError::Temporary { why, wait })
        }
        408 | 425 | 500..=599 => Err(RelayError::temporary(why)),
        _ => Err(RelayError::Permanent(why)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_people_has_no_markup_and_mentions_nobody() {
        for (style, text, escaped) in [
            (Style::Slack, "Ana <a&b>", "Ana &lt;a&amp;b&gt;"),
            (
                Style::Slack,
                "[x](https://y) ![z](w)",
                "[\u{200b}x]\u{200b}(\u{200b}https://y)\u{200b} !\u{200b}[\u{200b}z]\u{200b}(\u{200b}w)\u{200b}",
            ),
            (Style::Slack, "# a", "\u{200b}# a"),
            (Style::Slack, "> a", "\u{200b}&gt; a"),
            (Style::Slack, " - a", "\u{200b} - a"),
            (Style::Slack, "+ a", "\u{200b}+ a"),
            (Style::Slack, "a # b > c - d", "a # b &gt; c - d"),
            (
                Style::Slack,
                "<!channel> @all *x*",
                "&lt;!\u{200b}channel&gt; @\u{200b}all *\u{200b}x*\u{200b}",
            ),
            (Style::Slack, "a\nb", "a b"),
            (
                Style::Teams,
                "[x](https://y) *b*",
                "[\u{200b}x]\u{200b}(\u{200b}https://y)\u{200b} *\u{200b}b*\u{200b}",
            ),
            (
                Style::Teams,
                "<at>Ana</at>",
                "<\u{200b}at>\u{200b}Ana<\u{200b}/at>\u{200b}",
            ),
            (
                Style::Google,
                "<users/all> _x_",
                "<\u{200b}users/all>\u{200b} _\u{200b}x_\u{200b}",
            ),
            (Style::Json, "<b> *x* @all", "<b> *x* @all"),
            (Style::Json, "a\u{202e}b", "ab"),
        ] {
            assert_eq!(style.escape(text), escaped, "{style:?} {text}");
        }
    }

    #[test]
    fn each_style_has_the_body_that_its_product_documents() {
        let post = Post {
            text: "One.\nTwo.".into(),
            link: Some(("Answer", "https://rota.example/mentions/men_1".into())),
            rotation: Some("rot_1".into()),
            kind: "mention".into(),
            at: "2026-11-23T08:00:00Z".parse().unwrap(),
        };
        let text = "One.\nTwo.\nhttps://rota.example/mentions/men_1";
        assert_eq!(
            post.body(Style::Slack),
            json!({ "text": text, "mrkdwn": false })
        );
        assert_eq!(post.body(Style::Google), json!({ "text": text }));
        let json = post.body(Style::Json);
        let expected = json!({ "text": text, "rotationId": "rot_1", "kind": "mention", "at": "2026-11-23T08:00:00Z" });
        assert_eq!(json, expected);
        let teams = post.body(Style::Teams);
        let card = &teams["attachments"][0]["content"];
        assert_eq!(teams["type"], "message");
        assert_eq!(card["type"], "AdaptiveCard");
        assert_eq!(card["body"][1]["inlines"][0]["text"], "Two.");
        assert_eq!(
            card["actions"][0]["url"],
            "https://rota.example/mentions/men_1"
        );
    }

    /// rules.md 19.5.
    #[test]
    fn answers_are_final_or_not() {
        let now = Timestamp::UNIX_EPOCH;
        let answer = |status, header: Option<&str>| HttpResponse {
            status,
            headers: header
                .map(|value| ("retry-after".into(), value.into()))
                .into_iter()
                .collect(),
            body: b"no\nservice".to_vec(),
            truncated: false,
        };
        assert_eq!(judge(&answer(200, None), now), Ok("200 no service".into()));
        for (status, header, wait) in [
            (429, Some("30"), Some(30)),
            (429, None, None),
            (503, None, None),
            (408, None, None),
        ] {
            let Err(RelayError::Temporary { wait: asked, why }) =
                judge(&answer(status, header), now)
            else {
                panic!("{status} is temporary");
            };
            assert_eq!(asked.map(|wait| wait.as_secs()), wait, "{status} {why}");
        }
        for status in [301, 400, 403, 404, 410] {
            let judged = judge(&answer(status, None), now);
            assert!(matches!(judged, Err(RelayError::Permanent(_))), "{status}");
        }
    }
}

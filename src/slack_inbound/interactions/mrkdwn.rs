//! Slack's markup: what rota writes in it, and what people wrote in it as plain text.

use crate::chat::slack::escaped;
use crate::domain::ids::UserId;
use crate::domain::time::FOREVER;
use crate::domain::wording::one_line;
use crate::domain::zones::ZoneName;
use crate::talk::{Markup, times};
use jiff::Timestamp;

/// User text on one line, so that Slack reads no people, groups, channels or links in it.
pub fn plain(text: &str) -> String {
    escaped(&one_line(text))
}

/// A person, whom Slack shows by their current name. Nobody is notified by it in what only one person sees.
pub fn person(user: &UserId) -> String {
    match is_id(user.as_str()) {
        true => format!("<@{user}>"),
        false => plain(user.as_str()),
    }
}

/// An instant, which Slack shows in the zone of whoever reads it. Where it cannot, it stands in the reader's zone as we know it.
pub fn time(at: Timestamp, zone: ZoneName) -> String {
    if at >= FOREVER {
        return times::text(at, zone);
    }
    let fallback = times::text(at, zone);
    format!(
        "<!date^{}^{{date_short_pretty}}, {{time}}|{fallback}>",
        at.as_second()
    )
}

/// A link. The address is ours.
pub fn link(url: &str, text: &str) -> String {
    format!("<{}|{}>", plain(url).replace('|', "%7C"), plain(text))
}

/// Slack's markup.
pub struct Mrkdwn;

impl Markup for Mrkdwn {
    fn plain(&self, text: &str) -> String {
        plain(text)
    }

    fn person(&self, user: &UserId, _: Option<&str>) -> String {
        person(user)
    }

    fn uses_names(&self) -> bool {
        false
    }

    fn time(&self, at: Timestamp, zone: ZoneName) -> String {
        time(at, zone)
    }

    fn strong(&self, written: &str) -> String {
        format!("*{written}*")
    }

    fn code(&self, text: &str) -> String {
        format!("`{}`", plain(text).replace('`', "'"))
    }

    fn link(&self, url: &str, text: &str) -> String {
        link(url, text)
    }

    fn quote(&self, text: &str) -> String {
        format!("&gt; {}", plain(text))
    }
}

fn is_id(id: &str) -> bool {
    !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric())
}

/// The length as Slack counts it.
pub fn length(text: &str) -> usize {
    text.encode_utf16().count()
}

/// Shortens markup to at most `most` units, never within `<...>` or an escaped character, with an ellipsis where something is cut
/// off.
pub fn cut(text: &str, most: usize) -> String {
    if length(text) <= most {
        return text.to_owned();
    }
    let (mut units, mut end) = (1, 0);
    // What has begun and must not be cut.
    let mut whole: Option<char> = None;
    for (at, letter) in text.char_indices() {
        units += letter.len_utf16();
        if units > most {
            break;
        }
        whole = match (whole, letter) {
            (None, '<') => Some('>'),
            (None, '&') => Some(';'),
            (Some(last), letter) if last == letter => None,
            (whole, _) => whole,
        };
        if whole.is_none() {
            end = at + letter.len_utf8();
        }
    }
    format!("{}…", text[..end].trim_end())
}

/// Shortens a plain text to at most `most` units.
pub fn cut_plain(text: &str, most: usize) -> String {
    let text = one_line(text);
    if length(&text) <= most {
        return text;
    }
    let mut units = 1;
    let kept = text.chars().take_while(|letter| {
        units += letter.len_utf16();
        units <= most
    });
    let kept: String = kept.collect();
    format!("{}…", kept.trim_end())
}

/// A text of Slack as plain text: `<@U1|ana>` is `@ana`, `<https://a.b|text>` is the address, and escaped characters
/// are themselves. `name` knows what people are called.
pub fn unescaped(text: &str, name: impl Fn(&UserId) -> Option<String>) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(begin) = rest.find('<') {
        plain.push_str(&rest[..begin]);
        rest = &rest[begin..];
        let Some(end) = rest.find('>') else { break };
        plain.push_str(&one(&rest[1..end], &name));
        rest = &rest[end + 1..];
    }
    plain.push_str(rest);
    let plain = plain.replace("&lt;", "<").replace("&gt;", ">");
    plain.replace("&amp;", "&")
}

/// The text for what stands between `<` and `>`.
fn one(inner: &str, name: impl Fn(&UserId) -> Option<String>) -> String {
    let (id, label) = inner.split_once('|').unwrap_or((inner, ""));
    let labelled = |sign: char, id: &str| match label.trim_start_matches(sign) {
        "" => format!("{sign}{id}"),
        label => format!("{sign}{label}"),
    };
    if let Some(user) = id.strip_prefix('@') {
        let known = name(&UserId::from(user));
        return known.map_or_else(|| labelled('@', user), |name| format!("@{name}"));
    }
    if let Some(channel) = id.strip_prefix('#') {
        return labelled('#', channel);
    }
    match id.strip_prefix('!') {
        Some(date) if date.starts_with("date^") => label.to_owned(),
        Some(special) => labelled('@', special.trim_start_matches("subteam^")),
        None => id.to_owned(),
    }
}

/// The text behind the mention of the app: `<@U0> PLAT look` is `PLAT look`. A text that begins otherwise is taken from behind its
/// first mention.
pub fn behind_mention(text: &str) -> &str {
    let Some(begin) = text.find("<@") else {
        return text.trim();
    };
    let end = text[begin..]
        .find('>')
        .map_or(text.len(), |end| begin + end + 1);
    text[end..].trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_text_is_no_markup() {
        for (text, expected) in [
            ("Ana", "Ana"),
            ("<!channel>", "&lt;!channel&gt;"),
            ("<@U1> & co", "&lt;@U1&gt; &amp; co"),
            ("two\nlines", "two lines"),
        ] {
            assert_eq!(plain(text), expected);
        }
        assert_eq!(person(&"U1".into()), "<@U1>");
        assert_eq!(person(&"U1>".into()), "U1&gt;");
        assert_eq!(
            link("http://a/b?c=1&d", "x>y"),
            "<http://a/b?c=1&amp;d|x&gt;y>"
        );
    }

    #[test]
    fn instants_have_a_fallback() {
        let zone = ZoneName::parse("Europe/Berlin").unwrap();
        let at = "2026-11-23T08:00:00Z".parse().unwrap();
        let expected = "<!date^1795420800^{date_short_pretty}, {time}|Mon 23 Nov 2026, 09:00>";
        assert_eq!(time(at, zone), expected);
        assert_eq!(time(Timestamp::MAX, zone), "for ever");
    }

    #[test]
    fn markup_is_cut_between_things() {
        for (text, most, expected) in [
            ("abc", 3, "abc"),
            ("abcd", 3, "ab…"),
            ("ab <@U1> cd", 7, "ab…"),
            ("ab <@U1> cd", 10, "ab <@U1>…"),
            ("a&amp;b", 4, "a…"),
            ("a&amp;bc", 7, "a&amp;…"),
            ("🙂🙂🙂", 5, "🙂🙂…"),
            ("<@U1>", 3, "…"),
        ] {
            let short = cut(text, most);
            assert_eq!(short, expected, "{text} {most}");
            assert!(length(&short) <= most);
        }
        assert_eq!(cut_plain("a\nbcd", 4), "a b…");
        assert_eq!(cut_plain("🙂🙂", 4), "🙂🙂");
        assert_eq!(cut_plain("🙂🙂", 3), "🙂…");
    }

    #[test]
    fn what_people_write_becomes_plain() {
        let name = |user: &UserId| (user.as_str() == "U1").then(|| "Ana".to_owned());
        for (text, expected) in [
            ("plain", "plain"),
            ("&lt;b&gt; &amp;amp;", "<b> &amp;"),
            ("<@U1> <@U2|bo> <@U3>", "@Ana @bo @U3"),
            ("<#C1|general> <#C2>", "#general #C2"),
            (
                "<!channel> <!subteam^S1|@ops> <!here|@here>",
                "@channel @ops @here",
            ),
            ("<https://a.b/c|a.b>", "https://a.b/c"),
            ("<!date^1^{date}|yesterday>", "yesterday"),
            ("a < b", "a < b"),
            ("<@U1", "<@U1"),
        ] {
            assert_eq!(unescaped(text, name), expected, "{text}");
        }
    }

    #[test]
    fn mentions_are_taken_off() {
        for (text, expected) in [
            ("<@U0> PLAT look", "PLAT look"),
            ("hey <@U0|rota>  PLAT", "PLAT"),
            ("<@U0>", ""),
            ("<@U0", ""),
            ("PLAT", "PLAT"),
        ] {
            assert_eq!(behind_mention(text), expected, "{text}");
        }
    }
}

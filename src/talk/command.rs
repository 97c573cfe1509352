//! What stands behind the command, as values. Pure: whether a code or a person exists is decided later.

use crate::domain::ids::UserId;
use jiff::civil::Date;

/// A command as it was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Nothing: who is on call everywhere.
    Overview,
    /// A code alone: one rotation.
    Rotation(String),
    /// `CODE rotate`.
    Rotate(String),
    /// `CODE set @ana @bo`.
    Set(String, Vec<PersonWord>),
    /// `cover`, `CODE cover`.
    Cover(Option<String>),
    /// `swap`, `CODE swap`.
    Swap(Option<String>),
    /// `away`, with the days that were typed behind it: the first and the last one.
    Away(Option<Date>, Option<Date>),
    Back,
    Me,
    Link,
    Help,
    /// Anything else: what was not understood, and the code before it, if there is one.
    Unknown(Unknown),
}

/// The part of a command that was not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    pub word: String,
    pub code: Option<String>,
}

/// How somebody is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PersonWord {
    /// As Slack escapes people, and as links to people are read: `<@U1|ana>`.
    Person(UserId),
    /// A user group, which cannot be on call itself: `<!subteam^S1|@ops>`, by what it is called.
    Group(String),
    /// A word that is marked as nobody, or what stands in quotation marks, without its `@`.
    Word(String),
}

/// The words that are commands where they come first. A rotation whose code is one of them is named by `CODE VERB`.
const ALONE: [&str; 7] = ["cover", "swap", "away", "back", "me", "link", "help"];

/// The words that follow a code.
const BEHIND: [&str; 4] = ["rotate", "set", "cover", "swap"];

impl Command {
    /// Reads what follows the command.
    pub fn parse(text: &str) -> Command {
        let words = words(text);
        let mut rest = words.iter().map(String::as_str);
        let Some(first) = rest.next() else {
            return Command::Overview;
        };
        let verb = rest.next();
        let behind: Vec<&str> = rest.collect();
        let lower = verb.map(str::to_lowercase);
        let is_verb = lower.as_deref().is_some_and(|verb| BEHIND.contains(&verb));
        let alone = first.to_lowercase();
        if ALONE.contains(&alone.as_str()) && !is_verb {
            let rest = &words[1..];
            return Command::alone(&alone, rest).unwrap_or_else(|| Command::unknown(first, None));
        }
        let code = first.to_owned();
        match (lower.as_deref(), verb) {
            (None, _) => Command::Rotation(code),
            (Some("rotate"), _) if behind.is_empty() => Command::Rotate(code),
            (Some("cover"), _) if behind.is_empty() => Command::Cover(Some(code)),
            (Some("swap"), _) if behind.is_empty() => Command::Swap(Some(code)),
            (Some("set"), _) => {
                Command::Set(code, behind.into_iter().map(PersonWord::parse).collect())
            }
            (_, verb) => {
                let word = behind.first().copied().filter(|_| is_verb).or(verb);
                Command::unknown(word.unwrap_or_default(), Some(code))
            }
        }
    }

    fn alone(verb: &str, rest: &[String]) -> Option<Command> {
        let command = match verb {
            "away" => {
                let days: Vec<&String> = rest.iter().filter(|word| !is_dash(word)).collect();
                let days: Option<Vec<Date>> =
                    days.into_iter().map(|day| day.parse().ok()).collect();
                let days = days.filter(|days| days.len() <= 2)?;
                return Some(Command::Away(days.first().copied(), days.get(1).copied()));
            }
            "help" => return Some(Command::Help),
            "cover" => Command::Cover(None),
            "swap" => Command::Swap(None),
            "back" => Command::Back,
            "me" => Command::Me,
            _ => Command::Link,
        };
        rest.is_empty().then_some(command)
    }

    fn unknown(word: &str, code: Option<String>) -> Command {
        Command::Unknown(Unknown {
            word: word.to_owned(),
            code,
        })
    }
}

impl PersonWord {
    /// Reads one word of a line.
    pub fn parse(word: &str) -> PersonWord {
        let inner = word
            .strip_prefix('<')
            .and_then(|word| word.strip_suffix('>'));
        let Some(inner) = inner else {
            return PersonWord::Word(
                word.trim_start_matches('@')
                    .trim_end_matches(',')
                    .to_owned(),
            );
        };
        let (id, label) = inner.split_once('|').unwrap_or((inner, ""));
        match id.strip_prefix('@') {
            Some(user) if !user.is_empty() => PersonWord::Person(UserId::from(user)),
            _ => match id.strip_prefix("!subteam^") {
                Some(group) => PersonWord::Group(match label.trim_start_matches('@') {
                    "" => group.to_owned(),
                    label => label.to_owned(),
                }),
                None => PersonWord::Word(word.to_owned()),
            },
        }
    }
}

/// The separators between two days.
fn is_dash(word: &str) -> bool {
    ["-", "–", "—", "to", "until"].contains(&word.to_lowercase().as_str())
}

/// Words between blanks. What is marked as a person is one word, whatever blanks its label has, and so is what stands in quotation
/// marks.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let (mut escaped, mut quoted) = (false, false);
    for letter in text.chars() {
        match letter {
            '"' | '“' | '”' if !escaped && (quoted || word.is_empty() || word == "@") => {
                quoted = !quoted;
            }
            letter if quoted => word.push(letter),
            '<' => {
                // `<@U1><@U2>` are two people.
                push(&mut words, &mut word);
                escaped = true;
                word.push(letter);
            }
            '>' if escaped => {
                escaped = false;
                word.push(letter);
                push(&mut words, &mut word);
            }
            blank if !escaped && (blank.is_whitespace() || blank == ',') => {
                push(&mut words, &mut word);
            }
            letter => word.push(letter),
        }
    }
    push(&mut words, &mut word);
    words
}

fn push(words: &mut Vec<String>, word: &mut String) {
    if !word.is_empty() {
        words.push(std::mem::take(word));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unknown(word: &str, code: Option<&str>) -> Command {
        Command::unknown(word, code.map(str::to_owned))
    }

    #[test]
    fn commands() {
        let code = |code: &str| code.to_owned();
        let day = |day: &str| day.parse::<Date>().ok();
        for (text, expected) in [
            ("", Command::Overview),
            (" \u{a0}\n ", Command::Overview),
            ("PLAT", Command::Rotation(code("PLAT"))),
            ("  plat  ", Command::Rotation(code("plat"))),
            ("PLAT rotate", Command::Rotate(code("PLAT"))),
            ("plat ROTATE", Command::Rotate(code("plat"))),
            ("PLAT rotate now", unknown("now", Some("PLAT"))),
            ("PLAT handover", unknown("handover", Some("PLAT"))),
            ("PLAT <!channel>", unknown("<!channel>", Some("PLAT"))),
            ("cover", Command::Cover(None)),
            ("Cover", Command::Cover(None)),
            ("cover me", unknown("cover", None)),
            ("PLAT cover", Command::Cover(Some(code("PLAT")))),
            ("COVER cover", Command::Cover(Some(code("COVER")))),
            ("me rotate", Command::Rotate(code("me"))),
            ("swap", Command::Swap(None)),
            ("PLAT swap", Command::Swap(Some(code("PLAT")))),
            ("away", Command::Away(None, None)),
            ("away 2026-12-01", Command::Away(day("2026-12-01"), None)),
            (
                "away 2026-12-01 to 2026-12-08",
                Command::Away(day("2026-12-01"), day("2026-12-08")),
            ),
            ("away tomorrow", unknown("away", None)),
            ("away 2026-13-01", unknown("away", None)),
            ("back", Command::Back),
            ("me", Command::Me),
            ("link", Command::Link),
            ("help", Command::Help),
            ("HELP me", Command::Help),
        ] {
            assert_eq!(Command::parse(text), expected, "{text:?}");
        }
    }

    #[test]
    fn people_are_named_as_slack_escapes_them() {
        let person = |id: &str| PersonWord::Person(id.into());
        for (text, expected) in [
            ("PLAT set", vec![]),
            ("PLAT set <@U1|ana>", vec![person("U1")]),
            (
                "PLAT set <@U1> <@U2|bo b>",
                vec![person("U1"), person("U2")],
            ),
            ("PLAT SET <@U1><@U2>", vec![person("U1"), person("U2")]),
            (
                "PLAT set <@U1|ana>, <@U2|bo>",
                vec![person("U1"), person("U2")],
            ),
            ("PLAT set @Ana", vec![PersonWord::Word("Ana".into())]),
            (
                "PLAT set \"Ana B\" @“Bo C” @dee:a.org",
                ["Ana B", "Bo C", "dee:a.org"]
                    .map(|word| PersonWord::Word(word.into()))
                    .to_vec(),
            ),
            ("PLAT set <@@ana:a.org|Ana B>", vec![person("@ana:a.org")]),
            (
                "PLAT set <!subteam^S1|@ops>",
                vec![PersonWord::Group("ops".into())],
            ),
            (
                "PLAT set <!subteam^S1>",
                vec![PersonWord::Group("S1".into())],
            ),
            (
                "PLAT set <!channel>",
                vec![PersonWord::Word("<!channel>".into())],
            ),
            ("PLAT set <@>", vec![PersonWord::Word("<@>".into())]),
            ("PLAT set <@U1", vec![PersonWord::Word("<@U1".into())]),
        ] {
            assert_eq!(
                Command::parse(text),
                Command::Set("PLAT".into(), expected),
                "{text}"
            );
        }
    }

    #[test]
    fn any_text_is_read() {
        for text in [
            "<",
            ">",
            "<<<>>>",
            "a<b>c",
            "<@U1|<@U2>>",
            &"x ".repeat(4000),
            "\0",
        ] {
            let _ = Command::parse(text);
        }
    }
}

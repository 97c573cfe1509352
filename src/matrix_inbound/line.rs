//! Commands that take the place of forms: `CODE cover`, `CODE swap` and `away`, with all that they need in one line. Pure.

use crate::talk::command::PersonWord;
use jiff::civil::{Date, DateTime, Time};

/// A line that asks for something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    Cover {
        code: String,
        /// Nobody asks everybody.
        people: Vec<PersonWord>,
        from: DateTime,
        to: DateTime,
        reason: String,
    },
    Swap {
        code: String,
        own: Day,
        with: PersonWord,
        theirs: Day,
        reason: String,
    },
    Away {
        first: Date,
        /// Included.
        last: Date,
        reason: String,
    },
}

/// When a turn begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Day {
    pub date: Date,
    /// Where two turns begin on one day.
    pub time: Option<Time>,
}

/// What a line should have been, without the word of the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Example {
    Cover,
    Swap,
    Away,
}

impl Example {
    /// With a code; empty where there is none yet.
    pub fn text(self, code: &str) -> String {
        let code = if code.is_empty() { "CODE" } else { code };
        match self {
            Example::Cover => {
                format!("{code} cover @bo 2026-12-09 08:00 to 2026-12-10 08:00 reason")
            }
            Example::Swap => format!("{code} swap 2026-12-09 with @bo 2026-12-16"),
            Example::Away => "away 2026-12-09 to 2026-12-11 reason".to_owned(),
        }
    }
}

impl Line {
    /// Reads what stands behind the command; `None` where it is another command.
    ///
    /// # Errors
    /// The code, if there is one, and what the line should have been.
    pub fn parse(text: &str) -> Option<Result<Line, (String, Example)>> {
        let mut words = Words(text);
        let first = words.next()?;
        let mut behind = words.clone();
        let verb = behind.next().map(|word| word.to_lowercase());
        let code = || first.to_owned();
        let (example, read) = match (first.to_lowercase().as_str(), verb.as_deref()) {
            (_, Some("cover")) => (Example::Cover, Line::cover(code(), behind)),
            (_, Some("swap")) => (Example::Swap, Line::swap(code(), behind)),
            ("away", _) => (Example::Away, Line::away(words)),
            ("cover", _) => return Some(Err((String::new(), Example::Cover))),
            ("swap", _) => return Some(Err((String::new(), Example::Swap))),
            _ => return None,
        };
        Some(read.ok_or((code(), example)))
    }

    fn cover(code: String, mut words: Words) -> Option<Line> {
        let mut people = Vec::new();
        while words.date().is_none() {
            people.push(PersonWord::parse(&words.next()?));
        }
        let from = words.take_date()?.to_datetime(words.take_time()?);
        words.take_to()?;
        let to = words.take_date()?.to_datetime(words.take_time()?);
        Some(Line::Cover {
            code,
            people,
            from,
            to,
            reason: words.rest(),
        })
    }

    fn swap(code: String, mut words: Words) -> Option<Line> {
        let own = words.take_day()?;
        words
            .next()
            .filter(|word| word.eq_ignore_ascii_case("with"))?;
        let with = PersonWord::parse(&words.next()?);
        let theirs = words.take_day()?;
        Some(Line::Swap {
            code,
            own,
            with,
            theirs,
            reason: words.rest(),
        })
    }

    fn away(mut words: Words) -> Option<Line> {
        let first = words.take_date()?;
        let mut behind = words.clone();
        let last = match behind.take_to() {
            Some(()) => {
                words = behind;
                words.take_date()?
            }
            None => first,
        };
        Some(Line::Away {
            first,
            last,
            reason: words.rest(),
        })
    }
}

/// The words of a line that are not read yet.
#[derive(Clone)]
struct Words<'a>(&'a str);

impl Words<'_> {
    /// The next word: what is marked as a person, or stands in quotation marks, is one.
    fn next(&mut self) -> Option<String> {
        let text = self
            .0
            .trim_start_matches(|c: char| c.is_whitespace() || c == ',');
        if text.is_empty() {
            return None;
        }
        let quoted = text.strip_prefix('@').unwrap_or(text);
        if let Some(inner) = quoted.strip_prefix(['"', '“', '”'])
            && let Some(end) = inner.find(['"', '“', '”'])
        {
            self.0 = inner[end..].trim_start_matches(['"', '“', '”']);
            return Some(inner[..end].to_owned());
        }
        let end = match text.starts_with("<@").then(|| text.find('>')).flatten() {
            Some(end) => end + 1,
            None => text
                .find(|c: char| c.is_whitespace() || c == ',')
                .unwrap_or(text.len()),
        };
        self.0 = &text[end..];
        Some(text[..end].to_owned())
    }

    fn date(&self) -> Option<Date> {
        self.clone().take_date()
    }

    fn take_date(&mut self) -> Option<Date> {
        let word = self.next()?;
        word.parse()
            .ok()
            .filter(|_| word.len() == "2026-12-09".len())
    }

    fn take_time(&mut self) -> Option<Time> {
        let word = self.next()?;
        word.parse().ok().filter(|_| word.len() == "08:00".len())
    }

    fn take_day(&mut self) -> Option<Day> {
        let date = self.take_date()?;
        let mut behind = self.clone();
        let time = behind.take_time();
        if time.is_some() {
            *self = behind;
        }
        Some(Day { date, time })
    }

    fn take_to(&mut self) -> Option<()> {
        let word = self.next()?.to_lowercase();
        ["to", "until", "-", "–", "—"]
            .contains(&word.as_str())
            .then_some(())
    }

    fn rest(self) -> String {
        self.0.trim().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    fn word(word: &str) -> PersonWord {
        PersonWord::Word(word.into())
    }

    #[test]
    fn lines_are_read() {
        let cover = |people: Vec<PersonWord>, reason: &str| Line::Cover {
            code: "PLAT".into(),
            people,
            from: date(2026, 12, 9).at(8, 0, 0, 0),
            to: date(2026, 12, 10).at(8, 0, 0, 0),
            reason: reason.into(),
        };
        let swap = |own: Option<Time>, theirs: Option<Time>| Line::Swap {
            code: "PLAT".into(),
            own: Day {
                date: date(2026, 12, 9),
                time: own,
            },
            with: word("bo"),
            theirs: Day {
                date: date(2026, 12, 16),
                time: theirs,
            },
            reason: String::new(),
        };
        let away = |last: i8, reason: &str| Line::Away {
            first: date(2026, 12, 9),
            last: date(2026, 12, last),
            reason: reason.into(),
        };
        let times = "2026-12-09 08:00 to 2026-12-10 08:00";
        for (text, expected) in [
            (format!("PLAT cover {times}"), cover(vec![], "")),
            (
                format!("PLAT cover @bo {times} a \"good\"  reason"),
                cover(vec![word("bo")], "a \"good\"  reason"),
            ),
            (
                format!("PLAT COVER <@@bo:a|Bo B>, \"Cyd C\" {times}"),
                cover(vec![PersonWord::Person("@bo:a".into()), word("Cyd C")], ""),
            ),
            (
                "PLAT swap 2026-12-09 with @bo 2026-12-16".into(),
                swap(None, None),
            ),
            (
                "PLAT swap 2026-12-09 08:00 with @bo 2026-12-16 20:00".into(),
                swap(
                    Some(jiff::civil::time(8, 0, 0, 0)),
                    Some(jiff::civil::time(20, 0, 0, 0)),
                ),
            ),
            ("away 2026-12-09".into(), away(9, "")),
            ("away 2026-12-09 at sea".into(), away(9, "at sea")),
            (
                "Away 2026-12-09 to 2026-12-11 at sea".into(),
                away(11, "at sea"),
            ),
        ] {
            assert_eq!(Line::parse(&text), Some(Ok(expected)), "{text}");
        }
    }

    #[test]
    fn wrong_lines_are_known() {
        for (text, code, example) in [
            ("cover", "", Example::Cover),
            ("swap", "", Example::Swap),
            ("PLAT cover", "PLAT", Example::Cover),
            ("PLAT cover @bo", "PLAT", Example::Cover),
            (
                "PLAT cover @bo 2026-12-09 to 2026-12-10",
                "PLAT",
                Example::Cover,
            ),
            (
                "PLAT cover 2026-12-09 08:00 to 2026-12-32 08:00",
                "PLAT",
                Example::Cover,
            ),
            ("PLAT swap 2026-12-09 @bo 2026-12-16", "PLAT", Example::Swap),
            ("away", "away", Example::Away),
            ("away tomorrow", "away", Example::Away),
            ("away 2026-12-09 to tomorrow", "away", Example::Away),
        ] {
            let expected = Some(Err((code.to_owned(), example)));
            assert_eq!(Line::parse(text), expected, "{text}");
        }
        for text in ["", "PLAT", "PLAT rotate", "me", "back", "help"] {
            assert_eq!(Line::parse(text), None, "{text}");
        }
    }
}

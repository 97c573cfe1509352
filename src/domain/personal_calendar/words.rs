//! Words by which an event is known as an absence.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Words that count unless others were chosen.
pub const DEFAULT: [&str; 13] = [
    "out of office",
    "ooo",
    "vacation",
    "holiday",
    "pto",
    "leave",
    "sick",
    "away",
    "urlaub",
    "abwesend",
    "congé",
    "vacances",
    "vacaciones",
];

/// Words, or several in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    plain: Vec<Vec<String>>,
}

impl Default for Words {
    fn default() -> Words {
        Words::new(DEFAULT)
    }
}

impl Words {
    /// Those words. One without a letter or digit is nowhere.
    pub fn new<'a>(words: impl IntoIterator<Item = &'a str>) -> Words {
        let plain = words
            .into_iter()
            .map(parts)
            .filter(|parts| !parts.is_empty());
        Words {
            plain: plain.collect(),
        }
    }

    /// Whether one of them stands in a text as a whole word, without regard to case and accents.
    pub fn are_in(&self, text: &str) -> bool {
        let text = parts(text);
        self.plain
            .iter()
            .any(|word| text.windows(word.len()).any(|part| part == &word[..]))
    }
}

/// The words of a text, in lower case and without accents.
fn parts(text: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut part = String::new();
    for c in text.chars().flat_map(char::to_lowercase) {
        match c {
            // Combining accents, as some programs write them after their letter.
            '\u{300}'..='\u{36f}' => {}
            c if c.is_alphanumeric() => match plain(c) {
                Some(plain) => part.push_str(plain),
                None => part.push(c),
            },
            _ if part.is_empty() => {}
            _ => parts.push(std::mem::take(&mut part)),
        }
    }
    if !part.is_empty() {
        parts.push(part);
    }
    parts
}

/// `letter accented-letters` lines for Latin, Greek and Cyrillic, by Unicode's decompositions; letters that have none, such as ø,
/// by how they are written without.
static PLAIN: &str = include_str!("../data/plain-letters.txt");

/// Each accented letter, and what it is without its accents.
static LETTERS: LazyLock<HashMap<char, &'static str>> = LazyLock::new(|| {
    let lines = PLAIN.lines().filter_map(|line| line.split_once(' '));
    let pairs = lines.flat_map(|(plain, accented)| accented.chars().map(move |c| (c, plain)));
    // Of two lines with one letter the first counts.
    pairs.collect::<Vec<_>>().into_iter().rev().collect()
});

/// A lower-case letter without its accents, if it has any.
fn plain(accented: char) -> Option<&'static str> {
    match accented.is_ascii() || accented >= '\u{2000}' {
        true => None,
        false => LETTERS.get(&accented).copied(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_whole_and_without_case_or_accents() {
        let own = Words::new(["Été", "straße", "on  leave", "νησί", "休暇", "--"]);
        let usual = Words::default();
        for (words, text, expected) in [
            (&usual, "Vacation", true),
            (&usual, "summer VACATION!", true),
            (&usual, "vacations", false),
            (&usual, "Out-of-Office", true),
            (&usual, "out of the office", false),
            (&usual, "OOO: Ada", true),
            (&usual, "oooh", false),
            (&usual, "conge", true),
            (&usual, "CONGÉ", true),
            (&usual, "conge\u{301} annuel", true),
            (&usual, "(Urlaub)", true),
            (&usual, "Urlaubsplanung", false),
            (&usual, "sick-leave", true),
            (&usual, "", false),
            (&own, "l'ete", true),
            (&own, "STRASSE", true),
            (&own, "on leave", true),
            (&own, "leave on", false),
            (&own, "ΝΗΣΙ", true),
            (&own, "休暇", true),
            (&own, "--", false),
            (&own, "vacation", false),
        ] {
            assert_eq!(words.are_in(text), expected, "{text}");
        }
    }
}

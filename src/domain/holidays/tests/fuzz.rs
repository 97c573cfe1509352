//! Slightly corrupted operator files, checked against a list of their lines that is searched from the end.

use super::*;
use crate::tests::{bent_text, try_out};
use proptest::prelude::*;

fn some_code() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        6 => prop::sample::select(vec!["GB", "GB-SCT", "GB-NIR", "NO", "US", "US-LA"]),
        1 => prop::sample::select(Calendar::embedded().countries().map(|code| code.as_str()).collect::<Vec<_>>()),
    ]
}

fn some_line() -> impl Strategy<Value = String> {
    let date = prop_oneof![
        8 => (prop_oneof![6 => 2024..2029_i32, 1 => 0..10_000_i32], 1..=12, 1..=28)
            .prop_map(|(year, month, day)| format!("{year:04}-{month:02}-{day:02}")),
        2 => prop::sample::select(vec!["2026-12-25", "2026-12-26", "2024-02-29", "0000-01-01", "9999-12-31"])
            .prop_map(str::to_owned),
    ];
    let sign = prop_oneof![3 => Just(""), 1 => Just("-"), 1 => Just("- ")];
    let entry = (
        "[ \t]{0,2}",
        sign,
        some_code(),
        "[ ,\t]{1,2}",
        date,
        "([ ,\t][A-Za-z ,#\u{e5}-]{0,8})?",
    )
        .prop_map(|(lead, sign, code, gap, date, name)| {
            format!("{lead}{sign}{code}{gap}{date}{name}")
        });
    prop_oneof![8 => entry, 1 => "[ \t]{0,2}(#[ -~]{0,12})?"]
}

fn some_file() -> impl Strategy<Value = String> {
    let lines = prop::collection::vec(
        (some_line(), prop_oneof![4 => Just("\n"), 1 => Just("\r\n")]),
        0..10,
    );
    (any::<bool>(), lines, any::<bool>()).prop_map(|(marked, lines, ends)| {
        let mark = if marked { "\u{feff}" } else { "" };
        let text: String = lines
            .iter()
            .map(|(line, end)| format!("{line}{end}"))
            .collect();
        let text = if ends {
            &text
        } else {
            text.trim_end_matches(['\r', '\n'])
        };
        format!("{mark}{text}")
    })
}

/// The content of the lines: code, date, whether the day is added, and the rest, which is its name.
fn entries(file: &str) -> Vec<(String, String, bool, String)> {
    let lines = file
        .strip_prefix('\u{feff}')
        .unwrap_or(file)
        .lines()
        .map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let read = |line: &str| {
        let added = !line.starts_with('-');
        let line = line.trim_start_matches('-');
        let words = line.replace(',', " ");
        let mut words = words.split_whitespace().map(str::to_owned);
        let mut word = || words.next().unwrap_or_default();
        let (code, day) = (word(), word());
        let after = |text: &str, word: &str| text.split_once(word).map(|(_, rest)| rest.to_owned());
        let name = after(line, &code).and_then(|rest| after(&rest, &day));
        (code, day, added, name.unwrap_or_default())
    };
    lines.map(read).collect()
}

#[test]
fn files_are_what_their_lines_say() {
    let embedded = Calendar::embedded();
    try_out(2_000, 30..=85, bent_text(some_file()), |file| {
        match Calendar::with_file(&file) {
            Ok(calendar) => {
                let entries = entries(&file);
                let said = |country: &str, date: &str| {
                    let mut back = entries.iter().rev();
                    back.find(|(code, day, ..)| code == country && day == date)
                        .map(|(_, _, added, _)| *added)
                };
                for (country, day, ..) in &entries {
                    let ours = code(country);
                    let whole = ours.country().unwrap_or(ours);
                    // The country and some of its subdivisions.
                    let parts = ["GB-SCT", "GB-NIR", "US-LA"].map(code);
                    for place in parts.into_iter().chain([ours, whole]) {
                        let parent = place.country().map(|parent| parent.as_str());
                        let own = said(place.as_str(), day);
                        let expected = own.or_else(|| parent.and_then(|parent| said(parent, day)));
                        let usual = embedded.is_national_holiday(place, date(day));
                        let found = calendar.is_national_holiday(place, date(day));
                        prop_assert_eq!(
                            found,
                            expected.unwrap_or(usual),
                            "{} {} in {:?}",
                            place,
                            day,
                            file
                        );
                    }
                }
                // The same entries, written plainly, give the same calendar.
                let plain: Vec<String> = entries
                    .iter()
                    .map(|(code, day, added, name)| {
                        format!("{}{code} {day} {name}", if *added { "" } else { "-" })
                    })
                    .collect();
                prop_assert_eq!(&Calendar::with_file(&plain.join("\n")), &Ok(calendar));
                Ok(!entries.is_empty())
            }
            Err((at, why)) => {
                let lines: Vec<&str> = file.lines().collect();
                prop_assert!((1..=lines.len()).contains(&at), "line {} of {:?}", at, file);
                prop_assert!(Calendar::with_file(&lines[..at - 1].join("\n")).is_ok());
                // After an empty line, because a byte order mark at the start of a file is ignored.
                let alone = Calendar::with_file(&format!("\n{}", lines[at - 1]));
                prop_assert!(
                    at == 1 || alone == Err((2, why.clone())),
                    "{:?}: {}",
                    lines[at - 1],
                    why
                );
                Ok(false)
            }
        }
    });
}

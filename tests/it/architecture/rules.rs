//! Every rule number cited in a comment exists in `src/domain/rules.md`.

use super::sources;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const CITATION: &str = "rules.md ";

/// The sections of the file, `2`, and its rules, `2.3`.
fn rules() -> BTreeSet<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/domain/rules.md");
    let text = fs::read_to_string(path).expect("the rules");
    let (mut section, mut all) = (String::new(), BTreeSet::new());
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            section = title.split('.').next().unwrap_or_default().to_owned();
            all.insert(section.clone());
        } else if let Some((number, _)) = line.split_once(". ")
            && number.parse::<u32>().is_ok()
        {
            all.insert(format!("{section}.{number}"));
        }
    }
    all
}

/// The numbers after a citation: `2.3 to 2.5` has two.
fn numbers(rest: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for word in rest.split_whitespace() {
        let number = word.trim_end_matches([')', '.', ',', ';', ':']);
        if number.starts_with(|c: char| c.is_ascii_digit()) {
            found.push(number);
        } else if !["and", "to", "or"].contains(&word) {
            break;
        }
        if number != word {
            break;
        }
    }
    found
}

#[test]
fn numbers_are_read() {
    for (rest, expected) in [
        ("2.3 to 2.5).", &["2.3", "2.5"][..]),
        ("16).", &["16"]),
        ("8 and 9).", &["8", "9"]),
        ("9.4). The 3 others", &["9.4"]),
        ("says so", &[]),
    ] {
        assert_eq!(numbers(rest), expected, "{rest}");
    }
}

#[test]
fn cited_rules_exist() {
    let (rules, mut cited) = (rules(), 0);
    for source in sources() {
        for (_, rest) in source
            .text
            .match_indices(CITATION)
            .map(|(at, _)| (at, &source.text[at + CITATION.len()..]))
        {
            let line = rest.lines().next().unwrap_or_default();
            for number in numbers(line) {
                cited += 1;
                assert!(
                    rules.contains(number),
                    "{}: there is no rule {number}",
                    source.path.display()
                );
            }
        }
    }
    assert!(cited > 40, "{cited} citations");
}

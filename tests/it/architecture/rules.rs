//! Every rule number cited in a comment exists in `src/domain/rules.md`, and every rule is cited by a test that holds it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const CITATION: &str = "rules.md ";

/// What begins the code of a file that only tests compile.
const TESTS: &str = "\n#[cfg(test)]\nmod tests {";

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

/// The numbers after a citation: `2.3 to 2.5` has three.
fn numbers(rest: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut is_range = false;
    for word in rest.split_whitespace() {
        let number = word.trim_end_matches([')', '.', ',', ';', ':']);
        if number.starts_with(|c: char| c.is_ascii_digit()) {
            let last = found.last().and_then(|last| last.split_once('.'));
            if let (true, Some((section, from)), Some((_, until))) =
                (is_range, last, number.split_once('.'))
            {
                let [from, until] = [from, until].map(|rule| rule.parse::<u32>().expect(rest));
                let section = section.to_owned();
                found.extend((from + 1..until).map(|rule| format!("{section}.{rule}")));
            }
            found.push(number.to_owned());
        } else if !["and", "to", "or"].contains(&word) {
            break;
        }
        is_range = word == "to";
        if number != word && !word.ends_with(',') {
            break;
        }
    }
    found
}

#[test]
fn numbers_are_read() {
    for (rest, expected) in [
        ("2.3 to 2.5).", &["2.3", "2.4", "2.5"][..]),
        ("2.1, 2.11 and 2.12).", &["2.1", "2.11", "2.12"]),
        ("16).", &["16"]),
        ("8 and 9).", &["8", "9"]),
        ("9.4). The 3 others", &["9.4"]),
        ("says so", &[]),
    ] {
        assert_eq!(numbers(rest), expected, "{rest}");
    }
}

/// The citations of a folder: the file, the number, and whether a test cites it.
fn citations(folder: &Path) -> Vec<(String, String, bool)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a source folder") {
        let path = entry.expect("an entry").path();
        let inner = path.strip_prefix(env!("CARGO_MANIFEST_DIR"));
        let name = inner.expect("below the root").display().to_string();
        if path.is_dir() {
            found.extend(citations(&path));
        } else if name.ends_with(".rs") {
            let text = fs::read_to_string(&path).expect("a source file");
            let is_test = name.starts_with("tests/")
                || name.contains("/tests/")
                || name.ends_with("/tests.rs");
            let tests = text.find(TESTS).filter(|_| !is_test);
            for (at, _) in text.match_indices(CITATION) {
                let rest = &text[at + CITATION.len()..];
                let of_test = is_test || tests.is_some_and(|begin| at > begin);
                let line = rest.lines().next().unwrap_or_default();
                let numbers = numbers(line).into_iter();
                found.extend(numbers.map(|number| (name.clone(), number, of_test)));
            }
        }
    }
    found
}

#[test]
fn rules_exist_and_tests_cite_each_of_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let rules = rules();
    let mut held = BTreeSet::new();
    for folder in ["src", "tests"] {
        for (file, number, of_test) in citations(&root.join(folder)) {
            assert!(rules.contains(&number), "{file}: there is no rule {number}");
            if of_test {
                held.insert(number);
            }
        }
    }
    let missing: Vec<&String> = rules
        .iter()
        .filter(|rule| rule.contains('.') && !held.contains(*rule))
        .collect();
    assert!(missing.is_empty(), "no test cites {missing:?}");
}

//! The codes of rotations that are imported.

/// The most characters of a code.
const LONGEST: usize = 40;

/// Whether a text is a code.
pub(super) fn is_code(text: &str) -> bool {
    !text.is_empty() && of_text(text) == text
}

/// A code made of a schedule's name, or of its id where the name has no letter or digit that a code can have.
pub(super) fn of(name: &str, id: &str) -> String {
    let says_something = |text: &&str| text.chars().any(|c| c.is_ascii_alphanumeric());
    let text = [name, id].into_iter().find(says_something);
    of_text(text.unwrap_or("IMPORTED"))
}

fn of_text(text: &str) -> String {
    let plain = |c: char| match c {
        'a'..='z' => c.to_ascii_uppercase(),
        'A'..='Z' | '0'..='9' | '-' | '_' => c,
        _ => '-',
    };
    text.chars().map(plain).take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_made_of_names_else_of_ids() {
        for (name, code) in [
            ("Prod", "PROD"),
            ("Database, nights", "DATABASE--NIGHTS"),
            ("日本 当番", "8A1E-2"),
            ("日本 2", "---2"),
            ("", "8A1E-2"),
            (
                "A very long name of a schedule that goes on and on",
                "A-VERY-LONG-NAME-OF-A-SCHEDULE-THAT-GOES",
            ),
        ] {
            assert_eq!(of(name, "8a1e-2"), code, "{name}");
            assert!(is_code(code), "{code}");
        }
        assert_eq!(of("当番", "番"), "IMPORTED");
    }

    #[test]
    fn a_code_has_few_characters() {
        for wrong in ["", "db", "D B", "DÜ", &"A".repeat(41)] {
            assert!(!is_code(wrong), "{wrong}");
        }
    }
}

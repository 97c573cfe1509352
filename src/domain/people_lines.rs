//! People as lines of text, as they are pasted from a sheet: name, mail address, time zone (rules.md 17).

use super::directory_edit::{NewPerson, PersonPatch};
use super::refusal::{Refusal, invalid};

/// The most people that are added at once.
pub const MOST: usize = 200;

/// Reads lines of people: `name, mail, zone`, with commas or tabs between; mail and zone may be missing, and a missing zone is
/// that of whoever adds them. Blank lines are skipped.
///
/// # Errors
/// [`Refusal::Invalid`] naming `people` and the line, as `people[2].email` for the third.
pub fn read(text: &str, zone: &str) -> Result<Vec<NewPerson>, Refusal> {
    let mut people = Vec::new();
    for (at, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let path = format!("people[{at}]");
        people.push(person(line, zone).map_err(|refusal| refusal.under(&path))?);
    }
    match people.len() {
        0 => invalid("people", "enter at least one person, a line each"),
        sent if sent > MOST => invalid("people", format!("enter at most {MOST} people at once")),
        _ => Ok(people),
    }
}

fn person(line: &str, zone: &str) -> Result<NewPerson, Refusal> {
    let between = if line.contains('\t') { '\t' } else { ',' };
    let parts: Vec<&str> = line.split(between).map(str::trim).collect();
    if parts.len() > 3 {
        return invalid("", "enter name, mail and zone, with commas between");
    }
    let part = |index: usize| parts.get(index).copied().filter(|part| !part.is_empty());
    let with = PersonPatch {
        display_name: Some(part(0).unwrap_or_default().to_owned()),
        email: Some(part(1).map(str::to_owned)),
        time_zone: Some(Some(part(2).unwrap_or(zone).to_owned())),
        ..PersonPatch::default()
    };
    NewPerson::of_page(None, with).checked()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::detail;

    #[test]
    fn lines_are_people() {
        let text = "Ada, ada@example.org, Europe/London\n\n Grace \nLinus\tlinus@example.org\t\r\n";
        let people = read(text, "Europe/Oslo").expect("people");
        let shown: Vec<String> = people
            .into_iter()
            .map(|new| {
                let with = new.with;
                let email = with.email.flatten().unwrap_or_default();
                let zone = with.time_zone.flatten().unwrap_or_default();
                format!("{} {email} {zone}", with.display_name.unwrap_or_default())
            })
            .collect();
        assert_eq!(
            shown,
            [
                "Ada ada@example.org Europe/London",
                "Grace  Europe/Oslo",
                "Linus linus@example.org Europe/Oslo"
            ]
        );
    }

    #[test]
    fn what_is_no_line_of_a_person_is_refused_by_its_number() {
        for (text, expected) in [
            ("", "people: enter at least one"),
            (
                "Ada\n, x@example.org",
                "people[1].displayName: send 1 to 200",
            ),
            ("Ada, ada", "people[0].email: send a mail address"),
            ("Ada,,Oslo", "people[0].timeZone: "),
            (
                "Ada, a@b, UTC, more",
                "people[0]: enter name, mail and zone",
            ),
        ] {
            let refusal = read(text, "UTC").expect_err(text);
            let found = detail(&refusal);
            assert!(found.starts_with(expected), "{found}");
        }
        let many = "Ada\n".repeat(MOST + 1);
        assert!(read(&many, "UTC").is_err());
    }
}

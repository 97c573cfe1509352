//! Who is meant by what was typed.

use super::command::PersonWord;
use super::visit::Visit;
use crate::actions::Result;
use crate::domain::ids::UserId;
use crate::domain::message::PeopleNames;
use crate::domain::roster;
use crate::domain::rotation::Rotation;

/// The people who are named: as the platform marks them, by id, else by the name of a member of the rotation. `Err` says who is not
/// known.
pub fn resolved(
    visit: &Visit,
    rotation: &Rotation,
    named: &[PersonWord],
) -> Result<Result<Vec<UserId>, String>> {
    let members = roster::order(&rotation.members, None);
    let members: Vec<UserId> = members.into_iter().map(|one| one.user).collect();
    let names = visit.names(&members)?;
    let one = |word: &PersonWord| match word {
        PersonWord::Person(user) => Ok(user.clone()),
        PersonWord::Group(group) => Err(format!(
            "@{} is a user group. Name people.",
            visit.plain(group)
        )),
        PersonWord::Word(word) => match by_name(&names, word)[..] {
            [user] => Ok(user.clone()),
            [] => Err(format!(
                "Nobody in this rotation is called “{}”. Name people with @.",
                visit.plain(word)
            )),
            ref several => {
                let ids: Vec<String> = several
                    .iter()
                    .map(|user| visit.markup.code(user.as_str()))
                    .collect();
                Err(format!(
                    "Several people in this rotation are called “{}”: {}. Name them with @.",
                    visit.plain(word),
                    ids.join(" and ")
                ))
            }
        },
    };
    Ok(named.iter().map(one).collect())
}

/// Whoever is called like that, or has that id: names whatever the case, ids as they stand.
fn by_name<'a>(names: &'a PeopleNames, word: &str) -> Vec<&'a UserId> {
    let has_id = |user: &UserId| {
        let id = user.as_str();
        id == word || id.strip_prefix('@').is_some_and(|id| id == word)
    };
    if let Some((user, _)) = names.iter().find(|(user, _)| has_id(user)) {
        return vec![user];
    }
    let lower = word.to_lowercase();
    let fits = |user: &UserId, name: &str| {
        // The local part of an id such as `@ana:example.org`.
        let local = user
            .as_str()
            .strip_prefix('@')
            .and_then(|id| id.split(':').next());
        name.to_lowercase() == lower || local.is_some_and(|local| local.to_lowercase() == lower)
    };
    let known = names.iter().filter(|(user, name)| fits(user, name));
    known.map(|(user, _)| user).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_by_name() {
        let names = [
            ("U1", "Ana"),
            ("U2", "Bo"),
            ("U3", "bo"),
            ("U4", "Éva Ü"),
            ("@dee:a.org", "Dee D"),
            ("@Dee:a.org", "other"),
            ("@eve:a.org", "Ana"),
        ];
        let names: PeopleNames = names
            .into_iter()
            .map(|(id, name)| (UserId::from(id), name.to_owned()))
            .collect();
        for (word, expected) in [
            ("ANA", &["@eve:a.org", "U1"][..]),
            ("bo", &["U2", "U3"]),
            ("éva ü", &["U4"]),
            ("an", &[]),
            ("dee:a.org", &["@dee:a.org"]),
            ("@Dee:a.org", &["@Dee:a.org"]),
            ("DEE:a.org", &[]),
            ("EVE", &["@eve:a.org"]),
            ("dee", &["@Dee:a.org", "@dee:a.org"]),
            ("dee d", &["@dee:a.org"]),
        ] {
            let found = by_name(&names, word);
            let found: Vec<&str> = found.into_iter().map(UserId::as_str).collect();
            assert_eq!(found, expected, "{word}");
        }
    }
}
